import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { beforeAll, describe, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
const path = (name: string) => join(folder, name);
beforeAll(() => {
  writeFileSync(path("m.yaml"), "version: 1\nname: t\ndns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n");
  mkdirSync(path("folder"));
  execFileSync("mkfifo", [path("pipe")]);
  symlinkSync(path("pipe"), path("to-pipe"));
  symlinkSync("/dev/zero", path("to-device"));
  symlinkSync("loop", path("loop"));
  symlinkSync("nothing", path("to-nothing"));
  writeFileSync(path("text"), "no database");
  writeFileSync(path("huge"), "");
  // Sparse: it takes no space.
  truncateSync(path("huge"), 2 ** 40);
  writeFileSync(path("cut"), Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(84, 0xff)]));
  writeFileSync(path("damaged"), Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(100_000, 0xa5)]));
  for (const end of ["wal", "shm", "journal"]) execFileSync("mkfifo", [path(`beside-${end}.db-${end}`)]);
});

const names = [
  "folder",
  "pipe",
  "to-pipe",
  "to-device",
  "loop",
  "to-nothing",
  "text",
  "huge",
  "cut",
  "damaged",
  "beside-wal.db",
  "beside-shm.db",
  "beside-journal.db",
  "/dev/zero",
  "/dev/null",
  "/proc/self/mem",
  "/proc/self/none/d.db",
  "x".repeat(5000),
];

describe("a data file that cannot be used is a clear error, without waiting and without a stack:", () => {
  test.each(names)("%.40s", async (name) => {
    const file = name.startsWith("/") ? name : path(name);
    for (const args of [
      ["plan", "-f", path("m.yaml"), "--emulator", "--emulator-data", file],
      ["emulator", "--data", file, "--key", "k"],
    ]) {
      const { stderr } = exits(3, await runInProcess(noAccount, args));
      // Names beyond 4,000 characters are cut.
      expect(stderr).toContain(`data file ${file.slice(0, 1000)}`);
      expect(stderr).not.toMatch(/\n\s+at .*:\d+|This is a bug/u);
    }
  });
});

function run(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

/** Files that are no store, each in a folder of its own. */
const others: Readonly<Record<string, (file: string) => void>> = {
  "an empty file": (file) => writeFileSync(file, ""),
  "a text": (file) => writeFileSync(file, "version: 1\n"),
  "a key": (file) => writeFileSync(file, "a-key-of-some-api", { mode: 0o600 }),
  "a database of another program": (file) => run(file, "CREATE TABLE t (a); INSERT INTO t VALUES (1);"),
  "an empty database of another program": (file) => run(file, "PRAGMA application_id = 1;"),
};

/** The files of a folder, with their content and mode. */
const filesIn = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name)).toString("base64"), statSync(join(folder, name)).mode]);

describe("the log", () => {
  test.each(Object.entries(others))("of %s is an error, and the file stays as it was", async (name, make) => {
    const place = mkdtempSync(path("other-"));
    const file = join(place, "file.db");
    make(file);
    const before = filesIn(place);
    const ran = await runInProcess(noAccount, ["emulator", "log", "--data", file]);
    expect(ran).toMatchObject({ status: 3, stdout: "", stderr: expect.stringContaining(`data file ${file}`) });
    expect(filesIn(place)).toEqual(before);
    if (name.startsWith("an empty")) return;
    const served = await runInProcess(noAccount, ["emulator", "--data", file]);
    expect(served).toMatchObject({ status: 3, stderr: expect.stringContaining(`data file ${file}`) });
    expect(filesIn(place)).toEqual(before);
  });

  test("of a file that is not there makes none", async () => {
    const place = mkdtempSync(path("none-"));
    exits(3, await runInProcess(noAccount, ["emulator", "log", "--data", join(place, "d.db")]));
    expect(readdirSync(place)).toEqual([]);
  });
});

test.each([
  ["a new data file", "new"],
  ["an empty data file that all may read", "empty"],
  ["a filled data file that all may read", "filled"],
])("%s, and the files beside it, are for their owner alone, but for the certificates", async (_what, before) => {
  const place = mkdtempSync(path("new-"));
  if (before === "filled") await (await openAccount({ dataFile: join(place, "d.db") })).close();
  if (before === "empty") writeFileSync(join(place, "d.db"), "");
  if (before !== "new") chmodSync(join(place, "d.db"), 0o644);
  const account = await openAccount({ dataFile: join(place, "d.db") });
  await account.byHand("GET", "/v2026/services");
  const open = readdirSync(place).filter((name) => (statSync(join(place, name)).mode & 0o077) !== 0);
  expect(readdirSync(place)).toEqual(expect.arrayContaining(["d.db", "d.db-shm", "d.db-wal"]));
  expect(open.toSorted()).toEqual(["d.db.ca.pem", "d.db.cert.pem"]);
  await account.close();
});
