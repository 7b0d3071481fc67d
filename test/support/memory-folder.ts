import { accessSync, constants, statfsSync } from "node:fs";

const folder = "/dev/shm";
const leastBytes = 2 ** 30;

/**
 * The environment in which tests make their folders: in memory where the system has room there. Tests write many small files that the
 * program syncs to the disk, and a test cannot tell a synced file from another.
 */
export function memoryFolder(): { readonly TMPDIR?: string } {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < leastBytes ? {} : { TMPDIR: folder };
  } catch {
    return {};
  }
}
