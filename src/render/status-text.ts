import type { StatusRow } from "../model/status-row.ts";
import { escapeControls } from "./escape.ts";
import { painter } from "./paint.ts";

const colors = { ready: "green", pending: "yellow", failed: "red" } as const;

/** Live resources as a table: status, days to expiry, use against quota, and what is to be said of it. */
export function renderStatus(rows: readonly StatusRow[], { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const head = ["RESOURCE", "STATUS", "EXPIRES", "USED", ""];
  const cells = rows.map((row) =>
    [row.address, row.status, expiryCell(row), usageCell(row), row.reason ?? ""].map(escapeControls),
  );
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const pad = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const lines = cells.map((line, index) => {
    const { state = "ready" } = rows[index] ?? {};
    const told = (rows[index]?.tells ?? []).map((text) => `\n    ${escapeControls(text)}`).join("");
    return (state === "ready" ? pad(line) : paint(colors[state], pad(line))) + told;
  });
  const count = (state: StatusRow["state"]) => rows.filter((row) => row.state === state).length;
  const sums = `${rows.length} ${rows.length === 1 ? "resource" : "resources"}: ${count("ready")} ready, ${count("pending")} pending, ${count("failed")} failed.`;
  return `${[paint("bold", pad(head)), ...lines, "", sums].join("\n")}\n`;
}

function expiryCell({ daysLeft }: StatusRow): string {
  if (daysLeft === undefined) return "";
  return daysLeft < 0 ? `${-daysLeft} days ago` : `in ${daysLeft} days`;
}

function usageCell({ usedMb, limitMb }: StatusRow): string {
  if (usedMb === undefined) return "";
  if (limitMb === undefined) return `${usedMb} MB`;
  return limitMb === null
    ? `${usedMb} MB of unlimited`
    : `${usedMb} of ${limitMb} MB (${Math.round((100 * usedMb) / limitMb)} %)`;
}
