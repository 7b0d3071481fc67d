import type { StatusRow } from "../model/status-row.ts";
import { escapeControls } from "./escape.ts";
import { painter } from "./paint.ts";
import { alignColumns, counted } from "./table.ts";

const colors = { ready: "green", pending: "yellow", failed: "red", missing: "red" } as const;

/** Live resources as a table: status, days to expiry, use against quota, and what is to be said of it. */
export function renderStatus(rows: readonly StatusRow[], { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const head = ["RESOURCE", "STATUS", "EXPIRES", "USED", ""];
  const cells = rows.map((row) =>
    [row.address, row.status, expiryCell(row), usageCell(row), remarks(row)].map(escapeControls),
  );
  const [title = "", ...aligned] = alignColumns([head, ...cells]);
  const lines = aligned.map((line, index) => {
    const { state = "ready" } = rows[index] ?? {};
    const told = (rows[index]?.tells ?? []).map((text) => `\n    ${escapeControls(text)}`).join("");
    return (state === "ready" ? line : paint(colors[state], line)) + told;
  });
  const count = (state: StatusRow["state"]) => rows.filter((row) => row.state === state).length;
  const missing = count("missing");
  const unmanaged = rows.filter(({ undeclared }) => undeclared === "unmanaged").length;
  const rest = `${missing > 0 ? `, ${missing} missing` : ""}${unmanaged > 0 ? `; ${unmanaged} not in the manifest` : ""}`;
  const sums = `${counted(rows.length, "resource")}: ${count("ready")} ready, ${count("pending")} pending, ${count("failed")} failed${rest}.`;
  return `${[paint("bold", title), ...lines, "", sums].join("\n")}\n`;
}

const undeclaredTexts = { unmanaged: "not in the manifest", platform: "made by the platform" } as const;

const remarks = ({ undeclared, reason }: StatusRow): string =>
  [undeclared && undeclaredTexts[undeclared], reason].filter((text) => text !== undefined).join("; ");

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
