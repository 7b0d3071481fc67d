import { shortHash } from "../lib/short-hash.ts";
import { nameSome, counted, plural, shorten, someOf } from "../lib/shorten.ts";
import type { Outage, Plan, StepId, Target } from "../model/plan.ts";
import { joinSections, layOutText, printable, type Page, paint } from "./layout.ts";
import { unknownAddresses } from "../policy/known-steps.ts";
import { countCalls, countSteps, noChanges, numberSteps, type NumberedStep } from "./plan-groups.ts";
import { isDanger, isReroute } from "../policy/danger.ts";
import { foldSteps, listSteps, listTogether } from "./plan-steps.ts";
import { renderRefusals } from "./refusals-text.ts";
import { incompleteLists } from "./shared-cause.ts";
import { renderUnmanaged } from "./unmanaged-text.ts";
import { jsonText } from "../model/json.ts";

/** Plans of more steps are folded: a person reads the dangers, and counts of the rest. */
const mostListed = 50;

/** The way to show a plan. `showIgnored`: each difference in spelling that was ignored gets a line. */
export interface PlanView extends Page {
  readonly showIgnored: boolean;
  /** Whether a list of the resources that the manifest does not name follows. Default: false. */
  readonly showUnmanaged?: boolean;
  /** Milliseconds since the epoch: tells the age of a snapshot. */
  readonly now: number;
  /** Whether the target was printed already. Default: false. */
  readonly hasTarget?: boolean;
  /** Whether it is the part of a saved plan that is not done. */
  readonly rest?: boolean;
  /** Whether each step of a long plan is shown, too. */
  readonly full?: boolean;
}

/**
 * Renders a plan for a person: the dangers first and in full, then what else changes, by domain or service, then the sums. Each step has
 * its number in the order in which an apply runs them. The other steps of a long plan are only counted, unless `full` is set.
 */
export function renderPlan(plan: Plan, view: PlanView): string {
  const unknown = unknownAddresses(plan);
  const all = numberSteps(plan.steps);
  const isFolded = all.length > mostListed && view.full !== true;
  // A sum would count what may be there already; a listed step says so itself.
  const numbered = isFolded ? all.filter(({ step }) => !unknown.has(step.address)) : all;
  const dangers = dangersOf(plan, numbered);
  const listed = new Set(dangers);
  const others = numbered.filter((each) => !listed.has(each));
  const sections = [
    [
      ...(view.hasTarget === true ? [] : layOutTarget(plan.target, view)),
      ...renderVariables(plan, view),
      ...renderSnapshot(plan, view.now, view),
    ],
    renderDangers(plan, dangers, view),
    renderIncomplete(plan.incomplete, view),
    ...(isFolded ? foldSteps(others, dangers.length > 0, view) : listSteps(others, view)),
    view.showUnmanaged === true ? [] : renderUnmanaged(plan, view),
    renderLeftOut(plan, view),
    view.showIgnored ? renderIgnoredSpellings(plan, view) : [],
    renderRefusals(plan, view),
    renderSums(plan, view),
    renderUnset(plan, view),
    renderHash(plan),
  ];
  const text = joinSections(sections);
  return view.hasTarget === true && sections[0]?.length === 0 ? `\n${text}` : text;
}

export const renderHash = ({ hash }: Plan): string[] => (hash === undefined ? [] : [`Plan hash: ${shortHash(hash)}`]);

/** Returns the steps that delete, replace, reroute, interrupt or cost something, and those that end an outage. */
export function dangersOf(plan: Plan, numbered: readonly NumberedStep[] = numberSteps(plan.steps)): NumberedStep[] {
  const ends = endsOfOutages(plan);
  return numbered.filter(({ step, half }) =>
    [step, ...(half ? [half] : [])].some((each) => isDanger(each) || ends.has(each.id)),
  );
}

export const renderIncomplete = (incomplete: Plan["incomplete"], page: Page): string[] =>
  incompleteLists(incomplete).flatMap((sentence) => warn(sentence, page));

/** Renders the API that a command reads or changes, before its first request. */
export const renderTarget = (target: Target, page: Page): string => `${layOutTarget(target, page).join("\n")}\n`;

export function layOutTarget(target: Target, page: Page): string[] {
  const where = target.emulator ? "the embedded service, not a real account" : target.baseUrl;
  const text = printable(page, `${target.name} at ${where} (contract ${target.contract})`);
  return layOutText(page, `${paint(page, "bold", "Target:")} ${text}`);
}

export function renderSnapshot({ target: { snapshot } }: Plan, now: number, page: Page): string[] {
  if (!snapshot) return [];
  const age = renderAge(now - Date.parse(snapshot.takenAt));
  const text = `Against a snapshot, not live state: ${age} old, taken ${snapshot.takenAt}`;
  return layOutText(page, paint(page, "bold", printable(page, text)));
}

/** Lays out a warning. Only its sign is coloured, because a yellow sentence cannot be read on a light background. */
const warn = (text: string, page: Page) => layOutText(page, `${paint(page, "yellow", "!")} ${printable(page, text)}`);

const units = [
  { name: "days", ms: 86_400_000, from: 2 },
  { name: "h", ms: 3_600_000, from: 1 },
  { name: "min", ms: 60_000, from: 1 },
] as const;

function renderAge(milliseconds: number): string {
  const unit = units.find(({ ms, from }) => milliseconds >= from * ms);
  return unit ? `${Math.floor(milliseconds / unit.ms)} ${unit.name}` : "less than a minute";
}

/** Lists the steps that delete, replace, reroute, interrupt or cost something, and what has no answer meanwhile. */
export function renderDangers(plan: Plan, dangers: readonly NumberedStep[], page: Page): string[] {
  if (dangers.length === 0) return [];
  const unknown = unknownAddresses(plan);
  const count = (holds: (step: NumberedStep["step"]) => boolean) =>
    dangers.filter(({ step }) => !unknown.has(step.address) && holds(step)).length;
  const outages = describeOutages(plan.steps, numbersOf(plan));
  const sums = [
    [count(({ action, replaces }) => action === "delete" && !replaces), "deletion"] as const,
    [count(({ replaces }) => replaces), "replacement"] as const,
    [count(({ purchase, action }) => purchase || action === "renew"), "purchase"] as const,
    [count((step) => step.action === "update" && isReroute(step)), "MX or name server change"] as const,
    [outages.length, "gap"] as const,
  ].flatMap(([number, word]) => (number === 0 ? [] : [counted(number, word)]));
  return [
    ...layOutText(page, paint(page, "bold", `Check first${sums.length === 0 ? "" : `: ${sums.join(", ")}`}`)),
    ...listTogether(dangers, page),
    ...outages.flatMap((text) => warn(text, page)),
  ];
}

/** Returns the steps that end an outage: its text names their numbers, so they are listed even in a folded plan. */
const endsOfOutages = ({ steps }: Plan): ReadonlySet<StepId> =>
  new Set(steps.flatMap(({ gaps = [] }) => gaps.map(({ until }) => until)));

/** Returns the numbers of the steps of a plan, counted from 1. */
export const numbersOf = ({ steps }: Pick<Plan, "steps">): ReadonlyMap<StepId, number> =>
  new Map(steps.map(({ id }, index) => [id, index + 1]));

/** Says what has no answer while a plan runs, of the gaps that these of its steps begin. */
export const describeOutages = (steps: Plan["steps"], numbers: ReadonlyMap<StepId, number>): string[] =>
  steps.flatMap(({ id, gaps = [] }) => gaps.map((gap) => describeOutage(id, gap, numbers)));

/** Says what has no answer for a while. */
export const outageText = ({ name, types }: Outage): string =>
  `${name} has no answer${types ? ` for ${types.join(", ")}` : ""}`;

function describeOutage(from: StepId, outage: Outage, number: ReadonlyMap<StepId, number>): string {
  const { until } = outage;
  const [first, last] = [number.get(from), number.get(until)];
  // A run that is about a part of the plan may leave out what ends it.
  const when =
    from === until
      ? `while step ${first} runs`
      : last
        ? `between step ${first} and ${last}`
        : `from step ${first} on, until a later run`;
  return `${outageText(outage)} ${when} (${until})`;
}

export const renderLeftOut = ({ leftOut }: Plan, page: Page) =>
  leftOut.length === 0
    ? []
    : layOutText(page, printable(page, `Not selected by the flags given: ${leftOut.length} (${someOf(leftOut, 3)})`));

export function renderIgnoredSpellings({ ignoredSpellings }: Plan, page: Page): string[] {
  if (ignoredSpellings.length === 0) return [];
  return [
    "Differences in formatting, ignored:",
    ...ignoredSpellings.flatMap(({ address, path, written, live }) =>
      layOutText(
        page,
        printable(page, `  ${address} ${path}: written ${JSON.stringify(written)}, live ${JSON.stringify(live)}`),
        4,
      ),
    ),
  ];
}

export function renderSums(plan: Plan, page: PlanView): string[] {
  const { showIgnored, rest = false } = page;
  const { add, change, destroy, purchase } = countSteps(plan);
  const reads = `${plan.reads} ${plural(plan.reads, "read")}`;
  const spellings = counted(plan.ignoredSpellings.length, "difference");
  const listing = showIgnored ? "" : " (--show-ignored lists them)";
  const ignored = plan.ignoredSpellings.length === 0 ? [] : [`${spellings} in formatting ignored${listing}.`];
  if (plan.steps.length === 0 && plan.refusals.length === 0) {
    const source = rest ? "saved plan" : "manifest";
    const verb = plan.unchanged === 1 ? "matches" : "match";
    const matching = `${plan.unchanged} ${plural(plan.unchanged, "resource")} ${verb} the ${source}`;
    const due = plan.afterRequests?.length ?? 0;
    const none = `${paint(page, "bold", `${noChanges(plan)}.`)} ${matching} (${reads}).`;
    const requests = due === 0 ? [] : [`${counted(due, "request")} that an earlier apply has left will be sent.`];
    return [none, ...requests, ...renderAdopted(plan, page), ...ignored].flatMap((text) => layOutText(page, text));
  }
  const { size: unknown } = unknownAddresses(plan);
  const because = `because the ${plural(plan.incomplete.length, "list")} above ${plan.incomplete.length === 1 ? "is" : "are"} incomplete`;
  const resources = `${unknown} ${plural(unknown, "resource")}`;
  if (unknown > 0 && add + change + destroy === 0)
    return [
      ...ignored,
      `${paint(page, "bold", `No plan: the changes to ${resources} are not known,`)} ${because} (${reads}).`,
    ].flatMap((text) => layOutText(page, text));
  const calls = countCalls(plan);
  const writes = Object.entries(calls).map(([method, count]) => `${count} ${method}`);
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const bought = purchase > 0 ? `, ${purchase} of them to buy ($)` : "";
  return [
    ...renderAdopted(plan, page),
    ...ignored,
    paint(page, "bold", `Plan: ${add} to add, ${change} to change, ${destroy} to destroy${bought}.`),
    ...(unknown > 0 ? [`The changes to ${resources} are not known, ${because}, and not counted.`] : []),
    `${total} ${plural(total, "call")}${writes.length > 0 ? `: ${writes.join(", ")}` : ""}; ${reads}.`,
  ].flatMap((text) => layOutText(page, text));
}

/** Says that an apply would refuse this plan, though another one, with the values, may not. */
export function renderUnset({ unset = [] }: Plan, page: Page): string[] {
  if (unset.length === 0) return [];
  const text = `Not applicable here: apply sends nothing and exits with 3 until ${unset.length === 1 ? "this value is" : "these values are"} set: ${nameSome(unset, 10)}`;
  return warn(text, page);
}

function renderAdopted({ adopts = [], lasting = [] }: Plan, page: Page): string[] {
  const count = adopts.length;
  if (count === 0) return [];
  const [these, one] =
    count === 1 ? [`${adopts[0]}, which exists already`, "it"] : [`these ${count} existing resources, too`, "one"];
  const named = count === 1 ? "" : `: ${nameSome(adopts, 3)}`;
  const then =
    lasting.length === count
      ? ""
      : ` Taking ${one} out of the manifest then deletes it${lasting.length > 0 ? ", where the API can" : ""}.`;
  return [printable(page, `Once this is applied, Hostform manages ${these}${named}.${then}`)];
}

/** Characters of a value that are shown. `--json` has all of it. */
const longest = 60;

/** Returns the lines of the variables whose values do not stand in the manifest. */
export const renderVariables = ({ variables = [] }: Plan, page: Page): string[] =>
  variables.flatMap(({ name, value, from }) => {
    const text = jsonText(value);
    const shown = shorten(text, longest);
    return layOutText(page, printable(page, `Variable ${name} = ${shown} (${from})`));
  });
