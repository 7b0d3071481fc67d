import { fillRequest } from "../api/fill-request.ts";
import { isNumbered } from "../api/list-in-turn.ts";
import { itemsIn, pageQuery, pagePlace } from "../api/read-page.ts";
import { recordIn } from "../api/response.ts";
import { textAt } from "../contract/decode-record.ts";
import { listReading } from "../contract/list-reading.ts";
import type { Binding } from "../contract/request.ts";
import { collectionOf, type CollectionRef } from "../kinds/derived/collection.ts";
import type { Address } from "../model/address.ts";
import type { ApiRules, Contract, Pointer } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { ListReading } from "../model/list-reading.ts";
import { pathKey, type Examination } from "./examination.ts";
import type { ProbeAnswer } from "./probe.ts";

/** A list to be read: of a scope, and of one object where each object of another kind has one. */
export interface ListRef extends CollectionRef {
  readonly each?: Readonly<Record<string, string>>;
}

/** The request of a list, with its parameters filled in. */
export interface AskedList {
  readonly ref: ListRef;
  readonly reading: ListReading;
  readonly path: string;
  /** Without its place in the list. */
  readonly query: Readonly<Record<string, string>>;
}

export interface AnsweredList extends AskedList {
  readonly answer: ProbeAnswer;
}

/** Returns how requests of a contract get their ids. */
export function listBinding(exam: Examination, contract: Contract, ref?: ListRef): Binding {
  const idOf = (address: Address, at?: Pointer) => {
    const remote = exam.found.get(address)?.remote;
    const text = remote && (at === undefined ? remote.id : textAt(remote.raw, at));
    return text === "" ? undefined : text;
  };
  const lookups = Object.fromEntries(
    ref
      ? Object.keys(contract.kinds[ref.kind.name]?.params ?? {}).flatMap((param) => {
          const text = exam.lookups.get(pathKey([ref.kind.name, param]));
          return text === undefined ? [] : [[param, text]];
        })
      : [],
  );
  const collection = ref && { ...collectionOf(ref.kind, ref.scope), kind: ref.kind.name, addresses: [], lookups };
  return {
    contract,
    idOf,
    ...(collection && { live: { collections: new Map([[collection.id, collection]]) } }),
    ...(ref?.each && { each: ref.each }),
  };
}

/** Returns the request of a list; undefined if a parameter has no value. */
export function fillList(exam: Examination, contract: Contract, ref: ListRef): AskedList | undefined {
  const reading = listReading(listBinding(exam, contract, ref), ref);
  const { params, query } = reading.request;
  if (Object.values(params).some((param) => typeof param !== "string" || !isSegment(param))) return undefined;
  if (Object.values(query).some((param) => typeof param !== "string" || param === "")) return undefined;
  return { ref, reading, ...fillRequest(reading.request, () => "") };
}

/** Whether a text can stand in a path. */
export const isSegment = (text: string): boolean => !/^\.{0,2}$/u.test(text);

/** Asks for the first page of a list, or with other values for parameters of its query. */
export async function askPage(
  { probe }: Examination,
  { reading, path, query }: AskedList,
  other?: Readonly<Record<string, string>>,
): Promise<ProbeAnswer> {
  const { rules, isSingle } = reading;
  const place = isNumbered(rules) ? pagePlace(rules, 1, 0) : undefined;
  const paged = isSingle ? query : pageQuery(rules, { path, query, idOf: reading.idOf }, place);
  return probe.ask(rules, path, { ...paged, ...other });
}

/** Returns the records of an answer at the place of its list; undefined if no list stands there. */
export function recordsAt(reading: ListReading, rules: ApiRules, body: Json): readonly JsonObject[] | undefined {
  if (reading.isSingle) {
    const record = recordIn(rules, body);
    return record && [record];
  }
  return itemsIn(getPointer(body, rules.answer.list), reading);
}
