import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";

let folder: string;
const path = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hostform-data-file-"));
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
afterAll(() => rmSync(folder, { recursive: true }));

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
      const { status, stdout, stderr } = await runInProcess({ flags: [], env: {} }, args);
      expect(status, stderr + stdout).toBe(3);
      expect(stderr).toContain(`data file ${file}`);
      expect(stderr).not.toMatch(/\n\s+at .*:\d+|This is a bug/u);
    }
  });
});
