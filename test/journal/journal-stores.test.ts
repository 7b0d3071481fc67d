import { randomUUID } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../src/journal/file-journal.ts";
import type { JournalLines, JournalStore } from "../../src/journal/journal-store.ts";
import { journalStore } from "../../src/postgres/stores/journal.ts";
import { forDraws } from "../support/for-draws.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { newDatabase } from "../support/postgres.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/** The conformance suite of journal stores: of each place, two runs have a store of their own, one after the other. */
const top = folderForFile();
const database = openedForFile(() => newDatabase());

/** Opens the same place once more, as the next run does. */
type Place = () => Promise<JournalStore>;

async function inFile(): Promise<Place> {
  const path = join(mkdtempSync(join(top, "t")), "x.journal");
  return async () => fileJournal(path);
}

async function inDatabase(): Promise<Place> {
  const target = randomUUID();
  return async () => {
    const token = randomUUID();
    await holdLease(target, token);
    return journalStore(database, target, { lease: target, token, newId: randomUUID });
  };
}

const holdLease = (target: string, token: string, seconds = 40) =>
  database.query(
    `INSERT INTO hostform.lease (target, token, until) VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
     ON CONFLICT (target) DO UPDATE SET token = excluded.token, until = excluded.until`,
    [target, token, seconds],
  );

const textIn = async (place: Place): Promise<string> =>
  Buffer.concat([...(await (await place()).read()).parts()]).toString();

/** A run begins a journal, adds so many groups of lines, and is gone, or removes it. */
const run = fc.record({ groups: fc.nat({ max: 3 }), isClosed: fc.boolean(), removes: fc.boolean() });

describe.each<[string, () => Promise<Place>]>([
  ["a file", inFile],
  ["a database", inDatabase],
])("a journal in %s", (_name, open) => {
  test("is that of the last run which added lines, whenever each run dies", () =>
    forDraws(100, fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
      const place = await open();
      let expected = "";
      const opened: JournalLines[] = [];
      for (const [index, { groups, isClosed, removes }] of runs.entries()) {
        const store = await place();
        const lines = await store.begin(`begin ${index}\n`);
        if (!isClosed) opened.push(lines);
        expect(await textIn(async () => store)).toBe(expected);
        for (let group = 0; group < groups; group += 1) {
          expect(await lines.append(`run ${index} group ${group}\n`, true)).toBeUndefined();
          expected = group === 0 ? `begin ${index}\n` : expected;
          expected += `run ${index} group ${group}\n`;
          expect(await textIn(async () => store)).toBe(expected);
        }
        if (isClosed) await lines.close();
        if (removes) {
          await store.remove();
          expected = "";
        }
      }
      expect(await textIn(place)).toBe(expected);
      // The system does this for a process that died.
      for (const lines of opened) await lines.close();
    }));

  test("that was set aside is listed, and is in nobody's way", async () => {
    const place = await open();
    const store = await place();
    const lines = await store.begin("begin\n");
    await lines.append("a\n", true);
    await lines.close();
    await store.setAside(Date.parse("2026-06-01T12:00:00Z"));
    expect(await textIn(place)).toBe("");
    expect(await (await place()).listAside()).toEqual([expect.stringContaining(store.where.slice(0, 10))]);
  });
});

test("Journals in a folder that cannot be listed are not taken for none; in one that is not there are none.", async () => {
  const notFolder = join(top, "file");
  writeFileSync(notFolder, "");
  await expect(fileJournal(join(notFolder, "x.journal")).listAside()).rejects.toThrow("ENOTDIR");
  expect(await fileJournal(join(top, "absent", "x.journal")).listAside()).toEqual([]);
});

describe("a journal in a database takes no line", () => {
  const begun = async () => {
    const [target, token] = [randomUUID(), randomUUID()];
    await holdLease(target, token);
    const store = journalStore(database, target, { lease: target, token, newId: randomUUID });
    const lines = await store.begin("begin\n");
    await lines.append("a\n", true);
    return { target, token, store, lines };
  };

  test.each([
    ["once another run has the lease", async (target: string) => holdLease(target, randomUUID())],
    ["in the last five seconds of the lease", async (target: string, token: string) => holdLease(target, token, 4)],
    [
      "once the lease is gone",
      async (target: string) => database.query("DELETE FROM hostform.lease WHERE target = $1", [target]),
    ],
  ])("%s", async (_when, change) => {
    const { target, token, store, lines } = await begun();
    await change(target, token);
    expect(await lines.append("b\n", true)).toContain("does not hold the lease");
    await store.remove();
    const next = await store.begin("another\n");
    expect(await next.append("c\n", true)).toContain("does not hold the lease");
    const kept = await store.read();
    expect(Buffer.concat([...kept.parts()]).toString()).toBe("begin\na\n");
  });

  test("while the database cannot be reached, and says so", async () => {
    const gone = await newDatabase();
    const store = journalStore(gone, "x", { lease: "x", token: randomUUID(), newId: randomUUID });
    const lines = await store.begin("begin\n");
    await gone.close();
    expect(await lines.append("a\n", true)).toMatch(/cannot be reached|refused/u);
    await expect(store.read()).rejects.toThrow(/database/u);
  });
});
