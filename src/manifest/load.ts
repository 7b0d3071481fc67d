import type { Diagnostic } from "../model/diagnostic.ts";
import { checkSchema } from "./check-schema.ts";
import { mergeMaps } from "./merge.ts";
import { parseSource } from "./parse.ts";
import { readSources, type SourceDeps } from "./sources.ts";
import { validPart } from "./valid-part.ts";
import type { SourceText, WrittenMap } from "./written.ts";

export interface LoadedManifest {
  /** What was written, as far as it is as the schema says: parts with a mistake are left out. Undefined where nothing could be read. */
  readonly tree: WrittenMap | undefined;
  readonly sources: readonly SourceText[];
  /** Every mistake of every file, sorted by file, line and column; those without a place come first. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a manifest from files, folders and standard input (`-`): merged key by key and checked against the schema.
 * The user's mistakes are diagnostics; nothing is thrown for them.
 */
export async function loadManifest(paths: readonly string[], deps: SourceDeps): Promise<LoadedManifest> {
  const { sources, diagnostics: unread } = await readSources(paths, deps);
  if (sources.length === 0 && unread.length === 0)
    return { tree: undefined, sources, diagnostics: [emptyManifest(paths)] };
  return parseManifest(sources, unread);
}

/** The same from texts that are at hand already. */
export function parseManifest(sources: readonly SourceText[], unread: readonly Diagnostic[] = []): LoadedManifest {
  const parsed = sources.map(parseSource);
  const found = [...unread, ...parsed.flatMap(({ diagnostics }) => diagnostics)];
  const [first, ...others] = parsed.flatMap(({ root }) => root ?? []);
  if (!first) {
    const empty = emptyManifest(sources.map(({ file }) => file));
    return { tree: undefined, sources, diagnostics: found.length > 0 ? found.sort(byPlace) : [empty] };
  }
  const merged = mergeMaps(first, ...others);
  const checked = checkSchema(merged.root, found.length === 0);
  return {
    tree: validPart(merged.root, checked.wrong),
    sources,
    diagnostics: [...found, ...merged.diagnostics, ...checked.diagnostics].sort(byPlace),
  };
}

function byPlace({ at: left }: Diagnostic, { at: right }: Diagnostic): number {
  if (!left || !right) return Number(left !== undefined) - Number(right !== undefined);
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.col - right.col;
}

function emptyManifest(paths: readonly string[]): Diagnostic {
  return {
    severity: "error",
    code: "empty_manifest",
    summary: `There is nothing in ${paths.join(", ")}`,
    detail: "a map with keys such as version, name, services and dns",
    hint: "begin with: version: 1",
  };
}
