import { describeReason, type StepReason } from "../messages/step-reasons.ts";
import { isDeepStrictEqual } from "node:util";
import { deleteCall, updateCalls, fieldsLeftOut } from "../contract/binding.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import { offers, offersUpdate } from "../contract/entry.ts";
import { broughtBy } from "../kinds/derived/server-made.ts";
import { addressOfParent, withoutReferences } from "../kinds/derived/parents.ts";
import type { Kind, Parent } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { knownValues, openFields, pickValues } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { BodyValue, HttpCall } from "../model/http-call.ts";
import { readField, type FieldScope } from "../contract/spelling/read-field.ts";
import type { Change, Step } from "../model/plan.ts";
import type { Fields, Remote, Resource } from "../model/resource.ts";
import { nothing, type Planned, type Planning } from "./context.ts";
import { changedFields } from "./pair-objects.ts";
import {
  createStep,
  creationMistakes,
  missingFields,
  missingToCreate,
  notOffered,
  planImplicit,
  stepBase,
  steps,
} from "./resource-steps.ts";
import { change, showLive, showValue } from "./shown.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";

/**
 * Plans a change that the API cannot make in place: the resource is deleted and created again, with the live values of the fields that are
 * not written. Where the API offers no deletion either (certificates), a new one is made and the old one stays.
 * @param parent the parent of the resource, if that is created again.
 */
export function planReplace(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  remote: Remote,
  parent: Address | undefined,
): Planned {
  const changed = changedFields(kind, resource, remote);
  const immutable = changed.filter((field) => kind.fields[field]?.access === "immutable");
  // Every change forces a replacement where the API offers no update.
  const forcing = immutable.length > 0 ? immutable : changed;
  const reason: Replacement =
    parent === undefined ? { is: "cannot_update", fields: forcing } : { is: "parent_replaced", parent };
  const goes = (other: Parent) => input.removed.has(addressOfParent(other));
  // The server would refuse a name of what is gone by then, and the object is deleted already.
  const live = { ...remote.fields, ...withoutReferences(kind, resource.key, remote.fields, goes) };
  const { kept, lost } = carryOver(input.contract, kind, resource, live, changed);
  const whole = withoutExisting(input, kind, { ...resource, fields: { ...knownValues(kept), ...resource.fields } });
  const mistakes = mistakesOf(input, kind, whole, reason);
  if (mistakes.length > 0) return { ...nothing, diagnostics: mistakes };
  const creation = createStep(input, kind, whole, true);
  const calls = creation.calls.map((call) => asLive({ kind, key: resource.key }, call, remote));
  const made = {
    ...creation,
    calls,
    reason,
    changes: changesOf({ whole, remote, creation, changed, forcing, kept, lost }),
  };
  if (!offers(input.contract, kind, "delete"))
    return steps({ ...made, replaces: false, reason: { ...reason, keepsOld: true } });
  const removal: Step = {
    ...stepBase(resource, "delete"),
    replaces: true,
    changes: [],
    calls: [deleteCall(input, kind, resource.key, remote)],
    reason,
  };
  return steps(removal, { ...made, after: [removal.id] });
}

/**
 * The call with what stays as it is in the server's own spelling, unless the manifest spells it otherwise. A saved plan has no spelling.
 * A server that lists numbers as texts need not take them so.
 */
function asLive(fieldScope: FieldScope, call: HttpCall, { raw, fields: before }: Remote): HttpCall {
  if (call.operation === "delete") return call;
  const values = call.values.map((each): BodyValue => {
    const stays = "value" in each && each.sent === undefined && isDeepStrictEqual(each.value, before[each.field]);
    const isOwn = stays && fieldScope.kind.entry.fields[each.field]?.id_of === undefined;
    const live = isOwn ? readField(fieldScope, each.field, raw) : undefined;
    const isAlike = "value" in each && typeof live === typeof each.value;
    return live === undefined || !isAlike ? each : { pointer: each.pointer, field: each.field, value: live };
  });
  return { ...call, values };
}

type Replacement = Extract<StepReason, { is: "cannot_update" | "parent_replaced" }>;

interface Replaced extends CarryOver {
  readonly whole: Resource;
  readonly remote: Remote;
  readonly creation: Step;
  readonly changed: readonly string[];
  readonly forcing: readonly string[];
}

/** Lists the manifest's changes, then other values that are sent, then those that are not kept. */
function changesOf({ whole, remote, creation, changed, forcing, kept, lost }: Replaced): Change[] {
  return [
    ...changed.map((field) => ({
      ...change(whole, remote, field),
      ...(forcing.includes(field) && { forcesReplace: true }),
    })),
    ...creation.changes
      .filter(({ path }) => !changed.includes(path))
      .map((each): Change => (each.path in kept ? carried(each.path, kept, remote) : fromLive(whole, remote, each))),
    ...[...lost].map(([path, notCarried]): Change => ({
      path,
      before: showLive(remote.fields[path], undefined),
      after: { is: "known_after_apply" },
      notCarried,
    })),
  ];
}

/** Shows the live value of a field that is written again: a saved plan writes the values that it carries over. */
const fromLive = (resource: Resource, { fields }: Remote, each: Change): Change => ({
  ...each,
  before: showLive(fields[each.path], resource.fields[each.path]),
});

const carried = (path: string, kept: Fields, { fields }: Remote): Change => ({
  path,
  before: showValue(fields[path]),
  after: showValue(kept[path]),
  carried: true,
});

/** Takes out what asks for things to be made along with a resource (the registration of a domain) that are there and stay. */
function withoutExisting({ live }: Planning, kind: Kind, resource: Resource): Resource {
  const brought = (fields: Fields) => broughtBy(kind, resource.key, fields);
  const fields = openFields(resource.fields);
  const existing = brought(fields).filter((address) => live.resources.has(address));
  if (existing.length === 0) return resource;
  const kept = pickValues(resource.fields, (name) => {
    const { [name]: _asked, ...others } = fields;
    return !isWriteOnly(kind, name) || existing.every((address) => brought(others).includes(address));
  });
  return { ...resource, fields: kept };
}

/** Whatever keeps a resource from being created again. */
function mistakesOf(input: Planning, kind: BoundKind, whole: Resource, cause: Replacement): Diagnostic[] {
  const { desired, contract } = input;
  const { at, address } = whole;
  const reason = describeReason({ action: "create", replaces: true, reason: cause });
  const unoffered = creationMistakes(input, kind, whole, `must be replaced (${reason})`);
  if (unoffered.length > 0) return unoffered;
  const fields = cause.is === "cannot_update" ? cause.fields : [];
  const canChange = offersUpdate(contract, kind, fields) || offers(contract, kind, "delete");
  if (!canChange && kind.listing?.newest === undefined)
    return [notOffered(whole, `must be replaced (${reason})`, "deletion")];
  const missing = missingToCreate(contract, kind, whole);
  if (missing.length > 0) {
    const names = missing.map(([name, field]) => field.from ?? name).join(", ");
    const diagnostic = missingFields(whole, missing);
    const summary = `${address} must be replaced (${reason}), and its ${names} cannot be carried over: the API does not return it`;
    return [{ ...diagnostic, summary, hint: `write ${names}` }];
  }
  const problems = kind.check?.(whole, (other) => desired.resources.get(other)) ?? [];
  return problems
    .filter(({ severity = "error" }) => severity === "error")
    .map(({ code, summary, hint }) => ({
      severity: "error",
      code,
      summary: `${address} must be replaced (${reason}): ${summary}`,
      ...(hint !== undefined && { hint }),
      at,
    }));
}

/**
 * Plans what the server itself creates again together with its parent (mail settings, the primary FTP account): it is written once it is
 * there, with its live values where the manifest says none.
 */
export function planReturned(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  remote: Remote,
  parent: Address,
): Planned {
  const changed = changedFields(kind, resource, remote);
  const { kept } = carryOver(input.contract, kind, resource, remote.fields, changed);
  const whole = { ...resource, fields: { ...knownValues(kept), ...resource.fields } };
  const reason = { is: "returned_with_parent", parent } as const;
  const { steps: made, ...rest } = planImplicit(input, kind, whole, `anew with ${parent}`, reason);
  const writing = made.map((step): Step => ({
    ...step,
    changes: step.changes.map(({ path }) => (path in kept ? carried(path, kept, remote) : change(whole, remote, path))),
    calls: step.calls.map((call) => asLive({ kind, key: resource.key }, call, remote)),
    after: [`create ${parent}`],
  }));
  return { ...rest, steps: writing };
}

/** The update that takes back the references of a resource to what goes. Its own changes are another step, after that. */
export function detachStep(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  remote: Remote,
  detached: Fields,
): Step {
  const names = Object.keys(detached);
  return {
    ...stepBase(resource, "update"),
    id: detachId(resource.address),
    detaches: true,
    changes: names.map((path) => ({
      path,
      before: showLive(remote.fields[path] ?? null, resource.fields[path]),
      after: showLive(detached[path], resource.fields[path]),
    })),
    calls: updateCalls(input, { ...resource, kind, remote }, { fields: knownValues(detached) }),
    reason: { is: "reference_detached" },
  };
}

export const detachId = (address: Address): Step["id"] => `detach ${address}`;

/** The live values that a resource keeps when it is created again, and the fields that it does not keep, each with the reason. */
interface CarryOver {
  readonly kept: Fields;
  readonly lost: ReadonlyMap<string, string>;
}

/** Sorts the live values of the fields that the manifest does not write. `changed`: the fields that get another value. */
function carryOver(
  contract: Contract,
  kind: BoundKind,
  resource: Resource,
  live: Fields,
  changed: readonly string[],
): CarryOver {
  const kept: Record<string, Json> = {};
  const lost = new Map<string, string>();
  for (const [name, value] of unwrittenValues(kind, resource, live)) {
    const reason = whyLost(contract, kind, name, changed);
    if (reason === undefined) kept[name] = value;
    else lost.set(name, reason);
  }
  return { kept, lost };
}

/** The live values of an object that can be written, and that neither the manifest nor the key says. */
function unwrittenValues(kind: Kind, { fields, key }: Resource, live: Fields) {
  const said = { ...kind.naming.toFields(key), ...fields };
  return Object.entries(live).filter(([name, value]) => {
    const access = kind.fields[name]?.access;
    return !(name in said) && (access === "mutable" || (access === "immutable" && value !== null));
  });
}

function whyLost(contract: Contract, kind: BoundKind, name: string, changed: readonly string[]): string | undefined {
  const followed = kind.fields[name]?.dependsOn?.filter((other) => changed.includes(other)) ?? [];
  if (followed.length > 0) return `depends on ${followed.join(" and ")}`;
  const needsUpdate = fieldsLeftOut(kind, [name]).length > 0;
  return needsUpdate && !offersUpdate(contract, kind, [name]) ? "the API takes it at no creation" : undefined;
}
