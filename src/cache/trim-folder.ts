import { lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const entryPattern = /^[a-z]+-[0-9a-f]{64}$/u;

/** Milliseconds after which a file that is no entry was left by a process that was killed. */
const abandonedAfter = 3_600_000;

/** Removes the oldest entries of a cache above so many bytes in all, and what killed processes have left. Throws the system's errors. */
export function trimFolder(folder: string, mostBytes: number): void {
  const files = readdirSync(folder)
    .filter((name) => name !== "salt")
    .flatMap((name) => {
      const path = join(folder, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      // A folder is of no run.
      if (!found || found.isDirectory()) return [];
      return [{ path, size: found.size, mtimeMs: found.mtimeMs, isEntry: entryPattern.test(name) }];
    })
    .toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  const youngest = files[0]?.mtimeMs ?? 0;
  let total = 0;
  for (const { path, size, mtimeMs, isEntry } of files) {
    total += size;
    if (total > mostBytes || (!isEntry && youngest - mtimeMs > abandonedAfter)) rmSync(path, { force: true });
  }
}
