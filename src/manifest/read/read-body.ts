import { isDeepStrictEqual } from "node:util";
import { expectedByApi, isWithin } from "../../contract/taken-values.ts";
import { normalValue } from "../../kinds/derived/normal-value.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import type { Field, Kind, Members } from "../../kinds/kind.ts";
import type { Address } from "../../model/address.ts";
import { isReference, openFields, openValue } from "../../model/body.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { jsonText, type Json } from "../../model/json.ts";
import { namesCredentials } from "../../model/credentials.ts";
import type { Body, Key, Resource, TemplatePart, Value, Values } from "../../model/resource.ts";
import { sealSecret } from "../../model/secret.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import { readValue, type ReadValue } from "./read-value.ts";
import { type ReadSecret, readSecretValue } from "../../model/template-parts.ts";
import {
  invalidValue,
  missingValue,
  plainSecret,
  refuse,
  type InvalidValue,
  type Limits,
} from "../schema/value-mistakes.ts";
import { nearestNode, toJson, type Span, type WrittenNode } from "../yaml/written.ts";
import { isWriteOnly } from "../../kinds/derived/field-access.ts";

export interface BodyContext {
  readonly kind: Kind;
  /** The manifest's `defaults`: they count as written. */
  readonly defaults: Readonly<Record<string, Json>>;
  /** Returns a resource that was read before; parents are read before their children. */
  readonly lookup: (address: Address) => Resource | undefined;
  readonly readSecret: ReadSecret;
  /** The limits of the API. Undefined where the contract is not known, or limits no field of this kind. */
  readonly limits: Limits | undefined;
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

/** Reads one resource of a manifest into normal form. Mistakes are reported at the value's own place. */
export function readBody(block: Block, context: BodyContext): ReadBody {
  const { kind, limits } = context;
  const { node, key } = block;
  if (kind.members)
    return readSet(kind.members.read(toJson(node) ?? Object.create(null), key), block, kind.members, context);
  // Not by the data of the whole block: that of a zone holds all of its records.
  const written = writtenFields(kind, node).map(({ name, node: value }) => [name, toJson(value)] as const);
  const { beside = "" } = kind.naming;
  const placed = (limits?.kind.entry ?? kind).fields[beside] ? { [beside]: key[beside] ?? "" } : {};
  return readFields({ ...placed, ...Object.fromEntries(written) }, top, block, context);
}

/** Returns the fields that a block of one resource writes, with the value of each and the path to it. */
export const writtenFields = (kind: Kind, block: WrittenNode) =>
  Object.keys(kind.fields).flatMap((name) => {
    const path = pathOf(kind, name);
    const { node, rest } = nearestNode(block, path);
    return rest.length === 0 ? { name, path, node } : [];
  });

const pathOf = ({ fields, members }: Kind, name: string): string[] =>
  members ? [name] : (fields[name]?.from ?? name).split(".");

function readSet(
  { shared, members }: ReturnType<Members["read"]>,
  block: Block,
  { shared: names }: Members,
  context: BodyContext,
): ReadBody {
  const inherited = inheritedValues(shared, names, block, context);
  const { fields } = readFields(inherited ? { ...inherited, ...shared } : shared, top, block, context, inherited);
  return { fields, members: members.map((member) => readFields(member.fields, member.path, block, context)) };
}

/** Returns the values of fields that are not written in the block, and have one of a parent or of the manifest's defaults. */
function inheritedValues(
  shared: Readonly<Record<string, Json>>,
  names: readonly string[],
  { key }: Block,
  { kind, defaults, lookup, limits }: BodyContext,
): Readonly<Record<string, Json>> | undefined {
  let inherited: Record<string, Json> | undefined;
  for (const name of names) {
    const rule = kind.fields[name]?.fallback;
    if (!rule || name in shared) continue;
    const parent = parentsOf(kind, key, {})
      .flat()
      .find((address) => openValue(lookup(address)?.fields[rule.parent]) !== undefined);
    const value = parent ? openValue(lookup(parent)?.fields[rule.parent]) : defaults[rule.default];
    if (value === undefined) continue;
    (inherited ??= {})[name] = value;
    if (!parent || limits?.names.has(name) !== true || isWithin(limits.kind.entry, name, value)) continue;
    const expected = expectedByApi({ kind: limits.kind, key }, name, value, () => ({}));
    const span = expected && limits.inheritedAt(parent, rule.parent);
    if (span) refuse(span, { kind, name, value }, expected, limits);
  }
  return inherited;
}

/**
 * @param path leads from the block to the values.
 * @param inherited the values among them that are written elsewhere, where their limits are checked.
 */
function readFields(
  written: Readonly<Record<string, Json>>,
  path: Path,
  block: Block,
  context: BodyContext,
  inherited: Readonly<Record<string, Json>> = {},
): Body {
  const { kind, readSecret, limits, diagnostics } = context;
  const { node, key } = block;
  const places = { node, key, kind, path };
  const fields: Record<string, Value> = {};
  const doubtful: DoubtfulValue[] = [];
  for (const name in written) {
    const read = readValue(written[name] ?? null, readSecret);
    if ("wrong" in read) {
      diagnostics.push(diagnosticAt(spanOf(places, name), { code: "invalid_interpolation", summary: read.wrong }));
      continue;
    }
    if (read.missing) diagnostics.push(missingValue(spanOf(places, name), name, read.missing));
    const field = kind.fields[name];
    const isSecret = read.isSecret || (field?.access === "write_only" && typeof read.value === "string");
    const normal = read.value === undefined ? undefined : normalValue(kind, name, read.value, key);
    if (read.value !== undefined && normal !== undefined) {
      const { value, parts } = read;
      const mistakes = mistakesIn(field, value, key);
      for (const { item, index, expected } of mistakes)
        diagnostics.push(
          invalidValue(spanOf(places, name, index), { kind, name, isSecret, value: item, parts }, expected),
        );
      const isLimited = limits?.names.has(name) === true && !(name in inherited);
      if (mistakes.length === 0 && isLimited && !isWithin(limits.kind.entry, name, normal))
        doubtful.push({ kind, name, isSecret, value, parts, normal });
    }
    const value =
      read.isSecret && read.parts?.some(isReference) === true
        ? lateValue(read.parts, context, name, key)
        : valueOf(read, normal, context, name);
    fields[name] = value;
    const isSuspect = field?.mayHoldCredentials === true && namesCredentials(jsonText(read.value));
    if (!read.parts && (isSuspect || (field?.access === "write_only" && value.is === "secret")))
      diagnostics.push(plainSecret(spanOf(places, name), name));
  }
  if (limits && doubtful.length > 0) checkLimits(doubtful, places, fields, limits);
  return { fields };
}

type DoubtfulValue = InvalidValue & { readonly normal: Json };

interface Mistake {
  readonly item: Json;
  /** The place of the item in its list. */
  readonly index: readonly number[];
  readonly expected: string;
}

/** Returns the values in a field that its kind does not take: items of a list, or the whole. */
function mistakesIn(field: Field | undefined, value: Json, key: Key): readonly Mistake[] {
  const { checkItem, check } = field ?? {};
  const items = checkItem && Array.isArray(value) ? wrongItems(value, checkItem) : [];
  if (items.length > 0) return items;
  const expected = check?.(value, key);
  return expected === undefined ? [] : [{ item: value, index: [], expected }];
}

const wrongItems = (items: readonly Json[], check: (item: Json) => string | undefined): Mistake[] =>
  items.flatMap((item, index) => {
    const expected = check(item);
    return expected === undefined ? [] : [{ item, index: [index], expected }];
  });

/** The place of the fields of one body. `path` leads to them from the block. */
type FieldPlaces = Block & { readonly kind: Kind; readonly path: Path };

function spanOf({ node, key, kind, path }: FieldPlaces, name: string, index: readonly number[] = []): Span {
  const part = name === kind.members?.identity && kind.members.wrongPart(toJson(nearestNode(node, path).node), key);
  return spanAt(node, [...path, ...(part ? [part] : pathOf(kind, name)), ...index]);
}

/** Finds the values that the API does not take according to the contract: beyond its limits, without a word, or not spellable. */
function checkLimits(doubtful: readonly DoubtfulValue[], places: FieldPlaces, fields: Values, limits: Limits): void {
  const siblings = () => openFields(fields);
  for (const written of doubtful) {
    const { kind, name, value, normal } = written;
    const expectedFor = (part: Json) => expectedByApi({ kind: limits.kind, key: places.key }, name, part, siblings);
    const expected = expectedFor(normal);
    if (expected === undefined) continue;
    const items = Array.isArray(value)
      ? wrongItems(value, (item) => expectedFor(normalValue(kind, name, [item], places.key)))
      : [];
    const wrong = items.length > 0 ? items : [{ item: value, index: [], expected }];
    for (const { item, index, expected: form } of wrong)
      refuse(spanOf(places, name, index), { ...written, value: item }, form, limits);
  }
}

/** Returns a secret that refers to what is known at apply. */
const lateValue = (parts: readonly TemplatePart[], { kind, readSecret }: BodyContext, name: string, key: Key): Value =>
  readSecretValue(parts, readSecret, (text) => normalValue(kind, name, text, key));

function valueOf(
  { value, parts, isSecret }: ReadValue,
  normal: Json | undefined,
  { kind }: BodyContext,
  name: string,
): Value {
  if (isSecret || (isWriteOnly(kind, name) && !parts && typeof value === "string"))
    return { is: "secret", ...(parts && { parts }), ...(normal !== undefined && { secret: sealSecret(normal) }) };
  if (parts) return { is: "reference", parts, ...(normal !== undefined && { value: normal }) };
  const isOtherForm =
    !isWriteOnly(kind, name) && value !== undefined && !Object.is(normal, value) && !isDeepStrictEqual(normal, value);
  if (isOtherForm) return { is: "known", value: normal ?? null, written: value };
  return { is: "known", value: normal ?? null };
}

/** The place of a path in the tree; where the path ends early (a default, a short form), the nearest place above. */
export function spanAt(node: WrittenNode, path: Path): Span {
  const { node: nearest, rest } = nearestNode(node, path);
  return rest[0] === "content" ? contentSpan(nearest) : nearest;
}

// `content` is the model's word; what is written is `value`, `target`, or the item itself.
function contentSpan(node: WrittenNode): Span {
  if (node.type !== "map") return node;
  return (node.entries.get("value") ?? node.entries.get("target"))?.value ?? node;
}
