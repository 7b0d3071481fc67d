import { hash } from "node:crypto";
import { notFound } from "../refusal.ts";
import type { Fields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { Objects, StoredObject } from "../store/objects.ts";
import { allOf, keyPartsOf, scopeOf, valueOf } from "./account.ts";
import type { AnswerEntry, Contract, Manner, FieldEntry, KindEntry, OperationEntry, PagingEntry } from "./contract.ts";
import { encodeValue } from "./spell.ts";

/** A request of the contract's API while it is answered. */
export interface Visit {
  readonly contract: Contract;
  readonly manner: Manner;
  readonly objects: Objects;
  /** Returns a record in the formatting of the service's answers. */
  readonly formatted: (object: StoredObject) => Fields;
  /** Carries an operation of the OpenAPI document out and returns the object in its answer. Throws an `HttpError`. */
  readonly run: (
    operation: string,
    params: Readonly<Record<string, string>>,
    body?: Fields,
  ) => { readonly status: number; readonly data: Fields };
}

export function entryOf({ contract }: Pick<Visit, "contract">, kind: KindName): KindEntry {
  const entry = contract.kinds[kind];
  if (entry === undefined) throw new Error(`The contract has no ${kind}.`);
  return entry;
}

/** Returns the rules for answers of a kind and one of its operations. */
export function answerOf(
  { contract }: Pick<Visit, "contract">,
  kind?: KindName,
  operation?: OperationEntry,
): AnswerEntry {
  const own = kind === undefined ? undefined : contract.kinds[kind]?.answer;
  const error = { ...contract.answer.error, ...own?.error };
  return { ...contract.answer, ...own, ...operation?.answer, error };
}

/** Returns how the lists of a kind are paged. A kind with a style of its own takes over only the size of pages. */
export function pagingOf({ contract: { paging, kinds } }: Pick<Visit, "contract">, kind: KindName): PagingEntry {
  const own = kinds[kind]?.paging;
  if (own === undefined) return paging;
  const { size, max_size, total: _total, total_header: _header, ...rest } = paging;
  const sizes = { ...(size !== undefined && { size }), ...(max_size !== undefined && { max_size }) };
  if (own.style !== undefined) return own.style === "none" ? own : { ...sizes, ...own };
  const isCounted = own.total !== undefined || own.total_header !== undefined;
  return isCounted ? { ...rest, ...sizes, ...own } : { ...paging, ...own };
}

/** Returns the field that the id of a kind is; undefined if it has an id of its own. */
const fieldOfId = ({ id, fields }: KindEntry): readonly [string, FieldEntry] | undefined =>
  Object.entries(fields).find(([, { at, absent, parts }]) => at === id && absent !== true && parts === undefined);

/** Returns a short text that is always the same for an id. */
export const tagOf = (id: string): string => `u${hash("sha1", id).slice(0, 10)}`;

const numberOf = (id: string): number => Number.parseInt(hash("sha1", id).slice(0, 12), 16);

/** Returns the id by which the contract's API knows an object. */
export function publicIdOf(visit: Visit, object: StoredObject): string | number {
  const entry = entryOf(visit, object.kind);
  const field = fieldOfId(entry);
  if (field === undefined) return visit.manner.numberIds === true ? numberOf(object.id) : object.id;
  const [name, spelling] = field;
  const place = { kind: object.kind, field: name, parts: keyPartsOf(object, visit.objects), type: "" };
  return String(encodeValue(spelling, place, valueOf(object, visit.formatted(object), name)));
}

/** Returns the object of an id of the contract's API. Throws 404. */
export function objectOfId(visit: Visit, kind: KindName, id: unknown, scope?: string): StoredObject {
  const entry = visit.contract.kinds[kind];
  const isOwn = entry !== undefined && visit.manner.numberIds !== true && fieldOfId(entry) === undefined;
  const found = isOwn
    ? visit.objects.byId(kind, String(id))
    : allOf(kind, scope, visit.objects).find((object) => String(publicIdOf(visit, object)) === String(id));
  if (found === undefined || (scope !== undefined && found.scope !== scope))
    throw notFound(`${kind.replaceAll("_", " ")} "${String(id)}"`);
  return found;
}

/** Returns the scope that parts of a key name. Throws 404 if its parent does not exist. */
export function knownScope(visit: Visit, kind: KindName, parts: Readonly<Record<string, string>>): string | undefined {
  const scope = scopeOf(kind, parts, visit.objects);
  if (scope === null) throw notFound(`${parts["zone"] === undefined ? "service" : "zone"} of this name`);
  return scope;
}
