import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, Pointer } from "../model/contract.ts";
import type { CollectionRef } from "../kinds/derived/collection.ts";
import { holds } from "../model/condition.ts";
import type { JsonObject } from "../model/json.ts";
import type { LiveCollection } from "../model/resource.ts";
import { jsonText } from "../model/json.ts";
import { getPointer, setPointer } from "../model/json-pointer.ts";
import type { DetailReading, ListReading } from "../model/list-reading.ts";
import { comparedParams, listRequest, readRequest } from "./binding.ts";
import { entryOf } from "./entry.ts";
import { type Binding, buildRequest } from "./request.ts";
import { decodeRecord, idOfRecord, usableId } from "./decode-record.ts";
import { idOfSet, lacksIds } from "./sets.ts";
import { rulesOf } from "./rules-of.ts";

type List = Pick<CollectionRef, "kind" | "scope">;

/** Returns how the list of a kind and scope is read. */
export function listReading(binding: Binding, { kind, scope }: List): ListReading {
  const { contract } = binding;
  const entry = entryOf(contract, kind);
  const { list } = entry.operations;
  return {
    rules: rulesOf(contract, kind.name, "list"),
    request: listRequest(binding, kind, scope),
    isSingle: list.single === true,
    idOf: (item) =>
      lacksIds(entry, kind)
        ? idOfSet(entry, kind, item)
        : jsonText((entry.id === undefined ? undefined : getPointer(item, entry.id)) ?? undefined),
    keyedBy: list.keyed_by,
    idAt: list.detail && entry.id,
    accepts: list.where && acceptance(binding, { kind, scope }),
    detail: list.detail && detailReading(binding, { kind, scope }),
  };
}

/** Returns the kind whose objects each have a list of this kind, by the parameter that their id fills; undefined where there is one list. */
export function listedFor(contract: Contract, kind: Kind): { readonly param: string; readonly kind: Kind } | undefined {
  const [entry] = Object.entries(entryOf(contract, kind).operations.list.for_each ?? {});
  return entry && { param: entry[0], kind: kindNamed(entry[1]) };
}

/** The lookup of a parameter that stands in a list of no kind. */
export interface LookupReading {
  readonly param: string;
  readonly reading: ListReading;
  readonly at: Pointer;
}

/** Returns the lookups of a kind's parameters. */
export function lookupReadings(binding: Binding, { kind, scope }: List): LookupReading[] {
  const { contract } = binding;
  const subject = { kind, key: scope };
  return Object.entries(entryOf(contract, kind).params ?? {}).flatMap(([param, source]): LookupReading[] => {
    if (!("lookup" in source)) return [];
    const { path, query = {}, list, where, at } = source.lookup;
    const operation = { method: "GET", path, query, ...(list !== undefined && { answer: { list } }) } as const;
    const fill = (text: string) => {
      const { query: filledIn } = buildRequest(binding, subject, { method: "GET", path: "/", query: { text } });
      const filled = filledIn["text"];
      return typeof filled === "string" ? filled : "";
    };
    return [
      {
        param,
        at,
        reading: {
          rules: rulesOf(contract, kind.name, operation),
          request: buildRequest(binding, subject, operation),
          isSingle: false,
          idOf: (item) => jsonText(getPointer(item, at)),
          accepts: where && ((item) => where.every((condition) => holds(condition, item, fill))),
        },
      },
    ];
  });
}

/** Returns the parameters of a kind's creation that were looked up for a list, and not found. A list that was not read is not judged. */
export function missingLookups(contract: Contract, kind: Kind, collection: LiveCollection | undefined): string[] {
  const { params = {}, operations } = entryOf(contract, kind);
  const needed = JSON.stringify(operations.create ?? {});
  return Object.entries(params).flatMap(([param, source]) => {
    const isFound = collection?.lookups === undefined || Object.hasOwn(collection.lookups, param);
    return "lookup" in source && needed.includes(`{${param}}`) && !isFound ? [param] : [];
  });
}

/** Returns a test whether a record of a list counts. A part of a record is given the benefit of the doubt. */
function acceptance(binding: Binding, { kind, scope }: List): (item: JsonObject) => boolean {
  const { where = [], detail } = entryOf(binding.contract, kind).operations.list;
  const filled = new Map(Object.entries(comparedParams(binding, kind, scope)));
  const fill = (text: string) => {
    const param = filled.get(text) ?? text;
    return typeof param === "string" ? param : "";
  };
  return (item) =>
    where.every(
      (condition) =>
        (detail !== undefined && getPointer(item, condition.pointer) === undefined) || holds(condition, item, fill),
    );
}

function detailReading(binding: Binding, { kind, scope }: List): DetailReading {
  const { contract } = binding;
  const { id = "", operations } = entryOf(contract, kind);
  // The places that the list alone may tell.
  const identifying = [id, operations.list.keyed_by ?? ""].filter((pointer) => pointer !== "");
  return {
    rules: rulesOf(contract, kind.name, "read"),
    requestOf: (item) => {
      const own = idOfRecord(contract, kind, item);
      const { key } = decodeRecord(contract, kind, item, { scope });
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
      return idOfRecord(contract, kind, whole) === idOfRecord(contract, kind, item) ? whole : undefined;
    },
  };
}
