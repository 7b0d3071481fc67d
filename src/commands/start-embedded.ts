import { readFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import type { Emulator } from "../emulator/index.ts";
import type { Io } from "./io.ts";

/** Starts the embedded service for the length of a command. With a data file its store, and its key beside it, are kept. */
export async function startEmbedded(
  dataFile: string | undefined,
  io: Io,
): Promise<Emulator & { readonly key: string }> {
  const { startEmulator } = await import("../emulator/index.ts");
  const emulator = await startEmulator(dataFile === undefined ? {} : { dataFile }, {
    now: io.now,
    random: randomBytes,
  });
  const key = emulator.key ?? readFileSync(emulator.keyFile ?? "", "utf8").trim();
  return { ...emulator, key };
}
