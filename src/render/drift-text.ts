import { counted } from "../lib/shorten.ts";
import type { Drift, DriftItem } from "../model/drift.ts";
import { describeChange, describeFields } from "./change-text.ts";
import { joinSections, layOutText, paint, printable, type Page } from "./layout.ts";
import { isReroute } from "../policy/danger.ts";
import { incompleteText } from "./plan-groups.ts";
import { incompleteLists, positionText } from "./shared-cause.ts";

export const driftSigns = { differs: "~", gone: "-", appeared: "+" } as const;
const colors = { differs: "yellow", gone: "red", appeared: "green" } as const;
export const driftWords = { differs: "differs", gone: "is gone", appeared: "has appeared" } as const;

/** Renders what is not as the last apply left it, each field as it was and as it is, and what to do. */
export function renderDrift({ lastApply, target, items, tolerated, incomplete }: Drift, page: Page): string {
  return joinSections([
    layOutText(page, comparedText({ lastApply, target }, page)),
    renderDriftDangers(items, page),
    ...items.filter((item) => !isDriftDanger(item)).map((item) => layOutItem(item, page)),
    incompleteLists(incomplete).flatMap((sentence) => layOutText(page, printable(page, sentence))),
    layOutText(page, paint(page, "bold", sumText({ items, tolerated, incomplete }))),
    whatNext(items, page),
  ]);
}

export function comparedText({ lastApply, target }: Pick<Drift, "lastApply" | "target">, page: Page): string {
  if (!lastApply) return "Compared with the manifest as it is: no apply is recorded.";
  const { commit, time, by } = lastApply;
  const what = commit === undefined ? "the manifest as it is" : `the manifest at commit ${commit.slice(0, 7)}`;
  const from = target.snapshot ? `A snapshot of ${target.snapshot.takenAt}, compared with` : "Compared with";
  const since = `The last apply was at ${time} by ${by}: what differs has changed since.`;
  return printable(page, `${from} ${what}. ${since}`);
}

/** Whether something is gone, or leads the mail for a domain or the queries for its names elsewhere. */
export const isDriftDanger = (item: DriftItem) => item.is === "gone" || (item.is === "differs" && isReroute(item));

/** Lists what is to be checked before all else. */
export function renderDriftDangers(items: readonly DriftItem[], page: Page): string[] {
  const dangers = items.filter(isDriftDanger);
  if (dangers.length === 0) return [];
  const head = `Check first: ${counted(dangers.length, "difference")}`;
  return [...layOutText(page, paint(page, "bold", head)), ...dangers.flatMap((item) => layOutItem(item, page))];
}

function layOutItem(item: DriftItem, page: Page): string[] {
  const { address, is, changes, note, created, at } = item;
  const when = created === undefined ? "" : printable(page, `, created ${created}`);
  const head = `${paint(page, colors[is], driftSigns[is])} ${printable(page, address)}${positionText(at)} ${driftWords[is]}${when}`;
  const fields = is === "differs" ? changes.map((each) => fieldText(each, page)) : describeFields(changes, page);
  const lines = [...fields, ...(note === undefined ? [] : [printable(page, note)])];
  return [...layOutText(page, head), ...lines.flatMap((text) => layOutText(page, `    ${text}`, 6))];
}

function fieldText(change: DriftItem["changes"][number], page: Page): string {
  const { sign, name, text } = describeChange(change, page);
  return `${sign} ${name}${name === "" ? "" : " "}${text}`;
}

export function sumText({ items, tolerated, incomplete }: Pick<Drift, "items" | "tolerated" | "incomplete">): string {
  const count = (is: DriftItem["is"]) => items.filter((each) => each.is === is).length;
  const rest = tolerated.length === 0 ? "" : ` ${counted(tolerated.length, "difference")} tolerated.`;
  if (items.length === 0)
    return `No drift${incomplete.length > 0 ? " known" : ""}${incompleteText(incomplete)}.${rest}`;
  return `Drift: ${count("differs")} changed, ${count("gone")} gone, ${count("appeared")} appeared${incompleteText(incomplete)}.${rest}`;
}

export function whatNext(items: readonly DriftItem[], page: Page): string[] {
  const others = items.filter(({ is }) => is !== "appeared");
  const hasMore = others.length < items.length;
  return [
    ...(others.some(({ note }) => note === undefined) ? ["To take it back: `hostform apply --only-drift`"] : []),
    ...(others.length > 0 ? ["To keep it: `hostform drift --accept ADDRESS` writes it into the manifest"] : []),
    ...(hasMore ? ["To manage what has appeared: `hostform import --into MANIFEST --only ADDRESS`"] : []),
  ].flatMap((sentence) => layOutText(page, sentence));
}
