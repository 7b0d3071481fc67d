import { brotliDecompressSync } from "node:zlib";
import { builtFile } from "./package-file.ts";
import { readFile } from "./read-file.ts";

const mostBytes = 16 * 1024 * 1024;

/** Reads a file that the build has compressed. `name` is without its ending `.br`. */
export const readBuilt = (name: string): string =>
  brotliDecompressSync(readFile(builtFile(`${name}.br`), mostBytes).bytes).toString("utf8");
