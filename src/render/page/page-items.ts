import type { Notice } from "../../messages/notices.ts";
import { describeReason } from "../../messages/step-reasons.ts";
import { counted } from "../../lib/shorten.ts";
import { kindOf } from "../../model/address.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import type { Drift } from "../../model/drift.ts";
import type { HttpCall, Param } from "../../model/http-call.ts";
import type { Change, Plan, Step, StepId } from "../../model/plan.ts";
import type { Outcome, PutBack, Report } from "../../model/report.ts";
import { driftSigns, driftWords, isDriftDanger, sumText } from "../drift-text.ts";
import { printable, type Page } from "../layout.ts";
import { isDanger } from "../../policy/danger.ts";
import { unknownAddresses } from "../../policy/known-steps.ts";
import { incompleteText, numberSteps, subjectsIn, titleOf, type NumberedStep } from "../plan-groups.ts";
import { describeOutages, numbersOf } from "../plan-text.ts";
import { doneWords, describeFailed, titleOfReport } from "../report-text.ts";
import type { UnmanagedView } from "../unmanaged-text.ts";
import { layOutNotes, origins, shownAction, signs, verbs } from "../step-text.ts";

/** What a page shows: a plan, with the report of an apply or without, or drift; and what else the run says. */
export interface PageSource {
  readonly plan?: Plan | undefined;
  readonly report?: Report | undefined;
  /** The ends of what the last apply had deleted for successors, and left for this one. */
  readonly putBacks?: readonly PutBack[] | undefined;
  readonly drift?: Drift | undefined;
  /** What still differs after an apply. */
  readonly rest?: Plan | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly notices: readonly Notice[];
  /** The live resources that the manifest does not name, with their values. Default: the addresses that the plan has. */
  readonly unmanaged?: UnmanagedView | undefined;
}

/** Returns the sums of a run as the title of its page. */
export function titleOfPage(source: PageSource): string {
  const { plan, report, drift, rest, diagnostics, notices } = source;
  const differs = rest && rest.steps.length + rest.refusals.length > 0 ? "; the live state does not match" : "";
  if (drift) return `Hostform: ${sumText(drift)}`;
  if (report) return `Hostform: ${titleOfReport(report)}${differs}${incompleteText(incompleteIn(source))}`;
  if (plan) return `Hostform: ${titleOf(plan)}`;
  const mistakes = diagnostics.filter(({ severity }) => severity === "error").length;
  if (mistakes > 0) return `Hostform: no plan, ${counted(mistakes, "mistake")}`;
  return notices.some(({ type }) => type === "valid") ? "Hostform: valid" : "Hostform: no plan";
}

/** Returns the lists that were not read whole: after an apply, those of the plan that followed it. */
export const incompleteIn = ({ plan, drift, rest }: PageSource): Plan["incomplete"] =>
  (rest ?? plan ?? drift)?.incomplete ?? [];

/** The colour of an item, or of what became of it. */
export type Tone = keyof typeof signs | "good" | "warn" | "bad";

/** One entry of the page's list: a step of a plan with its outcome, or a resource that drifted. */
export interface PageItem {
  /** The numbers of its steps in the order of the plan, counted from 1; of something that drifted, its place in the list. */
  readonly numbers: readonly number[];
  /** Masked, so that it may be cut. */
  readonly address: string;
  readonly kind: string;
  /** The domain or service that it is about, masked, too. */
  readonly subject: string;
  readonly sign: string;
  readonly tone: Tone;
  /** The short word of the sign. */
  readonly word: string;
  readonly reason: string;
  readonly at: Position | undefined;
  readonly isDanger: boolean;
  readonly changes: readonly Change[];
  readonly tags: readonly { readonly tone: Tone; readonly text: string }[];
  /** What is lost or interrupted with it. */
  readonly warnings: readonly string[];
  readonly calls: readonly string[];
  /** Numbers of the steps that it waits for. */
  readonly after: readonly number[];
  readonly outcome?: { readonly word: string; readonly tone: Tone; readonly lines: readonly string[] };
}

const words = { create: "add", update: "change", delete: "destroy", replace: "replace", renew: "renew" } as const;

/** Returns the steps of a plan in their order, each replacement once, with what an apply reports of them. */
export function itemsOfPlan(plan: Plan, report: Report | undefined, page: Page): PageItem[] {
  const numberOf = numbersOf(plan);
  const outcomes = new Map(report?.outcomes.map(({ step, outcome }) => [step.id, outcome]));
  const unknown = unknownAddresses(plan);
  const subjectOf = subjectsIn(plan.steps);
  return numberSteps(plan.steps).map((numbered) => {
    const { step, half, number = 0, again } = numbered;
    const all = half ? [half, step] : [step];
    const action = shownAction(step);
    const ids: ReadonlySet<StepId> = new Set(all.map(({ id }) => id));
    const after = all.flatMap((each) =>
      each.after.filter((id) => !ids.has(id)).flatMap((id) => numberOf.get(id) ?? []),
    );
    const outages = describeOutages(all, numberOf);
    return {
      numbers: again === undefined ? [number] : [number, again],
      ...namesOf(step.address, subjectOf, page),
      sign: signs[action],
      tone: action,
      word: words[action],
      reason: `${verbs[action]}: ${describeReason(step)}`,
      at: step.at,
      isDanger: all.some(isDanger),
      changes: step.changes,
      tags: [
        ...(step.purchase ? [{ tone: "renew", text: "costs money" } as const] : []),
        ...(outages.length > 0 ? [{ tone: "warn", text: "gap" } as const] : []),
        ...(unknown.has(step.address) ? [{ tone: "warn", text: "may exist" } as const] : []),
        ...(step.origin ? [{ tone: "good", text: origins[step.origin].slice(1, -1) } as const] : []),
      ],
      warnings: [...outages, ...layOutNotes(numbered, page).map((line) => line.trim().replace(/^! /u, ""))],
      calls: all.flatMap(({ calls }) => calls.map(callText)),
      after: [...new Set(after)],
      ...outcomeOf(numbered, outcomes, page),
    };
  });
}

const paramText = (param: Param | undefined) =>
  param === undefined || typeof param === "string" ? param : `{id of ${param.idOf}}`;

/** Returns a request as it is planned: ids that only the apply knows stand in braces. */
function callText({ method, path, params, query }: HttpCall): string {
  const filled = path.replaceAll(/\{(\w+)\}/gu, (name, key: string) => paramText(params[key]) ?? name);
  const pairs = Object.entries(query).map(([name, param]) => `${name}=${paramText(param)}`);
  return `${method} ${filled}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}

/** Of a replacement, the first half that is not done tells what became of it. */
function outcomeOf({ step, half }: NumberedStep, outcomes: ReadonlyMap<StepId, Outcome>, page: Page) {
  const all: readonly Step[] = half ? [half, step] : [step];
  const decisive = all.find(({ id }) => outcomes.get(id)?.is !== "done") ?? step;
  const outcome = outcomes.get(decisive.id);
  return outcome && { outcome: describeOutcome(decisive, outcome, page) };
}

function describeOutcome(step: Step, outcome: Outcome, page: Page): NonNullable<PageItem["outcome"]> {
  switch (outcome.is) {
    case "done":
      if (outcome.external !== undefined) return { word: "pending", tone: "warn", lines: [outcome.external] };
      return { word: outcome.adopted ? "adopted" : doneWords[step.action], tone: "good", lines: [] };
    case "failed":
      return { word: "failed", tone: "bad", lines: describeFailed(step, outcome, page) };
    case "blocked":
      return { word: "blocked", tone: "warn", lines: [`blocked by ${outcome.by}`] };
    case "not_attempted":
      return { word: "not attempted", tone: "warn", lines: [] };
  }
}

const driftTones = { differs: "update", gone: "delete", appeared: "create" } as const;

/** Returns what drifted; what is tolerated follows, and says so. */
export function itemsOfDrift({ items, tolerated }: Drift, page: Page): PageItem[] {
  const all = [...items, ...tolerated];
  const subjectOf = subjectsIn(all);
  return all.map((item, index) => ({
    numbers: [index + 1],
    ...namesOf(item.address, subjectOf, page),
    sign: driftSigns[item.is],
    tone: driftTones[item.is],
    word: item.is,
    reason: `${driftWords[item.is]}${item.created === undefined ? "" : `, created ${item.created}`}`,
    at: item.at,
    isDanger: isDriftDanger(item),
    changes: item.changes,
    tags: index < items.length ? [] : [{ tone: "good", text: "tolerated" }],
    warnings: item.note === undefined ? [] : [item.note],
    calls: [],
    after: [],
  }));
}

const namesOf = (address: Step["address"], subjectOf: (address: Step["address"]) => string, page: Page) => ({
  address: printable(page, address),
  kind: kindOf(address),
  subject: printable(page, subjectOf(address)),
});
