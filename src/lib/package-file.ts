import { join } from "node:path";

/** Returns the place of a file of the package, such as package.json. The same way leads to it from src/, from dist/ and from the bundle in dist/app/. */
export const packageFile = (path: string): string => join(import.meta.dirname, "../..", path);

/** Returns the place of a file that `scripts/compile-schemas.mjs` writes. */
export const builtFile = (name: string): string => packageFile(`dist/validators/${name}`);
