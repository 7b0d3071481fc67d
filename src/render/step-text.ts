import { kindNamed } from "../kinds/index.ts";
import { kindOf } from "../model/address.ts";
import type { OnServerRejection, Step } from "../model/plan.ts";
import { describeReason } from "../messages/step-reasons.ts";
import { changesInBrief, describeChange, isOneSided } from "./change-text.ts";
import { cellOf, layOut, layOutText, onOneLine, pad, printable, type Page, paint } from "./layout.ts";
import type { NumberedStep } from "./plan-groups.ts";
import { widthOf } from "../lib/shorten.ts";

export const signs = { create: "+", update: "~", delete: "-", replace: "-/+", renew: "$" } as const;
export const verbs = {
  create: "will be created",
  update: "will be updated",
  delete: "will be deleted",
  replace: "must be replaced",
  renew: "will be renewed",
} as const;
export const origins = {
  this_change: "[this change]",
  drift: "[drift]",
  both: "[both]",
  not_made: "[not made by the last apply]",
} as const;
const colors = { create: "green", update: "yellow", delete: "red", replace: "magenta", renew: "magenta" } as const;

/** Spaces before a field that has a line of its own, and fields that share their lines where one line is too short. */
const fieldIndent = 8;
const mostShared = 2;

/** The layout of a step among others: the characters that all numbers, signs and addresses take, and whether its reason is always given. */
export interface StepView {
  readonly numberWidth: number;
  readonly signWidth: number;
  readonly addressWidth: number;
  readonly explains?: boolean;
}

/**
 * Lays a step out: on one line if it fits there and at most one field changes, else with its fields below. A reason is given where the
 * sign does not say it.
 */
export function layOutStep(numbered: NumberedStep, view: StepView, page: Page): string[] {
  const { step } = numbered;
  const address = printable(page, step.address);
  const mark = markOf(numbered, view, page);
  const about = describeStep(numbered, view, page).map(cellOf);
  const plain = isOneSided(step.changes, step.action);
  const fields = changesInBrief(step.changes, step.action, page).map(cellOf);
  const padded = [mark, pad(address, fields.length + about.length > 0 ? view.addressWidth : 0)];
  const isShort = plain || fields.length <= 1;
  const line = isShort ? onOneLine(page, [padded, ...fields, ...about]) : undefined;
  return [
    ...(line !== undefined
      ? [line]
      : fields.length <= (plain ? mostShared : 1)
        ? layOut(page, [[mark, address], ...fields, ...about], fieldIndent)
        : [...layOut(page, [[mark, address], ...about], fieldIndent), ...layOutFields(step.changes, plain, page)]),
    ...layOutNotes(numbered, page),
  ];
}

export const shownAction = ({ replaces, action }: Pick<Step, "replaces" | "action">) => (replaces ? "replace" : action);

function markOf({ step, number }: NumberedStep, { numberWidth, signWidth }: StepView, page: Page): string {
  const action = shownAction(step);
  const digits = number === undefined ? "" : String(number).padStart(numberWidth);
  return `  ${paint(page, "dim", digits)}${digits === "" ? "" : " "}${paint(page, colors[action], signs[action].padStart(signWidth))}`;
}

/** Says what the sign and the fields do not: the cost, the reason, where the change comes from, and its place in the manifest. */
function describeStep({ step, again }: NumberedStep, { explains = false }: StepView, page: Page): string[] {
  const reason = explains || !isSaidBySign(step) ? `: ${printable(page, describeReason(step))}` : "";
  const isNamed = reason !== "" || isDestructive(step);
  return [
    ...(step.purchase ? [paint(page, "magenta", "$ costs money")] : []),
    ...(isNamed ? [`${verbs[shownAction(step)]}${reason}`] : []),
    ...(again === undefined ? [] : [`created again in step ${again}`]),
    ...(step.origin ? [origins[step.origin]] : []),
    ...(step.at ? [paint(page, "dim", printable(page, `${step.at.file}:${step.at.line}`))] : []),
  ];
}

const isDestructive = ({ action, replaces }: Pick<Step, "replaces" | "action">) => action === "delete" || replaces;

/** Returns whether the sign of a step, and the fields beside it, are its reason. */
function isSaidBySign({ reason, action }: Step): boolean {
  if (reason.is === "fields_differ") return reason.rotation === undefined;
  if (reason.is === "values_differ") return !reason.unsure;
  return reason.is === "not_live" || reason.is === "in_saved_plan" || (reason.is === "undo" && action !== "delete");
}

/** Lays out a line for each field, or more where it is long. The fields of what is made or removed need no sign. */
function layOutFields(changes: Step["changes"], plain: boolean, page: Page): string[] {
  const colours = { "+": "green", "-": "red", "~": "yellow" } as const;
  const texts = changes.map((change) => describeChange(change, page));
  const width = Math.max(...texts.map(({ name }) => widthOf(name)));
  return texts.flatMap(({ sign, name, text }) => {
    const painted = sign in colours ? paint(page, colours[sign as keyof typeof colours], sign) : sign;
    const words = [...(name === "" ? [] : [pad(name, width)]), ...cellOf(text)];
    const [first = "", ...others] = words;
    const line = plain
      ? [" ".repeat(fieldIndent) + first, ...others]
      : [" ".repeat(fieldIndent - 2) + painted, ...words];
    return layOut(page, [line], fieldIndent + 2);
  });
}

/** The part of a step that says what is lost with it. */
type Losing = Pick<Step, "address" | "action" | "replaces" | "takesAlong" | "on_refusal">;

/** Says what is lost with a step, or put back if the server refuses it. */
export function layOutNotes({ step, half }: NumberedStep<Losing>, page: Page): string[] {
  const notes = [
    ...describeLostContent(step, page),
    ...describeTakenAlong(step, page),
    ...[...(half?.on_refusal ?? []), ...(step.on_refusal ?? [])].map((each) => describeServerRejection(each, page)),
  ];
  return notes.flatMap((note) => layOutText(page, note, fieldIndent));
}

/** Says that a deletion or replacement destroys what people have put into the resource. */
function describeLostContent(step: Losing, page: Page): string[] {
  const { usage, deletionRisk } = (isDestructive(step) && kindNamed(kindOf(step.address)).status) || {};
  if (deletionRisk !== undefined) return [`      ${paint(page, "red", `! ${deletionRisk}`)}`];
  const content = usage?.content;
  if (content === undefined) return [];
  const end = step.replaces ? ": it is empty afterwards" : "";
  return [`      ${paint(page, "red", `! its ${content} are deleted for good${end}`)}`];
}

/** Names what goes with a deleted resource: it is nowhere else in the plan. */
function describeTakenAlong({ replaces, takesAlong: taken = [] }: Losing, page: Page): string[] {
  if (taken.length === 0) return [];
  const what = replaces ? "reset with it, not in this plan" : "deleted with it, not in this plan";
  return [`      ${paint(page, "red", "-")} ${what}: ${taken.map((address) => printable(page, address)).join(", ")}`];
}

/** Says how a resource ends that is deleted for a step, if that is refused. */
function describeServerRejection(each: OnServerRejection, page: Page): string {
  const address = printable(page, each.address);
  if (each.is === "lost")
    return `      ${paint(page, "yellow", "!")} if the server refuses this, ${address} is not put back: ${printable(page, each.reason)}`;
  const [first] = each.calls;
  const times = each.calls.length > 1 ? `${each.calls.length} × ` : "";
  const call = first ? ` (${times}${printable(page, `${first.method} ${first.path}`)})` : "";
  return `      ${paint(page, "dim", `if the server refuses this, ${address} is put back${call}`)}`;
}
