import { createHash } from "node:crypto";
import { relative, resolve } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { printable } from "./layout.ts";

const commands = { error: "error", warning: "warning", notice: "notice" } as const;

/**
 * Returns a line that has the runner of GitHub Actions show a diagnostic beside the line of its file.
 * @param top the folder of the repository; default: the working folder.
 */
export function annotationOf(
  { severity, code, summary, hint, at }: Diagnostic,
  top: string | undefined,
  mask: (text: string) => string,
): string {
  const place = at ? { file: relative(top ?? ".", resolve(at.file)), line: at.line, col: at.col } : {};
  const properties = Object.entries({ ...place, title: `Hostform: ${code}` })
    .map(
      ([name, value]) =>
        `${name}=${escapeData(mask(String(value)))
          .replaceAll(":", "%3A")
          .replaceAll(",", "%2C")}`,
    )
    .join(",");
  const text = hint === undefined ? summary : `${summary}\nhelp: ${hint}`;
  return `::${commands[severity]} ${properties}::${escapeData(mask(text))}\n`;
}

const escapeData = (text: string) => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");

const severities = { error: "major", warning: "minor", notice: "info" } as const;

/** Returns diagnostics as GitLab's report of code quality has them (Code Climate's format); what has no place stands at the top of no file. */
export const codeQuality = (diagnostics: readonly Diagnostic[], mask: (text: string) => string) =>
  diagnostics.map(({ severity, code, summary, hint, at }) => {
    const description = printable({ mask }, hint === undefined ? summary : `${summary} (${hint})`);
    const path = mask(at === undefined ? "hostform" : relative(".", resolve(at.file)));
    const line = at?.line ?? 1;
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([code, path, line, description]))
      .digest("hex");
    return {
      description,
      check_name: code,
      fingerprint,
      severity: severities[severity],
      location: { path, lines: { begin: line } },
    };
  });
