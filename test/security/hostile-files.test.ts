import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const folder = folderForFile();
const at = (name: string) => join(folder, name);
const socket = createServer();
beforeAll(async () => {
  writeFileSync(at("m.yaml"), "version: 1\nname: t\n");
  writeFileSync(at("key"), "k", { mode: 0o600 });
  execFileSync("mkfifo", ["-m", "600", at("pipe")]);
  await new Promise<void>((resolve) => socket.listen(at("socket"), resolve));
  mkdirSync(at("folder"));
  symlinkSync("/dev/zero", at("to-zero"));
  symlinkSync(at("loop"), at("loop"));
  writeFileSync(at("huge"), "", { mode: 0o600 });
  truncateSync(at("huge"), 2 ** 36);
});
afterAll(() => socket.close());

const hostile = [
  ["a device without an end", () => "/dev/zero"],
  ["a device that draws", () => "/dev/urandom"],
  ["a link to a device", () => at("to-zero")],
  ["a pipe", () => at("pipe")],
  ["a pipe of this process", () => "/dev/fd/0"],
  ["a socket", () => at("socket")],
  ["an empty folder", () => at("folder")],
  ["a link to itself", () => at("loop")],
  ["a file below a file", () => at("m.yaml/x")],
  ["a file of 64 GiB", () => at("huge")],
  ["the memory of this process", () => "/proc/self/mem"],
  ["a path of 5,000 characters", () => `/${"x".repeat(5000)}`],
  ["a path of 2,500 folders", () => "/x".repeat(2500)],
] as const;

const m = () => ["-f", at("m.yaml")];
const api = () => ["--base-url", "https://127.0.0.1:9", "--key-file", at("key")];
const readers: readonly (readonly [name: string, args: (path: string) => string[]])[] = [
  ["validate -f", (path) => ["validate", "-f", path]],
  ["plan -f", (path) => ["plan", "-f", path, "--emulator"]],
  ["--contract", (path) => ["plan", ...m(), "--emulator", "--contract", path]],
  ["--key-file", (path) => ["plan", ...m(), "--base-url", "https://127.0.0.1:9", "--key-file", path]],
  ["--ca-file", (path) => ["plan", ...m(), ...api(), "--ca-file", path]],
  ["--live", (path) => ["plan", ...m(), "--live", path]],
  ["show", (path) => ["show", path]],
  ["apply PLAN", (path) => ["apply", path, ...api()]],
  ["plan --out", (path) => ["plan", ...m(), "--emulator", "--out", path]],
  ["plan --undo-out", (path) => ["plan", ...m(), "--emulator", "--undo-out", path]],
  ["snapshot --out", (path) => ["snapshot", "--emulator", "--out", path]],
  ["apply --journal", (path) => ["apply", ...m(), ...api(), "--auto-approve", "--journal", path]],
  ["emulator --seed", (path) => ["emulator", "--seed", path]],
  ["emulator --fault", (path) => ["emulator", "--fault", path]],
  ["emulator --data", (path) => ["emulator", "--data", path]],
  ["emulator log --data", (path) => ["emulator", "log", "--data", path]],
  ["--emulator-data", (path) => ["plan", ...m(), "--emulator-data", path]],
  ["--allow-file", (path) => ["validate", ...m(), "--allow-file", path]],
];

describe.each(readers)("%s", (name, args) => {
  test.each(size.every(6, hostile))("refuses %s, and says so", async (what, path) => {
    if (name === "--allow-file" && what === "an empty folder") return;
    const before = process.memoryUsage().rss;
    const { now, sleep } = virtualClock();
    const world = { onInterrupt: (handler: () => void) => handler(), now, elapsed: now, awake: now, sleep };
    const ran = exits(3, await runInProcess(noAccount, args(path()), {}, world));
    expect(ran.stderr).not.toMatch(/This is a bug|\n\s+at /u);
    expect(ran.stderr).not.toBe("");
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
  });
});
