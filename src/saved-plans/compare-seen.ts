import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import { fieldsLeftOut } from "../contract/binding.ts";
import { hasField } from "../contract/offered.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { isUnknown, knownValues, pickValues } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Shown, Step } from "../model/plan.ts";
import type { Fields, Remote, Resource } from "../model/resource.ts";
import { differs, hasMoved } from "../plan/compare-values.ts";
import { absent, showLive, showValue } from "../plan/shown.ts";
import { isSame } from "./lines.ts";
import { holdsStandIn, valueFingerprint } from "./pin-live.ts";
import { isReadWrite } from "../kinds/derived/field-access.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { SavedPlan } from "../model/saved-plan.ts";

/** All that a saved plan says about one address, and the objects that are there now. */
export interface Touched {
  readonly address: Address;
  readonly kind: Kind;
  /** Of an undo, which was made before the objects that it deletes: it knows only a part of their fields. */
  readonly isUndo: boolean;
  /** Without any, the plan does not touch the address. */
  readonly steps: readonly Step[];
  /** Whether an interrupted apply of this plan has deleted it to make it anew, or what it belongs to: it has other values until its steps are done. */
  readonly isReset: boolean;
  /** Undefined where the plan deletes the address. */
  readonly declared: Resource | undefined;
  /** The writable objects of each member of a set, else of one object at most, when the plan was made. */
  readonly was: readonly Remote[];
  readonly is: readonly Remote[];
}

/** Returns the fields and the members that are neither as they were when the plan was made nor as it declares them. */
export const findMoved = (touched: Touched, match: Step, contract: Contract): Difference[] =>
  touched.kind.members ? movedMembers(touched, touched.kind.members) : movedFields(touched, match, contract);

function movedFields(
  { address, kind: { name }, isUndo, steps, isReset, declared, was: [seen], is: [now] }: Touched,
  { action }: Step,
  contract: Contract,
): Difference[] {
  if (!now || (!seen && action !== "create")) return [];
  const kind = bindKind(contract, name);
  const [was, is] = [seen?.fields, now.fields];
  // A field of the kind that the API has nothing like has no value, so it cannot have moved.
  const isKept = (field: string) => !Object.hasOwn(kind.fields, field) || hasField(contract, kind, field);
  // A grant is taken for the time in which its database is made anew.
  const brought = steps.filter(({ detaches }) => detaches || isReset).flatMap(({ changes }) => changes);
  const isBrought = (field: string) =>
    brought.some(
      ({ path, after }) => path === field && (isReset || (after.is === "value" && isSame(after.value, is[field]))),
    );
  const isCompared = (field: string) => isReadWrite(kind, field) || kind.renewal?.expires === field;
  const unknown = new Set([...(seen?.redacted ?? []), ...(now.redacted ?? [])]);
  const names = was ? [...new Set([...Object.keys(was), ...(isUndo ? [] : Object.keys(is))])] : undefined;
  const compared = names?.filter(isCompared) ?? createdFields(kind, declared);
  return compared.filter(isKept).flatMap((field): Difference[] => {
    const desired = declared?.fields[field];
    if (unknown.has(field) || holdsStandIn(was?.[field]) || (was && isAsSeen(was[field], is[field]))) return [];
    if (isBrought(field) || (desired && !differs(is[field], desired))) return [];
    return [difference.value(address, field, showSeen(was?.[field]), showLive(is[field], desired))];
  });
}

const isAsSeen = (was: Json | undefined, is: Json | undefined) => isSame(was, is) || was === valueFingerprint(is);

const showSeen = (value: Json | undefined): Shown =>
  typeof value === "string" && value.startsWith("\u0001") ? { is: "sensitive" } : showValue(value);

/** The fields by which a creation is known again: all that it sends, so that anything else is someone else's. */
function createdFields(kind: BoundKind, declared: Resource | undefined): string[] {
  const names = Object.keys(declared?.fields ?? {});
  const later = new Set(fieldsLeftOut(kind, names));
  return names.filter((name) => isReadWrite(kind, name) && !later.has(name) && !isUnknown(declared?.fields[name]));
}

/**
 * Each member now must be one of those that were seen or are declared, and each that was seen and is declared must still be there. A
 * member has no name by which it is known again: it is the same only as a whole.
 */
function movedMembers({ address, kind, declared, was: seen, is }: Touched, rules: Members): Difference[] {
  const writable = ({ fields }: Remote) => pickValues(fields, (name) => isReadWrite(kind, name));
  const [was, now] = [seen.map(writable), is.map(writable)];
  const wanted = (declared?.members ?? [])
    .map((member) => ({ ...knownValues(rules.always), ...declared?.fields, ...member.fields }))
    // An identity that only apply will know cannot be compared with anything.
    .filter((values) => !isUnknown(values[rules.identity]));
  const isWanted = (fields: Fields) =>
    wanted.some((values) =>
      Object.entries(values).every(([name, value]) => !hasMoved(fields[name] ?? rules.always[name], value)),
    );
  const agrees = (known: Fields, fields: Fields) =>
    Object.entries(known).every(
      ([name, value]) => holdsStandIn(value) || isSame(value, fields[name] ?? rules.always[name]),
    );
  const isSecret = (fields: Fields) => holdsStandIn(fields[rules.identity]);
  const isOneOf = (fields: Fields) => was.some((known) => !isSecret(known) && agrees(known, fields));
  const others = now.filter((fields) => !isOneOf(fields) && !isWanted(fields));
  // Any other may be one of those whose value is secret.
  const come = withoutEach(others, was.filter(isSecret), agrees);
  const gone = was.filter((fields) => !now.some((member) => agrees(fields, member)));
  const lost = gone.filter(isWanted);
  const [[only, ...alsoGone], [one, ...more]] = [gone, come];
  const value = (from: Shown, to: Shown) => difference.value(address, "value", from, to);
  // One value in the place of one: both are named at once.
  if (only && one && !isSecret(only) && alsoGone.length + more.length + lost.length === 0)
    return [value(showMember(rules, only), showMember(rules, one))];
  return [
    ...come.map((fields) => value(absent, showMember(rules, fields))),
    ...lost.map((fields) => value(showMember(rules, fields), absent)),
  ];
}

/** Returns the items that are left once each of the known ones stands for one of them at most. */
export function withoutEach<T>(all: readonly T[], known: readonly T[], agrees: (known: T, item: T) => boolean): T[] {
  const free = [...known];
  return all.filter((item) => {
    const index = free.findIndex((each) => agrees(each, item));
    if (index >= 0) free.splice(index, 1);
    return index < 0;
  });
}

/** A member in one line: its value, and what stands beside it. */
function showMember(rules: Members, fields: Fields): Shown {
  const beside = Object.entries(fields)
    .filter(
      ([name, value]) =>
        value !== null && value !== false && !["name", "type", "managed", rules.identity].includes(name),
    )
    .map(([name, value]) => `${name} ${jsonText(value)}`);
  return { is: "value", value: [jsonText(fields[rules.identity]), ...beside].join(", ") };
}

/** A change that is needed now and was not approved: it starts from a value that has moved since, or it is not in the plan. */
export interface Difference {
  readonly address: Address;
  readonly code: "moved" | "not_in_plan";
  readonly summary: string;
}

const moved = (address: Address, fact: string): Difference => ({
  address,
  code: "moved",
  summary: `${address} has moved since the plan was made: ${fact}`,
});

const notInPlan = (address: Address, fact: string): Difference => ({
  address,
  code: "not_in_plan",
  summary: `${address}: ${fact}`,
});

/** Makes each sort of difference. `was`: the value that the plan saw; `planned`: the value that it says. */
export const difference = {
  gone: (address: Address) => moved(address, "it is gone"),
  object: (address: Address) => moved(address, "there is another object, which was made since"),
  value: (address: Address, field: string, was: Shown, is: Shown) =>
    moved(address, `${field} was ${text(was)}, and is ${text(is)}`),
  step: (address: Address, step: string) =>
    notInPlan(address, `a step that the plan does not hold would be needed now (${step})`),
  change: (address: Address, field: string, planned: Shown, is: Shown) =>
    notInPlan(
      address,
      planned.is === "absent"
        ? `${field} would become ${text(is)}, which the plan does not hold`
        : `${field} would become ${text(is)}; the plan says ${text(planned)}`,
    ),
};

/** Describes to a person each difference between a saved plan and the changes that would be made now, once. */
export function describeDifferences(differences: readonly Difference[], { resources }: SavedPlan): Diagnostic[] {
  const places = new Map(resources.map(({ address, at }) => [address, at]));
  const hint = "nothing was changed; plan again, and look at what has changed since";
  return [...new Map(differences.map((each) => [each.summary, each])).values()].map(({ address, code, summary }) => {
    const at = places.get(address);
    return { severity: "error", code, summary, hint, ...(at && { at }) };
  });
}

function text(shown: Shown): string {
  if (shown.is === "value") return jsonText(shown.value);
  return { sensitive: "(sensitive)", known_after_apply: "(known after apply)", absent: "not there" }[shown.is];
}
