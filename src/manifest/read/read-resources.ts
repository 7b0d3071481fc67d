import { bindKind } from "../../contract/bound-kind.ts";
import { expectedByApi, limitedFields } from "../../contract/taken-values.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { toAddress, type Address } from "../../model/address.ts";
import { refersToOthers } from "../../model/body.ts";
import type { Contract } from "../../model/contract.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { jsonText } from "../../model/json.ts";
import type { CollectionId, CollectionPolicy, Key, Resource } from "../../model/resource.ts";
import { diagnosticAt } from "../yaml/diagnostic-at.ts";
import {
  itemsOf,
  memberOf,
  positionOf,
  toJson,
  type Span,
  type WrittenMap,
  type WrittenNode,
} from "../yaml/written.ts";
import { readBody, spanAt, writtenFields, type BodyContext } from "./read-body.ts";
import { refuse, type Limits } from "../schema/value-mistakes.ts";
import { readLifecycle } from "./read-value.ts";
import { isWriteOnly } from "../../kinds/derived/field-access.ts";

/** A resource with the places it was written at, for the checks that follow. */
export interface WrittenResource {
  readonly resource: Resource;
  readonly kind: Kind;
  readonly keySpan: Span;
  readonly body: WrittenNode;
  /** The last of the named parts of its key as they are written. */
  readonly part: FoundBlock["part"];
}

/** A named part of a key as it is written, and the one around it: most resources of a manifest share all but the last. */
interface WrittenPart {
  readonly name: string;
  readonly text: string;
  readonly span: Span;
  readonly around: WrittenPart | undefined;
}

export interface ReadResources {
  readonly written: ReadonlyMap<Address, WrittenResource>;
  /** The same without their places. */
  readonly resources: ReadonlyMap<Address, Resource>;
  /** Those that refer to others: nearly none, and to look for them later takes as long as to read them. */
  readonly referring: readonly WrittenResource[];
  readonly collections: ReadonlyMap<CollectionId, CollectionPolicy>;
  readonly diagnostics: readonly Diagnostic[];
}

/** One place in a manifest that a kind's path leads to. */
export interface FoundBlock {
  readonly key: Key;
  readonly keySpan: Span;
  /** The last of the named parts of the key. */
  readonly part: WrittenPart | undefined;
  readonly node: WrittenNode;
}

/** Finds every resource of every kind in the tree, and reads it. */
export function readResources(
  tree: WrittenMap,
  defaults: BodyContext["defaults"],
  readSecret: BodyContext["readSecret"],
  contract: Contract | undefined,
): ReadResources {
  const written = new Map<Address, WrittenResource>();
  const resources = new Map<Address, Resource>();
  const referring: WrittenResource[] = [];
  const collections = new Map<CollectionId, CollectionPolicy>();
  const diagnostics: Diagnostic[] = [];
  const lookup = (address: Address) => resources.get(address);
  const refused = new Set<Span>();
  const inheritedAt: Limits["inheritedAt"] = (parent, name) => {
    const block = written.get(parent)?.body;
    return block && spanAt(block, [name]);
  };
  for (const kind of kinds) {
    const bound = contract?.kinds[kind.name] && bindKind(contract, kind.name);
    const limits =
      contract && bound
        ? { contract: contract.name, kind: bound, names: limitedFields(bound), inheritedAt, refused, diagnostics }
        : undefined;
    const context: BodyContext = { defaults, readSecret, kind, lookup, limits, diagnostics };
    if (limits) checkDefaults(context, tree, limits);
    for (const policy of readCollections(kind, tree)) collections.set(policy.id, policy);
    visitBlocks(tree, kind.manifest.split("."), (found) => {
      const { naming } = kind;
      const inBody = naming.fromBody?.(toJson(found.node));
      const key = naming.normalise(inBody ? { ...found.key, ...inBody } : found.key);
      const wrong = naming.check(key);
      if (wrong !== undefined) return void diagnostics.push(invalidKey(kind, found, wrong));
      const address = toAddress(kind.name, naming.addressParts(key));
      const { keySpan, node, part } = found;
      if (limits) checkKey(kind, key, keySpan, limits);
      const body = readBody({ node, key }, context);
      const { lifecycle, diagnostics: wrongNames } = readLifecycle(node, kind, key);
      if (wrongNames.length > 0) diagnostics.push(...wrongNames);
      const first = written.get(address);
      if (first) return void diagnostics.push(sameTwice(address, kind, found, first));
      const at = positionOf(keySpan);
      const resource: Resource = { address, kind: kind.name, key, ...body, at, ...(lifecycle && { lifecycle }) };
      const block = { resource, kind, keySpan, body: node, part };
      written.set(address, block);
      resources.set(address, resource);
      if (refersToOthers(resource)) referring.push(block);
    });
  }
  return { written, resources, referring, collections, diagnostics };
}

/** Finds the defaults of the manifest that the API does not take for fields of a kind. */
function checkDefaults({ kind, defaults }: BodyContext, tree: WrittenMap, limits: Limits): void {
  const node = tree.entries.get("defaults")?.value;
  for (const name of limits.names) {
    const place = kind.fields[name]?.fallback?.default;
    const value = place === undefined ? undefined : defaults[place];
    if (!node || place === undefined || value === undefined) continue;
    const expected = expectedByApi({ kind: limits.kind, key: {} }, name, value, () => ({}));
    if (expected !== undefined) refuse(spanAt(node, [place]), { kind, name, value }, expected, limits);
  }
}

/** Finds the parts of a key that the API does not take according to the contract. */
function checkKey(kind: Kind, key: Key, keySpan: Span, limits: Limits): void {
  const fields = kind.naming.toFields(key);
  for (const name in fields) {
    if (!limits.names.has(name)) continue;
    const value = fields[name] ?? null;
    const expected = expectedByApi({ kind: limits.kind, key }, name, value, () => ({}));
    if (expected !== undefined) refuse(keySpan, { kind, name, value }, expected, limits);
  }
}

function invalidKey(kind: Kind, { key, keySpan, part, node }: FoundBlock, expected: string): Diagnostic {
  const [first] = Object.entries(kind.naming.fromBody?.(toJson(node)) ?? {});
  const { text, span } = first
    ? { text: first[1], span: spanAt(node, [first[0]]) }
    : (partNamed(part, kind.naming.chosen) ?? { text: Object.values(key).at(-1), span: keySpan });
  const summary = `${JSON.stringify(text)} does not name a ${kind.name}`;
  return diagnosticAt(span, { code: "invalid_key", summary, detail: expected });
}

/** Calls `visit` for each block to which the keys lead, in their order. */
const visitBlocks = (tree: WrittenMap, segments: readonly string[], visit: (block: FoundBlock) => void): void =>
  follow({ key: {}, keySpan: tree, part: undefined, node: tree }, segments, visit);

/** Finds the blocks of a kind's resources. */
export const findBlocks = (kind: Kind, tree: WrittenMap): FoundBlock[] => blocksAt(tree, kind.manifest.split("."));

/** Finds the values of fields that are sent and never read in a block, with the names of the fields. */
export const writeOnlyNodes = (kind: Kind, body: WrittenNode) =>
  writtenFields(kind, body).filter(({ name }) => isWriteOnly(kind, name));

/** Counts the places of resources in a tree. */
export const countResources = (tree: WrittenMap): number =>
  kinds.reduce((sum, kind) => sum + findBlocks(kind, tree).length, 0);

/** Words that are options of a collection, where its items stand beside them: in a section, or in the block of a domain or service there. */
const collectionOptions = new Set(["exclusive", "ignore"]);

function blocksAt(tree: WrittenMap, segments: readonly string[]): FoundBlock[] {
  const found: FoundBlock[] = [];
  visitBlocks(tree, segments, (block) => found.push(block));
  return found;
}

/** Calls `visit` for each place to which the segments lead, one after another: there may be a hundred thousand. */
function follow(place: FoundBlock, segments: readonly string[], visit: (block: FoundBlock) => void, depth = 0): void {
  const { key, part: around, node } = place;
  const segment = segments[depth];
  if (segment === undefined) visit(place);
  else if (segment === "[]") {
    if (node.type !== "list") return;
    for (const item of node.items) follow({ ...place, keySpan: item, node: item }, segments, visit, depth + 1);
  } else if (node.type === "map" && segment.startsWith("{")) {
    const name = segment.slice(1, -1);
    for (const entry of node.entries.values()) {
      const { key: text, value } = entry;
      if (depth <= 2 && collectionOptions.has(text)) continue;
      const part = { name, text, span: entry, around };
      // Many times as fast as a property that is added to a spread copy, in the literal or after it.
      const named: Record<string, string> = Object.assign({}, key);
      named[name] = text;
      follow({ key: named, keySpan: entry, part, node: value }, segments, visit, depth + 1);
    }
  } else if (node.type === "map") {
    const entry = node.entries.get(segment);
    if (entry) follow({ ...place, keySpan: entry, node: entry.value }, segments, visit, depth + 1);
  }
}

/** Returns a part of a key, or undefined if it has none of the name. */
export function partNamed(last: WrittenPart | undefined, name: string | undefined): WrittenPart | undefined {
  let part = last;
  while (part && part.name !== name) part = part.around;
  return part;
}

/** Returns the parts of a key from the outermost on. */
const partsTo = (last: WrittenPart | undefined): WrittenPart[] => (last ? [...partsTo(last.around), last] : []);

/** Finds the maps that the scope of a kind's collections leads to: `exclusive` and `ignore` stand in them. */
export function findCollectionBlocks(kind: Kind, tree: WrittenMap): FoundBlock[] {
  const segments = kind.manifest.split(".");
  // A resource that is the only one of its scope (dnssec, mail settings) makes no collection that could hold others.
  if (!/^[[{]/u.test(segments.at(-1) ?? "")) return [];
  const last = segments.findLastIndex((segment) => kind.scope.includes(segment.slice(1, -1)));
  return blocksAt(tree, segments.slice(0, Math.max(last, 0) + 1));
}

function readCollections(kind: Kind, tree: WrittenMap): (CollectionPolicy & { id: CollectionId })[] {
  return findCollectionBlocks(kind, tree).flatMap(({ key, node }) => {
    if (node.type !== "map") return [];
    const option = node.entries.get("exclusive");
    const exclusive = option?.value.type === "scalar" && option.value.value === true;
    const items = itemsOf(memberOf(node, "ignore"));
    if (!exclusive && items.length === 0) return [];
    const { id, scope } = collectionOf(kind, kind.naming.normalise(key));
    const exclusiveAt = option && { exclusiveAt: positionOf(option) };
    const ignore = items.map((item) => jsonText(toJson(item)));
    const ignoreAt = items.map(positionOf);
    return { id, kind: kind.name, scope, exclusive, ...exclusiveAt, ignore, ignoreAt };
  });
}

/** Tells which two spellings of a name lead to one resource, and where each stands. */
function sameTwice(
  address: Address,
  kind: Kind,
  second: FoundBlock,
  first: Pick<FoundBlock, "part" | "keySpan">,
): Diagnostic {
  const spellings = partsTo(second.part).flatMap(({ name, text }) => {
    const other = partNamed(first.part, name)?.text ?? text;
    return other === text ? [] : [{ name, text, other }];
  });
  const both = spellings.map(({ text, other }) => `${JSON.stringify(other)} and ${JSON.stringify(text)}`).join(", ");
  const isWhole =
    kind.naming.relative !== undefined &&
    spellings.some(({ text, other }) => text.toLowerCase() !== other.toLowerCase());
  const scope = kind.scope.map((part) => ` in ${part} ${partNamed(second.part, part)?.text ?? ""}`).join("");
  const twice = `${address} is declared twice`;
  const message = `first declared here${spellings.map(({ other }) => `, as ${JSON.stringify(other)}`).join("")}`;
  return diagnosticAt(second.keySpan, {
    code: "duplicate_resource",
    summary: both === "" ? twice : `${twice}: ${both}${scope} mean the same name`,
    hint: `keep one of them${isWhole ? ": a name that ends with the name of its zone is the whole name" : ""}`,
    related: [{ at: positionOf(first.keySpan), message }],
  });
}
