import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { InputError } from "../../../src/engine/session/input-error.ts";
import { readFleet } from "../../../src/fleet/file/read-fleet.ts";
import type { Fleet } from "../../../src/fleet/model.ts";
import type { Diagnostic } from "../../../src/model/diagnostic.ts";
import { mistakeDiagnostics } from "../../../src/messages/mistakes.ts";
import { folderForTest } from "../../support/temporary-folder.ts";

/** Makes a folder with files, which is removed after the test. Accounts have one manifest. */
export function makeFolder(files: Readonly<Record<string, string>>, accounts: readonly string[] = []): string {
  const folder = folderForTest();
  const manifests = accounts.map((name) => [`${name}/site.yaml`, "version: 1\nname: site\n"] as const);
  for (const [name, text] of [...manifests, ...Object.entries(files)]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Reads the fleet of a folder; or returns its mistakes. */
export async function readOrMistakes(folder: string): Promise<Fleet | readonly Diagnostic[]> {
  try {
    return await readFleet(folder);
  } catch (error) {
    if (error instanceof InputError) return mistakeDiagnostics(error.mistake);
    throw error;
  }
}

/** Returns the mistakes of a fleet.yaml, each as `line:column code summary; detail; hint`. */
export async function mistakesIn(text: string, accounts: readonly string[] = [], also = {}): Promise<string[]> {
  const read = await readOrMistakes(makeFolder({ "fleet.yaml": text, ...also }, accounts));
  if (!Array.isArray(read)) return [];
  return (read as readonly Diagnostic[]).map(
    ({ at, code, summary, detail, hint }) =>
      `${at?.line ?? 0}:${at?.col ?? 0} ${code} ${[summary, detail, hint].filter((each) => each !== undefined).join("; ")}`,
  );
}
