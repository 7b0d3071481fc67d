import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { readFile } from "./read-file.ts";

/** Far more than any file of the build has. */
export const mostBuilt = 16 * 1024 * 1024;

/** Returns the place of a file of the package, such as package.json. The same way leads to it from src/, from dist/ and from the bundle in dist/app/. */
export const packageFile = (path: string): string => join(import.meta.dirname, "../..", path);

/** Returns the place of a file that `scripts/compile-schemas.mjs` writes. */
export const builtFile = (name: string): string => packageFile(`dist/validators/${name}`);

/** Reads a file that the build has compressed. `name` is without its ending `.br`. */
export const readBuilt = (name: string): string =>
  brotliDecompressSync(readFile(builtFile(`${name}.br`), mostBuilt).bytes).toString("utf8");
