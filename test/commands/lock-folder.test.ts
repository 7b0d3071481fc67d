import { chmodSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeLockFolders } from "../../src/engine/session/state-folder.ts";
import { folderForTest } from "../support/temporary-folder.ts";

let temporary: string;
const runner = {
  user: "ann",
  uid: process.getuid?.(),
  host: "desk",
  pid: process.pid,
  processMark: () => "",
};

beforeEach(() => {
  temporary = folderForTest();
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(() => vi.unstubAllEnvs());

test("locks stand in one folder of this user", () => {
  const folders = makeLockFolders(runner);
  expect(folders).toEqual([join(temporary, "hostform-locks-ann")]);
  expect(makeLockFolders(runner)).toEqual(folders);
});

test.each<[string, (path: string) => void]>([
  ["a file", (path) => writeFileSync(path, "")],
  ["a folder that others may write to", (path) => mkdirOpen(path)],
  ["a link to such a folder", (path) => symlinkSync(mkdirOpen(`${path}.target`), path)],
  ["a dangling link", (path) => symlinkSync("/nonexistent/x", path)],
])("%s of that name keeps no lock from being taken, and every run finds the same folder", (_what, make) => {
  make(join(temporary, "hostform-locks-ann"));
  const folders = makeLockFolders(runner);
  expect(folders).toHaveLength(1);
  expect(folders[0]).toMatch(/hostform-locks-ann-\w{6}$/u);
  expect(makeLockFolders(runner)).toEqual(folders);
  // Once the name is free again, a run that began before is still seen.
  rmSync(join(temporary, "hostform-locks-ann"), { recursive: true, force: true });
  expect(makeLockFolders(runner)).toEqual(folders);
  mkdirSync(join(temporary, "hostform-locks-ann"), { mode: 0o700 });
  expect(makeLockFolders(runner)).toHaveLength(2);
  expect(readdirSync(temporary).filter((name) => name.startsWith("hostform-locks-ann-"))).toHaveLength(1);
});

function mkdirOpen(path: string): string {
  mkdirSync(path);
  chmodSync(path, 0o777);
  return path;
}
