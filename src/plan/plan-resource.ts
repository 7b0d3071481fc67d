import { advice } from "../messages/advice.ts";
import { renewCall } from "../contract/binding.ts";
import { writeCalls, type ObjectPair } from "../contract/set-calls.ts";
import { offers, offersUpdate } from "../contract/entry.ts";
import { canSupersede, isImplicit, isMadeByServer } from "../contract/offered.ts";
import { isAbsence } from "../kinds/derived/server-made.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import type { Address } from "../model/address.ts";
import { knownValues, openValue } from "../model/body.ts";
import { clearFields } from "../model/clear-values.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Change, Step } from "../model/plan.ts";
import type { Contract } from "../model/contract.ts";
import type { Kind } from "../kinds/kind.ts";
import { trimmed } from "../lib/collect.ts";
import type { LiveResource, Remote, Resource } from "../model/resource.ts";
import { type Planning, type Planned, mistaken, nothing } from "./context.ts";
import { detachId, detachStep, planReplace, planReturned } from "./plan-replace.ts";
import {
  createStep,
  creationMistakes,
  managedBody,
  missingFields,
  missingToCreate,
  notOffered,
  planImplicit,
  stepBase,
  steps,
} from "./resource-steps.ts";
import { mayBeUnread, refuseUnknown } from "./unread.ts";
import { inOrder, needsCall, pairObjects, type Pairing } from "./pair-objects.ts";
import { rotationOf } from "./rotation.ts";
import { changesOf, showLive } from "./shown.ts";

/** The steps that bring a resource, or a set of objects with one address, from what is live to what is desired. */
export function planResource(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  live: LiveResource | undefined,
): Planned {
  const pairing = pairObjects(kind, resource, live);
  const { pairs, remotes } = pairing;
  const remote = remotes[0];
  // Without knowing which members there are, nothing can be said of a set.
  const isUnknown = remotes.some(({ redacted }) => redacted?.includes(kind.members?.identity ?? "") === true);
  if (pairs.length === 0 || isUnknown) return nothing;
  const broughtBy = input.implicitlyCreatedBy.get(resource.address);
  if (!remote)
    return broughtBy === undefined
      ? planAbsent(input, kind, resource, pairing)
      : planBrought(input, kind, resource, broughtBy);
  const replacedWith = kind.members ? undefined : input.replacedWith.get(resource.address);
  if (replacedWith !== undefined) {
    return isMadeByServer(input, kind, remote)
      ? planReturned(input, kind, resource, remote, replacedWith)
      : planReplace(input, kind, resource, remote, replacedWith);
  }
  const hasFailed = kind.readiness?.failed.includes(jsonText(remote.fields["status"])) === true;
  // One that is declared at another service has not been asked for there.
  if (hasFailed && kind.listing?.newest !== undefined && !pairs.some(({ changed }) => changed.length > 0))
    return planRetry(input, kind, resource, remote);
  const change = planWithDetaching(input, kind, resource, pairing);
  const renewal = planRenewal(input, kind, resource, remote);
  return renewal.length === 0 ? change : { ...change, steps: [...change.steps, ...renewal] };
}

/** Plans a change, if need be after the references to resources that are created again are removed: with the update that sets them again. */
function planWithDetaching(input: Planning, kind: BoundKind, resource: Resource, pairing: Pairing): Planned {
  const detached = input.detached.get(resource.address);
  const [remote] = pairing.remotes;
  if (!detached || !remote) return planChange(input, kind, resource, pairing);
  const { fields, back, parents } = detached;
  const wanted = { ...resource, fields: { ...knownValues(back), ...resource.fields } };
  // Its record is another by then, so it is read again.
  const meanwhile = {
    ...remote,
    fields: { ...remote.fields, ...fields },
    etag: undefined,
    redacted: remote.redacted ?? [],
  };
  const detaching = detachStep(input, kind, resource, remote, fields);
  const { steps: attaching, ...rest } = planChange(
    input,
    kind,
    wanted,
    pairObjects(kind, wanted, { ...wanted, remotes: [meanwhile] }),
  );
  const after = [detachId(resource.address), ...parents.map((parent) => `create ${parent}`)];
  return {
    ...rest,
    steps: [
      detaching,
      ...attaching.map((step) => ({
        ...step,
        reason: { is: "reference_restored" } as const,
        after: [...step.after, ...after],
      })),
    ],
  };
}

function planChange(input: Planning, kind: BoundKind, resource: Resource, pairing: Pairing): Planned {
  const { contract } = input;
  const { live, shared, remotes } = pairing;
  const remote = remotes[0];
  const rotation = remote && rotationOf(input, kind, resource, remote);
  if (!pairing.pairs.some(needsCall) && !rotation) return nothing;
  const changed = [...new Set(pairing.pairs.flatMap((pair) => pair.changed))];
  const rotated = rotation?.fields ?? [];
  const canUpdate = offersUpdate(contract, kind, [...changed, ...rotated]);
  // A resource that holds data is not made anew for a password.
  if (changed.length === 0 && rotation && !canUpdate)
    return mistaken(notOffered(resource, `sends its ${rotated.join(", ")} again`, "update"));
  const isForced = !canUpdate || changed.some((field) => kind.fields[field]?.access === "immutable");
  if (remote && isForced && !kind.members) return planReplace(input, kind, resource, remote, undefined);
  const pairs = canUpdate ? pairing.pairs : pairing.pairs.toSorted(byBody).flatMap(inTwo);
  const missing = missingOperation(contract, kind, pairs);
  if (missing)
    return refuseUnknown(input, resource) ?? mistaken(notOffered(resource, "is not as it is declared", missing));
  const written = inOrder(kind, resource.key, pairs).map((pair) => ({
    ...pair,
    body: pair.body && pair.remote ? managedBody(kind, pair.body, rotated) : pair.body,
    changed: [...pair.changed, ...rotated],
  }));
  const { address, key } = resource;
  const calls = writeCalls(input, kind, { address, key, live, pairs: written, shared: shared.fields });
  if (calls.length === 0) return nothing;
  return steps({
    ...stepBase(resource, "update"),
    changes: trimmed([
      ...changesOf(kind, { ...pairing, pairs }),
      ...rotated.map((path): Change => ({ path, before: { is: "sensitive" }, after: { is: "sensitive" } })),
    ]),
    calls: trimmed(calls),
    reason: kind.members
      ? { is: "values_differ", unsure: mayBeUnread(input, resource.address) }
      : rotation && changed.length === 0
        ? rotation.reason
        : { is: "fields_differ", fields: changed, ...(rotation && { rotation: rotation.reason }) },
  });
}

/** Puts first what only goes: it may have the identity of one that comes. */
const byBody = (a: ObjectPair, b: ObjectPair) => Number(a.body !== undefined) - Number(b.body !== undefined);

/** A change of a member as the API can make it that offers no update: the old one goes, and the new one comes. */
const inTwo = (pair: ObjectPair): ObjectPair[] =>
  pair.body && pair.changed.length > 0
    ? [
        { ...pair, body: undefined },
        { ...pair, remote: undefined },
      ]
    : [pair];

/** The operation that the pairs need and the API does not offer. */
function missingOperation(contract: Contract, kind: Kind, pairs: readonly ObjectPair[]) {
  if (!offers(contract, kind, "create") && pairs.some(({ remote }) => !remote)) return "creation";
  return !offers(contract, kind, "delete") && pairs.some(({ body }) => !body) ? "deletion" : undefined;
}

/** Plans a resource that expires soon: renewed if the API can, else created again. */
function planRenewal(input: Planning, kind: BoundKind, resource: Resource, remote: Remote): Step[] {
  const text = kind.renewal?.due(remote.fields, clearFields(resource.fields), input.now);
  if (text === undefined) return [];
  const reason = { is: "expires_soon", text } as const;
  if (!offers(input.contract, kind, "renew"))
    return canSupersede(input.contract, kind) ? [{ ...createStep(input, kind, resource, false), reason }] : [];
  const expiry = kind.renewal?.expires ?? "";
  const years = openValue(resource.fields["period_years"]);
  const values: Record<string, Json> = years === undefined ? {} : { period_years: years };
  const call = renewCall(input, kind, { key: resource.key, remote }, { values, expiry });
  const before = showLive(remote.fields[expiry], undefined);
  const changes: Change[] = [{ path: expiry, before, after: { is: "known_after_apply" } }];
  return [{ ...stepBase(resource, "renew"), purchase: true, changes, calls: [call], reason }];
}

/** Plans a resource that failed on the server: again only by name, so that a nightly run does not use up an authority's limits. */
function planRetry(input: Planning, kind: BoundKind, resource: Resource, remote: Remote): Planned {
  const failure = `it failed: ${kind.readiness?.reason?.(remote.fields) ?? "the server gives no reason"}`;
  const mistakes = creationMistakes(input, kind, resource, failure);
  if (input.consent.retries.has(resource.address) && mistakes.length > 0) return mistaken(...mistakes);
  if (input.consent.retries.has(resource.address))
    return steps({ ...createStep(input, kind, resource, false), reason: { is: "retry_requested", failure } });
  const hint = advice.retry(resource.address);
  return {
    ...nothing,
    diagnostics: [
      {
        severity: "warning",
        code: "failed_on_server",
        summary: `${resource.address}: ${failure}`,
        hint,
        at: resource.at,
      },
    ],
  };
}

/** Plans a resource that is not live: nothing where none is desired, an update where the server makes it by itself, else a creation. */
function planAbsent(input: Planning, kind: BoundKind, resource: Resource, pairing: Pairing): Planned {
  if (isAbsence(resource)) return nothing;
  if (isImplicit(input.contract, kind))
    return planImplicit(input, kind, resource, "by the server", { is: "made_by_server" });
  const missing = missingToCreate(input.contract, kind, resource);
  const mistakes = creationMistakes(input, kind, resource, "does not exist");
  if (mistakes.length === 0 && missing.length > 0) mistakes.push(missingFields(resource, missing));
  if (mistakes.length > 0) return refuseUnknown(input, resource) ?? mistaken(...mistakes);
  return steps(createStep(input, kind, resource, false, pairing));
}

/** Plans a resource that comes with another: it is found after that one is made, and updated. */
function planBrought(input: Planning, kind: BoundKind, resource: Resource, broughtBy: Address): Planned {
  const reason = { is: "made_by_server", parent: broughtBy } as const;
  const { steps: made, ...rest } = planImplicit(input, kind, resource, "by the server", reason);
  return { ...rest, steps: made.map((step) => ({ ...step, after: [`create ${broughtBy}`] })) };
}
