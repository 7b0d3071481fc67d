import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { watchSignals } from "../../src/cli/watch-signals.ts";
import { cli, runHostform } from "../support/run-hostform.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hostform-signals-"));
  writeFileSync(join(folder, "m.yaml"), "version: 1\nname: t\ndns: { a.example: { records: {} } }\n");
});
afterAll(() => rmSync(folder, { recursive: true }));

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

test.each(signals)("%s before the program has loaded ends with 130", async (signal) => {
  // The hook runs as soon as the program imports more than the watching of signals.
  const hook = `export const load = async (url, context, next) => {
    if (url.endsWith("/cli/main.js")) { const { threadId } = await import("node:worker_threads"); process.kill(process.pid, "${signal}"); await new Promise((resolve) => setTimeout(resolve, 60_000 + threadId)); }
    return next(url, context);
  };`;
  const register = `data:text/javascript,${encodeURIComponent(
    `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hook)}");`,
  )}`;
  const child = spawn(process.execPath, ["--import", register, cli, "validate", "-f", join(folder, "m.yaml")]);
  const status = await new Promise((resolve) => child.on("close", (code, killed) => resolve(killed ?? code)));
  expect(status).toBe(130);
});

test.each(signals)("%s while standard input is awaited ends with 130", async (signal) => {
  const child = spawn(process.execPath, [cli, "validate", "--json", "-f", "-"]);
  child.stdout.once("data", () => child.kill(signal));
  const status = await new Promise((resolve) => child.on("close", (code, killed) => resolve(killed ?? code)));
  expect(status).toBe(130);
});

test.each(["plan", "rehearse", "snapshot"])("SIGTERM at the first output of %s ends with 130", async (command) => {
  const args = command === "snapshot" ? ["--out", join(folder, "s.json")] : ["-f", join(folder, "m.yaml")];
  const ran = await runHostform([command, ...args, "--json", "--emulator"], {
    onOutput: (_, kill) => kill("SIGTERM"),
  });
  expect(ran).toMatchObject({ status: 130, stderr: "" });
});

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
