import type { Diagnostic, Place, Position, Severity } from "../model/diagnostic.ts";
import { escapeControls } from "./escape.ts";
import { painter, type Paint, type Style } from "./paint.ts";
import { counted } from "./table.ts";

const severities: readonly Severity[] = ["error", "warning", "notice"];
const colours: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", notice: "cyan" };

/** How many diagnostics are printed in full: more than a person reads. */
const mostPrinted = 100;

/**
 * Renders diagnostics for a person: each with its place, the source line, what was expected and what to do, and the count
 * last. Empty text for none. Every text is escaped before it reaches the terminal. Of more than 100 the first 100 are rendered, errors
 * before warnings before notices, and the others are counted by code, unless `all` is set.
 */
export function renderDiagnostics(
  diagnostics: readonly Diagnostic[],
  { color, all = false }: { readonly color: boolean; readonly all?: boolean | undefined },
): string {
  if (diagnostics.length === 0) return "";
  const paint = painter(color);
  const printed = all || diagnostics.length <= mostPrinted ? new Set(diagnostics) : choosePrinted(diagnostics);
  const blocks = [...printed].map((diagnostic) => renderOne(diagnostic, paint).join("\n"));
  const others = diagnostics.filter((each) => !printed.has(each));
  const rest = others.length === 0 ? [] : [countByCode(others)];
  return `${[...blocks, ...rest, counts(diagnostics)].join("\n\n")}\n`;
}

/** The first diagnostics of the gravest severity, and then of the next, in the order in which they were found. */
function choosePrinted(diagnostics: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const chosen = new Set(
    severities.flatMap((severity) => diagnostics.filter((each) => each.severity === severity)).slice(0, mostPrinted),
  );
  return new Set(diagnostics.filter((each) => chosen.has(each)));
}

function countByCode(diagnostics: readonly Diagnostic[]): string {
  const counts = new Map<string, number>();
  for (const { code } of diagnostics) counts.set(code, (counts.get(code) ?? 0) + 1);
  const listed = [...counts]
    .toSorted(([a, many], [b, others]) => others - many || (a < b ? -1 : 1))
    .map(([code, count]) => `${count} ${escapeControls(code)}`);
  return `and ${diagnostics.length} more: ${listed.join(", ")} (--all-diagnostics prints them)`;
}

function renderOne(
  { severity, code, summary, detail, hint, at, related = [], frame }: Diagnostic,
  paint: Paint,
): string[] {
  const gutter = " ".repeat(String(at?.line ?? 0).length);
  const note = (label: string, text: string) =>
    `${gutter} ${paint("blue", "=")} ${paint("bold", `${label}:`)} ${escapeControls(text)}`;
  return [
    `${paint("bold", paint(colours[severity], `${severity}[${escapeControls(code)}]`))}${paint("bold", `: ${escapeControls(summary)}`)}`,
    ...(at ? [`${gutter}${paint("blue", "-->")} ${place(at)}`] : []),
    ...(at && frame !== undefined ? renderFrame(at, frame, colours[severity], paint) : []),
    ...[...usesOf(at), ...related.flatMap((other) => [other, ...usesOf(other.at)])].map(
      (other) => `${gutter}${paint("blue", ":::")} ${place(other.at)} ${escapeControls(other.message)}`,
    ),
    ...(detail === undefined ? [] : [note("expected", detail.replace(/^expected:? /u, ""))]),
    ...(hint === undefined ? [] : [note("help", hint)]),
  ];
}

/** The uses of templates that made what stands at a place. */
const usesOf = (at: Position | undefined) =>
  (at?.uses ?? []).map(({ template, at: defined, used }) => ({
    at: used,
    message: `templates.${template} (${defined.file}:${defined.line}) is used here`,
  }));

function renderFrame({ line }: Position, frame: string, colour: Style, paint: Paint): string[] {
  const [text = "", carets = ""] = frame.split("\n");
  const number = String(line);
  const empty = paint("blue", `${" ".repeat(number.length)} |`);
  return [
    empty,
    `${paint("blue", `${number} |`)} ${escapeControls(text)}`,
    `${empty} ${paint(colour, escapeControls(carets))}`,
  ];
}

const place = ({ file, line, col }: Place) => `${escapeControls(file)}:${line}:${col}`;

function counts(diagnostics: readonly Diagnostic[]): string {
  return severities
    .map((severity) => ({
      severity,
      count: diagnostics.filter((diagnostic) => diagnostic.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => counted(count, severity))
    .join(", ");
}
