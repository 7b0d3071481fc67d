import { bindKind } from "../contract/bound-kind.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindOf, type Address } from "../model/address.ts";
import { nearest } from "../model/nearest.ts";
import type { Explanation, Undeclared, Relation } from "../model/explanation.ts";
import type { Plan } from "../model/plan.ts";
import type { LiveResource, Body, Desired, Fields, Key, PreparedLive, Values } from "../model/resource.ts";
import { compareFields, leaveIgnored } from "./compare-fields.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { madeAnew } from "./belongings.ts";
import { prepare, forgetReferences } from "./prepare.ts";
import { ignoringGlob, policyOf } from "../policy/deletions.ts";
import { addressOfParent, parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { bodiesOf, referencesIn } from "../model/body.ts";

/**
 * Why one resource is planned as it is: its fields on both sides, what it hangs together with, and the steps that `plan` holds for it.
 * Pure. Undefined where no declared or live resource has this address.
 * @param plan what the same input was planned to.
 */
export function explain(given: PlanInput, plan: Plan, address: Address): Explanation | undefined {
  const { desired: prepared, live } = prepare(given);
  const desired = forgetReferences(
    prepared,
    madeAnew({ ...given, desired: prepared, live }, plan.steps),
    given.contract,
  );
  const resource = desired.resources.get(address);
  const found = live.resources.get(address);
  if (!resource && !found) return undefined;
  const compared = leaveIgnored(desired, live).resources.get(address);
  const id = collectionAt(address);
  const incomplete = live.collections.get(id)?.incomplete;
  return {
    address,
    ...(resource && { at: resource.at }),
    live: found !== undefined,
    collection: id,
    ...(incomplete !== undefined && { incomplete }),
    ...(found && !resource && { undeclared: undeclared({ ...given, desired }, found) }),
    objects: compareFields(
      bindKind(given.contract, kindOf(address)),
      resource && { resource, compared: compared ?? resource },
      found,
    ),
    relations: relationsOf(desired, live, address),
    steps: plan.steps.filter((step) => step.address === address),
    refusals: plan.refusals.filter((refusal) => refusal.address === address),
  };
}

const suggestions = 3;

/** Returns the addresses that may be meant by one that is unknown: first that of what the server calls so, then those spelled like it. */
export function nearAddresses(given: PlanInput, address: Address): string[] {
  const { desired, live } = prepare(given);
  const renamed = [...live.resources.values()].filter((each) => addressOfParent(each) === address);
  const near = new Set<string>(renamed.map((each) => each.address));
  const known = [...desired.resources.keys(), ...live.resources.keys()];
  const others = new Set<string>(known.filter((other) => kindOf(other) === kindOf(address)));
  while (near.size < suggestions) {
    const next = nearest(address, [...others]);
    if (next === undefined) break;
    near.add(next);
    others.delete(next);
  }
  return [...near];
}

/** Returns the reasons for which a live resource that the manifest does not declare stays or goes. */
function undeclared(input: PlanInput, found: LiveResource): Undeclared {
  const { desired, ownership } = input;
  const policy = policyOf(input, found);
  const ignoredBy = ignoringGlob(input, found);
  const removed = desired.removed.get(found.address)?.action;
  return {
    exclusive: policy?.exclusive === true,
    ...(policy?.exclusiveAt && { exclusiveAt: policy.exclusiveAt }),
    ...(ignoredBy !== undefined && { ignoredBy }),
    platformOwned: isWhollyPlatformOwned(found),
    ...(ownership.inventory && { ours: ownership.inventory.addresses.has(found.address) }),
    ...(removed !== undefined && { removed }),
  };
}

/** A resource's relation to another: a way, the other's address, and the field or slot between them. */
type Edge = Pick<Relation, "how" | "address" | "through">;

/** A resource as far as its edges are concerned, whether it is declared, live or both. */
interface RelationNode {
  readonly kind: string;
  readonly key: Key;
  readonly live: Fields;
  readonly desired: Values;
  readonly bodies: readonly Body[];
}

const inverse = { needs: "is_needed_by", refers_to: "is_referred_to_by", comes_after: "comes_before" } as const;

/** Finds resources that an address depends on, that depend on it, or that hold one of its slots; sorted by way and address. */
function relationsOf(desired: Desired, live: PreparedLive, address: Address): Relation[] {
  const node = nodeAt(desired, live, address);
  if (!node) return [];
  const exists = (other: Address) => desired.resources.has(other) || live.resources.has(other);
  const edges: Edge[] = edgesOf(node, exists);
  const own = slotsOf(node);
  for (const other of new Set([...desired.resources.keys(), ...live.resources.keys()])) {
    const there = other === address ? undefined : nodeAt(desired, live, other);
    if (!there) continue;
    for (const { how, address: to, through } of edgesOf(there, exists)) {
      if (to === address) edges.push({ how: inverse[how], address: other, ...(through !== undefined && { through }) });
    }
    for (const { name, shared } of own.length > 0 ? slotsOf(there) : []) {
      if (own.some((slot) => slot.name === name && !(slot.shared && shared)))
        edges.push({ how: "shares", address: other, through: name });
    }
  }
  return edges
    .map((edge) => ({
      ...edge,
      declared: desired.resources.has(edge.address),
      live: live.resources.has(edge.address),
    }))
    .filter(({ how, address: other }) => how !== "comes_after" || exists(other))
    .toSorted((a, b) => order(a, b));
}

const order = (a: Edge, b: Edge) => (a.how === b.how ? (a.address < b.address ? -1 : 1) : a.how < b.how ? -1 : 1);

function nodeAt(desired: Desired, live: PreparedLive, address: Address): RelationNode | undefined {
  const resource = desired.resources.get(address);
  const found = live.resources.get(address);
  const { kind, key } = resource ?? found ?? {};
  if (kind === undefined || key === undefined) return undefined;
  return {
    kind,
    key,
    live: found?.remotes[0]?.fields ?? {},
    desired: resource?.fields ?? {},
    bodies: bodiesOf(resource),
  };
}

type OwnEdge = Edge & { readonly how: keyof typeof inverse };

/** Returns the edges to all that a node depends on; of several that can meet one requirement, those that are there, else all. */
function edgesOf(
  { kind: name, key, live, desired, bodies }: RelationNode,
  exists: (address: Address) => boolean,
): OwnEdge[] {
  const kind = kindNamed(name);
  return [
    ...parentsOf(kind, key, live, desired)
      .flatMap((alternatives) => (alternatives.some(exists) ? alternatives.filter(exists) : alternatives))
      .map((address): OwnEdge => ({ how: "needs", address })),
    ...referencesIn(bodies).map(({ ref, field }): OwnEdge => ({ how: "refers_to", address: ref, through: field })),
    ...(kind.relations?.follows?.(key) ?? []).map((parent): OwnEdge => ({
      how: "comes_after",
      address: addressOfParent(parent),
    })),
  ];
}

const slotsOf = ({ kind, key }: RelationNode) => kindNamed(kind).relations?.uniqueNames?.(key) ?? [];
