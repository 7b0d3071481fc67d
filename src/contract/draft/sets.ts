import type { FieldContract, OperationContract, SetContract } from "../../model/contract.ts";
import type { Collection } from "./collections.ts";
import { operationAt, type ItemPath } from "./item-requests.ts";
import type { DraftParam, Findings } from "./params.ts";
import { asOperation, draftPath, type DraftRequest } from "./requests.ts";
import { placesIn, type Schemas, type Shape } from "./shape.ts";
import { plainName } from "./words.ts";

export interface DraftSets {
  readonly operations: { readonly set: SetContract } | { readonly zone: OperationContract } | Record<string, never>;
  readonly params: readonly DraftParam[];
}

type FieldContracts = Readonly<Record<string, FieldContract>>;

const none: DraftSets = { operations: {}, params: [] };

/** Drafts the requests that write whole sets: at a path of each set, or all at the path of the list. */
export function draftSets(
  findings: Findings,
  collection: Collection,
  item: ItemPath | undefined,
  fields: FieldContracts,
): DraftSets {
  const at = (method: string, path: string | undefined) => {
    const operation = operationAt(findings.operations, method, path);
    const request = operation && draftPath(findings, collection, operation, item?.own);
    return request && !("unfilled" in request) ? request : undefined;
  };
  if (item) {
    const create = at("POST", collection.list.path);
    const remove = at("DELETE", item.path);
    const updates = setUpdates(collection, { item, fields, at });
    if (!create || !remove || updates.length === 0) return none;
    const read = at("GET", item.path);
    const all = [create, remove, ...updates.map(({ request }) => request), ...(read ? [read] : [])];
    const set = {
      create: asOperation(create),
      update: updates.map(({ operation }) => operation),
      delete: asOperation(remove),
      ...(read && { read: asOperation(read) }),
    };
    return { operations: { set }, params: all.flatMap(({ params }) => params) };
  }
  return listWrites(findings.schemas, collection, at);
}

type At = (method: string, path: string | undefined) => DraftRequest | undefined;

/** Finds the requests that change a set: one for each of its parts, or one for all. */
function setUpdates(
  { members }: Collection,
  { item, fields, at }: { item: ItemPath; fields: FieldContracts; at: At },
): { request: DraftRequest; operation: OperationContract }[] {
  const member = Object.keys(fields).filter((name) => ["content", "comment", "priority", "disabled"].includes(name));
  const whole = at("PATCH", item.path) ?? at("PUT", item.path);
  const held = plainName(members?.at.slice(1) ?? "");
  const action = (...names: string[]) =>
    names.flatMap((name) => at("POST", `${item.path}/actions/${name}`) ?? at("PUT", `${item.path}/${name}`) ?? [])[0];
  const hasMembers =
    whole?.operation.request && [...whole.operation.request.properties.keys()].some((name) => plainName(name) === held);
  if (whole && hasMembers) return [{ request: whole, operation: asOperation(whole) }];
  return [
    ...own(action("set_records", "set-records", "records", "update_records"), member),
    ...own(
      action("change_ttl", "change-ttl", "ttl"),
      Object.keys(fields).filter((name) => name === "ttl"),
    ),
  ];
}

const own = (request: DraftRequest | undefined, send: readonly string[]) =>
  request && send.length > 0 ? [{ request, operation: { ...asOperation(request), send } }] : [];

/** Drafts writes to the path of the list: sets in a list of their own, where a deletion names them too; else the whole zone. */
function listWrites(schemas: Schemas, { list, item }: Collection, at: At): DraftSets {
  const write = at("PUT", list.path) ?? at("PATCH", list.path);
  const remove = at("DELETE", list.path);
  const held = write?.operation.request && heldLike(schemas, write.operation.request, item);
  if (!write || held === undefined) return none;
  const removed = remove?.operation.request && heldLike(schemas, remove.operation.request, item);
  if (!remove || removed === undefined)
    return { operations: { zone: { ...asOperation(write), at: held } }, params: write.params };
  const whole = { ...asOperation(write), ...overwriting(schemas, write.operation.request), at: `${held}/0` };
  const set = {
    create: whole,
    update: [whole],
    delete: { ...asOperation(remove), at: `${removed}/0`, send: ["name", "type"] },
  };
  return { operations: { set }, params: [...write.params, ...remove.params] };
}

/** A body may ask whether it takes the place of what is there. */
function overwriting(schemas: Schemas, body: Shape | undefined): Pick<OperationContract, "base"> {
  const found =
    body && placesIn(schemas, body, 1).find(({ names }) => /^(?:overwrite|replace)$/iu.test(names[0] ?? ""));
  return found ? { base: { [found.names[0] ?? ""]: true } } : {};
}

/** Finds the list in a body whose items have properties of a set. */
function heldLike(schemas: Schemas, body: Shape, item: Shape): string | undefined {
  return placesIn(schemas, body, 1).find(({ shape }) => {
    const names = shape.items.length > 0 ? [...schemas.shapeOf(shape.items).properties.keys()] : [];
    return names.length > 0 && names.every((name) => item.properties.has(name));
  })?.pointer;
}
