import { loadManifest, type LoadedManifest } from "../../src/manifest/load.ts";
import { toJson } from "../../src/manifest/written.ts";
import type { Diagnostic } from "../../src/model/diagnostic.ts";

/** What a manifest given on standard input loads as. */
export async function loadText(text: string | Uint8Array): Promise<LoadedManifest> {
  return loadManifest(["-"], { readStdin: () => Promise.resolve(Buffer.from(text)) });
}

/** `code line:col` of every diagnostic. */
export const places = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ code, at }) => (at ? `${code} ${at.line}:${at.col}` : code));

/** The data of a loaded manifest with ordinary objects, so that it compares with literals. */
export function dataOf({ tree }: LoadedManifest): unknown {
  return tree && JSON.parse(JSON.stringify(toJson(tree)));
}
