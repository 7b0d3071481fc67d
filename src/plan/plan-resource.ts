import { createCall, deleteCall, fieldsLeftOut, offers, updateCall, type IdOf } from "../contract/binding.ts";
import type { Field, Kind } from "../kinds/kind.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { HttpCall } from "../model/http-call.ts";
import type { Change, Step } from "../model/plan.ts";
import type { Body, LiveResource, Remote, Resource } from "../model/resource.ts";
import type { PlanInput, Planned } from "./context.ts";
import { diffFields } from "./diff-fields.ts";
import { nothing } from "./context.ts";
import { showDesired, showLive } from "./shown.ts";

/** The steps that bring one resource of a kind with one remote object from what is live to what is desired. */
export function planResource(
  input: PlanInput,
  kind: Kind,
  resource: Resource,
  live: LiveResource | undefined,
  idOf: IdOf,
): Planned {
  const remote = live?.remotes[0];
  if (!remote) return planCreate(input, kind, resource, idOf);
  const changed = changedFields(kind, resource, remote);
  if (changed.length === 0) return nothing;
  const forcing = changed.filter((field) => kind.fields[field]?.access === "immutable");
  if (forcing.length > 0 || !offers(input.contract, kind, "update"))
    return planReplace(input, kind, resource, remote, changed, idOf);
  const managed = pick(resource, changed);
  const before = Object.fromEntries(
    changed.flatMap((field) => (remote.fields[field] === undefined ? [] : [[field, remote.fields[field]]])),
  );
  return steps({
    ...stepBase(resource, "update"),
    changes: changed.map((field) => change(kind, resource, remote, field)),
    calls: [
      updateCall(
        input.contract,
        kind,
        { address: resource.address, key: resource.key, remote },
        managedBody(kind, resource, managed),
        before,
        idOf,
      ),
    ],
    reason: `${changed.join(", ")} ${changed.length === 1 ? "differs" : "differ"} from the manifest`,
  });
}

/** The fields whose live value is not the desired one. Write-only ones are never compared; unknown ones count as changed. */
function changedFields(kind: Kind, resource: Resource, remote: Remote): string[] {
  const comparable = ([name]: readonly [string, unknown]) => kind.fields[name]?.access !== "write_only";
  const known = Object.fromEntries(Object.entries(resource.fields).filter(comparable));
  const unknown = Object.entries(resource.late).filter((entry) => comparable(entry) && !entry[1].known);
  return [...new Set([...diffFields(remote.fields, known), ...unknown.map(([name]) => name)])].sort();
}

function planCreate(input: PlanInput, kind: Kind, resource: Resource, idOf: IdOf): Planned {
  const missing = Object.entries(kind.fields).filter(([name, field]) => field.required && !isWritten(resource, name));
  if (missing.length > 0) return { ...nothing, diagnostics: [missingFields(resource, missing)] };
  return steps(createStep(input, kind, resource, idOf, false));
}

function createStep(input: PlanInput, kind: Kind, resource: Resource, idOf: IdOf, replaces: boolean): Step {
  const leftOut = fieldsLeftOut(input.contract, kind, resource);
  const owner = { address: resource.address, key: resource.key, remote: undefined };
  const calls: HttpCall[] = [createCall(input.contract, kind, resource.key, resource, idOf)];
  if (leftOut.length > 0) calls.push(updateCall(input.contract, kind, owner, pick(resource, leftOut), {}, idOf));
  return {
    ...stepBase(resource, "create"),
    replaces,
    changes: writtenFields(resource).map((path) => ({
      path,
      before: { is: "absent" },
      after: shownAfter(kind.fields[path], resource, path),
    })),
    purchase: kind.purchase?.(resource.fields) === true,
    calls,
    reason: replaces ? "made anew by a replace" : "declared, and does not exist",
  };
}

function planReplace(
  input: PlanInput,
  kind: Kind,
  resource: Resource,
  remote: Remote,
  changed: readonly string[],
  idOf: IdOf,
): Planned {
  const forcing = changed.filter((field) => kind.fields[field]?.access === "immutable");
  const changes = changed.map((field) => ({
    ...change(kind, resource, remote, field),
    ...(forcing.includes(field) && { forcesReplace: true }),
  }));
  const reason = `${forcing.join(", ")} cannot be changed in place`;
  const removal: Step = {
    ...stepBase(resource, "delete"),
    replaces: true,
    changes: [],
    calls: [deleteCall(input.contract, kind, resource.key, remote, idOf)],
    reason,
  };
  const creation = createStep(input, kind, resource, idOf, true);
  const unchanged = creation.changes.filter(({ path }) => !changed.includes(path));
  return steps(removal, { ...creation, changes: [...changes, ...unchanged], reason, after: [removal.id] });
}

/** An update sends every managed field, not only the changed ones, so that what is sent does not depend on what was read. */
function managedBody(kind: Kind, resource: Resource, changed: Body): Body {
  const sent = writtenFields(resource).filter((name) => kind.fields[name]?.access === "mutable");
  return { ...pick(resource, sent), late: { ...pick(resource, sent).late, ...changed.late } };
}

function pick({ fields, late }: Body, names: readonly string[]): Body {
  const chosen = new Set(names);
  const only = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => chosen.has(name)));
  return { fields: only(fields), late: only(late) };
}

const writtenFields = ({ fields, late }: Body) => [...new Set([...Object.keys(fields), ...Object.keys(late)])].sort();
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
