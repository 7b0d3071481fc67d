import { describeFailure } from "../api/describe-failure.ts";
import { isNumbered } from "../api/list-in-turn.ts";
import { entryOf } from "../contract/entry.ts";
import { rulesOf } from "../contract/rules-of.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import { type Json, type JsonObject, jsonText } from "../model/json.ts";
import type { Contract, Pointer } from "../model/contract.ts";
import { askPage, fillList, recordsAt, type AnsweredList, type AskedList, type ListRef } from "./ask-list.ts";
import {
  confirm,
  type Examination,
  type EntryPath,
  nested,
  overlaid,
  refute,
  ruleAt,
  writtenAt,
} from "./examination.ts";
import { hintOfParent, otherId } from "./examine-parent.ts";
import { shareOfFields } from "./judge/judge-fields.ts";
import { pointersIn } from "./judge/pointers.ts";
import { counted, placeText } from "./judge/say.ts";
import { isSpent } from "./probe.ts";
import { wantedQuery } from "./wanted-query.ts";
import { baseRepairs, pageRepairs, pathRepairs, queryRepairs, type Repair } from "./repair-path.ts";

/** A list that was read at the place that the contract, or its repair, names. */
export interface ReadList extends AnsweredList {
  readonly items: readonly JsonObject[];
}

/** The end of reading a list: its records, none because the object is not there, or a failure, which a finding tells. */
export type ListOutcome =
  | { readonly is: "read"; readonly list: ReadList }
  | { readonly is: "nothing"; readonly reason: string }
  | { readonly is: "failed"; readonly reason: string };

/** Reads a list; where its path or place is wrong, finds the right one. */
export async function examineList(exam: Examination, ref: ListRef): Promise<ListOutcome> {
  const asked = fillList(exam, exam.contract, ref);
  if (!asked) return { is: "nothing", reason: "a parameter of its path has no value" };
  const answer = await askPage(exam, asked);
  const list = { ...asked, answer };
  if (answer.failure) return onFailure(exam, list);
  const items = recordsAt(list.reading, list.reading.rules, answer.body);
  if (items && isMisplaced(list, items) && isNumbered(list.reading.rules)) {
    const repairs = pageRepairs(entryOf(exam.contract, ref.kind), exam.contract, ref.kind);
    const repaired = await tryRepairs(exam, list, repairs, "an empty first page, though the answer counts objects");
    if (repaired) return repaired;
  }
  return locateRecords(exam, list);
}

async function onFailure(exam: Examination, list: AnsweredList): Promise<ListOutcome> {
  const { ref, answer, reading } = list;
  const reason = answer.failure ? describeFailure(answer.failure) : "";
  const { sort } = answer.failure ?? {};
  if (isSpent(exam.probe) || sort === "unreachable" || sort === "untrusted") return { is: "failed", reason };
  if (reading.isSingle && sort === "not_found" && isBaseKnown(exam))
    return { is: "nothing", reason: `status 404: there is none, or the path is wrong` };
  if (sort === "rate_limited" || sort === "server_error" || sort === "forbidden") return { is: "failed", reason };
  const found = found404(answer.status, reason);
  const other = sort === "not_found" && isBaseKnown(exam) && (await readByOtherId(exam, list));
  if (other) return locateRecords(exam, other);
  const wanted = sort === "invalid" ? wantedQuery(exam, list) : undefined;
  const repairs = [...(wanted?.repairs ?? []), ...repairsOf(exam, ref, sort)];
  const repaired = await tryRepairs(exam, list, repairs, found);
  if (repaired) return repaired;
  const hint = wanted?.hint ?? (sort === "not_found" ? hintOfParent(exam, list) : undefined);
  if (isBaseKnown(exam) || wanted)
    refute(exam, { path: listPath(ref), expected: `a list at ${list.path}`, found, hint });
  return { is: "failed", reason };
}

const listPath = ({ kind }: ListRef): EntryPath => ["kinds", kind.name, "operations", "list"];

/** Reads a list by the id of its parent that stands at another place; undefined if that gives none. */
async function readByOtherId(exam: Examination, list: AnsweredList): Promise<AnsweredList | undefined> {
  const parent = otherId(exam, list);
  const other = parent && (await tryRepair({ ...exam, found: parent.found }, parent.ref, parent.write));
  if (!other) return undefined;
  const { path, at, near, write, found } = parent;
  refute(exam, {
    path,
    expected: `the id by which ${list.path.slice(0, 100)} is a list at ${at}`,
    found: `404; a list at ${other.path.slice(0, 100)}, by the value at ${near}`,
    write,
  });
  for (const [address, object] of found) exam.found.set(address, object);
  return other;
}

/** Asks for a list that may not be there at the other paths that it may have. */
export async function examineAbsence(exam: Examination, ref: ListRef): Promise<ListOutcome | undefined> {
  const asked = fillList(exam, exam.contract, ref);
  return asked && tryRepairs(exam, asked, pathRepairs(entryOf(exam.contract, ref.kind), ref.kind), "404");
}

/** Reads a list by the first repair that gives one; undefined if none does. */
async function tryRepairs(
  exam: Examination,
  { ref, path: asked }: AskedList,
  repairs: readonly Repair[],
  found: string,
): Promise<ListOutcome | undefined> {
  for (const { path, write } of repairs) {
    const other = await tryRepair(exam, ref, write);
    if (!other) continue;
    refute(exam, { path, expected: `a list at ${asked}`, found, write });
    return locateRecords(exam, other);
  }
  return undefined;
}

const found404 = (status: number | undefined, reason: string) => (status === 404 ? "404" : reason.slice(0, 300));

/** Whether an answer has shown that the base path is right. */
export const isBaseKnown = ({ probe }: Examination): boolean =>
  probe.answers().some(({ failure }) => failure === undefined);

function repairsOf(exam: Examination, { kind }: ListRef, sort: string | undefined): Repair[] {
  const entry = entryOf(exam.contract, kind);
  const paths = pathRepairs(entry, kind);
  if (sort !== "not_found") return [...pageRepairs(entry, exam.contract, kind), ...queryRepairs(entry, kind), ...paths];
  return isBaseKnown(exam) ? paths : [...baseRepairs(exam.contract), ...paths].slice(0, 9);
}

/** Asks for a list by a repaired contract; undefined if that gives no list, or one of something else. */
export async function tryRepair(exam: Examination, ref: ListRef, write: JsonObject): Promise<AnsweredList | undefined> {
  const contract = overlaid(exam.contract, write);
  const asked = isSpent(exam.probe) ? undefined : fillList(exam, contract, ref);
  if (!asked) return undefined;
  const answer = await askPage(exam, asked);
  if (answer.failure) return undefined;
  const list = { ...asked, answer };
  const items = recordsAt(list.reading, list.reading.rules, answer.body) ?? bestPlace(contract, list)?.items;
  // An empty page beside a count shows nothing.
  return items && !isMisplaced(list, items) && looksRight(contract, ref, items) ? list : undefined;
}

/** Whether records are of a kind: they have about a third of its fields at least. */
const looksRight = (contract: Contract, { kind, scope }: ListRef, items: readonly JsonObject[]) =>
  items.length === 0 || shareOfFields({ entry: entryOf(contract, kind), kind, key: scope }, items) > 0.3;

interface ItemsPlace {
  readonly pointer: Pointer;
  readonly items: readonly JsonObject[];
  readonly keyedBy?: Pointer;
}

/** Returns the place of an answer where the records of a list most likely stand. */
function bestPlace(contract: Contract, { ref, reading, answer }: AnsweredList): ItemsPlace | undefined {
  const entry = entryOf(contract, ref.kind);
  const nameAt = Object.values(entry.fields)[0]?.at;
  const places: ItemsPlace[] = [["", answer.body] as const, ...pointersIn(answer.body)].flatMap(([pointer, value]) => {
    const rules = { ...reading.rules, answer: { ...reading.rules.answer, list: pointer, record: pointer } };
    const items = recordsAt(reading, rules, answer.body);
    if (items && !(reading.isSingle && Array.isArray(value))) return [{ pointer, items }];
    const keyed = reading.isSingle || nameAt === undefined ? undefined : objectOfRecords(value);
    return keyed && nameAt !== undefined ? [{ pointer, items: keyed, keyedBy: nameAt }] : [];
  });
  const score = ({ items }: ItemsPlace) =>
    items.length === 0 ? 0.1 : shareOfFields({ entry, kind: ref.kind, key: ref.scope }, items);
  return places
    .map((place) => ({ place, share: score(place) }))
    .filter(({ place, share }) => share > 0.2 || (place.items.length === 0 && !reading.isSingle))
    .toSorted((a, b) => b.share - a.share)[0]?.place;
}

function objectOfRecords(value: Json): readonly JsonObject[] | undefined {
  const records = isObject(value) ? Object.values(value) : [];
  return records.length > 0 && records.every((each) => isObject(each)) ? records : undefined;
}

/** Finds the records in an answer of success. */
function locateRecords(exam: Examination, list: AnsweredList): ListOutcome {
  const { reading, answer, ref } = list;
  const { kind } = ref;
  const rule = reading.isSingle ? "record" : "list";
  const { answer: rules, failed_when: condition } = { ...reading.rules, ...reading.rules.answer };
  const items = recordsAt(reading, reading.rules, answer.body);
  const other = items && !isMisplaced(list, items) ? undefined : bestPlace(exam.contract, list);
  const path = ["kinds", kind.name, "operations", "list"];
  if (items && (other === undefined || other.pointer === rules[rule])) {
    const written = writtenAt(exam, kind.name, "list", ["answer", rule]);
    if (items.length > 0) confirm(exam, written);
    for (const each of [path, ["base_path"]]) confirm(exam, each);
    return { is: "read", list: { ...list, items } };
  }
  const pointer = rules[rule];
  const expected = `${reading.isSingle ? "an object" : "a list"} at ${placeText(pointer)}`;
  if (!other) {
    const failed = condition && getPointer(answer.body, condition.pointer);
    const found =
      failed === undefined ? `none in the answer of ${answer.path.slice(0, 200)}` : `a failure in ${answer.path}`;
    refute(exam, { path: ruleAt(exam, kind.name, "list", ["answer", rule]), expected, found });
    return { is: "failed", reason: found };
  }
  return relocate(exam, list, other, expected);
}

function relocate(exam: Examination, list: AnsweredList, other: ItemsPlace, expected: string): ListOutcome {
  const { reading, answer, ref } = list;
  const rule = reading.isSingle ? "record" : "list";
  const wrong = reading.rules.answer[rule];
  const operation = ["kinds", ref.kind.name, "operations", "list"];
  const path =
    other.pointer === wrong ? [...operation, "keyed_by"] : ruleAt(exam, ref.kind.name, "list", ["answer", rule]);
  const write = other.pointer === wrong ? nested(path, other.keyedBy ?? "") : nested(path, other.pointer);
  const found = `${counted(other.items.length, "object")} at ${placeText(other.pointer)}`;
  refute(exam, { path, expected, found, write });
  confirm(exam, operation);
  confirm(exam, ["base_path"]);
  const asked = fillList(exam, exam.contract, ref);
  const items = asked && recordsAt(asked.reading, rulesOf(exam.contract, ref.kind.name, "list"), answer.body);
  return items
    ? { is: "read", list: { ...asked, answer, items } }
    : { is: "failed", reason: `its list stands at ${other.pointer}` };
}

/** Whether a list is empty, though the answer counts objects. */
function isMisplaced({ reading: { rules, isSingle }, answer }: AnsweredList, items: readonly JsonObject[]): boolean {
  const { total: at, total_header: header } = rules.paging;
  const total = at === undefined ? answer.head?.header(header) : getPointer(answer.body, at);
  return !isSingle && items.length === 0 && Number(jsonText(total)) > 0;
}

/** Returns repairs of a list that holds objects of other scopes. */
export const scopeRepairs = (exam: Examination, { kind }: ListRef): Repair[] =>
  queryRepairs(entryOf(exam.contract, kind), kind);
