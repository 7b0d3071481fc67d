import { existsSync } from "node:fs";
import { writeFile } from "../lib/write-file.ts";
import { makeId } from "./actions/context.ts";
import type { Emulator } from "./emulator.ts";
import { EmulatorError } from "./emulator-error.ts";
import { allPermissions, makeSecret, type Keys } from "./store/keys.ts";

/**
 * Sees to it that there is a key with all permissions: the given one is added, and a store that has none gets a new one,
 * written to `FILE.key` (mode 0600). Throws an `EmulatorError` for a key that no header can carry.
 */
export function keepKey(
  keys: Keys,
  dataFile: string,
  given: string | undefined,
  random: (bytes: number) => Uint8Array,
): Pick<Emulator, "key" | "keyFile" | "keySource"> {
  const file = `${dataFile}.key`;
  if (given !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(given)) {
      throw new EmulatorError(
        "The key given to the embedded service cannot be sent as a bearer key.",
        "Give one of visible ASCII characters without spaces, or none: then one is made.",
      );
    }
    keys.put(given, makeId("key", random), allPermissions);
    return { key: given, keySource: "the one given with --key", keyFile: undefined };
  }
  const source = `file ${file} (mode 0600)`;
  if (keys.size > 0) {
    return existsSync(file)
      ? { key: undefined, keySource: source, keyFile: file }
      : { key: undefined, keySource: "an earlier start; only its hash is kept", keyFile: undefined };
  }
  const made = makeSecret(random);
  keys.put(made, makeId("key", random), allPermissions);
  writeFile(file, `${made}\n`, 0o600);
  return { key: made, keySource: source, keyFile: file };
}
