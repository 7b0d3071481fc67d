import type { CollectionRef } from "../kinds/derived/collection.ts";
import { holds } from "../model/condition.ts";
import type { JsonObject } from "../model/json.ts";
import { jsonText } from "../model/json.ts";
import { getPointer, setPointer } from "../model/json-pointer.ts";
import type { DetailReading, ListReading } from "../model/list-reading.ts";
import { comparedParams, listRequest, readRequest } from "./binding.ts";
import { entryOf } from "./entry.ts";
import type { Binding } from "./request.ts";
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
  const told = [id, operations.list.keyed_by ?? ""].filter((pointer) => pointer !== "");
  return {
    rules: rulesOf(contract, kind.name, "read"),
    requestOf: (item) => {
      const own = idOfRecord(contract, kind, item);
      const { key } = decodeRecord(contract, kind, item, { scope });
      const request = own === "" ? undefined : readRequest(binding, kind, { ...key, ...scope }, own);
      const params = Object.values(request?.params ?? {});
      // What an answer holds may not lead to another path.
      const isUsable = params.every((param) => typeof param !== "string" || usableId(param) !== "");
      return isUsable ? request : undefined;
    },
    complete: (item, record) => {
      const whole = told.reduce((whole, pointer) => {
        const known = getPointer(item, pointer);
        return known === undefined || (getPointer(whole, pointer) ?? null) !== null
          ? whole
          : setPointer(whole, pointer, known);
      }, record);
      return idOfRecord(contract, kind, whole) === idOfRecord(contract, kind, item) ? whole : undefined;
    },
  };
}
