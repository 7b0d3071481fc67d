import { styleText } from "node:util";
import type { Diagnostic, Position, Severity } from "../model/diagnostic.ts";
import { escapeControls } from "./escape.ts";

type Style = Extract<Parameters<typeof styleText>[0], string>;
type Paint = (style: Style, text: string) => string;

const colours: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", notice: "cyan" };

/**
 * Diagnostics as a person reads them: each with its place, the source line, what was expected and what to do, and the count
 * last. Empty text for none. Every text is escaped before it reaches the terminal.
 */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], options: { readonly color: boolean }): string {
  if (diagnostics.length === 0) return "";
  const paint: Paint = (style, text) => (options.color ? styleText(style, text, { validateStream: false }) : text);
  const blocks = diagnostics.map((diagnostic) => renderOne(diagnostic, paint).join("\n"));
  return `${[...blocks, counts(diagnostics)].join("\n\n")}\n`;
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
    ...related.map((other) => `${gutter}${paint("blue", ":::")} ${place(other.at)} ${escapeControls(other.message)}`),
    ...(detail === undefined ? [] : [note("expected", detail.replace(/^expected:? /u, ""))]),
    ...(hint === undefined ? [] : [note("help", hint)]),
  ];
}

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

const place = ({ file, line, col }: Position) => `${escapeControls(file)}:${line}:${col}`;

function counts(diagnostics: readonly Diagnostic[]): string {
  const severities: readonly Severity[] = ["error", "warning", "notice"];
  return severities
    .map((severity) => ({
      severity,
      count: diagnostics.filter((diagnostic) => diagnostic.severity === severity).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ severity, count }) => `${count} ${severity}${count === 1 ? "" : "s"}`)
    .join(", ");
}
