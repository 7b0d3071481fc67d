import { shorten } from "../lib/shorten.ts";
import { isDeepStrictEqual } from "node:util";
import type { Kind, Members } from "../kinds/kind.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import type { Address } from "../model/address.ts";
import { isReference, openValue } from "../model/body.ts";
import { templateText } from "../model/template-text.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Body, Key, KnownValue, TemplatePart, Resource, Value } from "../model/resource.ts";
import { sealSecret } from "../model/secret.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { parseInterpolation } from "./interpolation.ts";
import { readReference } from "./read-reference.ts";
import { resolveParts, type ReadSecret } from "./secrets.ts";
import { nearestNode, toJson, type Span, type WrittenNode } from "./written.ts";

export interface BodyContext {
  readonly kind: Kind;
  /** The manifest's `defaults`: they count as written. */
  readonly defaults: Readonly<Record<string, Json>>;
  /** Returns a resource that was read before; parents are read before their children. */
  readonly lookup: (address: Address) => Resource | undefined;
  readonly readSecret: ReadSecret;
  /** By the name of its field the last value that was a number: most are equal to the one before, and held once. */
  readonly recent: Map<string, KnownValue>;
  /** Takes the mistakes. */
  readonly diagnostics: Diagnostic[];
}

/** The block of a resource, and its key. */
interface Block {
  readonly node: WrittenNode;
  readonly key: Key;
}

/** The keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

type ReadBody = Body & { readonly members?: readonly Body[] };

const top: Path = [];

/** Reads one resource of a manifest into normal form. Mistakes are told at the value's own place. */
export function readBody(block: Block, context: BodyContext): ReadBody {
  const { kind } = context;
  const { node, key } = block;
  if (kind.members)
    return readSet(kind.members.read(toJson(node) ?? Object.create(null), key), block, kind.members, context);
  const written: Record<string, Json> = {};
  for (const name in kind.fields) {
    // Not by the data of the whole block: that of a zone holds all of its records.
    const { node: value, left } = nearestNode(node, pathOf(kind, name));
    if (left.length === 0) written[name] = toJson(value);
  }
  return readFields(written, top, block, context);
}

const pathOf = ({ fields, members }: Kind, name: string): string[] =>
  members ? [name] : (fields[name]?.from ?? name).split(".");

function readSet(
  { shared, members }: ReturnType<Members["read"]>,
  block: Block,
  { shared: names }: Members,
  context: BodyContext,
): ReadBody {
  const { fields } = readFields(withDefaults(shared, names, block.key, context), top, block, context);
  return { fields, members: members.map((member) => readFields(member.fields, member.path, block, context)) };
}

function withDefaults(
  shared: Readonly<Record<string, Json>>,
  names: readonly string[],
  key: Key,
  { kind, defaults, lookup }: BodyContext,
): Readonly<Record<string, Json>> {
  let inherited: Record<string, Json> | undefined;
  for (const name of names) {
    const rule = kind.fields[name]?.fallback;
    if (!rule) continue;
    const value = firstValue(parentsOf(kind, key, {}), lookup, rule.parent) ?? defaults[rule.default];
    if (value !== undefined) inherited = { ...inherited, [name]: value };
  }
  return inherited ? { ...inherited, ...shared } : shared;
}

function firstValue(
  parents: readonly (readonly Address[])[],
  lookup: BodyContext["lookup"],
  field: string,
): Json | undefined {
  for (const alternatives of parents)
    for (const address of alternatives) {
      const value = openValue(lookup(address)?.fields[field]);
      if (value !== undefined) return value;
    }
  return undefined;
}

/** @param path leads from the block to the values. */
function readFields(written: Readonly<Record<string, Json>>, path: Path, block: Block, context: BodyContext): Body {
  const { kind, readSecret, diagnostics } = context;
  const { node, key } = block;
  let fields: Record<string, Value> | undefined;
  for (const name in written) {
    const read = readValue(written[name] ?? null, readSecret);
    if ("wrong" in read) {
      diagnostics.push(
        diagnosticAt(spanAt(node, [...path, ...pathOf(kind, name)]), {
          severity: "error",
          code: "invalid_interpolation",
          summary: read.wrong,
        }),
      );
      continue;
    }
    if (read.missing)
      diagnostics.push(
        read.missing.refused === true
          ? refusedFile(spanAt(node, [...path, ...pathOf(kind, name)]), name, read.missing.missing)
          : unsetNotice(spanAt(node, [...path, ...pathOf(kind, name)]), name, read.missing),
      );
    const field = kind.fields[name];
    const isSecret = read.isSecret || field?.access === "write_only";
    const expected = read.value === undefined ? undefined : field?.check?.(read.value, key);
    if (read.value !== undefined && expected !== undefined)
      diagnostics.push(
        invalidValue(
          spanAt(node, [...path, ...pathOf(kind, name)]),
          { kind, name, isSecret, value: read.value, parts: read.parts },
          expected,
        ),
      );
    const value = valueOf(read, key, context, name);
    (fields ??= {})[name] = value;
    if (field?.access === "write_only" && value.is === "secret" && !read.parts)
      diagnostics.push(plainSecret(spanAt(node, [...path, ...pathOf(kind, name)]), name));
  }
  return { fields: fields ?? noValues };
}

const noValues: Body["fields"] = {};

function valueOf({ value, parts, isSecret }: ReadValue, key: Key, { kind, recent }: BodyContext, name: string): Value {
  const normal = value === undefined ? undefined : normalValue(kind, name, value, key);
  const isWriteOnly = kind.fields[name]?.access === "write_only";
  if (isSecret || (isWriteOnly && !parts && typeof value === "string"))
    return { is: "secret", ...(parts && { parts }), ...(normal !== undefined && { secret: sealSecret(normal) }) };
  if (parts) return { is: "reference", parts, ...(normal !== undefined && { value: normal }) };
  const isOtherForm =
    !isWriteOnly && value !== undefined && !Object.is(normal, value) && !isDeepStrictEqual(normal, value);
  if (isOtherForm) return { is: "known", value: normal ?? null, written: value };
  const last = typeof normal === "number" ? recent.get(name) : undefined;
  if (last && last.value === normal) return last;
  const known: KnownValue = { is: "known", value: normal ?? null };
  if (typeof normal === "number") recent.set(name, known);
  return known;
}

const longestShown = 200;

/** `value` is undefined while a part is missing or known only after apply. Without `parts` it stands in the manifest as it is. */
interface ReadValue {
  readonly value?: Json;
  readonly parts?: readonly TemplatePart[];
  readonly isSecret: boolean;
  readonly missing?: Extract<ReturnType<ReadSecret>, { readonly missing: string }>;
}

/** Looks up the `${…}` of a value. */
function readValue(value: Json, readSecret: ReadSecret): ReadValue | { readonly wrong: string } {
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

/** The place of a path in the tree; where the path ends early (a default, a short form), the nearest place above. */
export function spanAt(node: WrittenNode, path: Path): Span {
  const { node: nearest, left } = nearestNode(node, path);
  return left[0] === "content" ? contentSpan(nearest) : nearest.span;
}

// `content` is the model's word; what is written is `value`, `target`, or the item itself.
function contentSpan(node: WrittenNode): Span {
  if (node.type !== "map") return node.span;
  return (node.entries.get("value") ?? node.entries.get("target"))?.value.span ?? node.span;
}

function unsetNotice(span: Span, name: string, { missing, source }: NonNullable<ReadValue["missing"]>): Diagnostic {
  return diagnosticAt(span, {
    severity: "notice",
    code: "unset",
    summary: `${name} has no value yet: ${missing}`,
    hint: "it is needed only by an apply that sends it",
    ...(source !== undefined && { source }),
  });
}

function refusedFile(span: Span, name: string, reason: string): Diagnostic {
  const hint = "keep the file below the folder of the manifest, or name its folder with --allow-file";
  return diagnosticAt(span, {
    severity: "error",
    code: "refused_file",
    summary: `${name} has no value: ${reason}`,
    hint,
  });
}

interface InvalidValue {
  readonly kind: Kind;
  readonly name: string;
  readonly isSecret: boolean;
  readonly value: Json;
  readonly parts: readonly TemplatePart[] | undefined;
}

function invalidValue(span: Span, { kind, name, isSecret, value, parts }: InvalidValue, expected: string): Diagnostic {
  const text = JSON.stringify(value);
  const was = isSecret
    ? `the value ${parts === undefined ? "that is written here" : `of ${sourcesOf(parts)}`}`
    : text.length > longestShown
      ? `${shorten(text, longestShown)} (${text.length} characters)`
      : text;
  return diagnosticAt(span, {
    severity: "error",
    code: "invalid_value",
    summary: `${kind.name} ${name} cannot be ${was}`,
    // Some expectations repeat the value that they are about.
    ...(!(isSecret && expected.includes(jsonText(value))) && { detail: `expected ${expected}` }),
    // A name is not taken out of the value, which may be a password that begins so.
    ...(isSecret && !parts && /^\$\w+$/u.test(jsonText(value)) && { hint: 'a variable is written as "${env:NAME}"' }),
  });
}

const sourcesOf = (parts: readonly TemplatePart[]): string =>
  parts.flatMap((part) => (typeof part === "string" || isReference(part) ? [] : templateText([part]))).join(" and ");

function plainSecret(span: Span, name: string): Diagnostic {
  return diagnosticAt(span, {
    severity: "warning",
    code: "plain_secret",
    summary: `${name} is written in the manifest, where everyone who reads the repository sees it`,
    hint: 'write "${env:NAME}" or "${file:path}" instead, and change the secret if it was ever committed',
  });
}
