import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const leastBytes = 2 ** 30;

let own: string | undefined;

/**
 * The environment in which the tests of a run make their folders: in one of its own with a short name, since a lock that a run of tests has left behind is
 * there for all later ones. It is in memory where the system has room there: tests write many small files that the program syncs to the
 * disk, and a test cannot tell a synced file from another. `stop-postgres.ts` removes it.
 */
export const memoryFolder = (): { readonly TMPDIR: string } => ({
  TMPDIR: (own ??= mkdtempSync(join(hasRoom() ? memory : tmpdir(), "hf"))),
});

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastBytes;
  } catch {
    return false;
  }
}
