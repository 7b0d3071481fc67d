import { builtInContract } from "../../src/contract/load-contract.ts";
import { readOffered } from "../../src/engine/session/load-manifest.ts";
import { kinds } from "../../src/kinds/index.ts";
import { loadManifest, type LoadedManifest } from "../../src/manifest/load.ts";
import { toJson } from "../../src/manifest/yaml/written.ts";
import type { Diagnostic } from "../../src/model/diagnostic.ts";
import { expectedText } from "../../src/render/diagnostics.ts";

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

/** The errors of a manifest without its first two lines, under the built-in contract; not those of parents that it does not declare. */
export async function errorsIn(body: string): Promise<readonly Diagnostic[]> {
  const { tree, diagnostics } = await loadBody(body);
  const read = tree && readOffered(tree, () => ({ value: "a long password" }), builtInContract("v2026"));
  const ofParents = kinds.map(({ name }) => `unknown_${name}`);
  return [...diagnostics, ...(read?.diagnostics ?? [])].filter(
    ({ severity, code }) => severity === "error" && !ofParents.includes(code),
  );
}

/** The line that is printed of such a manifest: `code line:col what was there | what was expected | what to do`. */
export async function mistakesIn(body: string): Promise<string[]> {
  return (await errorsIn(body)).map((diagnostic) => {
    const { summary, hint } = diagnostic;
    const parts = [`${places([diagnostic])[0]} ${summary}`, expectedText(diagnostic), hint];
    return parts.filter((part) => part !== undefined).join(" | ");
  });
}
