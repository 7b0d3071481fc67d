import { hash, randomBytes } from "node:crypto";
import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { orUndefined } from "./or-undefined.ts";

/**
 * Makes a folder for this process alone, and removes those that killed runs of this user have left beside it. Its name tells machine
 * and process: `hostform-git-0a1b2c3d-4711-Xy12zA`.
 * @param parent the temporary folder, or that of a folder that is written under this name first (`.hostform-new`).
 */
export function makeTempFolder(use: "hostform-git" | "hostform-emulator" | ".hostform-new", parent: string): string {
  removeAbandoned(parent);
  return mkdtempSync(join(parent, `${use}-${machine()}-${process.pid}-`));
}

/** Returns the name of a draft file in a folder that is removed in the same way. */
export const draftIn = (parent: string): string =>
  join(parent, `.hostform-new-${machine()}-${process.pid}-${randomBytes(3).toString("hex")}`);

const namePattern = /^(?:hostform-git|hostform-emulator|\.hostform-new)-([0-9a-f]{8})-([1-9]\d{0,9})-\w{6}$/u;

/** Removes what killed runs of this user have left in a folder. */
export function removeAbandoned(parent: string): void {
  try {
    const here = machine();
    for (const name of readdirSync(parent)) {
      const [, where, pid] = namePattern.exec(name) ?? [];
      const path = join(parent, name);
      if (where === here && !isAlive(Number(pid)) && isOwn(path)) rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // A folder that stays does not stop a run.
  }
}

/** Another container may share the temporary folder, and its processes cannot be seen from here. */
function machine(): string {
  // Only Linux has it.
  const processes = orUndefined(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return hash("sha256", `${hostname()} ${processes}`).slice(0, 8);
}

/** Whether a process runs, as this user or as another one. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Whether a path is a file of this user, or a folder, not a link to one, that only this user may enter. */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const uid = process.getuid?.();
  if (found === undefined || (uid !== undefined && found.uid !== uid)) return false;
  return found.isFile() || (found.isDirectory() && (uid === undefined || (found.mode & 0o077) === 0));
}
