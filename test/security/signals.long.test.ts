import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { watchSignals } from "../../src/cli/watch-signals.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { cli, runHostform } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
beforeAll(() => writeFileSync(join(folder, "m.yaml"), "version: 1\nname: t\ndns: { a.example: { records: {} } }\n"));

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Returns a module to import before the program. It runs code each time that a module is required from when the program loads more than the
 * watching of signals. In that code, `seen` is the number of modules before, and `fake` may be given the module in place of the real one.
 */
const atEachLoad = (code: string, begin = ""): string =>
  `data:text/javascript,${encodeURIComponent(`import Module from "node:module"; import { writeSync } from "node:fs"; ${begin}
  const load = Module._load;
  let seen = -1;
  Module._load = (request, ...others) => {
    let fake;
    if (seen >= 0 || request.endsWith("/main.cjs")) { seen += 1; ${code} }
    return fake ?? load(request, ...others);
  };`)}`;

test.each(size.every(6, signals))("%s before the program has loaded ends with 130", async (signal) => {
  const never = "{ main: () => new Promise((resolve) => setTimeout(resolve, 60_000)) }";
  const hook = atEachLoad(`if (seen === 0) { process.kill(process.pid, "${signal}"); fake = ${never}; }`);
  const child = spawn(process.execPath, ["--import", hook, cli, "validate", "-f", join(folder, "m.yaml")]);
  const status = await new Promise((resolve) => child.on("close", (code, killed) => resolve(killed ?? code)));
  expect(status).toBe(130);
});

test.each(size.every(6, signals))("%s while standard input is awaited ends with 130", async (signal) => {
  const child = spawn(process.execPath, [cli, "validate", "--json", "-f", "-"]);
  child.stdout.once("data", () => child.kill(signal));
  const status = await new Promise((resolve) => child.on("close", (code, killed) => resolve(killed ?? code)));
  expect(status).toBe(130);
});

/** A module to import before the program, which signals itself with its first output: a test that sees that may see the end with it. */
const signalAtOutput = `data:text/javascript,${encodeURIComponent(`const { write } = process.stdout; process.stdout.write = (...text) => {
  process.stdout.write = write;
  const isTaken = process.stdout.write(...text);
  process.kill(process.pid, "SIGTERM");
  return isTaken;
};`)}`;

test.each(size.every(6, ["plan", "rehearse", "snapshot"]))(
  "SIGTERM at the first output of %s ends with 130",
  async (command) => {
    const args = command === "snapshot" ? ["--out", join(folder, "s.json")] : ["-f", join(folder, "m.yaml")];
    const ran = await runHostform([command, ...args, "--json", "--emulator"], {
      env: { NODE_OPTIONS: `--import=${signalAtOutput}` },
    });
    expect(ran).toMatchObject({ status: 130, stderr: "" });
  },
);

/** Imports a hook that sends a signal while the module of that number is loaded, counted from the first after the watching of signals. */
const hookAt = (signal: string, count: number): string =>
  atEachLoad(`if (seen === ${count}) process.kill(process.pid, "${signal}");`);

const lines: readonly (readonly string[])[] = [
  ["validate", "-f", "m.yaml"],
  ["plan", "-f", "m.yaml", "--emulator"],
  ["apply", "-f", "m.yaml", "--emulator", "--auto-approve"],
  ["rehearse", "-f", "m.yaml", "--emulator"],
  ["why", "dns_zone/a.example", "-f", "m.yaml", "--emulator"],
  ["status", "-f", "m.yaml", "--emulator"],
  ["snapshot", "--emulator", "--out", "drawn.json"],
];

test("a signal while any module is loaded ends with 130, and prints nothing", () =>
  forDraws(
    { numRuns: size.signalRuns * 3 },
    fc.constantFrom(...lines),
    fc.constantFrom(...signals),
    // Each line loads more modules, files of the bundle and of Node: validate loads the fewest, 135.
    fc.nat(120),
    async (args, signal, count) => {
      const child = spawn(process.execPath, ["--import", hookAt(signal, count), cli, ...args], { cwd: folder });
      let output = "";
      child.stderr.on("data", (bytes: Buffer) => (output += bytes.toString()));
      const status = await new Promise((resolve) => child.on("close", (code, killed) => resolve(killed ?? code)));
      expect([130, output], args.join(" ")).toEqual([status, ""]);
    },
  ));

test.each(size.every(9, lines).map((args) => [args[0], args] as const))(
  "a signal at a drawn moment of %s ends with 130, unless the command has ended before",
  (_, args) =>
    forDraws({ numRuns: size.signalRuns }, fc.constantFrom(...signals), fc.nat(600), async (signal, delay) => {
      // On a pipe of its own, the first byte says that signals are watched, and the second that the command has ended.
      const mark = atEachLoad(`if (seen === 0) writeSync(3, "x");`, `process.on("exit", () => writeSync(3, "e"));`);
      const child = spawn(process.execPath, ["--import", mark, cli, ...args], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe", "pipe"],
      });
      child.stdio[3]?.once("data", () => setTimeout(() => child.kill(signal), delay));
      let marks = "";
      child.stdio[3]?.on("data", (bytes: Buffer) => (marks += bytes.toString()));
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (bytes: Buffer) => (output += bytes.toString()));
      const status = await new Promise((resolve) => child.on("close", (code, killed) => resolve(killed ?? code)));
      // Node stops watching while it ends the process: a signal that comes then ends it by its own name.
      expect(marks.endsWith("e") ? [0, 130, signal] : [130], output).toContain(status);
      expect(output).not.toMatch(/\n\s+at .*:\d+|This is a bug/u);
    }),
);

test("a handler that is given takes the first signal", () => {
  const before = signals.map((signal) => process.listeners(signal));
  let calls = 0;
  watchSignals()(() => (calls += 1));
  const added = signals.map((signal, index) =>
    process.listeners(signal).filter((each) => !before[index]?.includes(each)),
  );
  process.emit("SIGHUP");
  process.emit("SIGHUP");
  for (const [index, signal] of signals.entries()) for (const each of added[index] ?? []) process.off(signal, each);
  expect(calls).toBe(1);
});
