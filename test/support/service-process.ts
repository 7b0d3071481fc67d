import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { eventsOf, runHostform, cli } from "./run-hostform.ts";
import type { NamedService } from "./fleet-stage.ts";

/** An embedded service in a process of its own. */
export interface ServiceProcess extends NamedService {
  /** Of its store, for those who look into it past its API. */
  readonly dataFile: string;
  /** The requests so far, in order. `at`: an ISO time. */
  readonly operations: () => Promise<readonly Operation[]>;
  readonly close: () => Promise<void>;
}

export interface Operation {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

/** @param flags of `hostform emulator`. */
export async function startService(flags: readonly string[], seed: unknown = {}): Promise<ServiceProcess> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-service-"));
  const [dataFile, seedFile] = [join(folder, "service.db"), join(folder, "seed.json")];
  writeFileSync(seedFile, JSON.stringify(seed));
  const child = spawn(process.execPath, [cli, "emulator", "--data", dataFile, "--seed", seedFile, "--json", ...flags], {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as Record<string, string>;
    if (event["type"] !== "ready") continue;
    return {
      baseUrl: event["base_url"] ?? "",
      ca: readFileSync(event["ca_file"] ?? "", "utf8"),
      key: readFileSync(event["key_file"] ?? "", "utf8").trim(),
      dataFile,
      operations: async () => {
        const log = await runHostform(["emulator", "log", "--data", dataFile, "--json"]);
        return eventsOf(log) as unknown as readonly Operation[];
      },
      close: async () => {
        child.kill("SIGTERM");
        await ended;
        rmSync(folder, { recursive: true });
      },
    };
  }
  throw new Error("the embedded service ended before it was ready");
}
