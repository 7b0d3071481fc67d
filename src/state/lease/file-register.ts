import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { inWords } from "../../lib/system-words.ts";
import { readText } from "../../lib/read-file.ts";
import { writeFile } from "../../lib/write-file.ts";
import { maxLeaseBytes } from "./content.ts";
import type { Register, ReadRegister } from "./register.ts";

/** The name that begins so ends with the version. */
const pointer = "now-";
const first = "none";
const readAttempts = 50;

/**
 * The register in a folder. Its version stands in the one name that begins with `now-`. To swap is to rename that: of many that try at
 * once one can, and only while the name is still there. The content of each version is a file beside it, which never changes.
 */
export function fileRegister(folder: string, newId: () => string): Register {
  const contentOf = (version: string) => join(folder, `${version}.json`);
  const pointerTo = (version: string) => join(folder, `${pointer}${version === "" ? first : version}`);
  return {
    read: async () => read(folder, contentOf),
    prepare: async (text) => {
      const version = newId();
      try {
        makeRegister(folder);
        writeFile(contentOf(version), text, 0o644);
        return { version };
      } catch (error) {
        return { reason: (inWords(error, folder) as Error).message };
      }
    },
    swap: async (version, over) => {
      try {
        renameSync(pointerTo(over), pointerTo(version));
      } catch (error) {
        rmSync(contentOf(version), { force: true });
        const { code, message } = inWords(error) as NodeJS.ErrnoException;
        return code === "ENOENT" ? { is: "rejected" } : { is: "refused", reason: message };
      }
      rmSync(contentOf(over), { force: true });
      return { is: "done" };
    },
  };
}

/** Makes the folder of a register with its first name in it, if there is none: of many that try at once one can, since a folder that holds something is not replaced. */
export function makeRegister(folder: string): void {
  if (readVersion(folder) !== undefined) return;
  const draft = mkdtempSync(`${folder}.`);
  try {
    mkdirSync(join(draft, `${pointer}${first}`));
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
  }
}

function read(folder: string, contentOf: (version: string) => string): ReadRegister {
  try {
    for (let attempt = 1; ; attempt += 1) {
      const version = readVersion(folder) ?? "";
      const text = version === "" ? undefined : textAt(contentOf(version));
      // Another runner may have replaced the content before it was read: then the folder shows another version.
      const isSettled = text !== undefined || version === (readVersion(folder) ?? "");
      if (isSettled || attempt === readAttempts) return { is: "read", version, text };
    }
  } catch (error) {
    return { is: "unreachable", reason: (inWords(error, folder) as Error).message };
  }
}

/** Undefined where there is no register yet. A folder that is read while a name in it changes may show neither name. */
function readVersion(folder: string): string | undefined {
  for (let attempt = 1; attempt <= readAttempts; attempt += 1) {
    try {
      const name = readdirSync(folder).find((each) => each.startsWith(pointer));
      if (name !== undefined) return name === `${pointer}${first}` ? "" : name.slice(pointer.length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
  throw new Error(`${folder} holds no name that begins with ${pointer}; remove that folder`);
}

/** Undefined for a file that is gone, or does not hold a text. */
function textAt(path: string): string | undefined {
  try {
    return readText(path, maxLeaseBytes);
  } catch {
    return undefined;
  }
}
