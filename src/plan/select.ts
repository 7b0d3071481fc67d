import { kindNamed } from "../kinds/index.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { flagMistakes } from "../messages/advice.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { matchesGlob } from "../model/glob.ts";
import { nearest } from "../model/nearest.ts";
import type { Plan, Step } from "../model/plan.ts";
import { isPartial, type PlanInput } from "../model/plan-input.ts";
import { fieldReferences, idReferences } from "../order/order.ts";
import { addressesBefore, addressesBehind } from "../policy/waiting-steps.ts";

const everything = () => true;

/** The part of a plan that a run is about. */
export interface Selected extends Pick<Plan, "steps" | "diagnostics"> {
  /** Addresses with steps that are not among them. */
  readonly leftOut: readonly Address[];
  /** Whether the run is about an address: named, or changed because a named one needs it. */
  readonly includes: (address: Address) => boolean;
  /** Whether what is wrong with an address stands in the way of the run: also where a selected step only refers to it. */
  readonly concerns: (address: Address) => boolean;
}

/**
 * The steps that `--only` names with all that these wait for, without those that `--except` names and all that waits for these.
 * Both halves of a replace stay together. The order is kept.
 */
export function selectSteps(input: PlanInput, steps: readonly Step[]): Selected {
  const { only, except, exact } = input.selection;
  if (!isPartial(input.selection))
    return { steps, leftOut: [], includes: everything, concerns: everything, diagnostics: [] };
  const addresses: ReadonlySet<string> = new Set(only);
  const matches = only.length === 0 ? everything : matchAny(only);
  const named = (address: Address) => (exact ? addresses.has(address) : matches(address));
  const excepted = matchAny(except);
  const wanted = addressesBefore(steps, named);
  const dropped = addressesBehind(steps, excepted);
  const includes = (address: Address) =>
    (named(address) || wanted.has(address)) && !excepted(address) && !dropped.has(address);
  const selected = steps.filter(({ address }) => includes(address));
  const needed = new Set(selected.flatMap((step) => referredTo(input, step)));
  const follows = [...dropped].filter((address) => wanted.has(address) && !excepted(address)).sort();
  return {
    steps: selected,
    leftOut: [...new Set(steps.map(({ address }) => address))].filter((address) => !includes(address)).sort(),
    includes,
    concerns: (address) => includes(address) || needed.has(address),
    diagnostics: [
      ...unmatched(input),
      ...(follows.length > 0
        ? [{ severity: "notice" as const, code: "left_out_too", ...flagMistakes.leftOutToo(follows) }]
        : []),
    ],
  };
}

/** Returns the resources that a step cannot do without, whether or not the plan changes them. */
function referredTo({ desired }: PlanInput, { address, action, calls }: Step): Address[] {
  const resource = action === "delete" ? undefined : desired.resources.get(address);
  const parents = resource ? parentsOf(kindNamed(resource.kind), resource.key, {}, resource.fields).flat() : [];
  return [...parents, ...calls.flatMap((call) => [...idReferences(call), ...fieldReferences(call)])];
}

/** A pattern that names nothing is a mistake: it would silently select too little, or keep too much. */
function unmatched({ selection, desired, live, ownership }: PlanInput): Diagnostic[] {
  const known = [
    ...desired.resources.keys(),
    ...live.resources.keys(),
    ...desired.removed.keys(),
    ...(ownership.inventory?.addresses ?? []),
  ];
  const names = new Set(known.map((address) => address.toLowerCase()));
  const flags = (["only", "except"] as const).flatMap((flag) => selection[flag].map((glob) => ({ flag, glob })));
  return flags
    .filter(({ glob }) => !names.has(glob.toLowerCase()) && !known.some((address) => matchesGlob(glob, address)))
    .map(({ flag, glob }) => {
      const under = known.find((each) => each.startsWith(glob) && /^[@/]/u.test(each.slice(glob.length)));
      const near = nearest(glob, known) ?? under;
      const parts = known.flatMap((address) => address.split(/[/@]/u)).filter((part) => part.includes("."));
      const name = nearest(glob, parts);
      const named = name === undefined ? undefined : `write '*${name}*' for all that has this name`;
      const meant = near && (glob.includes("/") ? `did you mean ${near}?` : `write '${glob}/*'`);
      const example = "write an address as a plan prints it, or a pattern such as mailbox/*@example.com";
      const summary = flagMistakes.selectsNothing(flag, glob);
      return { severity: "error", code: "unknown_selection", summary, hint: meant ?? named ?? example };
    });
}

/** Returns a test of addresses by patterns. Those without a `*` are looked up, for there may be one for each resource. */
export function matchAny(patterns: readonly string[]): (address: string) => boolean {
  const written = new Set(patterns.map((each) => each.toLowerCase()));
  const globs = patterns.filter((each) => each.includes("*"));
  return (address) => written.has(address.toLowerCase()) || globs.some((glob) => matchesGlob(glob, address));
}
