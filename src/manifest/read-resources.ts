import { collectionOf } from "../kinds/derived/collection.ts";
import { kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { toAddress, type Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { jsonText } from "../model/json.ts";
import type { CollectionId, CollectionPolicy, Key, Resource } from "../model/resource.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { positionOf, toJson, type Span, type WrittenMap, type WrittenNode } from "./written.ts";
import { readBody, type BodyContext } from "./read-body.ts";
import { readLifecycle } from "./read-lifecycle.ts";

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
export function readResources(tree: WrittenMap, context: Omit<BodyContext, "kind" | "key" | "lookup">): ReadResources {
  const written = new Map<Address, WrittenResource>();
  const collections = new Map<CollectionId, CollectionPolicy>();
  const diagnostics: Diagnostic[] = [];
  const lookup = (address: Address) => written.get(address)?.resource;
  for (const kind of kinds) {
    for (const policy of readCollections(kind, tree)) collections.set(policy.id, policy);
    for (const found of findBlocks(kind, tree)) {
      const key = kind.naming.normalise({ ...found.key, ...kind.naming.fromBody?.(toJson(found.node)) });
      const wrong = kind.naming.check(key);
      if (wrong !== undefined) {
        const { text, span } = partNamed(found.part, kind.naming.chosen) ?? {
          text: Object.values(found.key).at(-1),
          span: found.keySpan,
        };
        const summary = `${JSON.stringify(text)} does not name a ${kind.name}`;
        diagnostics.push(
          diagnosticAt(span, { severity: "error", code: "invalid_key", summary, detail: `expected ${wrong}` }),
        );
        continue;
      }
      const address = toAddress(kind.name, kind.naming.addressParts(key));
      const first = written.get(address);
      if (first) {
        diagnostics.push(sameTwice(address, kind, found, first));
        continue;
      }
      const body = readBody(found.node, { ...context, kind, key, lookup });
      const { lifecycle, diagnostics: mistakes } = readLifecycle(found.node, kind, key);
      diagnostics.push(...body.diagnostics, ...mistakes);
      const resource = {
        address,
        kind: kind.name,
        key,
        ...body.body,
        ...(lifecycle && { lifecycle }),
        at: positionOf(found.keySpan),
      };
      written.set(address, { resource, kind, keySpan: found.keySpan, body: found.node, part: found.part });
    }
  }
  return { written, collections, diagnostics };
}

/** Finds the blocks of a kind's resources. */
export const findBlocks = (kind: Kind, tree: WrittenMap): FoundBlock[] => follow(tree, kind.manifest.split("."));

/** Counts the places of resources in a tree. */
export const countResources = (tree: WrittenMap): number =>
  kinds.reduce((sum, kind) => sum + findBlocks(kind, tree).length, 0);

/** Words that are options of a collection, where its items stand at the top level of a section. */
const collectionOptions = new Set(["exclusive", "ignore"]);

function follow(tree: WrittenMap, segments: readonly string[]): FoundBlock[] {
  let places: FoundBlock[] = [{ key: {}, keySpan: tree.span, part: undefined, node: tree }];
  for (const [depth, segment] of segments.entries()) {
    const name = /^\{(\w+)\}$/u.exec(segment)?.[1];
    const found: FoundBlock[] = [];
    for (const place of places)
      if (name === undefined) addPlain(place, segment, found);
      else addNamed(place, name, depth, found);
    places = found;
  }
  return places;
}

function addPlain(place: FoundBlock, segment: string, found: FoundBlock[]): void {
  const { node } = place;
  if (segment === "[]" && node.type === "list")
    for (const item of node.items) found.push({ ...place, keySpan: item.span, node: item });
  const entry = node.type === "map" && segment !== "[]" ? node.entries.get(segment) : undefined;
  if (entry) found.push({ ...place, keySpan: entry.keySpan, node: entry.value });
}

function addNamed({ node, key, part: around }: FoundBlock, name: string, depth: number, found: FoundBlock[]): void {
  if (node.type !== "map") return;
  for (const { key: text, keySpan, value } of node.entries.values()) {
    if (depth === 1 && collectionOptions.has(text)) continue;
    const part = { name, text, span: keySpan, around };
    found.push({ key: { ...key, [name]: text }, keySpan, part, node: value });
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
  // What is the only one of its scope (dnssec, mail settings) is no collection that could hold others.
  if (!/^[[{]/u.test(segments.at(-1) ?? "")) return [];
  const last = segments.findLastIndex((segment) => kind.scope.includes(segment.slice(1, -1)));
  return follow(tree, segments.slice(0, Math.max(last, 0) + 1));
}

function readCollections(kind: Kind, tree: WrittenMap): (CollectionPolicy & { id: CollectionId })[] {
  return findCollectionBlocks(kind, tree).flatMap(({ key, node }) => {
    if (node.type !== "map") return [];
    const option = (name: string) => {
      const entry = node.entries.get(name);
      return entry && toJson(entry.value);
    };
    const exclusive = option("exclusive") === true;
    const exclusiveKey = node.entries.get("exclusive")?.keySpan;
    const patterns = node.entries.get("ignore")?.value;
    const items = patterns?.type === "list" ? patterns.items : [];
    if (!exclusive && items.length === 0) return [];
    const { id, scope } = collectionOf(kind, kind.naming.normalise(key));
    const exclusiveAt = exclusiveKey && positionOf(exclusiveKey);
    const ignore = items.map((item) => jsonText(toJson(item)));
    const ignoreAt = items.map(({ span }) => positionOf(span));
    return [{ id, kind: kind.name, scope, exclusive, ...(exclusiveAt && { exclusiveAt }), ignore, ignoreAt }];
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
  return {
    ...diagnosticAt(second.keySpan, {
      severity: "error",
      code: "duplicate_resource",
      summary: both === "" ? twice : `${twice}: ${both}${scope} mean the same name`,
      hint: isWhole
        ? "keep one of them: a name that ends with the name of its zone is the whole name"
        : "keep one of them",
    }),
    related: [
      {
        at: positionOf(first.keySpan),
        message: `first declared here${spellings.map(({ other }) => `, as ${JSON.stringify(other)}`).join("")}`,
      },
    ],
  };
}
