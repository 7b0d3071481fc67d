import { bindKind } from "../contract/bound-kind.ts";
import { buildRequest } from "../contract/request.ts";
import { collectionAt, collectionNamed, locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { addressesOf, type AfterRequest, type Step } from "../model/plan.ts";
import { isPartial, type PlanInput } from "../model/plan-input.ts";
import type { CollectionId } from "../model/resource.ts";
import { idsIn } from "./context.ts";

/**
 * Returns the collections whose request `after` follows these steps: those that they write to, and those for which an earlier apply has
 * left it unsent, if it can be sent now. What is deleted with all that it holds, such as a zone with its records, needs none.
 */
export function findAfterRequests(
  input: PlanInput,
  steps: readonly Step[],
  includes: (address: Address) => boolean,
): AfterRequest[] {
  const { afterDue = new Set<CollectionId>() } = input.ownership;
  const [deleted, made] = [addressesOf(steps, "delete"), addressesOf(steps, "create")];
  const isGone = (address: Address) => {
    const { kind, key } = locate(address);
    return parentsOf(kind, key, {}).some((each) => each.some((owner) => deleted.has(owner) && !made.has(owner)));
  };
  const isFollowed = ({ address }: Step) => input.contract.kinds[kindOf(address)]?.after && !isGone(address);
  const written = new Set(steps.filter(isFollowed).map(({ address }) => collectionAt(address)));
  const due = new Set([...afterDue].filter((id) => canSend(input, id)));
  const touched = new Set(steps.map(({ address }) => collectionAt(address)));
  const alone = [...due].filter((id) => !touched.has(id) && isSelected(input, id, includes));
  return [...written, ...alone].toSorted().map((collection) => ({ collection, due: due.has(collection) }));
}

/** Warns of requests that an earlier apply has left unsent. */
export function warnOfDue(input: PlanInput, requests: readonly AfterRequest[]): Diagnostic[] {
  return requests.flatMap(({ collection, due }) => {
    const after = operationAfter(input, collection);
    if (!due || !after) return [];
    const request = `${after.method} ${input.contract.base_path}${after.path}`;
    return [
      {
        severity: "warning",
        code: "after_due",
        summary: `An earlier apply changed ${collection}, but ${request} was not answered with success after it: the API may not use the changes yet`,
        hint: "run apply: it sends this request even if nothing else changes",
      },
    ];
  });
}

function operationAfter({ contract }: PlanInput, id: CollectionId) {
  const ref = collectionNamed(id);
  return ref && contract.kinds[ref.kind.name]?.after;
}

/** Whether all that the request names is live: what is gone needs none. */
function canSend(input: PlanInput, id: CollectionId): boolean {
  const [ref, after] = [collectionNamed(id), operationAfter(input, id)];
  if (!ref || !after || !input.live.collections.has(id)) return false;
  const { contract, live } = input;
  const subject = { kind: bindKind(contract, ref.kind.name), key: ref.scope };
  const { params, query, inBody = {} } = buildRequest({ contract, live, idOf: idsIn(live) }, subject, after);
  return [params, query, inBody]
    .flatMap((each) => Object.values(each))
    .every((each) => typeof each === "string" && each !== "");
}

/** Whether a run is about anything in a collection. */
function isSelected(
  { selection, desired, live, ownership }: PlanInput,
  id: CollectionId,
  includes: (address: Address) => boolean,
): boolean {
  if (!isPartial(selection)) return true;
  const known = [...desired.resources.keys(), ...live.resources.keys(), ...(ownership.inventory?.addresses ?? [])];
  return known.some((address) => collectionAt(address) === id && includes(address));
}
