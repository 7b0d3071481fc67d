import { dirname, isAbsolute, join } from "node:path";
import { readZone, type ReadInclude } from "../../import/zone-file/read-zone.ts";
import type { FileZone, TextFile } from "../../import/zone.ts";
import { broughtIn, isItself, realPath } from "../../lib/inside.ts";
import { readText } from "../../lib/read-file.ts";
import { withFrame } from "../../manifest/yaml/diagnostic-at.ts";
import { lineStarts } from "../../manifest/yaml/written.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";

/** Zones that files hold, and all mistakes in the files. */
export interface ReadZones {
  readonly zones: readonly FileZone[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Bytes of one file, and of all files that a zone file includes. */
const mostBytes = 50 * 1024 * 1024;
const deepest = 10;
const mostIncludes = 1000;

/** Reads a zone from each file, with the files below its folder that it includes. */
export function readZoneFiles(paths: readonly string[], allowed: readonly string[] = []): ReadZones {
  const read = paths.map((path) => readZoneFile(path, allowed));
  return {
    zones: read.flatMap(({ zones }) => zones),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}

function readZoneFile(path: string, allowed: readonly string[] = []): ReadZones {
  const texts = new Map<string, TextFile>();
  const mayRead = broughtIn(dirname(path), allowed);
  const main: ReturnType<typeof readSource> = mayRead(path) || isItself(path) ? readSource(path) : { reason: leadsOut };
  if (!("text" in main)) return { zones: [], diagnostics: [unreadable(path, main.reason)] };
  texts.set(path, main);
  const { zone, diagnostics } = readZone(main, includeBelow(path, texts, mayRead));
  return { zones: zone ? [zone] : [], diagnostics: withFrames(diagnostics, texts) };
}

/** Reads one file. */
export function readSource(path: string): TextFile | { readonly reason: string } {
  try {
    return { file: path, text: readText(path, mostBytes) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/** The mistake of a file that cannot be read. */
export const unreadable = (path: string, reason: string): Diagnostic => ({
  severity: "error",
  code: "unreadable_file",
  summary: `The file ${path} cannot be read: ${reason}`,
  hint: "name files of zones; the folder to write stands before --from",
});

/** Reads included files, which must be below the folder of a zone file: a zone file of others must not show files of this machine. */
function includeBelow(path: string, texts: Map<string, TextFile>, mayRead: (path: string) => boolean): ReadInclude {
  const folder = dirname(path);
  let count = 0;
  let bytes = 0;
  return (name, open) => {
    if (isAbsolute(name) || !mayRead(join(folder, name)))
      return { found: `The file ${name} is not below the folder ${folder}`, expected: "a file below it" };
    const file = join(folder, name);
    if (open.some((each) => realPath(each.file) === realPath(file)))
      return { found: `The file ${file} includes itself`, expected: "no cycle of files" };
    if (open.length > deepest)
      return { found: `The file ${file} is included too deep`, expected: `at most ${deepest} files in each other` };
    const read = texts.get(file) ?? readSource(file);
    if (!("text" in read)) return { found: `The file ${file} cannot be read: ${read.reason}`, expected: "a zone file" };
    count += 1;
    bytes += read.text.length;
    if (count > mostIncludes || bytes > mostBytes)
      return {
        found: `${file} is one file too many`,
        expected: `at most ${mostIncludes} included files of 50 MiB in all`,
      };
    texts.set(file, read);
    return read;
  };
}

/** The reason why a link is not read. */
export const leadsOut =
  "it leads out of its folder, or to a hidden file; name the file itself, or use --allow-file FOLDER";

/** Adds the source line to each diagnostic. The line is cut out when it is asked for. */
export function withFrames(
  diagnostics: readonly Diagnostic[],
  texts: ReadonlyMap<string, TextFile>,
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { at } = diagnostic;
    const source = texts.get(at?.file ?? "");
    if (!at || !source) return diagnostic;
    const start = (lineStarts(source)[at.line - 1] ?? 0) + at.col - 1;
    const end = start + Math.max(1, (at.endCol ?? at.col) - at.col);
    return withFrame(diagnostic, { source, start, end });
  });
}
