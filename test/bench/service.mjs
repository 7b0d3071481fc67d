import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cost, runOnce } from "./measure.mjs";

/** The file that the command `hostform` runs. */
export const cli = fileURLToPath(new URL("../../dist/app/cli.cjs", import.meta.url));
const bare = fileURLToPath(new URL("bare-service.mjs", import.meta.url));

/**
 * Runs `use` with the embedded service in a process of its own, with a store of its own below `folder`. `env` and `flags` lead
 * hostform and the floors to it; `calls()` lists the requests so far, `cpu()` returns the microseconds of CPU that the service has used.
 */
export async function withService({ folder, seed, flags = [] }, use) {
  const own = mkdtempSync(join(folder, "service-"));
  const [data, seedFile] = [join(own, "store.db"), join(own, "seed.json")];
  if (seed !== undefined) writeFileSync(seedFile, JSON.stringify(seed));
  const seeding = seed === undefined ? [] : ["--seed", seedFile];
  const child = start([cli, "emulator", "--data", data, "--json", ...seeding, ...flags]);
  return useService(child, { own, calls: () => callsIn(data) }, use);
}

/** Runs `use` with the same store and server without validation. `options` are those of bare-service.mjs. */
export async function withBareService({ folder, seed, options = {} }, use) {
  const own = mkdtempSync(join(folder, "bare-"));
  const data = join(own, "store.db");
  writeFileSync(join(own, "options.json"), JSON.stringify({ data, seed, ...options }));
  return useService(start([bare, join(own, "options.json")]), { own, calls: () => callsIn(data) }, use);
}

const start = (args) =>
  spawn(process.execPath, ["-r", cost, ...args], {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
    env: { PATH: process.env.PATH },
  });

async function useService(child, { own, calls }, use) {
  const costs = createInterface({ input: child.stdio[3] })[Symbol.asyncIterator]();
  const cpu = async () => {
    child.kill("SIGUSR2");
    return JSON.parse((await costs.next()).value).cpu;
  };
  try {
    const { base_url: baseUrl, ca_file: caFile, key_file: keyFile } = await readyEvent(child);
    const key = keyFile === undefined ? "none" : readFileSync(keyFile, "utf8").trim();
    const env = { HOSTFORM_API_KEY: key, BASE_URL: baseUrl, CA_FILE: caFile, API_KEY: key };
    const flags = ["--base-url", baseUrl, "--ca-file", caFile, "--parallelism", "10"];
    return await use({ env, flags, calls, cpu, own });
  } finally {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.kill()) await ended;
  }
}

const callsIn = (data) =>
  runOnce([cli, "emulator", "log", "--data", data, "--json"])
    .stdout.trim()
    .split("\n")
    .filter((text) => text !== "")
    .map((text) => JSON.parse(text));

async function readyEvent(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line);
    if (event.type === "ready") return event;
  }
  throw new Error("The service ended before it was ready.");
}
