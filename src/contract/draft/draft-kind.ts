import type { KindContract, OperationContract, ParamContract } from "../../model/contract.ts";
import { recordShapeIn, type Collection } from "./collections.ts";
import { draftFields, type DraftField } from "./fields.ts";
import { findField } from "./find-field.ts";
import { findCreation, findItemPath, findListedId, operationAt, type ItemPath } from "./item-requests.ts";
import type { Operation } from "./operations.ts";
import { draftPaging } from "./paging.ts";
import type { DraftParam, Findings } from "./params.ts";
import { asOperation, draftList, draftPath } from "./requests.ts";
import { draftSets } from "./sets.ts";
import { placesIn, type Shape } from "./shape.ts";
import { draftUpdates } from "./updates.ts";
import { plainName } from "./words.ts";

/** A guess, and why. The path leads from the kind to it. */
export interface Guess {
  readonly path: readonly string[];
  readonly reason: string;
}

export interface DraftKind {
  readonly entry: KindContract;
  readonly record: string | undefined;
  readonly guesses: readonly Guess[];
  /** Requests that were found, and that nothing in the contract stands for. */
  readonly leftOut: readonly { readonly method: string; readonly path: string; readonly reason: string }[];
}

/** Drafts the entry of a kind; a text says why there can be none. */
export function draftKind(findings: Findings, collection: Collection): DraftKind | string {
  const list = draftList(findings, collection);
  if ("unfilled" in list) return `nothing that Hostform knows fills {${list.unfilled}} of GET ${collection.list.path}`;
  const { kind, isSingle } = collection;
  const item = findItemPath(findings, collection);
  const creation = collection.members ? undefined : findCreation(findings, collection);
  const read = operationAt(findings.operations, "GET", item?.path);
  const record = recordOf(findings, collection, [read, creation]);
  const shapes = {
    ...collection,
    item: collection.item,
    creation: creation?.request,
    hasServices: findings.collections.has("service"),
  };
  const poor = draftFields(findings.schemas, kind, shapes);
  const rich =
    read && record && !collection.members
      ? draftFields(findings.schemas, kind, { ...shapes, item: record.shape })
      : poor;
  const isPoor = !isSingle && rich.some(({ name, field }) => isOnlyRead(collection, poor, { name, field }));
  const fields = isPoor ? rich : poor;
  return assemble(findings, { collection, list, item, creation, fields, isPoor, record: record?.at });
}

/** Tells whether a field that can be changed stands only in the answer of a read. */
const isOnlyRead = (
  { kind }: Collection,
  poor: readonly DraftField[],
  { name }: Pick<DraftField, "name" | "field">,
): boolean => kind.fields[name]?.access === "mutable" && !poor.some((field) => field.name === name);

function recordOf(
  { schemas }: Findings,
  { item, isSingle, list }: Collection,
  operations: readonly (Operation | undefined)[],
) {
  const answers = [...(isSingle ? [list] : []), ...operations].flatMap((operation) => operation?.answer ?? []);
  return answers.map((answer) => recordShapeIn(schemas, answer, item)).find((found) => found !== undefined);
}

interface DraftParts {
  readonly collection: Collection;
  readonly list: Exclude<ReturnType<typeof draftList>, { unfilled: string }>;
  readonly item: ItemPath | undefined;
  readonly creation: Operation | undefined;
  readonly fields: readonly DraftField[];
  readonly isPoor: boolean;
  readonly record: string | undefined;
}

function assemble(findings: Findings, parts: DraftParts): DraftKind {
  const { collection, list, item, creation, fields, isPoor, record } = parts;
  const { kind } = collection;
  const requests = new Requests(findings, parts);
  const drafted = Object.fromEntries(fields.map(({ name, field }) => [name, field]));
  const update = findUpdate(findings, collection, item);
  const sets = kind.members && collection.members ? draftSets(findings, collection, item, drafted) : undefined;
  const operations = sets
    ? sets.operations
    : {
        ...(creation
          ? requests.create(creation, fields)
          : collection.isSingle && update && { create: "implicit" as const }),
        ...requests.plain("update", update),
        ...requests.plain("delete", operationAt(findings.operations, "DELETE", item?.path)),
      };
  const own = item && !sets ? draftUpdates(findings, collection, item, { fields: drafted, update }) : undefined;
  const read = sets ? {} : requests.plain("read", operationAt(findings.operations, "GET", item?.path));
  const params = paramsIn(
    [...list.params, ...requests.params, ...(sets?.params ?? []), ...(own?.params ?? [])],
    kind.scope,
  );
  const etag = placesIn(findings.schemas, collection.item, 1).find(({ names }) => plainName(names[0] ?? "") === "etag");
  const id = item ? item.id : findListedId(findings.schemas, collection);
  const hasName = Object.hasOwn(drafted, "name") || kind.name !== "cron";
  const entry: KindContract = {
    ...(id !== undefined && { id }),
    ...(etag && { etag: etag.pointer }),
    ...(!hasName && { named_by: "command" }),
    answer: { list: collection.isSingle ? "" : collection.at, ...(record !== undefined && { record }) },
    ...(!collection.isSingle && { paging: draftPaging(findings.schemas, collection.list) }),
    ...(Object.keys(params).length > 0 && { params }),
    fields: { ...drafted, ...own?.fields },
    operations: { list: { ...list.list, ...(isPoor && { detail: "read" as const }) }, ...read, ...operations },
    ...(own && Object.keys(own.updateOf).length > 0 && { update_of: own.updateOf }),
  };
  const listedId = item || id === undefined ? [] : [{ path: ["id"], reason: "it is like an id in the list" }];
  const guesses = [...listedId, ...guessesOf(parts, params, requests.params)];
  return { entry, record, guesses, leftOut: requests.leftOut };
}

/** Finds the request that changes an object; not one that takes no field of the kind, such as labels alone. */
function findUpdate(
  { schemas, operations }: Findings,
  { kind }: Collection,
  item: ItemPath | undefined,
): Operation | undefined {
  const takesField = ({ request }: Operation) =>
    !request ||
    request.properties.size === 0 ||
    Object.entries(kind.fields).some(
      ([name, { access }]) => access === "mutable" && findField(schemas, kind, name, request),
    );
  return [operationAt(operations, "PATCH", item?.path), operationAt(operations, "PUT", item?.path)].find(
    (operation) => operation && takesField(operation),
  );
}

/** Collects the requests of a kind with the parameters that they need. */
class Requests {
  readonly params: DraftParam[] = [];
  readonly leftOut: { method: string; path: string; reason: string }[] = [];
  readonly #findings: Findings;
  readonly #parts: DraftParts;

  constructor(findings: Findings, parts: DraftParts) {
    this.#findings = findings;
    this.#parts = parts;
  }

  plain(name: string, operation: Operation | undefined): Record<string, OperationContract> {
    if (!operation) return {};
    const { collection, item } = this.#parts;
    const request = draftPath(this.#findings, collection, operation, item?.own);
    if ("unfilled" in request) {
      this.leftOut.push({
        method: operation.method,
        path: operation.path,
        reason: `nothing that Hostform knows fills {${request.unfilled}}`,
      });
      return {};
    }
    this.params.push(...request.params);
    const isPatch = operation.method === "PATCH";
    return { [name]: { ...asOperation(request), ...(isPatch && { send: "managed" as const }) } };
  }

  /** A creation may take the local part of an address in place of the whole. */
  create(operation: Operation | undefined, fields: readonly DraftField[]): Record<string, OperationContract> {
    const { create } = this.plain("create", operation);
    const address = fields.find(({ name }) => name === "address")?.field;
    if (!create || !operation?.request || !address || address.as || typeof address.create !== "string")
      return create ? { create } : {};
    if (!/localpart|local$/u.test(plainName(address.create))) return { create };
    this.params.push({
      name: "local",
      source: { key: "local" },
      reason: "the body of the creation has the local part",
    });
    const send = fields.filter(
      (each) => each.name !== "address" && takes(this.#findings, this.#parts, operation.request, each),
    );
    return { create: { ...create, body: { [address.create]: "{local}" }, send: send.map(({ name }) => name) } };
  }
}

const takes = (
  { schemas }: Findings,
  { collection }: DraftParts,
  body: Shape | undefined,
  { name }: DraftField,
): boolean => body !== undefined && findField(schemas, collection.kind, name, body) !== undefined;

/** Returns the parameters by name, with the part of the key that lookups use. */
function paramsIn(params: readonly DraftParam[], scope: readonly string[]): Record<string, ParamContract> {
  const usesScope = params.some(({ source }) => "lookup" in source && JSON.stringify(source).includes("{"));
  const own = usesScope ? scope.map((part) => [part, { key: part }] as const) : [];
  return Object.fromEntries([...own, ...params.map(({ name, source }) => [name, source] as const)]);
}

function guessesOf(
  { collection, list, fields, item }: DraftParts,
  params: Record<string, ParamContract>,
  more: readonly DraftParam[],
): Guess[] {
  const reasons = new Map([...list.params, ...more].map(({ name, reason }) => [name, reason]));
  return [
    {
      path: ["operations", "list"],
      reason: `GET ${collection.list.path} answers with ${collection.isSingle ? "an object" : "a list"}`,
    },
    ...(item?.id === undefined ? [] : [{ path: ["id"], reason: `it fills the parameter of ${item.path}` }]),
    ...fields.map(({ name, reason }) => ({ path: ["fields", name], reason })),
    ...Object.keys(params).flatMap((name) => {
      const reason = reasons.get(name);
      return reason === undefined ? [] : [{ path: ["params", name], reason }];
    }),
  ];
}
