import type { Diagnostic, Place, Position, Severity } from "../model/diagnostic.ts";
import { columnsOf, counted, harmless, longestHint, widthOf } from "../lib/shorten.ts";
import { cellOf, layOut, printable, type Page, paint, type Style } from "./layout.ts";
import { countEach, groupBy } from "../lib/collect.ts";
import { noticeText, type Notice } from "../messages/notices.ts";

const severities: readonly Severity[] = ["error", "warning", "notice"];
const colours: Readonly<Record<Severity, Style>> = { error: "red", warning: "yellow", notice: "cyan" };

/** The number of diagnostics that are printed in full: more than a person reads. */
const mostPrinted = 100;

/**
 * Renders diagnostics for a person: each with its place, the source line, what was expected and what to do, and the count
 * last. Empty text for none. Every text is escaped before it reaches the terminal. From the fourth on, those of one cause take a line each;
 * those of values that are missing are one. Of more than 100 the first 100 are rendered, errors before warnings before notices, and the
 * others are counted by code. `all` renders each in full.
 */
export function renderDiagnostics(diagnostics: readonly Diagnostic[], page: Page, all = false): string {
  if (diagnostics.length === 0) return "";
  const printed = all || diagnostics.length <= mostPrinted ? new Set(diagnostics) : choosePrinted(diagnostics);
  const blocks = all ? diagnostics.map((each) => renderOne(each, page)) : foldDiagnostics([...printed], page);
  const others = diagnostics.filter((each) => !printed.has(each));
  const rest = others.length === 0 ? [] : [countByCode(others)];
  return `${[...blocks.map((lines) => lines.join("\n")), ...rest, counts(diagnostics)].join("\n\n")}\n`;
}

/** The first diagnostics of the gravest severity, and then of the next, in the order in which they were found. */
function choosePrinted(diagnostics: readonly Diagnostic[]): ReadonlySet<Diagnostic> {
  const chosen = new Set(
    severities.flatMap((severity) => diagnostics.filter((each) => each.severity === severity)).slice(0, mostPrinted),
  );
  return new Set(diagnostics.filter((each) => chosen.has(each)));
}

function countByCode(diagnostics: readonly Diagnostic[]): string {
  const listed = [...countEach(diagnostics.map(({ code }) => code))]
    .toSorted(([a, many], [b, others]) => others - many || (a < b ? -1 : 1))
    .map(([code, count]) => `${count} ${harmless(code)}`);
  return `and ${diagnostics.length} more: ${listed.join(", ")} (--all-diagnostics prints them)`;
}

/** Returns the lines that say what a diagnostic is about: its severity, its code, and a sentence. */
function renderHead({ severity, code }: Diagnostic, sentence: string, page: Page): string[] {
  const [first = "", ...words] = cellOf(printable(page, sentence));
  const mark = paint(page, "bold", `${paint(page, colours[severity], `${severity}[${harmless(code)}]`)}:`);
  return layOut(page, [[mark, ...[first, ...words].map((word) => paint(page, "bold", word))]], 4);
}

function renderNote(label: "expected" | "help", text: string, gutter: string, page: Page): string[] {
  const words = [
    paint(page, "blue", "="),
    paint(page, "bold", `${label}:`),
    ...cellOf(printable(page, text, label === "help" ? longestHint : undefined)),
  ];
  const lines = layOut({ ...page, width: page.width - gutter.length - 1 }, [words], 4);
  return lines.map((line) => `${gutter} ${line}`);
}

function renderOne({ summary, hint, at, related = [], frame, ...diagnostic }: Diagnostic, page: Page): string[] {
  const gutter = " ".repeat(String(at?.line ?? 0).length);
  const expected = expectedText(diagnostic);
  return [
    ...renderHead({ ...diagnostic, summary }, summary, page),
    ...(at ? [`${gutter}${paint(page, "blue", "-->")} ${place(at)}`] : []),
    ...(at && frame !== undefined ? renderFrame(at, frame, colours[diagnostic.severity], page) : []),
    ...[...usesOf(at), ...related.flatMap((other) => [other, ...usesOf(other.at)])].map(
      (other) => `${gutter}${paint(page, "blue", ":::")} ${place(other.at)} ${printable(page, other.message)}`,
    ),
    ...(expected === undefined ? [] : renderNote("expected", expected, gutter, page)),
    ...(hint === undefined ? [] : renderNote("help", hint, gutter, page)),
  ];
}

/** Returns what a diagnostic expects, and what that is for. */
export const expectedText = ({ detail, description }: Pick<Diagnostic, "detail" | "description">) =>
  description === undefined ? detail : `${detail} (${description})`;

/** Those that repeat the cause of earlier ones, in a line each. */
function renderRepeated(first: Diagnostic, diagnostics: readonly Diagnostic[], page: Page): string[] {
  const sentence = `${diagnostics.length} more with the same cause (--all-diagnostics prints them in full)`;
  return [
    ...renderHead(first, sentence, page),
    ...diagnostics.flatMap(({ at, summary }) => {
      const words = [paint(page, "blue", "-->"), ...(at ? [place(at)] : []), ...cellOf(printable(page, summary))];
      return layOut({ ...page, width: page.width - 1 }, [words], 4).map((line) => ` ${line}`);
    }),
  ];
}

/** Those of values that are missing: the variables and files, once each. */
function renderMissing(first: Diagnostic, diagnostics: readonly Diagnostic[], page: Page): string[] {
  const sources = [...new Set(diagnostics.flatMap(({ source }) => source ?? []))];
  const places = diagnostics.flatMap(({ at }) => at ?? []);
  const more = places.length > 1 ? ` and ${counted(places.length - 1, "other place")}` : "";
  return [
    ...renderHead(first, `${counted(diagnostics.length, "value")} missing; not set: ${sources.join(", ")}`, page),
    ...places.slice(0, 1).map((at) => ` ${paint(page, "blue", "-->")} ${place(at)}${more}`),
    ...(first.hint === undefined ? [] : renderNote("help", first.hint, " ", page)),
  ];
}

/** The uses of templates that made what stands at a place. */
export const usesOf = (at: Position | undefined) =>
  (at?.uses ?? []).map(({ template, at: defined, used }) => ({
    at: used,
    message: `templates.${template} (${defined.file}:${defined.line}) is used here`,
  }));

function renderFrame({ line }: Position, frame: string, colour: Style, page: Page): string[] {
  const number = String(line);
  const [text, carets] = cutFrame(frame, page.width - number.length - 3);
  const empty = paint(page, "blue", `${" ".repeat(number.length)} |`);
  return [
    empty,
    `${paint(page, "blue", `${number} |`)} ${harmless(text)}`,
    `${empty} ${paint(page, colour, harmless(carets))}`,
  ];
}

/** Cuts a source line and the carets below it to a number of columns around the first caret. */
function cutFrame(frame: string, width: number): [text: string, carets: string] {
  const [text = "", carets = ""] = frame.split("\n");
  const whole = widthOf(text);
  if (whole <= width) return [text, carets];
  const from = carets.length <= width - 1 ? 0 : Math.max(0, carets.indexOf("^") - Math.floor(width / 3));
  const isCut = from + width < whole;
  const shown = columnsOf(text, from > 0 ? from + 1 : 0, isCut ? from + width - 1 : whole);
  return [`${from > 0 ? "…" : ""}${shown}${isCut ? "…" : ""}`, carets.slice(from, from + width)];
}

const place = ({ file, line, col }: Place) => `${harmless(file)}:${line}:${col}`;

function counts(diagnostics: readonly Diagnostic[]): string {
  const sums = countEach(diagnostics.map(({ severity }) => severity));
  const found = severities.filter((severity) => sums.has(severity));
  return found.map((severity) => counted(sums.get(severity) ?? 0, severity)).join(", ");
}

/** Diagnostics of one cause that are printed in full. */
const mostWhole = 3;

/** Returns the lines of each block in which diagnostics are printed, in their order: a block stands at the place of its first diagnostic. */
function foldDiagnostics(diagnostics: readonly Diagnostic[], page: Page): string[][] {
  const groups = groupBy(diagnostics, causeOf);
  const blocks = new Map([...groups.values()].flatMap((group) => blocksOf(group, page)));
  return diagnostics.map((diagnostic) => blocks.get(diagnostic)).filter((lines) => lines !== undefined);
}

const causeOf = ({ severity, code, source, detail, description, hint }: Diagnostic): string =>
  JSON.stringify(source === undefined ? [severity, code, detail, description, hint] : [severity, code]);

/** Returns each block of a group with its first diagnostic. */
function blocksOf(group: readonly [Diagnostic, ...Diagnostic[]], page: Page): [first: Diagnostic, lines: string[]][] {
  const [first] = group;
  if (first.source !== undefined && group.length > 1) return [[first, renderMissing(first, group, page)]];
  // A single one that is left takes no more room in full.
  const whole = group.length <= mostWhole + 1 ? group.length : mostWhole;
  const [repeated] = group.slice(whole);
  return [
    ...group.slice(0, whole).map((each): [Diagnostic, string[]] => [each, renderOne(each, page)]),
    ...(repeated ? [[repeated, renderRepeated(repeated, group.slice(whole), page)] as [Diagnostic, string[]]] : []),
  ];
}

/** Notices of several lines. */
const pages: ReadonlySet<Notice["type"]> = new Set(["cancelled", "initialised", "inventory", "inventory_event"]);

/** Returns a notice as text without control characters: no value in it begins a line. */
export const renderNotice = (notice: Notice, mask: Page["mask"]): string =>
  `${pages.has(notice.type) ? noticeText(escapeValues(notice, mask)) : printable({ mask }, noticeText(notice))}\n`;

const escapeValues = (notice: Notice, mask: Page["mask"]) =>
  JSON.parse(JSON.stringify(notice), (_, value: unknown) =>
    typeof value === "string" ? printable({ mask }, value) : value,
  ) as Notice;
