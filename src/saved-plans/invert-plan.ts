import { liveSpelling } from "../contract/request.ts";
import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import { offers, offersUpdate } from "../contract/entry.ts";
import { hasField } from "../contract/offered.ts";
import { locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { groupBy } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import {
  bodiesOf,
  isUnknown,
  knownValues,
  openValue,
  partsOf,
  pickValues,
  secretFields,
  writtenValue,
} from "../model/body.ts";
import type { Json } from "../model/json.ts";
import { addressesOf, type Plan, type Step } from "../model/plan.ts";
import type { Fields, Live, LiveResource, Removal, Resource, Value, Values } from "../model/resource.ts";
import type { CannotUndo } from "../model/saved-plan.ts";
import type { Contract } from "../model/contract.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { writableObjects } from "./plan-possible.ts";
import { isReadWrite, isWriteOnly } from "../kinds/derived/field-access.ts";

/** The input of an undo: the resources to bring back, the ones to delete again, and the changes that cannot be undone. */
export interface InversePlan {
  readonly resources: readonly Resource[];
  readonly removals: readonly Removal[];
  readonly cannot: readonly CannotUndo[];
}

/**
 * Returns the changes that undo each step of a plan, and what the server changes with them. `input` is as the planner compares it.
 * @param after what is live once the plan is applied.
 */
export function invertPlan(
  input: PlanInput,
  { made: { steps }, after }: { readonly made: Plan; readonly after: Live },
  holdsSecret: (value: Json) => boolean,
): InversePlan {
  const made = addressesOf(steps, "create");
  const byAddress = groupBy(steps, ({ address }) => address);
  const each = [
    ...[...byAddress].map(([address, own]) => undoSteps(input, address, own, made)),
    ...[...new Set(steps.flatMap(({ takesAlong = [] }) => takesAlong))].map((address) =>
      restoreTakenAlong(input, address, steps),
    ),
    ...[...after.resources.values()].flatMap((is) => (byAddress.has(is.address) ? [] : restoreReferences(input, is))),
  ];
  const resources = each.flatMap(({ resources: own = [] }) => own);
  const isSecret = (value: Value) => [openValue(value), writtenValue(value)].some((each) => holdsSecret(each ?? null));
  const secret = resources.filter((resource) =>
    bodiesOf(resource).some(({ fields }) => Object.values(fields).some(isSecret)),
  );
  return {
    resources: resources.filter((resource) => !secret.includes(resource)),
    removals: each.flatMap(({ removals = [] }) => removals),
    cannot: [
      ...each.flatMap(({ cannot = [] }) => cannot),
      ...secret.map(({ address }) => ({ address, reason: "it held a secret, which is not kept" })),
    ],
  };
}

function undoSteps(
  input: PlanInput,
  address: Address,
  steps: readonly Step[],
  made: ReadonlySet<Address>,
): Partial<InversePlan> {
  const kind = kindNamed(kindOf(address));
  const was = input.live.resources.get(address);
  const declared = input.desired.resources.get(address);
  const cannot = (reason: string): Partial<InversePlan> => ({ cannot: [{ address, reason }] });
  const bought = steps.find(({ purchase }) => purchase);
  if (bought?.action === "create") return cannot("it stays, because it costs money, which is not given back");
  if (bought) {
    const rest = steps.filter((step) => step !== bought);
    const taken = rest.length === 0 ? {} : undoSteps(input, address, rest, made);
    const cost = { address, reason: "it costs money, which is not given back" };
    return { ...taken, cannot: [...(taken.cannot ?? []), cost] };
  }
  if (declared?.members?.some(({ fields }) => isUnknown(fields[kind.members?.identity ?? ""])) === true)
    return cannot("it stays as the plan leaves it, because the plan does not know its values yet");
  const creates = steps.some(({ action }) => action === "create");
  const removes = steps.some(({ action }) => action === "delete");
  if (creates && !removes && (!was || !kind.members)) {
    if (!offers(input.contract, kind, "delete")) return cannot("it stays, because the API cannot delete it");
    if (input.contract.kinds[kind.name]?.named_by !== undefined)
      return cannot("it stays, because the API gives it no name by which it is found again");
    if (kind.members && secretFields(declared).has(kind.members.identity))
      return cannot("it stays, because its values are secret, and cannot be distinguished from those of others");
    return { removals: [{ address, action: "delete", reason: { is: "undo" } }] };
  }
  if (!was) {
    const parents = declared ? parentsOf(kind, declared.key, {}, declared.fields).flat() : [];
    // A resource that comes along with a parent goes with it.
    return parents.some((parent) => made.has(parent)) ? {} : cannot("how it was before is not known");
  }
  const written = new Set(steps.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const source = declared ?? input.ownership.declaredThen?.resources.get(address);
  return restore(input.contract, was, source, { changed: removes ? undefined : written, written });
}

/** Restores the references that the server took out of a resource which the plan does not touch. */
function restoreReferences({ contract, live, desired }: PlanInput, is: LiveResource): Partial<InversePlan>[] {
  const { references } = kindNamed(is.kind).relations ?? {};
  const was = references && live.resources.get(is.address);
  if (!was || was === is) return [];
  return [restore(contract, was, desired.resources.get(is.address), { changed: new Set([references.field]) })];
}

/** Restores a resource that went with its parent: it comes again with that, and is written as it was. */
function restoreTakenAlong(input: PlanInput, address: Address, steps: readonly Step[]): Partial<InversePlan> {
  const kind = kindNamed(kindOf(address));
  const was = input.live.resources.get(address);
  if (!was || kind.members) return {};
  const isReplaced = steps.some(({ replaces, takesAlong }) => replaces && takesAlong?.includes(address) === true);
  if (kind.serverMade?.ownFlag !== undefined && !isReplaced)
    return { cannot: [{ address, reason: "it comes again as the server makes it, with what it belongs to" }] };
  const mutable = Object.keys(was.remotes[0]?.fields ?? {}).filter((name) => kind.fields[name]?.access === "mutable");
  return restore(input.contract, was, undefined, { changed: new Set(mutable) });
}

/**
 * Restores a live resource as it was: the `changed` fields of it, or all (undefined) where it is made anew. What had no value then is
 * written as well where the plan has `written` one: else a replacement would carry that over.
 */
function restore(
  contract: Contract,
  was: LiveResource,
  declared: Resource | undefined,
  {
    changed,
    written: ours = changed,
  }: { readonly changed?: ReadonlySet<string>; readonly written?: ReadonlySet<string> },
): Partial<InversePlan> {
  const { address } = was;
  const kind = bindKind(contract, was.kind);
  const cannot = (reason: string) => ({ address, reason });
  const secret = secretFields(declared);
  // The server may have put a prefix before the name that is declared: the address holds the latter.
  const common = { address, kind: kind.name, key: locate(address).key };
  if (kind.members) {
    if (secret.size > 0) return { cannot: [cannot(`its values are secret, and not kept (${[...secret].join(", ")})`)] };
    return { resources: [{ ...common, ...formerMembers(kind, kind.members, was) }] };
  }
  const isOffered = changed ? offersUpdate(contract, kind, [...changed]) : offers(contract, kind, "create");
  if (!isOffered) return { cannot: [cannot("the API cannot make it")] };
  const live = was.remotes[0]?.fields ?? {};
  const names = [...(changed ?? Object.keys(live))].filter((name) => isReadWrite(kind, name));
  const kept = names.filter((name) => !secret.has(name));
  const former = Object.fromEntries(
    kept.flatMap((name) => (ours?.has(name) || (live[name] ?? null) !== null ? [[name, live[name] ?? null]] : [])),
  );
  const [remote] = was.remotes;
  const written = remote ? liveSpelling({ kind, key: common.key }, remote, Object.keys(former)) : {};
  const values = { ...knownValues(former, written), ...(!changed && secretSources(kind, declared)) };
  const unknown = Object.entries(kind.fields).flatMap(([name, { required }]) =>
    !changed && required === true && values[name] === undefined && hasField(contract, kind, name) ? [name] : [],
  );
  if (unknown.length > 0) return { cannot: [cannot(`its ${unknown.join(", ")} is not known`)] };
  const lost = [...(changed ?? [])].filter((name) => secret.has(name) || isWriteOnly(kind, name));
  const { usage, externalValues } = kind.status ?? {};
  const isRegistered = (live[kind.renewal?.expires ?? ""] ?? null) !== null;
  const reasons = [
    ...lost.map((name) => `its former ${name} is secret, and not kept`),
    !changed && usage && `it comes back empty: its ${usage.content} are gone`,
    !changed && isRegistered && "it is attached again, but its registration is not brought back",
    externalValues && "what a person has carried elsewhere of it will be another",
  ];
  return {
    resources: Object.keys(former).length > 0 || !changed ? [{ ...common, fields: values }] : [],
    cannot: reasons.flatMap((reason) => (reason ? cannot(reason) : [])),
  };
}

/** Returns the manifest's sources of a replaced resource's write-only fields; it declares no resource that it only deletes. */
const secretSources = (kind: Kind, declared: Resource | undefined): Values =>
  pickValues(
    declared?.fields ?? {},
    (name) => isWriteOnly(kind, name) && partsOf(declared?.fields[name]) !== undefined,
  );

/** The members of a set as they were; a field that all share is the set's own, as far as they agree in it. */
function formerMembers(kind: BoundKind, rules: Members, was: LiveResource): Pick<Resource, "fields" | "members"> {
  const remotes = writableObjects(kind, was);
  const all = remotes.map(({ fields }) => formerFields(kind, was, fields));
  const common = rules.shared.filter((name) => new Set(all.map((fields) => fields[name])).size === 1);
  const shared = Object.fromEntries(
    common.flatMap((name) => (all[0]?.[name] === undefined ? [] : [[name, all[0][name]]])),
  );
  return {
    fields: knownValues(shared),
    members: remotes.map((remote, index) => {
      const own = pickValues(all[index] ?? {}, (name) => !common.includes(name));
      return { fields: knownValues(own, liveSpelling({ kind, key: was.key }, remote, Object.keys(own))) };
    }),
  };
}

function formerFields(kind: Kind, { key }: LiveResource, fields: Fields): Fields {
  const identity = kind.naming.toFields(key);
  const isKept = (name: string, value: Json) => !(name in identity) && (value !== null || name === "comment");
  return pickValues(fields, (name, value) => isReadWrite(kind, name) && isKept(name, value));
}
