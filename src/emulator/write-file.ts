import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";

/** Writes a file so that it is never there half-written, nor for a moment with another mode than the one given. */
export function writeFileWithMode(file: string, text: string, mode: number): void {
  const temporary = `${file}.new`;
  rmSync(temporary, { force: true });
  const descriptor = openSync(temporary, "wx", mode);
  try {
    writeSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporary, file);
}
