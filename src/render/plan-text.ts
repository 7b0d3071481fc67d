import { describeReason } from "../model/step-reason.ts";
import { isDeepStrictEqual } from "node:util";
import { locate } from "../kinds/derived/locate.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Change, Outage, OnServerRejection, Plan, Shown, Step, StepId } from "../model/plan.ts";
import type { CollectionId } from "../model/resource.ts";
import { escapeControls } from "./escape.ts";
import { countCalls, countSteps } from "./plan-counts.ts";
import { renderSummary } from "./plan-summary.ts";
import { painter, type Paint } from "./paint.ts";
import { renderRefusals } from "./refusals-text.ts";

const signs = { create: "+", update: "~", delete: "-", replace: "-/+", renew: "$" } as const;
const verbs = {
  create: "will be created",
  update: "will be updated",
  delete: "will be deleted",
  replace: "must be replaced",
  renew: "will be renewed",
} as const;
const origins = {
  this_change: "[this change]",
  drift: "[drift]",
  both: "[both]",
  not_made: "[not made by the last apply]",
} as const;
const colors = { create: "green", update: "yellow", delete: "red", replace: "magenta", renew: "magenta" } as const;

/** `sha256:` and 32 digits: as much as an approval must give. */
const printedHash = 39;

/** How a plan is shown. `showIgnored`: each difference in spelling that was ignored gets a line. */
export interface PlanView {
  readonly color: boolean;
  readonly showIgnored: boolean;
  /** Milliseconds since the epoch: tells the age of a snapshot. */
  readonly now: number;
  /** Whether it is the part of a saved plan that is not done. */
  readonly rest?: boolean;
}

/**
 * A plan for a person: what changes and why, then the sums. One changed field is a handful of lines, however large the manifest; a
 * long plan has its sums by kind and collection at the head too.
 */
export function renderPlan(plan: Plan, view: PlanView): string {
  const { color, showIgnored, now } = view;
  const paint = painter(color);
  const sections = [
    [renderTarget(plan, paint), ...renderSnapshot(plan, now, paint)].join("\n"),
    renderSummary(plan, paint),
    ...plan.steps.filter(isShown).map((step) => renderStep(step, paint)),
    renderOutages(plan, paint),
    ...plan.incomplete.map(({ collection, reason }) =>
      paint("yellow", escapeControls(`! The list of ${collection} is incomplete: ${reason}`)),
    ),
    renderUnmanaged(plan),
    renderLeftOut(plan),
    showIgnored ? renderIgnoredSpellings(plan) : "",
    renderRefusals(plan, paint),
    renderSums(plan, paint, view),
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

/** One step: why it is needed and where that is written, then every field that it changes. */
export function renderStep(step: Step, paint: Paint): string {
  const what = step.replaces ? "replace" : step.action;
  const address = escapeControls(step.address);
  const origin = step.origin ? ` ${origins[step.origin]}` : "";
  const place = step.at ? ` (${step.at.file}:${step.at.line})` : "";
  const width = Math.max(0, ...step.changes.map(({ path }) => path.length));
  return [
    `${paint("bold", `  # ${address} ${verbs[what]}`)}${paint("dim", escapeControls(`: ${describeReason(step)}${origin}${place}`))}`,
    `${paint(colors[what], signs[what].padStart(3))} ${address}${step.purchase ? paint("magenta", "  $ costs money") : ""}`,
    ...step.changes.map((change) => renderChange(change, width, paint)),
    ...renderLostContent(step, paint),
    ...renderTakenAlong(step, paint),
    ...(step.on_refusal ?? []).map((each) => renderOnServerRejection(each, paint)),
  ].join("\n");
}

/** Says that a deletion or replacement destroys what people have put into the resource. */
function renderLostContent({ action, replaces, address }: Step, paint: Paint): string[] {
  const content = action === "delete" || replaces ? locate(address).kind.status?.usage?.content : undefined;
  if (content === undefined) return [];
  const end = replaces
    ? `its ${content} are deleted for good: it is empty afterwards`
    : `its ${content} are deleted for good`;
  return [paint("red", `      ! ${end}`)];
}

/** The end of what is deleted for a step, if that is refused. */
function renderOnServerRejection(each: OnServerRejection, paint: Paint): string {
  if (each.is === "lost")
    return paint(
      "yellow",
      escapeControls(`      ! if the server refuses this, ${each.address} is not put back: ${each.reason}`),
    );
  const [first] = each.calls;
  const times = each.calls.length > 1 ? `${each.calls.length} × ` : "";
  const call = first ? ` (${times}${first.method} ${first.path})` : "";
  return paint("dim", escapeControls(`      if the server refuses this, ${each.address} is put back${call}`));
}

/** What goes with a deleted resource is told by name: it is nowhere else in the plan. */
function renderTakenAlong({ takesAlong = [], replaces }: Step, paint: Paint): string[] {
  if (takesAlong.length === 0) return [];
  const what = replaces ? "reset with it, not managed" : "deleted with it, not managed";
  return [`      ${paint("red", "-")} ${what}: ${escapeControls(takesAlong.join(", "))}`];
}

function renderChange(change: Change, width: number, paint: Paint): string {
  const { path, before, after, forcesReplace, carried, notCarried } = change;
  const name = escapeControls(path).padEnd(width);
  if (carried) return `        ${name} = ${renderShown(after)} ${paint("dim", "# carried over")}`;
  if (notCarried !== undefined)
    return `      ${paint("red", "-")} ${name} = ${renderShown(before)} ${paint("red", escapeControls(`# not carried over: ${notCarried}`))}`;
  if (before.is === "value" && isDeepStrictEqual(before, after)) return `        ${name} = ${renderShown(after)}`;
  const forces = forcesReplace ? paint("red", " # forces replacement") : "";
  if (before.is === "absent") return `      ${paint("green", "+")} ${name} = ${renderShown(after)}${forces}`;
  if (after.is === "absent") return `      ${paint("red", "-")} ${name} = ${renderShown(before)}${forces}`;
  return `      ${paint("yellow", "~")} ${name} = ${renderShown(before)} -> ${renderShown(after)}${forces}`;
}

/** One side of a change in a few words. */
export function renderShown(shown: Shown): string {
  switch (shown.is) {
    case "value":
      return escapeControls(showValue(shown.value));
    case "sensitive":
      return `(sensitive${renderFrom(shown)})`;
    case "known_after_apply":
      return `(known after apply${renderFrom(shown)})`;
    case "absent":
      return "(none)";
  }
}

const renderFrom = ({ from }: { readonly from?: string }) =>
  from === undefined ? "" : `, from ${escapeControls(from)}`;

// Record contents bring their own quotes; a second pair around them would only be in the way.
const showValue = (value: Json) => (typeof value === "string" && value.startsWith('"') ? value : JSON.stringify(value));

function renderOutages({ steps }: Plan, paint: Paint): string {
  const number = new Map(steps.map(({ id }, index) => [id, index + 1]));
  return steps
    .flatMap(({ id, gaps = [] }) => gaps.map((gap) => paint("yellow", escapeControls(outageText(id, gap, number)))))
    .join("\n");
}

function outageText(from: StepId, { name, types, until }: Outage, number: ReadonlyMap<StepId, number>): string {
  const what = types ? `no answer for ${types.join(", ")}` : "no answer";
  const [first, last] = [number.get(from), number.get(until)];
  // A run that is about a part of the plan may leave out what ends it.
  const when =
    from === until
      ? `while step ${first} runs`
      : last
        ? `between step ${first} and ${last}`
        : `from step ${first} on, until a later run`;
  return `! ${name} has ${what} ${when} (${until})`;
}

/** Collections with something unmanaged that are named, and characters of each line: an account may have thousands. */
const namedCollections = 5;
const longestLine = 72;

function renderUnmanaged({ unmanaged }: Plan): string {
  if (unmanaged.length === 0) return "";
  const lines = unmanaged.slice(0, namedCollections).map(({ collection, addresses }) => {
    const names = addresses.slice(0, 3).map((address) => nameIn(collection, address));
    const line = escapeControls(`  ${collection}: ${addresses.length} (${someOf(names, 2)})`);
    return line.length > longestLine ? `${line.slice(0, longestLine - 1)}…` : line;
  });
  const more = unmanaged.slice(namedCollections);
  const count = more.reduce((sum, { addresses }) => sum + addresses.length, 0);
  return [
    "Not managed, left alone:",
    ...lines,
    ...(more.length > 0 ? [`  and ${count} more in ${more.length} other ${plural(more.length, "collection")}`] : []),
  ].join("\n");
}

/** An address as its collection's list has it: what the line says already is left out. */
const nameIn = (collection: CollectionId, address: Address) =>
  address.startsWith(`${collection}/`)
    ? address.slice(collection.length + 1)
    : address.slice(kindOf(address).length + 1);

const someOf = (addresses: readonly string[], count: number) =>
  addresses.slice(0, count).join(", ") + (addresses.length > count ? ", …" : "");
const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

const renderLeftOut = ({ leftOut }: Plan) =>
  leftOut.length === 0 ? "" : escapeControls(`Left out by --only/--except: ${leftOut.length} (${someOf(leftOut, 3)})`);

function renderIgnoredSpellings({ ignoredSpellings }: Plan): string {
  if (ignoredSpellings.length === 0) return "";
  const lines = ignoredSpellings.map(({ address, path, written, live }) =>
    escapeControls(`  ${address} ${path}: written ${JSON.stringify(written)}, live ${JSON.stringify(live)}`),
  );
  return ["Differences in formatting, ignored:", ...lines].join("\n");
}

function renderSums(plan: Plan, paint: Paint, { showIgnored, rest = false }: PlanView): string {
  const { add, change, destroy, purchase } = countSteps(plan);
  const reads = `${plan.reads} ${plural(plan.reads, "read")}`;
  const ignored = renderIgnoredCount(plan, showIgnored);
  if (plan.steps.length === 0 && plan.refusals.length === 0) {
    const source = rest ? "saved plan" : "manifest";
    const verb = plan.unchanged === 1 ? "matches" : "match";
    const matching = `${plan.unchanged} ${plural(plan.unchanged, "resource")} ${verb} the ${source}`;
    const none = `${paint("bold", "No changes.")} ${matching} (${reads}).`;
    return [none, ...ignored].join("\n");
  }
  const calls = countCalls(plan);
  const writes = Object.entries(calls).map(([method, count]) => `${count} ${method}`);
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const bought = purchase > 0 ? `, ${purchase} of them to buy ($)` : "";
  return [
    ...ignored,
    paint("bold", `Plan: ${add} to add, ${change} to change, ${destroy} to destroy${bought}.`),
    `${total} ${plural(total, "call")}${writes.length > 0 ? `: ${writes.join(", ")}` : ""}; ${reads}.`,
  ].join("\n");
}

function renderIgnoredCount({ ignoredSpellings: { length } }: Plan, listed: boolean): string[] {
  if (length === 0) return [];
  return [
    `${length} ${plural(length, "difference")} in formatting ignored${listed ? "" : " (--show-ignored lists them)"}.`,
  ];
}
