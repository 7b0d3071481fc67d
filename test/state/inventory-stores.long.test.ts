import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRepository } from "../../src/state/git/repository.ts";
import { fileStore } from "../../src/state/inventory/file-store.ts";
import { gitStore } from "../../src/state/inventory/git-store.ts";
import { inventoryStore } from "../../src/postgres/stores/inventory.ts";
import type { InventoryStore } from "../../src/state/inventory/inventory-store.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { newDatabase } from "../support/postgres.ts";
import type { Address } from "../../src/model/address.ts";
import { runningApplyOf } from "../../src/model/runner.ts";
import { alice, key, namesIn, noon, ours, workshopForFile } from "./repositories.ts";

/** The conformance suite of inventory stores: two runners, each with a store of its own over one place. */
const shop = workshopForFile();
/** Their clock stands still, so that neither takes the lease of the other, in the middle of its write, for dead. */
const deps = () => ({
  runner: alice,
  now: () => noon,
  newId: randomUUID,
  awake: () => 0,
  elapsed: () => 0,
  sleep: async (milliseconds: number) => {
    await wait(milliseconds / 100);
  },
  every: () => () => undefined,
});

type Stores = readonly [InventoryStore, InventoryStore];

async function inGit(): Promise<Stores> {
  const remote = shop.makeRemote();
  const open = async () => {
    const opened = await openRepository(shop.clone(remote), { env: shop.env, isSecret: () => false });
    if (!opened.ok) throw new Error(opened.reason);
    onTestFinished(opened.repository.close);
    return gitStore(opened.repository, key, deps());
  };
  return [await open(), await open()];
}

async function inFile(): Promise<Stores> {
  const path = join(mkdtempSync(join(shop.folder, "store-")), "inv.json");
  const open = () => fileStore({ path, key, by: "alice@desk", lease: `${path}.lease` }, deps());
  return [open(), open()];
}

let targets = 0;
const database = openedForFile(() => newDatabase());
async function inDatabase(): Promise<Stores> {
  targets += 1;
  const open = () => inventoryStore(database, `${key}${targets}`);
  return [open(), open()];
}

/** One runner loads, or stores names over what it has loaded or stored last: in the place of that if it was a mark. */
const move = fc.record({
  who: fc.constantFrom(0 as const, 1 as const),
  names: fc.option(fc.subarray(["a", "b", "c"])),
  isMark: fc.boolean(),
});

describe.each<[string, () => Promise<Stores>, number]>([
  ["a file", inFile, size.draws(100)],
  ["a git ref", inGit, size.draws(8)],
  ["a database", inDatabase, size.draws(100)],
])("a store in %s", (_where, open, numRuns) => {
  test("takes a value exactly if its writer knows the last one, and both runners load that one", () =>
    forDraws({ numRuns }, fc.array(move, { minLength: 4, maxLength: 8 }), async (moves) => {
      const stores = await open();
      let [value, version, token]: [readonly string[] | undefined, number, string | undefined] = [
        undefined,
        0,
        undefined,
      ];
      const known = new Map<0 | 1, { readonly version: number; readonly token: string; readonly isMark: boolean }>();
      for (const [index, { who, names, isMark }] of moves.entries()) {
        const store = stores[who];
        const last = known.get(who);
        if (names === null || !last) {
          const loaded = await store.load();
          expect(namesIn(loaded.inventory)).toEqual(value);
          expect(loaded.notices).toEqual([]);
          known.set(who, { version, token: loaded.version, isMark: false });
          continue;
        }
        // Two runners that store the same text in the same second would make the same commit.
        const entry = { subject: `test ${index}`, by: "alice@desk" };
        // The same value in a file is the same version of it.
        const inventory = {
          ...ours(...names),
          running: isMark ? runningApplyOf(alice, `alice ${index}`, noon) : undefined,
        };
        const stored = await store.store(inventory, entry, last.token, last.isMark ? "instead" : "after");
        expect(stored.is).toBe(last.version === version || last.token === token ? "done" : "moved");
        if (stored.is !== "done") continue;
        expect(stored.notShared).toBeUndefined();
        [value, version, token] = [names, version + 1, stored.version];
        known.set(who, { version, token, isMark });
      }
    }));

  test("lets one of two that store at once go on", async () => {
    const stores = await open();
    const loaded = await Promise.all(stores.map((store) => store.load()));
    const stored = await Promise.all(
      stores.map((store, index) =>
        store.store(ours(`of${index}`), { subject: "test", by: "x" }, loaded[index]?.version ?? "", "shared"),
      ),
    );
    expect(stored.map(({ is }) => is).toSorted()).toEqual(["done", "moved"]);
    const winner = stored.findIndex(({ is }) => is === "done");
    for (const store of stores) expect(namesIn((await store.load()).inventory)).toEqual([`of${winner}`]);
  });
});

test.each([
  ["a git ref", inGit],
  ["a database", inDatabase],
])(
  "a store in %s tells when an address entered and left, and the applies since one of the whole manifest",
  async (_where, open) => {
    const [store] = await open();
    for (const [index, names] of [["a"], ["b"], ["b", "a"], ["a"]].entries()) {
      const { version } = await store.load();
      const time = `2026-06-0${index}T12:00:00.000Z`;
      const lastApply = { time, planHash: "p", by: "x", manifests: ["m.yaml"], partial: index > 1 || undefined };
      await store.store(
        { ...ours(...names), lastApply },
        { subject: `${index}`, by: "x", planHash: "p" },
        version,
        "after",
      );
    }
    const events = (await store.history("domain/a.example" as Address)) ?? [];
    expect(events.map(({ change, subject, by, planHash }) => [change, subject, by, planHash])).toEqual([
      ["entered", "2", "x", "p"],
      ["left", "1", "x", "p"],
      ["entered", "0", "x", "p"],
    ]);
    expect(await store.history("domain/never.example" as Address)).toEqual([]);
    expect((await store.appliesToWhole())?.map(({ time }) => time[9])).toEqual(["3", "2", "1"]);
  },
);

test("a database that is an older copy gives a warning, and what it holds must stay", async () => {
  const [one, other] = await inDatabase();
  let version = (await one.load()).version;
  for (const name of ["a", "b"]) {
    const stored = await one.store(ours(name), { subject: name, by: "x" }, version, "after");
    if (stored.is === "done") ({ version } = stored);
  }
  await database.query("DELETE FROM hostform.inventory WHERE target = $1 AND version = $2", [
    `${key}${targets}`,
    version,
  ]);
  const loaded = await other.load();
  expect(loaded).toMatchObject({ isUndecided: true, mustStay: true, notices: [{ code: "inventory_rewritten" }] });
  // One that is empty now holds less still.
  await database.query("DELETE FROM hostform.inventory WHERE target = $1", [`${key}${targets}`]);
  expect(await other.load()).toMatchObject({ inventory: undefined, isUndecided: true, mustStay: true });
});
