import type { Condition, Pointer } from "../model/contract.ts";
import { holds } from "../model/condition.ts";
import type { CallRequest } from "../model/http-call.ts";
import type { JsonObject } from "../model/json.ts";
import type { LiveCollection } from "../model/resource.ts";
import { jsonText } from "../model/json.ts";
import { getPointer, setPointer } from "../model/json-pointer.ts";
import type { DetailReading, ListReading } from "../model/list-reading.ts";
import { comparedParams, listRequest, readRequest } from "./binding.ts";
import type { BoundKind, BoundList } from "./bound-kind.ts";
import { lookupsIn, operationsIn, textsOf } from "./operations-in.ts";
import { type Binding, buildRequest } from "./request.ts";
import { decodeRecord, idOfRecord, usableId } from "./decode-record.ts";
import { idOfSet, lacksIds } from "./sets.ts";
import { rulesOf } from "./rules-of.ts";

/** Returns how the list of a kind and scope is read. */
export function listReading(binding: Binding, { kind, scope }: BoundList): ListReading {
  const { contract } = binding;
  const { entry } = kind;
  const { list } = entry.operations;
  return {
    rules: rulesOf(contract, kind.name, "list"),
    request: listRequest(binding, { kind, scope }),
    isSingle: list.single === true,
    idOf: (item) =>
      lacksIds(kind)
        ? idOfSet(kind, item)
        : jsonText((entry.id === undefined ? undefined : getPointer(item, entry.id)) ?? undefined),
    keyedBy: list.keyed_by,
    idAt: list.detail && entry.id,
    accepts: list.where && accepting(binding, { kind, scope }, list.where, list.detail !== undefined),
    detail: list.detail && detailReading(binding, { kind, scope }),
  };
}

/**
 * Returns a text that two lists of a kind have in common if they are one: some vendors list by the account, whatever website is asked for.
 * Undefined where each object says whose it is.
 */
export function listText(binding: Binding, list: BoundList & Pick<LiveCollection, "id">): string | undefined {
  const { entry } = list.kind;
  const { scope, for_each: each } = entry.operations.list;
  if (scope === "mixed" || each !== undefined) return undefined;
  if (lookupsIn(entry).length > 0 && !binding.live?.collections.get(list.id)?.lookups) return undefined;
  return requestText(binding, list, listRequest(binding, list));
}

/** Returns what the request of a list asks for as a text: of two lists of a kind with one text, the same answer is read. */
export const requestText = (binding: Binding, list: BoundList, { path, params, query }: CallRequest): string => {
  const { where } = list.kind.entry.operations.list;
  return JSON.stringify([list.kind.name, path, params, query, comparedParams(binding, list, where)]);
};

/** Returns the kind whose objects each have a list of this kind, by the parameter that their id fills; undefined where there is one list. */
export function listedFor({ entry }: BoundKind): { readonly param: string; readonly kind: string } | undefined {
  const [each] = Object.entries(entry.operations.list.for_each ?? {});
  return each && { param: each[0], kind: each[1] };
}

/** The lookup of a parameter that stands in a list of no kind. */
export interface LookupReading {
  readonly param: string;
  readonly reading: ListReading;
  readonly at: Pointer;
}

/** Returns the lookups of a kind's parameters. */
export function lookupReadings(binding: Binding, { kind, scope }: BoundList): LookupReading[] {
  const { contract } = binding;
  return lookupsIn(kind.entry).map(([param, { path, query = {}, list, where, at }]) => {
    const operation = { method: "GET", path, query, ...(list !== undefined && { answer: { list } }) } as const;
    const reading: ListReading = {
      rules: rulesOf(contract, kind.name, operation),
      request: buildRequest(binding, { kind, key: scope }, operation),
      isSingle: false,
      idOf: (item) => jsonText(getPointer(item, at)),
      accepts: where && accepting(binding, { kind, scope }, where),
    };
    return { param, at, reading };
  });
}

type Sent = Pick<CallRequest, "method" | "path">;

/** Returns the parameters of the requests of calls, by default of the list, that are looked up. */
export const lookupsOf = ({ entry }: BoundKind, calls: readonly Sent[] = [entry.operations.list]): string[] =>
  lookupsIn(entry).flatMap(([param]) => {
    const asking = operationsIn(entry).filter(([, operation]) => textsOf(operation).includes(`{${param}}`));
    const isAsking = ({ method, path }: Sent) =>
      asking.some(([, operation]) => operation.method === method && path.endsWith(operation.path));
    return calls.some(isAsking) ? [param] : [];
  });

/** Returns those of them that were not found for a list. A list that was not read is not judged. */
export const missingLookups = (kind: BoundKind, read?: LiveCollection, calls?: readonly Sent[]): string[] =>
  lookupsOf(kind, calls).filter((param) => read?.lookups !== undefined && !Object.hasOwn(read.lookups, param));

/** Returns a test whether a record of a list counts. A part of a record is given the benefit of the doubt. */
function accepting(
  binding: Binding,
  list: BoundList,
  where: readonly Condition[],
  isPart = false,
): (item: JsonObject) => boolean {
  const filled = new Map(Object.entries(comparedParams(binding, list, where)));
  const fill = (text: string) => {
    const param = filled.get(text) ?? text;
    return typeof param === "string" ? param : "";
  };
  return (item) =>
    where.every(
      (condition) => (isPart && getPointer(item, condition.pointer) === undefined) || holds(condition, item, fill),
    );
}

function detailReading(binding: Binding, { kind, scope }: BoundList): DetailReading {
  const { contract } = binding;
  const { id = "", operations } = kind.entry;
  // The places that the list alone may tell.
  const identifying = [id, operations.list.keyed_by ?? ""].filter((pointer) => pointer !== "");
  return {
    rules: rulesOf(contract, kind.name, "read"),
    requestOf: (item) => {
      const own = idOfRecord(kind, item);
      const { key } = decodeRecord(kind, item, { scope });
      const request = own === "" ? undefined : readRequest(binding, kind, { ...key, ...scope }, own);
      const params = Object.values(request?.params ?? {});
      // No value of an answer may lead to another path.
      const isUsable = params.every((param) => typeof param !== "string" || usableId(param) !== "");
      return isUsable ? request : undefined;
    },
    complete: (item, record) => {
      const whole = identifying.reduce((whole, pointer) => {
        const known = getPointer(item, pointer);
        return known === undefined || (getPointer(whole, pointer) ?? null) !== null
          ? whole
          : setPointer(whole, pointer, known);
      }, record);
      return idOfRecord(kind, whole) === idOfRecord(kind, item) ? whole : undefined;
    },
  };
}
