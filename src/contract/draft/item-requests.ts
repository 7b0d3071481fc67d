import type { Kind } from "../../kinds/kind.ts";
import { lastNoun, type Collection } from "./collections.ts";
import type { Operation } from "./operations.ts";
import { paramName, type DraftParam, type Findings } from "./params.ts";
import type { OwnParams } from "./requests.ts";
import { placesIn, type Schemas } from "./shape.ts";
import { findField } from "./find-field.ts";
import { vocabularies } from "./vocabulary.ts";
import { plainName } from "./words.ts";

/** The path of an object: the one of the list with parameters after it, or another that ends in the same noun. */
export interface ItemPath {
  readonly path: string;
  readonly own: OwnParams;
  /** The pointer to the id in a record. */
  readonly id: string | undefined;
}

/** Finds the path at which one object of a list is read, changed and deleted. */
export function findItemPath({ schemas, operations }: Findings, collection: Collection): ItemPath | undefined {
  const { list, isSingle } = collection;
  if (isSingle) return { path: list.path, own: new Map(), id: undefined };
  const known = new Set(list.segments.flatMap(({ param }) => param ?? []));
  const found = operations
    .filter(
      (operation) => operation.path !== list.path && !operation.isDeprecated && ownSegments(operation, list).length > 0,
    )
    .map((operation) => ({
      operation,
      extends: operation.path.startsWith(`${list.path}/`) ? 0 : 1,
      strange: operation.segments.flatMap(({ param }) => param ?? []).filter((name) => !known.has(name)).length,
    }))
    .sort((one, other) => one.extends - other.extends || one.strange - other.strange);
  for (const { operation } of found) {
    const own = ownSegments(operation, list);
    const names = ownParams(schemas, collection, own);
    if (names) return { path: operation.path, ...names };
  }
  return undefined;
}

/** Returns the parameters after the noun of the list, at the end of a path. */
function ownSegments(operation: Operation, list: Operation): string[] {
  const { segments } = operation;
  const last = segments.findLastIndex(({ param }) => param === undefined);
  const own = segments.slice(last + 1).flatMap(({ param }) => param ?? []);
  return lastNoun(operation) === lastNoun(list) ? own : [];
}

function ownParams(
  schemas: Schemas,
  { kind, item, members, list }: Collection,
  names: readonly string[],
): Pick<ItemPath, "own" | "id"> | undefined {
  if (kind.members && members) {
    const sources = names.map((name) => [name, partOfSet(kind, name)] as const);
    return sources.every(([, source]) => source)
      ? { own: new Map(sources.flatMap(([name, source]) => (source ? [[name, source]] : []))), id: undefined }
      : undefined;
  }
  const [name = "", ...more] = names;
  if (more.length > 0) return undefined;
  const id = idOf(schemas, { kind, item, list }, name);
  return id === undefined ? undefined : { own: new Map([[name, "id"]]), id };
}

/** Sets of DNS records are known by their name and type. */
function partOfSet(kind: Kind, param: string): DraftParam | undefined {
  const plain = plainName(param).replace(/^(?:rrset|rr|record|set)/u, "");
  const reason = `{${param}} stands after the sets`;
  if (plain === "type") return { name: paramName(param), source: { key: "type" }, reason };
  const isName = (vocabularies[kind.name]?.fields["name"] ?? []).some((each) => plainName(each) === plain);
  return isName ? { name: paramName(param), source: { field: "name" }, reason } : undefined;
}

/** Finds the id of objects that no path leads to: others may name them by it. */
export const findListedId = (
  schemas: Schemas,
  { item, isSingle, members }: Pick<Collection, "item" | "isSingle" | "members">,
): string | undefined =>
  isSingle || members
    ? undefined
    : placesIn(schemas, item, 1).find(({ names: [name = ""] }) => /^(?:id|uuid|uid)$/u.test(plainName(name)))?.pointer;

/** Finds the property of a record that fills the parameter of its path. */
function idOf(
  schemas: Schemas,
  { kind, item, list }: Pick<Collection, "kind" | "item" | "list">,
  param: string,
): string | undefined {
  const noun = plainName(lastNoun(list));
  const plain = plainName(param);
  const own = plainName(param.replace(/_?or_?name$/iu, ""));
  const wanted = [
    plain,
    own,
    own.startsWith(noun) ? own.slice(noun.length) : own,
    "id",
    "uuid",
    "uid",
    `${noun}id`,
    `${noun}uuid`,
  ];
  const places = placesIn(schemas, item, 1).filter(
    ({ shape }) => shape.properties.size === 0 && shape.items.length === 0,
  );
  for (const name of wanted) {
    const found = places.find(({ names: [each = ""] }) => name !== "" && plainName(each) === name);
    if (found) return found.pointer;
  }
  const [identity] = vocabularies[kind.name]?.needs ?? [];
  return identity === undefined ? undefined : findField(schemas, kind, identity, item)?.pointer;
}

/** Finds a request by its method, at one of some paths. */
export const operationAt = (
  operations: readonly Operation[],
  method: string,
  path: string | undefined,
): Operation | undefined => operations.find((each) => each.method === method && each.path === path);

/** Finds the request that creates an object: a POST to the list, or to another path that ends in the same noun. */
export function findCreation({ operations }: Findings, { list }: Collection): Operation | undefined {
  return (
    operationAt(operations, "POST", list.path) ??
    operations.find(
      (each) => each.method === "POST" && !each.isDeprecated && each.segments.at(-1)?.noun === lastNoun(list),
    )
  );
}
