import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { loadContract, builtInContracts } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import { checkOffered } from "../../src/manifest/read/check-offered.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { samples } from "../kinds/samples.ts";
import { loadText } from "../manifest/load-text.ts";
import { drawContract } from "../support/draw-contract.ts";
import { forDraws } from "../support/for-draws.ts";
import { genericVendor, sampleName } from "../support/generic-vendor.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { shapes } from "../support/shapes.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { size } from "./size.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
const server = openedForFile(() => startHttpsServer((request, response) => listener(request, response)));
let listener: ReturnType<typeof genericVendor>;

beforeAll(() => writeFileSync(join(folder, "ca.pem"), server.ca));

type Section = Record<string, unknown>;

/** A part of a manifest, and its path. */
type Part = readonly [path: readonly (string | number)[], value: unknown];

/** Returns the parts that declare the sample of a kind: what it needs, then its fields and records. */
function partsOf(name: string, which: 0 | 1): Part[] {
  const { parents, path, body, fields } = samples[name] as NonNullable<(typeof samples)[string]>;
  return [
    ...Object.entries(parents).map(([section, parent]): Part => [[section], parent]),
    [path, body],
    [path, {}],
    ...Object.entries(fields).flatMap(([field, { at, values, with: more }]): Part[] =>
      unsampled.has(field) || more ? [] : [[[...path, ...(at ?? field.split("."))], values[which]]],
    ),
    ...(name === "dns_record" ? records : []),
  ];
}

const isMap = (value: unknown): value is Section =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withPart(whole: Section, [[first = "", ...rest], value]: Part): Section {
  const known = whole[first];
  if (typeof rest[0] === "number") return { ...whole, [first]: [value] };
  if (rest.length > 0) return { ...whole, [first]: withPart(isMap(known) ? known : {}, [rest, value]) };
  return { ...whole, [first]: isMap(known) && isMap(value) ? { ...known, ...value } : value };
}

const textOf = (manifest: Section) =>
  JSON.stringify({ version: 1, name: "drawn", ...manifest })
    .replaceAll("NAME", sampleName)
    .replaceAll("SHORT", "1");

/** Returns a manifest of the samples of some kinds, with the parts that the contract takes and a draw chooses. */
async function manifestOf(contract: Contract, names: readonly string[], chooses: () => boolean, which: 0 | 1) {
  let manifest: Section = {};
  for (const part of names.flatMap((name) => partsOf(name, which))) {
    if (!chooses()) continue;
    const more = withPart(manifest, part);
    const { tree, diagnostics } = await loadText(textOf(more));
    const secret = () => ({ value: "secret-one-12" });
    const read = tree && readDesired(tree, secret, contract);
    const all = read ? [...diagnostics, ...read.diagnostics, ...checkOffered(read, contract)] : diagnostics;
    if (all.every(({ severity }) => severity !== "error")) manifest = more;
  }
  return textOf(manifest);
}

/** Fields that need others beside them. */
const unsampled: ReadonlySet<string> = new Set(["register", "transfer", "priority", "period_years"]);

const zone = ["dns", "NAME", "records"] as const;
const records: readonly Part[] = [
  [
    [...zone, "@", "A"],
    ["192.0.2.1", "192.0.2.2"],
  ],
  [[...zone, "@", "MX"], [{ priority: 10, value: "mx.host.test." }]],
  [[...zone, "_sip._tcp", "SRV"], [{ priority: 0, weight: 5, port: 5060, target: "sip.host.test." }]],
  [[...zone, "www", "CAA"], [{ tag: "issue", value: "ca.test" }]],
];

const env = {
  HOSTFORM_API_KEY: "me@example.com:a-key-of-the-vendor",
  FIRST_PASSWORD: "secret-one-12",
  SECOND_PASSWORD: "secret-two-12",
};

test("no contract that the check accepts, and no answer, ends in a bug", async () => {
  const builtIn = await Promise.all(builtInContracts.map(async (name) => (await loadContract(name)).contract));
  const bases = [...builtIn, ...Object.values(shapes).map(({ contract }) => contract)].filter(
    (each) => each !== undefined,
  );
  await forDraws(
    { numRuns: size.anyContracts, endOnFailure: true },
    fc.gen(),
    fc.constantFrom(...bases),
    fc.nat(),
    fc.constantFrom(100, 95, 80),
    async (g, base, seed, honesty) => {
      const offered = Object.keys(base.kinds).filter((name) => base.kinds[name]);
      const chosen = g(fc.subarray<string>, offered, {
        minLength: 1,
        maxLength: Math.min(3, offered.length),
      });
      const declared = ["domain", "dns_zone", "service", "database"]
        .filter((name) => offered.includes(name) && !chosen.includes(name))
        .concat(chosen);
      const needed = new Set([
        ...declared,
        "service",
        "domain",
        "dns_zone",
        "database",
        ...g(fc.subarray<string>, offered),
      ]);
      const kinds = Object.fromEntries(Object.entries(base.kinds).filter(([name]) => needed.has(name)));
      const contract = drawContract(g, { ...base, kinds }, 30);
      const counts = new Map<string, number>();
      listener = genericVendor(
        contract,
        (request, most) => {
          const nth = (counts.get(request) ?? 0) + 1;
          counts.set(request, nth);
          return hash(`${seed} ${request} ${nth}`) % most;
        },
        honesty,
      );
      const place = mkdtempSync(join(folder, "run-"));
      const file = join(place, "contract.yaml");
      writeFileSync(file, JSON.stringify(contract));
      writeFileSync(
        join(place, "m.yaml"),
        await manifestOf(contract, declared, () => g(fc.nat, 3) > 0, g(fc.constantFrom, 0, 1) as 0 | 1),
      );
      const account = {
        env,
        flags: ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file],
      };
      const args = ["-f", join(place, "m.yaml"), "--inventory", join(place, "inventory.json")];
      const clock = virtualClock();
      const world = { now: clock.now, awake: clock.now, elapsed: clock.now, sleep: clock.sleep, every: clock.every };
      for (const command of [
        ["plan"],
        ["apply", "--auto-approve", "--settle", "1", "--wait-timeout", "2", "--allow-purchase", "service/n1.example"],
        ["plan"],
      ]) {
        const ran = await runInProcess(account, [...command, ...args], {}, world);
        const text = `${JSON.stringify(contract)}\n${ran.stdout}${ran.stderr}`;
        expect(ran.status, text).not.toBe(1);
        expect(ran.printed, text).not.toContain("a bug in Hostform");
      }
      rmSync(place, { recursive: true });
    },
  );
});

function hash(text: string): number {
  let value = 2_166_136_261;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return value >>> 8;
}
