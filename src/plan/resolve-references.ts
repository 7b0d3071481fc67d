import { offersUpdate } from "../contract/entry.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Address } from "../model/address.ts";
import { isReference, mapValues, refersToOthers } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText } from "../model/json.ts";
import type { Desired, Live, Resource, TemplatePart } from "../model/resource.ts";

/** Puts the live value in the place of each `${ref:…}` that has one, so that it is compared like any other; the rest stays unknown until apply. */
export function resolveReferences(desired: Desired, live: Live): Desired {
  const referring = [...desired.resources.values()].filter(refersToOthers);
  if (referring.length === 0) return desired;
  const resources = new Map(desired.resources);
  for (const resource of referring) resources.set(resource.address, resolveResource(resource, live));
  return { ...desired, resources };
}

function resolveResource(resource: Resource, live: Live): Resource {
  const kind = kindNamed(resource.kind);
  return mapValues(resource, (value, field) => {
    const text = value.is === "reference" ? liveText(value.parts, live) : undefined;
    return value.is !== "reference" || text === undefined
      ? value
      : { ...value, value: normalValue(kind, field, text, resource.key) };
  });
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
 * Makes each value that refers to one of these resources unknown until apply: they are created again, and their read-only fields may get
 * other values. What cannot be updated keeps the live value, since a value that may be the same does not justify replacing it.
 * Returns the same object if nothing refers to them.
 */
export function forgetReferences(desired: Desired, createdAgain: ReadonlySet<Address>, contract: Contract): Desired {
  if (createdAgain.size === 0) return desired;
  const forgotten = [...desired.resources.values()].flatMap((resource) => {
    const kind = kindNamed(resource.kind);
    let isSame = true;
    const whole = mapValues(resource, (value, field) => {
      const isStale =
        value.is === "reference" &&
        value.value !== undefined &&
        kind.fields[field]?.access === "mutable" &&
        offersUpdate(contract, kind, [field]) &&
        value.parts.some((part) => isReference(part) && createdAgain.has(part.ref));
      if (isStale) isSame = false;
      return isStale ? { is: "reference", parts: value.parts } : value;
    });
    return isSame ? [] : [[resource.address, whole] as const];
  });
  return forgotten.length === 0 ? desired : { ...desired, resources: new Map([...desired.resources, ...forgotten]) };
}
