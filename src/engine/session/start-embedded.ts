import { randomBytes } from "node:crypto";
import { defaultContract } from "../../contract/entry.ts";
import { readText } from "../../lib/read-file.ts";
import type { Emulator } from "../../emulator/index.ts";
import type { Host } from "./host.ts";

/** Starts the embedded service, as the contract describes it, for the length of a command. With a data file its store, and its key beside it, are kept. */
export async function startEmbedded(
  dataFile: string | undefined,
  contract: string | undefined,
  io: Host,
): Promise<Emulator & { readonly key: string }> {
  const { startEmulator } = await import("../../emulator/index.ts");
  const options = {
    ...(dataFile !== undefined && { dataFile }),
    ...(contract !== undefined && contract !== defaultContract && { contract }),
  };
  const deps = { now: io.now, random: randomBytes };
  const emulator = await startEmulator(options, deps);
  const key =
    emulator.key ?? (emulator.keyFile === undefined ? undefined : readText(emulator.keyFile, 64 * 1024).trim());
  if (key !== undefined) return { ...emulator, key };
  // The store was created with a given key, which only its creator knows: a further key works as well.
  await emulator.close();
  const further = randomBytes(24).toString("hex");
  return {
    ...(await startEmulator({ ...options, key: further }, deps)),
    key: further,
  };
}
