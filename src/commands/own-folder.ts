import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The folder, in the working one, of what outlives a run: journals, their locks, and what is left of approved plans. */
export const ownFolder = ".hostform";

/** Makes it, for its owner alone, and keeps it out of version control. Throws where the disk refuses. */
export function makeOwnFolder(): void {
  mkdirSync(ownFolder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(ownFolder, ".gitignore"), "*\n", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
