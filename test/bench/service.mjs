import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Starts the embedded service in a process of its own, with a store of its own in the folder. */
export async function startService(folder, seed) {
  const seedFile = join(folder, "seed.json");
  if (seed !== undefined) writeFileSync(seedFile, JSON.stringify(seed));
  const flags = ["--data", join(folder, "store.db"), "--json", ...(seed === undefined ? [] : ["--seed", seedFile])];
  const child = spawn(process.execPath, [cli, "emulator", ...flags], { stdio: ["ignore", "pipe", "inherit"] });
  const ready = await readyEvent(child);
  return {
    baseUrl: ready.base_url,
    caFile: ready.ca_file,
    key: readFileSync(ready.key_file, "utf8").trim(),
    stop: async () => {
      child.kill();
      await once(child, "exit");
    },
  };
}

async function readyEvent(child) {
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line);
    if (event.type === "ready") return event;
  }
  throw new Error("The embedded service ended before it was ready.");
}
