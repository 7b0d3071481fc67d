import type { Json } from "../model/json.ts";
import type { Change, Plan, Shown, Step } from "../model/plan.ts";
import { allowingFlags } from "./allowing-flags.ts";
import { escapeControls } from "./escape.ts";
import { countCalls, countSteps } from "./plan-counts.ts";
import { painter, type Paint } from "./paint.ts";

const signs = { create: "+", update: "~", delete: "-", replace: "-/+", renew: "$" } as const;
const verbs = {
  create: "will be created",
  update: "will be updated",
  delete: "will be deleted",
  replace: "must be replaced",
  renew: "will be renewed",
} as const;
const colors = { create: "green", update: "yellow", delete: "red", replace: "magenta", renew: "magenta" } as const;

/** `sha256:` and 32 digits: as much as an approval must give. */
const printedHash = 39;

/**
 * A plan for a person: what changes and why, then the sums. One changed field is a handful of lines, however large the manifest.
 * @param options.now milliseconds since the epoch: tells the age of a snapshot.
 */
export function renderPlan(plan: Plan, { color, now }: { readonly color: boolean; readonly now: number }): string {
  const paint = painter(color);
  const sections = [
    [renderTarget(plan, paint), ...renderSnapshot(plan, now, paint)].join("\n"),
    ...plan.steps.filter(isShown).map((step) => renderStep(step, paint)),
    ...plan.incomplete.map(({ collection, reason }) =>
      paint("yellow", escapeControls(`! ${collection} was not read whole: ${reason}`)),
    ),
    renderUnmanaged(plan),
    renderLeftOut(plan),
    renderRefusals(plan, paint),
    renderSums(plan, paint),
    plan.hash === undefined ? "" : `Plan hash: ${plan.hash.slice(0, printedHash)}`,
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function renderTarget({ target }: Plan, paint: Paint): string {
  const where = target.emulator ? "the embedded service, not a real account" : target.baseUrl;
  return `${paint("bold", "Target:")} ${escapeControls(`${target.name} at ${where} (contract ${target.contract})`)}`;
}

function renderSnapshot({ target: { snapshot } }: Plan, now: number, paint: Paint): string[] {
  if (!snapshot) return [];
  const age = renderAge(now - Date.parse(snapshot.takenAt));
  return [paint("yellow", escapeControls(`Against a snapshot, not live state: ${age} old, taken ${snapshot.takenAt}`))];
}

const units = [
  { name: "days", ms: 86_400_000, from: 2 },
  { name: "h", ms: 3_600_000, from: 1 },
  { name: "min", ms: 60_000, from: 1 },
] as const;

function renderAge(milliseconds: number): string {
  const unit = units.find(({ ms, from }) => milliseconds >= from * ms);
  return unit ? `${Math.floor(milliseconds / unit.ms)} ${unit.name}` : "less than a minute";
}

// The delete half of a replace is shown by its create half.
const isShown = ({ action, replaces }: Step) => !(replaces && action === "delete");

function renderStep(step: Step, paint: Paint): string {
  const what = step.replaces ? "replace" : step.action;
  const address = escapeControls(step.address);
  const origin = step.at ? ` (${step.at.file}:${step.at.line})` : "";
  const width = Math.max(0, ...step.changes.map(({ path }) => path.length));
  return [
    `${paint("bold", `  # ${address} ${verbs[what]}`)}${paint("dim", escapeControls(`: ${step.reason}${origin}`))}`,
    `${paint(colors[what], signs[what].padStart(3))} ${address}${step.purchase ? paint("magenta", "  $ costs money") : ""}`,
    ...step.changes.map((change) => renderChange(change, width, paint)),
  ].join("\n");
}

function renderChange({ path, before, after, forcesReplace }: Change, width: number, paint: Paint): string {
  const name = escapeControls(path).padEnd(width);
  const forces = forcesReplace ? paint("red", " # forces replacement") : "";
  if (before.is === "absent") return `      ${paint("green", "+")} ${name} = ${renderShown(after)}${forces}`;
  if (after.is === "absent") return `      ${paint("red", "-")} ${name} = ${renderShown(before)}${forces}`;
  return `      ${paint("yellow", "~")} ${name} = ${renderShown(before)} -> ${renderShown(after)}${forces}`;
}

function renderShown(shown: Shown): string {
  switch (shown.is) {
    case "value":
      return escapeControls(showValue(shown.value));
    case "sensitive":
      return "(sensitive)";
    case "known_after_apply":
      return "(known after apply)";
    case "absent":
      return "(none)";
  }
}

// Record contents bring their own quotes; a second pair around them would only be in the way.
const showValue = (value: Json) => (typeof value === "string" && value.startsWith('"') ? value : JSON.stringify(value));

function renderUnmanaged({ unmanaged }: Plan): string {
  if (unmanaged.length === 0) return "";
  const lines = unmanaged.map(({ collection, addresses }) => {
    const named = addresses.slice(0, 3).join(", ");
    return escapeControls(`  ${collection}: ${addresses.length} (${named}${addresses.length > 3 ? ", …" : ""})`);
  });
  return ["Not managed, left alone:", ...lines].join("\n");
}

function renderLeftOut({ leftOut }: Plan): string {
  if (leftOut.length === 0) return "";
  const named = leftOut.slice(0, 3).join(", ");
  return escapeControls(`Left out: ${leftOut.length} (${named}${leftOut.length > 3 ? ", …" : ""})`);
}

function renderRefusals(plan: Plan, paint: Paint): string {
  const { refusals } = plan;
  if (refusals.length === 0) return "";
  const lines = refusals.flatMap(({ summary, hint, at }) => [
    `${paint("red", "  ✗")} ${escapeControls(summary)}${at ? ` (${escapeControls(at.file)}:${at.line})` : ""}`,
    `      ${paint("cyan", "to allow it:")} ${escapeControls(hint)}`,
  ]);
  const flags = allowingFlags(plan);
  const which = refusals.every(({ flag }) => flag !== undefined) ? "all of it" : "what flags can allow";
  return [
    paint("bold", `Refused: ${refusals.length}. Nothing will be changed until each is allowed or taken out.`),
    ...lines,
    ...(flags.length > 0 ? [`  ${paint("cyan", `to allow ${which}:`)} ${escapeControls(flags.join(" "))}`] : []),
  ].join("\n");
}

function renderSums(plan: Plan, paint: Paint): string {
  const { add, change, destroy, purchase } = countSteps(plan);
  const reads = `${plan.reads} ${plan.reads === 1 ? "read" : "reads"}`;
  if (plan.steps.length === 0 && plan.refusals.length === 0) {
    return `${paint("bold", "No changes.")} ${plan.unchanged} resources are as the manifest has them (${reads}).`;
  }
  const calls = countCalls(plan);
  const writes = Object.entries(calls).map(([method, count]) => `${count} ${method}`);
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
  return [
    paint(
      "bold",
      `Plan: ${add} to add, ${change} to change, ${destroy} to destroy${purchase > 0 ? `, ${purchase} of them to buy ($)` : ""}.`,
    ),
    `${total} ${total === 1 ? "call" : "calls"}${writes.length > 0 ? `: ${writes.join(", ")}` : ""}; ${reads}.`,
  ].join("\n");
}
