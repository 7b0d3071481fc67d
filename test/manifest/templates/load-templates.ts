import { parseManifest, type LoadedManifest } from "../../../src/manifest/load.ts";
import { readDesired, type ReadDesired } from "../../../src/manifest/read/desired.ts";
import type { OutsideValues } from "../../../src/manifest/templates/bind-variables.ts";
import type { Diagnostic } from "../../../src/model/diagnostic.ts";
import type { Resource } from "../../../src/model/resource.ts";

export interface Loaded extends LoadedManifest {
  readonly read: ReadDesired | undefined;
  readonly all: readonly Diagnostic[];
  readonly errors: readonly Diagnostic[];
}

/** Loads manifests named a.yaml, b.yaml, … and reads the resources that they want. Secrets are not set. */
export function load(texts: string | readonly string[], outside: Partial<OutsideValues> = {}): Loaded {
  const sources = [texts].flat().map((text, index) => ({ file: `${"abcdefgh"[index] ?? "z"}.yaml`, text }));
  const loaded = parseManifest(sources, [], { flags: [], files: [], env: {}, ...outside });
  const read = loaded.tree && readDesired(loaded.tree, () => ({ missing: "unset" }));
  const all = [...loaded.diagnostics, ...(read?.diagnostics ?? [])].filter(({ code }) => code !== "unset");
  return { ...loaded, read, all, errors: all.filter(({ severity }) => severity === "error") };
}

/** The resources without their places, by address. */
export function bodies({ read }: Loaded): Record<string, unknown> {
  const without = ({ at: _at, ...body }: Resource) => body;
  return Object.fromEntries(
    [...(read?.desired.resources ?? [])].map(([address, resource]) => [address, without(resource)]),
  );
}

/** `code file:line:col` of each diagnostic, and the lines of the uses that made what stands there. */
export const places = (diagnostics: readonly Diagnostic[]): string[] =>
  diagnostics.map(({ code, at }) => {
    const uses = (at?.uses ?? []).map(({ template, used }) => ` < ${template} ${used.line}:${used.col}`);
    return at ? `${code} ${at.file}:${at.line}:${at.col}${uses.join("")}` : code;
  });
