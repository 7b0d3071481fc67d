import { isReference } from "../../model/body.ts";
import { type Json, jsonText } from "../../model/json.ts";
import type { FoundSecret, TemplatePart, Key, Lifecycle } from "../../model/resource.ts";
import { parseInterpolation } from "./interpolation.ts";
import { resolveParts, type ReadSecret } from "../../model/template-parts.ts";
import { normaliseAddress } from "../../kinds/derived/collection.ts";
import { findKind, kinds } from "../../kinds/index.ts";
import { kindOf, type Address } from "../../model/address.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { didYouMean, nearest } from "../../model/nearest.ts";
import { itemsOf, memberOf, toJson, type WrittenNode } from "../yaml/written.ts";
import { isReadWrite } from "../../kinds/derived/field-access.ts";

/** `value` is undefined while a part is missing or known only after apply. Without `parts` it stands in the manifest as it is. */
export interface ReadValue {
  readonly value?: Json;
  readonly parts?: readonly TemplatePart[];
  readonly isSecret: boolean;
  readonly missing?: Extract<FoundSecret, { readonly missing: string }>;
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
  const parts = parsed.parts.map((part) => (isReference(part) ? readReference(part) : part));
  const wrong = parts.find((part) => typeof part === "object" && "wrong" in part);
  return wrong ?? readParts(parts as readonly TemplatePart[], readSecret);
}

function readParts(parts: readonly TemplatePart[], readSecret: ReadSecret): ReadValue {
  if (parts.every((part) => typeof part === "string")) return { value: parts.join(""), isSecret: false };
  const isSecret = parts.some((part) => typeof part === "object" && !isReference(part));
  const own = parts.filter((part) => !isReference(part));
  const resolved = resolveParts(own, readSecret);
  if ("missing" in resolved) return { parts, isSecret, ...(!resolved.isUnread && { missing: resolved }) };
  if (own.length === parts.length) return { value: resolved.value, parts, isSecret };
  return { parts, isSecret };
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
  const words = `expected ADDRESS.FIELD with one of ${readable.join(", ")}`;
  const expected = readable.length === 0 ? "it has none, so nothing can refer to it" : words;
  return { wrong: `\${ref:${text}} does not end in a read-only field of ${kind.name}: ${expected}` };
}

interface ReadLifecycle {
  /** Undefined where none is written. */
  readonly lifecycle: Lifecycle | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const none: ReadLifecycle = { lifecycle: undefined, diagnostics: [] };

/** `lifecycle:` in a resource's block: how it may change. Fields are named as a manifest spells them. */
export function readLifecycle(body: WrittenNode, kind: Kind, key: Key): ReadLifecycle {
  const node = memberOf(body, "lifecycle");
  if (node?.type !== "map") return none;
  const fields = comparedFields(kind, key);
  const items = itemsOf(memberOf(node, "ignore_changes")).map((item) => ({ word: jsonText(toJson(item)), item }));
  const ignoreChanges = items.flatMap(({ word }) => fields.get(word) ?? []);
  const prevented = memberOf(node, "prevent_destroy");
  return {
    lifecycle: { preventDestroy: prevented?.type === "scalar" && prevented.value === true, ignoreChanges },
    diagnostics: items.flatMap(({ word, item }) => (fields.has(word) ? [] : unknownField(item, word, kind, fields))),
  };
}

/** By its word in the manifest each field that is compared with what is live: neither those of the key, nor those that are only sent. */
function comparedFields(kind: Kind, key: Key): Map<string, string> {
  const inKey = new Set(Object.keys(kind.naming.toFields(key)));
  return new Map(
    Object.entries(kind.fields)
      .filter(([name]) => isReadWrite(kind, name) && !inKey.has(name))
      .map(([name, { from = name }]) => [from, name]),
  );
}

function unknownField(item: WrittenNode, word: string, kind: Kind, fields: ReadonlyMap<string, string>): Diagnostic {
  const known = [...fields.keys()].sort();
  // A field that the API calls so, or one in a map of that name, is nearer than any misspelling.
  const meant = known.find((from) => fields.get(from) === word || from.startsWith(`${word}.`)) ?? nearest(word, known);
  return diagnosticAt(item, {
    code: "unknown_field",
    summary: `ignore_changes: a ${kind.name} has no field "${word}" that is compared`,
    detail: `one of ${known.join(", ")}`,
    hint: didYouMean(meant),
  });
}
