import { readFileSync, statSync } from "node:fs";

/**
 * The text of a file that holds little. Throws what the system does, and where it is not a regular file (a pipe, a device without an
 * end) or is larger.
 * @param most bytes.
 */
export function readSmallFile(path: string, most: number): string {
  const stats = statSync(path);
  if (!stats.isFile()) throw new NotRead("it is no regular file");
  if (stats.size > most) throw new NotRead(`it is larger than ${most / 1024} KiB`);
  return readFileSync(path, "utf8");
}

class NotRead extends Error {
  /** As those of the system have one. */
  readonly code = "NOT_READ";
}
