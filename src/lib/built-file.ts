/** Returns the place of a file that `schemas/compile.mjs` writes. The same way leads to it from src/, from dist/ and from the bundle in dist/cli/. */
export const builtFile = (name: string): URL => new URL(`../../dist/validators/${name}`, import.meta.url);
