import { createCall, fieldsLeftOut, updateCall } from "../contract/binding.ts";
import type { Field, Kind } from "../kinds/kind.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { HttpCall } from "../model/http-call.ts";
import type { Change, Step } from "../model/plan.ts";
import type { Body, Remote, Resource } from "../model/resource.ts";
import { nothing, type Planned, type Planning } from "./context.ts";
import { diffFields } from "./diff-fields.ts";
import { showDesired, showLive } from "./shown.ts";
import { whyCreated } from "./unread.ts";

const uncompared: ReadonlySet<string> = new Set(["write_only", "manifest_only"]);

/** The fields whose live value is not the desired one. Write-only ones are never compared; unknown ones count as changed. */
export function changedFields(kind: Kind, resource: Resource, remote: Remote): string[] {
  const comparable = ([name]: readonly [string, unknown]) =>
    !uncompared.has(kind.fields[name]?.access ?? "") && remote.redacted?.includes(name) !== true;
  // What cannot be changed and is not told cannot be compared either: a server that hides it must not be asked again and again.
  const told = ([name]: readonly [string, unknown]) =>
    kind.fields[name]?.access !== "immutable" || (remote.fields[name] ?? null) !== null;
  const known = Object.fromEntries(Object.entries(resource.fields).filter((entry) => comparable(entry) && told(entry)));
  const unknown = Object.entries(resource.late).filter((entry) => comparable(entry) && !entry[1].known);
  return [...new Set([...diffFields(remote.fields, known), ...unknown.map(([name]) => name)])].sort();
}

export function createStep(input: Planning, kind: Kind, resource: Resource, replaces: boolean): Step {
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
    reason: whyCreated(input, resource.address),
  };
}

/** An update sends every managed field, not only the changed ones, so that what is sent does not depend on what was read; and what is rotated. */
export function managedBody(kind: Kind, resource: Resource, changed: Body, rotated: readonly string[]): Body {
  const sent = writtenFields(resource).filter(
    (name) => kind.fields[name]?.access === "mutable" || rotated.includes(name),
  );
  return { ...pick(resource, sent), late: { ...pick(resource, sent).late, ...changed.late } };
}

export function pick({ fields, late, written = {} }: Body, names: readonly string[]): Body {
  const chosen = new Set(names);
  const only = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => chosen.has(name)));
  return { fields: only(fields), late: only(late), written: only(written) };
}

export const sentFields = (kind: Kind, body: Body) =>
  writtenFields(body).filter((name) => kind.fields[name]?.access !== "manifest_only");
export const writtenFields = ({ fields, late }: Body) =>
  [...new Set([...Object.keys(fields), ...Object.keys(late)])].sort();
export const missingToCreate = (kind: Kind, resource: Resource) =>
  Object.entries(kind.fields).filter(([name, field]) => field.required === true && !isWritten(resource, name));
const isWritten = ({ fields, late }: Body, name: string) => fields[name] !== undefined || late[name] !== undefined;

export function shownAfter(field: Field | undefined, resource: Resource, path: string) {
  return field?.access === "write_only" &&
    typeof resource.fields[path] !== "boolean" &&
    typeof resource.fields[path] !== "number"
    ? ({ is: "sensitive" } as const)
    : showDesired(resource, path);
}

export function change(kind: Kind, resource: Resource, remote: Remote, path: string): Change {
  return {
    path,
    before: showLive(remote.fields[path], resource.late[path]),
    after: shownAfter(kind.fields[path], resource, path),
  };
}

export const stepBase = ({ address, at }: Resource, action: Step["action"]) => ({
  id: `${action} ${address}`,
  address,
  action,
  replaces: false,
  purchase: false,
  after: [],
  at,
});

export const steps = (...all: Step[]): Planned => ({ ...nothing, steps: all });

export function missingFields(resource: Resource, missing: readonly (readonly [string, Field])[]): Diagnostic {
  const names = missing.map(([name, field]) => field.from ?? name);
  return {
    severity: "error",
    code: "missing_to_create",
    summary: `${resource.address} does not exist, and cannot be created without ${names.join(", ")}`,
    hint: `write ${names.join(" and ")}, or check the name if it should exist already`,
    at: resource.at,
  };
}
