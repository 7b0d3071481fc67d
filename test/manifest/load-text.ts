import { loadManifest, type LoadedManifest } from "../../src/manifest/load.ts";
import { toJson } from "../../src/manifest/written.ts";
import type { Diagnostic } from "../../src/model/diagnostic.ts";

/** What a manifest given on standard input loads as. */
export async function loadText(text: string | Uint8Array): Promise<LoadedManifest> {
  return loadManifest(["-"], { readStdin: () => Promise.resolve(Buffer.from(text)) });
}

/** The same, below two lines that every manifest needs. */
export const loadBody = (body: string) => loadText(`version: 1\nname: agency-main\n${body}`);

/** A section with the records of one zone; they begin in line 6 of a manifest, column 7. */
export const inZone = (records: string) =>
  `dns:\n  example.com:\n    records:\n${records.replaceAll(/^/gmu, "      ")}`;

/** `code line:col` of every diagnostic. */
export const places = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ code, at }) => (at ? `${code} ${at.line}:${at.col}` : code));

/** The data of a loaded manifest with ordinary objects, so that it compares with literals. */
export function dataOf({ tree }: LoadedManifest): unknown {
  return tree && JSON.parse(JSON.stringify(toJson(tree)));
}

/** What is told of a manifest without its first two lines: where, what was there, what was expected, and what to do. */
export async function mistakesIn(body: string) {
  const { diagnostics } = await loadBody(body);
  return diagnostics.map((diagnostic) => ({
    place: places([diagnostic])[0],
    summary: diagnostic.summary,
    detail: diagnostic.detail,
    hint: diagnostic.hint,
  }));
}
