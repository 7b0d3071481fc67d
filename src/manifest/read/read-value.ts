import { isReference } from "../../model/body.ts";
import type { Json } from "../../model/json.ts";
import type { TemplatePart } from "../../model/resource.ts";
import { parseInterpolation } from "./interpolation.ts";
import { resolveParts, type ReadSecret } from "./secrets.ts";
import { normaliseAddress } from "../../kinds/derived/collection.ts";
import { findKind, kinds } from "../../kinds/index.ts";
import { kindOf, type Address } from "../../model/address.ts";

/** `value` is undefined while a part is missing or known only after apply. Without `parts` it stands in the manifest as it is. */
export interface ReadValue {
  readonly value?: Json;
  readonly parts?: readonly TemplatePart[];
  readonly isSecret: boolean;
  readonly missing?: Extract<ReturnType<ReadSecret>, { readonly missing: string }>;
}

/** Looks up the `${…}` of a value. */
export function readValue(value: Json, readSecret: ReadSecret): ReadValue | { readonly wrong: string } {
  if (typeof value !== "string")
    return containsInterpolation(value)
      ? { wrong: "${…} may stand only in a plain string value, not in a list" }
      : { value, isSecret: false };
  if (!value.includes("${")) return { value, isSecret: false };
  const parsed = parseInterpolation(value);
  if ("error" in parsed) return { wrong: parsed.error };
  const parts = parsed.parts.map((part) => (typeof part === "object" && "ref" in part ? readReference(part) : part));
  const wrong = parts.find((part) => typeof part === "object" && "wrong" in part);
  if (wrong) return wrong;
  return readParts(parts as readonly TemplatePart[], readSecret);
}

function readParts(parts: readonly TemplatePart[], readSecret: ReadSecret): ReadValue {
  if (parts.every((part) => typeof part === "string")) return { value: parts.join(""), isSecret: false };
  const isSecret = parts.some((part) => typeof part === "object" && !isReference(part));
  const resolved = resolveParts(parts, readSecret);
  if ("value" in resolved) return { value: resolved.value, parts, isSecret };
  return { parts, isSecret, ...(!parts.some(isReference) && { missing: resolved }) };
}

const containsInterpolation = (value: Json): boolean =>
  Array.isArray(value) && value.some((item) => typeof item === "string" && item.includes("${"));

type Reference = Extract<TemplatePart, { readonly ref: Address }>;

/** A reference whose address is in normal form and whose field the kind has to read; or what was expected. */
function readReference({ ref, field }: Reference): Reference | { readonly wrong: string } {
  const text = `${ref}.${field}`;
  const kind = findKind(kindOf(ref));
  if (!kind)
    return {
      wrong: `\${ref:${text}} does not name a kind: expected one of ${kinds.map(({ name }) => name).join(", ")}`,
    };
  const readable = Object.entries(kind.fields).flatMap(([name, { access }]) => (access === "read_only" ? [name] : []));
  // Addresses and fields both have dots: the longest field that fits is meant.
  for (const name of readable.toSorted((a, b) => b.length - a.length)) {
    const address = text.endsWith(`.${name}`) ? normaliseAddress(text.slice(0, -name.length - 1)) : undefined;
    if (address !== undefined) return { ref: address, field: name };
  }
  return {
    wrong: `\${ref:${text}} does not end in a read-only field of ${kind.name}: expected ADDRESS.FIELD with one of ${readable.join(", ")}`,
  };
}
