import { createCall, deleteCall, fieldsLeftOut, offers, renewCall, updateCall } from "../contract/binding.ts";
import { isDeepStrictEqual } from "node:util";
import { collectionOf } from "../kinds/derived/collection.ts";
import type { Field, Kind } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { jsonText } from "../model/json.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { HttpCall } from "../model/http-call.ts";
import type { Change, Refusal, Step } from "../model/plan.ts";
import type { Body, LiveResource, Remote, Resource } from "../model/resource.ts";
import type { Planning, Planned } from "./context.ts";
import { diffFields } from "./diff-fields.ts";
import { nothing } from "./context.ts";
import { rotationOf } from "./rotation.ts";
import { showDesired, showLive } from "./shown.ts";
import { whyCreated } from "./unread.ts";

/** The steps that bring one resource of a kind with one remote object from what is live to what is desired. */
export function planResource(input: Planning, kind: Kind, resource: Resource, live: LiveResource | undefined): Planned {
  const remote = live?.remotes[0];
  const broughtBy = input.broughtBy.get(resource.address);
  if (!remote)
    return broughtBy === undefined ? planAbsent(input, kind, resource) : planBrought(input, kind, resource, broughtBy);
  const replacedWith = input.replacedWith.get(resource.address);
  if (replacedWith !== undefined)
    return planReplace(input, kind, resource, remote, `it belongs to ${replacedWith}, which is made anew`);
  if (
    kind.retryOnlyNamed === true &&
    kind.readiness?.failed.includes(jsonText(remote.fields[kind.readiness.field])) === true
  ) {
    return planRetry(input, kind, resource, remote);
  }
  const change = planChange(input, kind, resource, remote);
  const renewal = planRenewal(input, kind, resource, remote);
  return renewal.length === 0 ? change : { ...change, steps: [...change.steps, ...renewal] };
}

function planChange(input: Planning, kind: Kind, resource: Resource, remote: Remote): Planned {
  const changed = changedFields(kind, resource, remote);
  const rotation = rotationOf(input, kind, resource, remote);
  if (changed.length === 0 && !rotation) return nothing;
  const forcing = changed.filter((field) => kind.fields[field]?.access === "immutable");
  if (forcing.length > 0 || !offers(input.contract, kind, "update"))
    return planReplace(input, kind, resource, remote, undefined);
  const owner = { address: resource.address, key: resource.key, remote };
  const before = Object.fromEntries(
    changed.flatMap((field) => (remote.fields[field] === undefined ? [] : [[field, remote.fields[field]]])),
  );
  const rotated = rotation?.fields ?? [];
  const body = managedBody(kind, resource, pick(resource, changed), rotated);
  const differs = `${changed.join(", ")} ${changed.length === 1 ? "differs" : "differ"} from the manifest`;
  return steps({
    ...stepBase(resource, "update"),
    changes: [
      ...changed.map((field) => change(kind, resource, remote, field)),
      ...rotated.map((path): Change => ({ path, before: { is: "sensitive" }, after: { is: "sensitive" } })),
    ],
    calls: [updateCall(input.contract, kind, owner, body, before, input.idOf)],
    reason: [...(changed.length > 0 ? [differs] : []), ...(rotation ? [rotation.reason] : [])].join("; "),
  });
}

/** What expires soon is prolonged where the API can, else made anew. */
function planRenewal(input: Planning, kind: Kind, resource: Resource, remote: Remote): Step[] {
  const reason = kind.due?.(remote.fields, resource.fields, input.now);
  if (reason === undefined) return [];
  if (!offers(input.contract, kind, "renew")) return [{ ...createStep(input, kind, resource, false), reason }];
  const expiry = kind.expires ?? "";
  const years = resource.fields["period_years"];
  const call = renewCall(
    input.contract,
    kind,
    resource.key,
    remote,
    years === undefined ? {} : { period_years: years },
    expiry,
    input.idOf,
  );
  const changes: Change[] = [
    {
      path: expiry,
      before: showLive(remote.fields[expiry], undefined),
      after: { is: "known_after_apply" },
    },
  ];
  return [{ ...stepBase(resource, "renew"), purchase: true, changes, calls: [call], reason }];
}

/** What failed on the server is asked for again only by name, so that a nightly run does not use up an authority's limits. */
function planRetry(input: Planning, kind: Kind, resource: Resource, remote: Remote): Planned {
  const failure = `it failed: ${kind.readiness?.reason?.(remote.fields) ?? "the server gives no reason"}`;
  if (input.consent.retries.has(resource.address))
    return steps({ ...createStep(input, kind, resource, false), reason: `asked for again; ${failure}` });
  const hint = `when the cause is gone, ask again with --retry ${resource.address}`;
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

/** What is not live: nothing to do where that is what is desired, an update where the server makes it by itself, else a creation. */
function planAbsent(input: Planning, kind: Kind, resource: Resource): Planned {
  if (
    kind.absent &&
    writtenFields(resource).every((name) => isDeepStrictEqual(resource.fields[name], kind.absent?.[name]))
  )
    return nothing;
  if (!offers(input.contract, kind, "create"))
    return planImplicit(input, kind, resource, "the server makes it with its domain");
  return planCreate(input, kind, resource);
}

/** What comes with another resource: it is found after that one is made, and updated. */
function planBrought(input: Planning, kind: Kind, resource: Resource, broughtBy: Address): Planned {
  const { steps: made, ...rest } = planImplicit(input, kind, resource, `it comes with ${broughtBy}`);
  return { ...rest, steps: made.map((step) => ({ ...step, after: [`create ${broughtBy}`] })) };
}

function planImplicit(input: Planning, kind: Kind, resource: Resource, reason: string): Planned {
  const body = managedBody(kind, resource, { fields: {}, late: {} }, []);
  const sent = writtenFields(body);
  if (sent.length === 0) return nothing;
  const owner = { address: resource.address, key: resource.key, remote: undefined };
  return steps({
    ...stepBase(resource, "update"),
    changes: sent.map((path) => ({
      path,
      before: { is: "absent" },
      after: shownAfter(kind.fields[path], resource, path),
    })),
    calls: [updateCall(input.contract, kind, owner, body, {}, input.idOf)],
    reason,
  });
}

const uncompared: ReadonlySet<string> = new Set(["write_only", "manifest_only"]);

/** The fields whose live value is not the desired one. Write-only ones are never compared; unknown ones count as changed. */
export function changedFields(kind: Kind, resource: Resource, remote: Remote): string[] {
  const comparable = ([name]: readonly [string, unknown]) =>
    !uncompared.has(kind.fields[name]?.access ?? "") && remote.untold?.includes(name) !== true;
  // What cannot be changed and is not told cannot be compared either: a server that hides it must not be asked again and again.
  const told = ([name]: readonly [string, unknown]) =>
    kind.fields[name]?.access !== "immutable" || (remote.fields[name] ?? null) !== null;
  const known = Object.fromEntries(Object.entries(resource.fields).filter((entry) => comparable(entry) && told(entry)));
  const unknown = Object.entries(resource.late).filter((entry) => comparable(entry) && !entry[1].known);
  return [...new Set([...diffFields(remote.fields, known), ...unknown.map(([name]) => name)])].sort();
}

function planCreate(input: Planning, kind: Kind, resource: Resource): Planned {
  const missing = missingToCreate(kind, resource);
  const incomplete = input.live.collections.get(collectionOf(kind, resource.key).id)?.incomplete;
  if (missing.length > 0 && incomplete !== undefined)
    return { ...nothing, refusals: [unknownWhether(resource, incomplete)] };
  if (missing.length > 0) return { ...nothing, diagnostics: [missingFields(resource, missing)] };
  return steps(createStep(input, kind, resource, false));
}

function createStep(input: Planning, kind: Kind, resource: Resource, replaces: boolean): Step {
  const leftOut = fieldsLeftOut(input.contract, kind, resource);
  const owner = { address: resource.address, key: resource.key, remote: undefined };
  const calls: HttpCall[] = [createCall(input.contract, kind, resource.key, resource, input.idOf)];
  if (leftOut.length > 0) calls.push(updateCall(input.contract, kind, owner, pick(resource, leftOut), {}, input.idOf));
  return {
    ...stepBase(resource, "create"),
    replaces,
    changes: sentFields(kind, resource).map((path) => ({
      path,
      before: { is: "absent" },
      after: shownAfter(kind.fields[path], resource, path),
    })),
    purchase: kind.purchase?.(resource.fields) === true,
    calls,
    reason: replaces ? "made anew by a replace" : whyCreated(input, resource.address),
  };
}

/**
 * A change that the API cannot make in place: the resource is deleted and made anew, with the live values of what is not written.
 * Where the API offers no deletion either (certificates), a new one is made and the old one stays.
 */
function planReplace(
  input: Planning,
  kind: Kind,
  resource: Resource,
  remote: Remote,
  because: string | undefined,
): Planned {
  const changed = changedFields(kind, resource, remote);
  const immutable = changed.filter((field) => kind.fields[field]?.access === "immutable");
  // Where the API offers no update, every change forces it.
  const forcing = immutable.length > 0 ? immutable : changed;
  const reason = because ?? `${forcing.join(", ")} cannot be changed in place`;
  const changes = changed.map((field) => ({
    ...change(kind, resource, remote, field),
    ...(forcing.includes(field) && { forcesReplace: true }),
  }));
  const kept = Object.entries(remote.fields).filter(
    ([name]) => kind.fields[name]?.access === "mutable" || kind.fields[name]?.required === true,
  );
  const whole = { ...resource, fields: { ...Object.fromEntries(kept), ...resource.fields } };
  const missing = missingToCreate(kind, whole);
  if (missing.length > 0) return { ...nothing, diagnostics: [missingFields(resource, missing)] };
  const creation = createStep(input, kind, whole, true);
  const unchanged = creation.changes.filter(({ path }) => !changed.includes(path));
  const made = { ...creation, changes: [...changes, ...unchanged], reason };
  if (!offers(input.contract, kind, "delete"))
    return steps({ ...made, replaces: false, reason: `${reason}; the API cannot remove the old one` });
  const removal: Step = {
    ...stepBase(resource, "delete"),
    replaces: true,
    changes: [],
    calls: [deleteCall(input.contract, kind, resource.key, remote, input.idOf)],
    reason,
  };
  return steps(removal, { ...made, after: [removal.id] });
}

/** An update sends every managed field, not only the changed ones, so that what is sent does not depend on what was read; and what is rotated. */
function managedBody(kind: Kind, resource: Resource, changed: Body, rotated: readonly string[]): Body {
  const sent = writtenFields(resource).filter(
    (name) => kind.fields[name]?.access === "mutable" || rotated.includes(name),
  );
  return { ...pick(resource, sent), late: { ...pick(resource, sent).late, ...changed.late } };
}

function pick({ fields, late }: Body, names: readonly string[]): Body {
  const chosen = new Set(names);
  const only = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => chosen.has(name)));
  return { fields: only(fields), late: only(late) };
}

const sentFields = (kind: Kind, body: Body) =>
  writtenFields(body).filter((name) => kind.fields[name]?.access !== "manifest_only");
const writtenFields = ({ fields, late }: Body) => [...new Set([...Object.keys(fields), ...Object.keys(late)])].sort();
const missingToCreate = (kind: Kind, resource: Resource) =>
  Object.entries(kind.fields).filter(([name, field]) => field.required === true && !isWritten(resource, name));
const isWritten = ({ fields, late }: Body, name: string) => fields[name] !== undefined || late[name] !== undefined;

function shownAfter(field: Field | undefined, resource: Resource, path: string) {
  return field?.access === "write_only" &&
    typeof resource.fields[path] !== "boolean" &&
    typeof resource.fields[path] !== "number"
    ? ({ is: "sensitive" } as const)
    : showDesired(resource, path);
}

function change(kind: Kind, resource: Resource, remote: Remote, path: string): Change {
  return {
    path,
    before: showLive(remote.fields[path], resource.late[path]),
    after: shownAfter(kind.fields[path], resource, path),
  };
}

const stepBase = ({ address, at }: Resource, action: Step["action"]) => ({
  id: `${action} ${address}`,
  address,
  action,
  replaces: false,
  purchase: false,
  after: [],
  at,
});

const steps = (...all: Step[]): Planned => ({ ...nothing, steps: all });

function missingFields(resource: Resource, missing: readonly (readonly [string, Field])[]): Diagnostic {
  const names = missing.map(([name, field]) => field.from ?? name);
  return {
    severity: "error",
    code: "missing_to_create",
    summary: `${resource.address} does not exist, and cannot be created without ${names.join(", ")}`,
    hint: `write ${names.join(" and ")}, or check the name if it should exist already`,
    at: resource.at,
  };
}

const unknownWhether = ({ address, at }: Resource, incomplete: string): Refusal => ({
  address,
  code: "incomplete_read",
  summary: `it is not known whether ${address} exists: its collection was not read whole (${incomplete})`,
  hint: "run again when the API gives the whole list, or ask for a key that may read it",
  at,
});
