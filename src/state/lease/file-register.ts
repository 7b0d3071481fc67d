import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { inWords } from "../../lib/system-words.ts";
import { readText } from "../../lib/read-file.ts";
import { draftIn, makeTempFolder } from "../../lib/temp-folder.ts";
import { requireOwnPlace, writeFile } from "../../lib/write-file.ts";
import { maxLeaseBytes, type Register, type ReadRegister } from "./register.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

/** The name that begins so ends with the version. */
const pointer = "now-";
/** The version of a lock of an earlier program: a file in the place of the folder. */
const file = "file-";
const readAttempts = 50;
/** The errors of renaming and unlinking where another runner was faster. A folder replaces an empty one only. */
const lost = new Set(["ENOENT", "EISDIR", "ENOTEMPTY", "EEXIST"]);

const pointerIn = (place: string, version: string) => join(place, `${pointer}${version}`);
const textIn = (place: string, version: string) => join(place, `${version}.json`);

/**
 * The register in a folder. Its version stands in the name of its only folder, which begins with `now-` and holds the content. To swap is
 * to rename that: of many that try at once one can, and only while the name is still there. A first content comes with its folder.
 */
export function fileRegister(folder: string, newId: () => string): Register {
  const drafts = new Map<string, string>();
  const removeDraft = (version: string) => {
    const draft = drafts.get(version);
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true });
    drafts.delete(version);
  };
  return {
    read: async () => read(folder, newId),
    prepare: async (text) => {
      const version = newId();
      try {
        requireOwnPlace(folder);
        const draft = makeTempFolder(".hostform-new", dirname(folder));
        drafts.set(version, draft);
        mkdirSync(pointerIn(draft, version), { mode: 0o700 });
        writeFile(textIn(pointerIn(draft, version), version), text, 0o644);
        return { version };
      } catch (error) {
        removeDraft(version);
        return { reason: (inWords(error, folder) as Error).message };
      }
    },
    swap: async (version, over) => {
      const draft = drafts.get(version) ?? "";
      const [from, to] = [pointerIn(folder, over), pointerIn(folder, version)];
      try {
        // A folder that another runner has put there meanwhile is not removed by this.
        if (over.startsWith(file)) unlinkSync(folder);
        if (over === "" || over.startsWith(file)) renameSync(draft, folder);
        else {
          renameSync(textIn(pointerIn(draft, version), version), textIn(from, version));
          renameSync(from, to);
          for (const place of [to, folder]) rmSync(textIn(place, over), { force: true });
        }
        return { is: "done" };
      } catch (error) {
        const { code, message } = inWords(error) as NodeJS.ErrnoException;
        if (code === undefined || !lost.has(code)) return { is: "refused", reason: message };
        // The content may have moved on with the version that another runner has put there.
        for (const name of namesIn(folder) ?? []) rmSync(textIn(join(folder, name), version), { force: true });
        return { is: "rejected" };
      } finally {
        removeDraft(version);
      }
    },
  };
}

/** The register in a folder that is there only while somebody holds it. */
export const passingRegister = (folder: string, newId: () => string): Register => ({
  ...fileRegister(folder, newId),
  remove: async (version) => {
    const gone = draftIn(dirname(folder));
    try {
      renameSync(pointerIn(folder, version), gone);
      rmSync(gone, { recursive: true, force: true });
      rmdirSync(folder);
    } catch {
      // Another runner has it.
    }
  },
});

function read(folder: string, newId: () => string): ReadRegister {
  try {
    const there = lstatSync(folder, { throwIfNoEntry: false });
    // It is never renewed, so no two reads may find the same version.
    if (there && !there.isDirectory()) return { is: "read", version: `${file}${newId()}`, text: textAt(folder) };
    for (let attempt = 1; ; attempt += 1) {
      const version = readVersion(folder);
      // An earlier program has written it beside.
      const text = textAt(textIn(pointerIn(folder, version), version)) ?? textAt(textIn(folder, version));
      // Another runner may have replaced the content before it was read: then the folder shows another version.
      const isSettled = text !== undefined || version === readVersion(folder);
      if (isSettled || attempt === readAttempts) return { is: "read", version, text };
    }
  } catch (error) {
    return { is: "unreachable", reason: (inWords(error, folder) as Error).message };
  }
}

/** Empty where there is no register. A folder that is read while a name in it changes may show neither name. */
function readVersion(folder: string): string {
  for (let attempt = 1; attempt <= readAttempts; attempt += 1) {
    const names = namesIn(folder);
    const name = names?.find((each) => each.startsWith(pointer));
    if (name !== undefined) return name.slice(pointer.length);
    if (!names || (names.length === 0 && attempt === readAttempts)) return "";
  }
  throw new Error(`${folder} holds no name that begins with ${pointer}; remove that folder`);
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return undefined;
  }
}

/** Undefined for a file that is gone, or does not hold a text. */
const textAt = (path: string): string | undefined => orUndefined(() => readText(path, maxLeaseBytes));
