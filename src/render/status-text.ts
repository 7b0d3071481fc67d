import type { StatusRow } from "../model/report.ts";
import { cellOf, layOut, layOutText, printable, type Page, paint, alignColumns } from "./layout.ts";
import { counted, widthOf } from "../lib/shorten.ts";

const colors = { ready: "green", pending: "yellow", failed: "red", missing: "red" } as const;

/** Live resources as a table: status, days to expiry, use against quota, and what is to be said of it. Too wide for the page, it is a list. */
export function renderStatus(rows: readonly StatusRow[], page: Page): string {
  const below = (text: string) =>
    layOutText({ ...page, width: page.width - 4 }, printable(page, text), 0).map((line) => `    ${line}`);
  const cells = rows.map((row) =>
    [row.address, row.status, expiryCell(row), usageCell(row), remarks(row)].map((text) => printable(page, text)),
  );
  const head = ["RESOURCE", "STATUS", "EXPIRES", "USED"];
  const whole = alignColumns([head, ...cells]);
  const narrow = alignColumns([head, ...cells.map((row) => row.slice(0, 4))]);
  const isTable = narrow.every((line) => widthOf(line) <= page.width);
  const lines = rows.flatMap((row, index) => {
    const [line = "", short = ""] = [whole[index + 1], narrow[index + 1]];
    const list = () => layOut(page, (cells[index] ?? []).filter((text) => text !== "").map(cellOf), 4);
    const wrapped = () => (isTable ? [short, ...below(remarks(row))] : list());
    const own = isTable && widthOf(line) <= page.width ? [line] : wrapped();
    const painted = row.state === "ready" ? own : own.map((each) => paint(page, colors[row.state], each));
    return [...painted, ...(row.tells ?? []).map((text) => `    ${printable(page, text)}`)];
  });
  return `${[...(isTable ? [paint(page, "bold", narrow[0] ?? "")] : []), ...lines, "", ...layOutText(page, `${sumsOf(rows)}.`)].join("\n")}\n`;
}

function sumsOf(rows: readonly StatusRow[]): string {
  const count = (state: StatusRow["state"]) => rows.filter((row) => row.state === state).length;
  const missing = count("missing");
  const unmanaged = rows.filter(({ undeclared }) => undeclared === "unmanaged").length;
  const rest = `${missing > 0 ? `, ${missing} missing` : ""}${unmanaged > 0 ? `; ${unmanaged} not in the manifest` : ""}`;
  return `${counted(rows.length, "resource")}: ${count("ready")} ready, ${count("pending")} pending, ${count("failed")} failed${rest}`;
}

/** Characters of a status as Markdown: a comment on GitHub takes 65,536. */
const mostShown = 60_000;

/** Sorts resources by the day on which they expire, those that do not at the end. */
export const byExpiry = ({ daysLeft: one = Infinity }: StatusRow, { daysLeft: other = Infinity }: StatusRow): number =>
  one === other ? 0 : one - other;

/**
 * Returns the text of a status as Markdown: its sums as heading, and the text in a block of code, in which nothing is a link, a mention or
 * HTML, and which no text of the API can end.
 */
export function renderStatusMarkdown(rows: readonly StatusRow[], whole: string): string {
  const text = whole.replace(/^\n+|\n+$/gu, "");
  const end = text.length > mostShown ? text.lastIndexOf("\n", mostShown) : text.length;
  const more = end < text.length ? "\n\n… and more: hostform status prints all without --format" : "";
  const shown = text.slice(0, end).replaceAll(/`{99,}/gu, ({ length }) => `[${length} backticks]`) + more;
  const longest = Math.max(2, ...(shown.match(/`+/gu) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `### Hostform: ${sumsOf(rows)}\n\n${fence}text\n${shown}\n${fence}\n`;
}

const undeclaredTexts = { unmanaged: "not in the manifest", platform: "made by the platform" } as const;

const remarks = ({ undeclared, reason }: StatusRow): string =>
  [undeclared && undeclaredTexts[undeclared], reason].filter((text) => text !== undefined).join("; ");

function expiryCell({ expiresAt = "", daysLeft }: StatusRow): string {
  if (daysLeft === undefined) return expiresAt;
  return daysLeft < 0 ? `${counted(-daysLeft, "day")} ago` : `in ${counted(daysLeft, "day")}`;
}

function usageCell({ usedMb, limitMb }: StatusRow): string {
  if (usedMb === undefined) return "";
  if (limitMb === undefined) return `${usedMb} MB`;
  if (limitMb === null) return `${usedMb} MB of unlimited`;
  const share = limitMb > 0 ? ` (${Math.round((100 * usedMb) / limitMb)} %)` : "";
  return `${usedMb} of ${limitMb} MB${share}`;
}
