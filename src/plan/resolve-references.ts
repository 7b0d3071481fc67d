import { offers } from "../contract/binding.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText } from "../model/json.ts";
import type { Body, Desired, Fields, InterpolatedValue, Live, TemplatePart, Resource } from "../model/resource.ts";

/** Puts the live value in the place of each `${ref:…}` that has one, so that it is compared like any other; the rest stays unknown until apply. */
export function resolveReferences(desired: Desired, live: Live): Desired {
  const resources = [...desired.resources].map(
    ([address, resource]) => [address, resolveResource(resource, live)] as const,
  );
  return { ...desired, resources: new Map(resources) };
}

function resolveResource(resource: Resource, live: Live): Resource {
  if (!hasReferences(resource) && !resource.members?.some(hasReferences)) return resource;
  const resolve = (body: Body): Body => resolveBody(resource, body, live);
  return { ...resource, ...resolve(resource), ...(resource.members && { members: resource.members.map(resolve) }) };
}

const isReference = (part: TemplatePart) => typeof part === "object" && "ref" in part;
const hasReferences = ({ late }: Body) => Object.values(late).some(({ parts }) => parts.some(isReference));

function resolveBody({ kind: name, key }: Resource, body: Body, live: Live): Body {
  const kind = kindNamed(name);
  const fields: Record<string, Fields[string]> = { ...body.fields };
  const late: Record<string, InterpolatedValue> = { ...body.late };
  for (const [field, value] of Object.entries(body.late)) {
    const text = liveText(value.parts, live);
    if (text === undefined) continue;
    fields[field] = normalValue(kind, field, text, key);
    late[field] = { ...value, known: true };
  }
  return { ...body, fields, late };
}

function liveText(parts: readonly TemplatePart[], live: Live): string | undefined {
  let text = "";
  for (const part of parts) {
    const value =
      typeof part === "string"
        ? part
        : "ref" in part
          ? live.resources.get(part.ref)?.remotes[0]?.fields[part.field]
          : undefined;
    if (value === undefined || value === null) return undefined;
    text += jsonText(value);
  }
  return text;
}

/**
 * Makes each value that refers to one of these resources unknown until apply: they are made anew, and their read-only fields may get
 * other values. What cannot be updated keeps the live value, since a value that may be the same is no reason to replace it.
 * Returns the same object if nothing refers to them.
 */
export function forgetReferences(desired: Desired, anew: ReadonlySet<Address>, contract: Contract): Desired {
  if (anew.size === 0) return desired;
  const isStale = ({ parts, known }: InterpolatedValue) =>
    known && parts.some((part) => typeof part === "object" && "ref" in part && anew.has(part.ref));
  const forgotten = [...desired.resources.values()].flatMap((resource) => {
    const kind = kindNamed(resource.kind);
    const forget = (body: Body) => forgetValues(body, (field) => kind.fields[field]?.access === "mutable", isStale);
    const own = forget(resource);
    const members = resource.members?.map(forget);
    const isSame = own === resource && (members ?? []).every((member, index) => member === resource.members?.[index]);
    if (isSame || !offers(contract, kind, "update")) return [];
    return [[resource.address, { ...resource, ...own, ...(members && { members }) }] as const];
  });
  return forgotten.length === 0 ? desired : { ...desired, resources: new Map([...desired.resources, ...forgotten]) };
}

function forgetValues<T extends Body>(
  body: T,
  isMutable: (field: string) => boolean,
  isStale: (value: InterpolatedValue) => boolean,
): T {
  const stale = Object.entries(body.late).filter(([field, value]) => isMutable(field) && isStale(value));
  if (stale.length === 0) return body;
  const names = new Set(stale.map(([field]) => field));
  return {
    ...body,
    fields: Object.fromEntries(Object.entries(body.fields).filter(([field]) => !names.has(field))),
    late: { ...body.late, ...Object.fromEntries(stale.map(([field, value]) => [field, { ...value, known: false }])) },
  };
}
