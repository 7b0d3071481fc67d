import type { Ending } from "../../engine/session/host.ts";
import { badArguments } from "../../engine/session/input-error.ts";
import { showStatus, type StatusOptions } from "../../engine/status.ts";
import type { StatusRow } from "../../model/report.ts";
import type { Emit } from "../../engine/session/events.ts";
import { byExpiry, renderStatusMarkdown } from "../../render/status-text.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

interface StatusArguments {
  /** Such as `pending,failed,missing,expiring:30d`. */
  readonly failOn?: string | undefined;
  /** Default: text. */
  readonly format?: "text" | "markdown" | undefined;
}

/** Shows how live resources are doing. */
export async function status(
  options: Omit<StatusOptions, "failsOn"> & StatusArguments & PrinterOptions,
  io: Io,
): Promise<Ending> {
  const { file = [], failOn } = options;
  if (file.length === 0 && failOn?.split(",").includes("missing"))
    throw badArguments("--fail-on missing needs a manifest: what is missing is declared", "add -f FILE");
  const given = { ...options, failsOn: readFailOn(failOn) };
  if (options.format !== "markdown") return showStatus(given, { ...io, emit: printer(io, options) });
  let [text, rows]: [string, readonly StatusRow[]] = ["", []];
  const print = printer({ ...io, color: false, width: 120, write: (part) => void (text += part) }, options);
  const emit: Emit = (event) => {
    if (event.type === "status") rows = event.rows.toSorted(byExpiry);
    print(event.type === "status" ? { ...event, rows } : event);
  };
  const ending = await showStatus(given, { ...io, emit });
  if (text !== "") io.write(renderStatusMarkdown(rows, text));
  return ending;
}

type Matches = (row: StatusRow) => boolean;

function readFailOn(text: string | undefined): Matches {
  // An empty one would watch nothing, as a variable of a job that is not set.
  const conditions = text?.split(",").map(readCondition) ?? [];
  return (row) => conditions.some((matches) => matches(row));
}

function readCondition(word: string): Matches {
  if (word === "pending" || word === "failed" || word === "missing") return ({ state }) => state === word;
  const [, days] = /^expiring:(\d+)d$/u.exec(word) ?? [];
  // A time that cannot be read may be near.
  if (days !== undefined) return ({ expiresAt, daysLeft = -1 }) => expiresAt !== undefined && daysLeft <= Number(days);
  throw badArguments(
    `--fail-on: expected pending, failed, missing or expiring:DAYSd, found ${word === "" ? "nothing" : word}`,
    "write --fail-on pending,failed,missing,expiring:30d",
  );
}
