import { leftOutFields } from "../contract/check-required.ts";
import { entryOf } from "../contract/entry.ts";
import { sortOf } from "../contract/spelling/fits.ts";
import { placesOf } from "../contract/spelling/read-field.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract, Pointer } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import { type Examination, nested, refute } from "./examination.ts";
import { likeliest, valuesByPointer } from "./judge/pointers.ts";
import { isReadable } from "./judge/judge-fields.ts";
import { jsonTypeOf } from "./judge/say.ts";

/** Notes the members of records that no entry reads, and names fields that the contract leaves out where one of these holds them. */
export function examineUnread(exam: Examination, kind: Kind, records: readonly JsonObject[]): void {
  const values = valuesByPointer(records);
  const read = placesRead(exam.contract, kind);
  const unread = [...values].flatMap(([pointer, each]) => {
    const isRead = read.some((at) => at === "" || isAt(pointer, at) || isAt(at, pointer));
    return isRead || each.some((value) => isObject(value)) ? [] : [pointer];
  });
  const entry = entryOf(exam.contract, kind);
  for (const { name, reason } of leftOutFields(kind, entry).filter((each) => isReadable(kind, each.name))) {
    const places = unread.filter((pointer) => fits(kind, name, values.get(pointer) ?? []));
    const near = likeliest(places, { pointer: `/${name}`, name });
    if (near === undefined) continue;
    const path = ["kinds", kind.name, "fields", name];
    const found = `no entry, and ${jsonTypeOf(values.get(near)?.[0])} at ${near} of the answers`;
    refute(exam, { path, expected: `an entry: ${reason}`, found, write: nested(path, { at: near }) });
    unread.splice(unread.indexOf(near), 1);
  }
  if (unread.length > 0) exam.unread.set(kind.name, unread);
}

/** Whether a pointer leads to a place, or below it. */
const isAt = (pointer: Pointer, place: Pointer) => pointer === place || pointer.startsWith(`${place}/`);

/** Returns the places in records of a kind that a contract reads for any purpose. */
function placesRead(contract: Contract, kind: Kind): Pointer[] {
  const { id, etag, fields, managed_when: conditions = [], operations } = entryOf(contract, kind);
  const { where = [], keyed_by: key } = operations.list;
  const ofParams = Object.values(contract.kinds).flatMap((each) =>
    Object.values(each?.params ?? {}).flatMap((param) =>
      "id_of" in param && param.id_of === kind.name && param.at !== undefined ? [param.at] : [],
    ),
  );
  return [
    ...[id, etag, key].filter((at) => at !== undefined),
    ...Object.values(fields).flatMap(placesOf),
    ...[...conditions, ...where].map(({ pointer }) => pointer),
    ...ofParams,
  ];
}

const isNumber = (value: Json) => value !== "" && ["string", "number"].includes(typeof value) && Number(value) >= 0;

/** Whether values may be those of a field that has no entry yet. */
function fits(kind: Kind, name: string, values: readonly Json[]): boolean {
  const sort = sortOf(kind, name);
  return (
    values.length > 0 && values.every((value) => (sort === "number" ? isNumber(value) : typeof value === "string"))
  );
}
