import { hash } from "node:crypto";
import { relative, resolve } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { printable } from "./layout.ts";
import type { PageSource } from "./page/page-items.ts";

const rank = ({ code, severity }: Diagnostic) =>
  code === "rolled_back" ? 0 : 1 + ["error", "warning", "notice"].indexOf(severity);

/** Returns what is said of a branch behind main before all else, because it explains what that branch misses, and mistakes before warnings. */
export const explainingFirst = (diagnostics: readonly Diagnostic[]): Diagnostic[] =>
  diagnostics.toSorted((a, b) => rank(a) - rank(b));

/** Returns mistakes, refusals and warnings, each once. */
export function remarksOf({ diagnostics, plan }: Pick<PageSource, "diagnostics" | "plan">): Diagnostic[] {
  const refused = (plan?.refusals ?? []).map((each): Diagnostic => ({ ...each, severity: "error" }));
  // A warning that explains others says what a refusal says.
  const byWords = new Map<string, Diagnostic>();
  for (const each of explainingFirst([...refused, ...diagnostics])) {
    const key = JSON.stringify([each.code, each.summary, each.at]);
    if (!byWords.has(key)) byWords.set(key, each);
  }
  return [...byWords.values()];
}

/** Returns the path of a file from the top of a repository; a file elsewhere keeps its own. */
function pathIn(top: string | undefined, file: string): string {
  const path = relative(resolve(top ?? "."), resolve(file));
  return path === "" || path.startsWith("..") ? file : path;
}

/**
 * Returns a line that has the runner of GitHub Actions show a diagnostic beside the line of its file.
 * @param top the folder of the repository; default: the working folder.
 */
export function annotationOf(
  { severity, code, summary, hint, at }: Diagnostic,
  top: string | undefined,
  mask: (text: string) => string,
): string {
  const place = at ? { file: pathIn(top, at.file), line: at.line, col: at.col } : {};
  const properties = Object.entries({ ...place, title: `Hostform: ${code}` })
    .map(
      ([name, value]) =>
        `${name}=${escapeData(printable({ mask }, String(value)))
          .replaceAll(":", "%3A")
          .replaceAll(",", "%2C")}`,
    )
    .join(",");
  const texts = [summary, ...(hint === undefined ? [] : [`help: ${hint}`])].map((text) => printable({ mask }, text));
  return `::${severity} ${properties}::${escapeData(texts.join("\n"))}\n`;
}

const escapeData = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const severities = { error: "major", warning: "minor", notice: "info" } as const;

/**
 * Returns diagnostics as GitLab's report of code quality has them (Code Climate's format).
 * No two rows share a fingerprint, and it stays if a line moves.
 * @param first the first file of the manifest: at its top stands what has no place, because GitLab takes no row without one.
 * @param top the folder of the repository; default: the working folder.
 */
export function codeQuality(
  diagnostics: readonly Diagnostic[],
  first: string,
  top: string | undefined,
  mask: (text: string) => string,
) {
  const counts = new Map<string, number>();
  return diagnostics.map(({ severity, code, summary, hint, at = { file: first, line: 1 } }) => {
    const description = printable({ mask }, hint === undefined ? summary : `${summary} (${hint})`);
    const path = printable({ mask }, pathIn(top, at.file));
    const key = JSON.stringify([code, path, description]);
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return {
      description,
      check_name: code,
      fingerprint: hash("sha256", `${key}${count}`),
      severity: severities[severity],
      location: { path, lines: { begin: at.line } },
    };
  });
}
