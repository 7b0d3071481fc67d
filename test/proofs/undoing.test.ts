import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { account as drawnAccount, lasting, liveAt, manifestText, type Sections } from "../support/draw-account.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { accountRuns, size } from "./size.ts";

/**
 * Whatever an apply has made of whatever was there, its undo brings back all that it does not list, with what was ours; and the same
 * apply after the undo ends as it did.
 */
let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

const run = (args: readonly string[]) => runInProcess(account, args, { PW: "some-password-1" });

async function done(args: readonly string[]): Promise<Ran> {
  const ran = await run(args);
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  return ran;
}

/** Consents to all that a run is refused for. */
const consents = (ran: Ran): string[] =>
  eventsOf(ran).flatMap(({ type, flag, address }) =>
    type === "refused" && typeof flag === "string" ? [flag, String(address)] : [],
  );

interface Inventory {
  readonly addresses: readonly string[];
  readonly prevent_destroy: readonly string[];
}
interface CannotUndo {
  readonly address: string;
  readonly reason: string;
}

/** Some resources of the second manifest are kept from being destroyed. */
interface Trial {
  readonly first: Sections;
  readonly second: Sections;
  readonly kept: boolean;
  readonly certificate: boolean;
}

const trial: fc.Arbitrary<Trial> = fc.record({
  first: drawnAccount,
  second: drawnAccount,
  kept: fc.boolean(),
  certificate: fc.boolean(),
});

type Json = Record<string, unknown>;
function secondManifest({ second, kept, certificate }: Trial): Sections {
  const sections = structuredClone(second) as Record<string, Json>;
  if (certificate && sections["services"]) sections["certificates"] = { NAME: [{ domains: ["NAME"] }] };
  const { databases = {} } = (sections["databases"]?.["NAME"] ?? {}) as { databases?: Record<string, Json> };
  if (kept) for (const body of Object.values(databases)) body["lifecycle"] = { prevent_destroy: true };
  return sections;
}

/** Whether an undo lists the resource that a key of the live state is of, or one that it belongs to. */
function isListed(key: string, cannot: readonly CannotUndo[]): boolean {
  const [kind = "", ...names] = key.split(" ");
  return cannot.some(
    ({ address }) =>
      (address.startsWith(`${kind}/`) && address.includes(kind === "ftp_account" ? "" : (names[0] ?? ""))) ||
      // What the server makes along with a service or a domain that stays, stays.
      (["service/", "domain/"].some((each) => address.startsWith(each)) &&
        ["mail_settings", "ftp_account"].includes(kind)),
  );
}

const differing = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]),
  );

let number = 0;
test("an apply, its undo and the apply again end as the apply did", { timeout: size.timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(trial, async (drawn) => {
      number += 1;
      const path = account.write(`m${number}.yaml`, manifestText(drawn.first, number));
      const [undo, inventoryFile] = ["undo", "inventory"].map((word) =>
        join(account.folder, `${word}${number}.json`),
      ) as [string, string];
      const inventory = ["--inventory", inventoryFile];
      const ours = () => JSON.parse(readFileSync(inventoryFile, "utf8")) as Inventory;
      const state = () => lasting(liveAt(account, number));
      await done(["apply", "-f", path, "--auto-approve", ...inventory]);
      const [before, oursBefore] = [state(), ours()];

      account.write(`m${number}.yaml`, manifestText(secondManifest(drawn), number));
      const allowed = consents(await run(["plan", "-f", path, "--json", ...inventory]));
      const planned = await run(["plan", "-f", path, "--undo-out", undo, ...inventory, ...allowed]);
      // What the API cannot do at all has no undo either.
      if (planned.status !== 0) return;
      await done(["apply", "-f", path, "--auto-approve", ...inventory, ...allowed]);
      const [between, oursBetween] = [state(), ours()];

      const asked = consents(await run(["apply", undo, "--json", "--auto-approve", ...inventory]));
      await done(["apply", undo, "--auto-approve", ...inventory, ...asked]);
      const { cannot_undo: cannot = [] } = JSON.parse(readFileSync(undo, "utf8")) as { cannot_undo?: CannotUndo[] };
      const unlisted = differing(before, state()).filter((key) => !isListed(key, cannot));
      expect(unlisted.map((key) => [key, before[key], state()[key], cannot])).toEqual([]);
      const told = new Set(cannot.map(({ address }) => address));
      const owned = (of: Inventory) => of.addresses.filter((address) => !told.has(address));
      expect(owned(ours())).toEqual(owned(oursBefore));

      const again = consents(await run(["plan", "-f", path, "--json", ...inventory]));
      await done(["apply", "-f", path, "--auto-approve", ...inventory, ...again]);
      expect(state()).toEqual(between);
      expect(ours().addresses).toEqual(oursBetween.addresses);
      expect(ours().prevent_destroy).toEqual(oursBetween.prevent_destroy);
    }),
    { numRuns: accountRuns, endOnFailure: true },
  );
});
