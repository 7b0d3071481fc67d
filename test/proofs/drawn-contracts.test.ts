import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { misfit, sortOf } from "../../src/contract/spelling/fits.ts";
import type { Spelling } from "../../src/emulator/spelling/words.ts";
import { findKind } from "../../src/kinds/index.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { Codec, Contract, FieldContract } from "../../src/model/contract.ts";
import { openAccount } from "../support/account.ts";
import { account as drawnAccount, manifestText } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { shapes, type ShapeName } from "../support/shapes.ts";
import { size } from "./size.ts";

const env = { PW: "secret-of-all-12" };
const everyType = fileURLToPath(new URL("../emulator/every-type.yaml", import.meta.url));

const listed: readonly Codec[] = [
  "bytes",
  "final_dot",
  "no_final_dot",
  "plain_text",
  "quoted_text",
  "priority_inside",
  "integer",
  "string",
];

/** Codecs that the requests of a shape need: without them an address or a priority would be sent nowhere. */
const kept: ReadonlySet<Codec> = new Set(["priority_inside", "local_part"]);

/** Draws another spelling for a field: codecs, words or a value for null. The names of records keep theirs, which paths depend on. */
function spelling(kind: Kind, name: string, field: FieldContract): Arbitrary<FieldContract> {
  const { as: _as, map: _map, ...plain } = field;
  const fixed = field.id_of ?? field.keys ?? field.sentinel ?? field.parts ?? field.absent;
  if (fixed !== undefined || kind.naming.relative?.field === name || kind.fields[name]?.access === "write_only")
    return fc.constant(field);
  const codecs = fc
    .shuffledSubarray(listed.filter((codec) => misfit(kind, name, [codec]) === undefined))
    .filter((as) => misfit(kind, name, as) === undefined)
    .map((drawn) => [...new Set([...drawn, ...(field.as ?? []).filter((codec) => kept.has(codec))])])
    .map((as): FieldContract => (as.length > 0 ? { ...plain, as } : plain));
  if (sortOf(kind, name) !== "boolean") return fc.oneof(fc.constant(field), codecs);
  const words = fc.constantFrom(
    { true: "on", false: ["off", "no"] },
    { true: 1, false: 0 },
    { true: "false", false: "true" },
  );
  return fc.oneof(
    fc.constant(field),
    codecs,
    words.map((map): FieldContract => ({ ...plain, map })),
  );
}

/** Draws a contract: a shape, in which each field may be spelt in another way. */
const contract: Arbitrary<{ readonly shape: ShapeName; readonly drawn: Contract }> = fc
  .constantFrom(...(Object.keys(shapes) as ShapeName[]))
  .chain((shape) => {
    const base = shapes[shape].contract;
    const kinds = Object.entries(base.kinds).map(([name, entry]) => {
      const kind = findKind(name);
      if (!kind || !entry) return fc.constant([name, entry] as const);
      const fields = Object.entries(entry.fields).map(([own, field]) =>
        spelling(kind, own, field).map((as) => [own, as] as const),
      );
      return fc.tuple(...fields).map((all) => [name, { ...entry, fields: Object.fromEntries(all) }] as const);
    });
    return fc.tuple(...kinds).map((all) => ({ shape, drawn: { ...base, kinds: Object.fromEntries(all) } }));
  });

/** The spellings of answers that leave a value as the contract describes it. */
const switches = fc
  .subarray([
    "upper",
    "idn",
    "ipv6-long",
    "spaced",
    "cron-words",
    "times-with-offset",
    "shuffled",
    "nulls",
    "quoted",
    "numbers-as-strings",
    "digits-as-numbers",
    "booleans-as-strings",
  ] satisfies Spelling[])
  .map((words) => words.join(","));

test("a manifest is applied under any contract and spelling, and then nothing is left to do", async () => {
  const drawn = fc.record({ contract, switches, account: drawnAccount, isWhole: fc.boolean() });
  await forDraws(
    { numRuns: size.drawnContracts },
    drawn,
    async ({ contract: { shape, drawn: own }, switches: words, account: sections, isWhole }) => {
      const place = mkdtempSync(join(tmpdir(), "hostform-drawn-"));
      const file = join(place, "contract.yaml");
      writeFileSync(file, JSON.stringify(own));
      const account = await openAccount({ contract: file, manner: shapes[shape].manner });
      const key = account.env["HOSTFORM_API_KEY"] ?? "";
      const asked = {
        ...account,
        env: { HOSTFORM_API_KEY: own.request.auth.headers ? `me@example.com:${key}` : key },
      };
      const manifest = account.write("m.yaml", manifestText(sections, 1));
      const args = ["-f", isWhole ? everyType : manifest, "--inventory", join(account.folder, "inventory.json")];
      const consent = ["--auto-approve"];
      try {
        // A zone that is written whole is sent back as it was read: the service knows its own records by their one spelling only.
        if (shape !== "whole") await account.byHand("PUT", "/_emulator/spelling", { spelling: words });
        const applied = await runInProcess(asked, ["apply", ...consent, ...args], env);
        const again = await runInProcess(asked, ["plan", "--detailed-exitcode", ...args], env);
        const text = [shape, words, applied.stdout, applied.stderr, again.stdout, again.stderr].join("\n");
        expect([applied.status, again.status], text).toEqual([0, 0]);
      } finally {
        await account.close();
        rmSync(place, { recursive: true });
      }
    },
  );
});
