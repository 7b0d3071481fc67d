import { fillRequest } from "../api/fill-request.ts";
import { recordIn } from "../api/response.ts";
import { readRequest } from "../contract/binding.ts";
import { decodeRecord, textAt } from "../contract/decode-record.ts";
import { entryOf } from "../contract/entry.ts";
import { isInMember, lacksIds } from "../contract/sets.ts";
import type { KindContract, Pointer } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { listBinding, isSegment } from "./ask-list.ts";
import {
  confirm,
  type Examination,
  leaveUntested,
  nested,
  refute,
  ruleAt,
  rulesFor,
  writtenAt,
} from "./examination.ts";
import type { ReadList } from "./examine-list.ts";
import { shareOfFields } from "./judge/judge-fields.ts";
import { idPlaces, unusualIdPlaces } from "./judge/id-places.ts";
import { lastToken, pointersIn, valuesByPointer } from "./judge/pointers.ts";
import { counted, placeText, jsonTypeOf } from "./judge/say.ts";
import type { ProbeAnswer } from "./probe.ts";

/** Records of a list, and one of them as it is read by itself. */
export interface WholeRecords {
  readonly records: readonly JsonObject[];
  /** The first record by itself; undefined if it was not read. */
  readonly single?: JsonObject;
}

/** Objects of a list that holds poor records that are read by themselves at most. */
const mostDetails = 3;

/** Judges the id of a kind, and reads the first object by it. */
export async function examineObject(
  exam: Examination,
  list: ReadList,
  records: readonly JsonObject[],
): Promise<WholeRecords> {
  const { kind } = list.ref;
  judgeId(exam, list, records);
  const entry = entryOf(exam.contract, kind);
  const path = ["kinds", kind.name, "operations", "read"];
  if (!entry.operations.read || list.reading.isSingle) return { records };
  if (lacksIds(entry, kind)) {
    leaveUntested(exam, path, "its objects have no ids of their own");
    return { records };
  }
  if (entry.operations.list.detail) return readDetails(exam, list, records);
  const [first = {}] = records;
  const answer = await readById(exam, list, first, entry);
  if (!answer) return { records };
  if (answer.failure) return { records, ...(await findId(exam, list, first, answer)) };
  const single = locateRecord(exam, list, first, answer);
  return { records, ...(single && { single }) };
}

async function readDetails(exam: Examination, list: ReadList, items: readonly JsonObject[]): Promise<WholeRecords> {
  const whole: JsonObject[] = [];
  for (const item of items.slice(0, mostDetails)) {
    const answer = await readById(exam, list, item, entryOf(exam.contract, list.ref.kind));
    if (!answer) break;
    const found = answer.failure
      ? (await findId(exam, list, item, answer))?.single
      : locateRecord(exam, list, item, answer);
    if (!found) break;
    const { detail } = list.reading;
    whole.push(detail?.complete(item, found) ?? found);
  }
  return { records: whole };
}

/** Reads an object by its id; undefined if the request cannot be made. */
async function readById(
  exam: Examination,
  { ref }: ReadList,
  item: JsonObject,
  entry: KindContract,
): Promise<ProbeAnswer | undefined> {
  const { kind, scope } = ref;
  const contract = { ...exam.contract, kinds: { ...exam.contract.kinds, [kind.name]: entry } };
  const { key } = decodeRecord(contract, kind, item, { scope });
  const id = textAt(item, entry.id ?? "/");
  const request = id === "" ? undefined : readRequest(listBinding(exam, contract, ref), kind, { ...key, ...scope }, id);
  if (!request || !Object.values(request.params).every((param) => typeof param === "string" && isSegment(param)))
    return undefined;
  const { path, query } = fillRequest(request, () => "");
  return exam.probe.ask(rulesFor({ ...exam, contract }, kind, "read"), path, query);
}

/** Judges the place of the id, by the records of a list. */
function judgeId(exam: Examination, { ref, reading }: ReadList, records: readonly JsonObject[]): void {
  const { kind } = ref;
  const entry = entryOf(exam.contract, kind);
  const { id, etag } = entry;
  const path = ["kinds", kind.name, "id"];
  if (etag !== undefined && !reading.isSingle) judgeEtag(exam, ref.kind.name, etag, records);
  if (id === undefined) return;
  const ids = records.map((record): string => textAt(record, id));
  const isUnique = new Set(ids).size === ids.length || (kind.members !== undefined && !isInMember(entry, id));
  if (!ids.includes("") && isUnique) return;
  const [near] = [...idPlaces(entry, records), ...unusualIdPlaces(entry, records)];
  const found = ids.every((each) => each === "")
    ? jsonTypeOf(getPointer(records[0] ?? {}, id))
    : "the same value in two objects";
  const other = near === undefined ? "" : `; another value for each object at ${near}`;
  refute(exam, {
    path,
    expected: `the id of each object at ${id}`,
    found: `${found}${other}`,
    write: near === undefined ? undefined : nested(path, near),
  });
}

function judgeEtag(exam: Examination, kind: string, etag: Pointer, records: readonly JsonObject[]): void {
  const path = ["kinds", kind, "etag"];
  if (records.some((record) => getPointer(record, etag) !== undefined)) return confirm(exam, path);
  const near = [...valuesByPointer(records).keys()].find((each) => /^_?etag$/iu.test(lastToken(each)));
  if (near === undefined)
    return leaveUntested(exam, path, `nothing at ${etag} in ${counted(records.length, "object")}`);
  refute(exam, {
    path,
    expected: `an ETag at ${etag}`,
    found: `nothing there; a value at ${near}`,
    write: nested(path, near),
  });
}

/** Ids at other places by which an object is asked for at most. */
const mostIds = 3;

/** Finds the id by which an object can be read, after its own was refused; or the path. */
async function findId(
  exam: Examination,
  list: ReadList,
  item: JsonObject,
  refused: ProbeAnswer,
): Promise<{ readonly single: JsonObject } | undefined> {
  const { kind } = list.ref;
  const entry = entryOf(exam.contract, kind);
  const status = `status ${refused.status ?? "none"} for ${refused.path.slice(0, 100)}`;
  const path = ["kinds", kind.name, "operations", "read"];
  if (refused.failure?.sort !== "not_found" && refused.failure?.sort !== "invalid") {
    leaveUntested(exam, path, status);
    return undefined;
  }
  for (const id of idPlaces(entry, [item]).slice(0, mostIds)) {
    const answer = await readById(exam, list, item, { ...entry, id });
    if (!answer || answer.failure) continue;
    const at = ["kinds", kind.name, "id"];
    refute(exam, {
      path: at,
      expected: `the id of each object at ${entry.id}`,
      found: `${status}; an id at ${id}`,
      write: nested(at, id),
    });
    const single = locateRecord(exam, list, item, answer);
    return single && { single };
  }
  for (const write of readRepairs(entry)) {
    const operations = { ...entry.operations, read: { method: "GET" as const, ...entry.operations.read, path: write } };
    const answer = await readById(exam, list, item, { ...entry, operations });
    if (!answer || answer.failure) continue;
    refute(exam, {
      path,
      expected: "the object that the list holds",
      found: status,
      write: nested(path, { path: write }),
    });
    const single = locateRecord(exam, list, item, answer);
    return single && { single };
  }
  refute(exam, { path, expected: "the object that the list holds", found: status });
  return undefined;
}

/** Returns paths at which an object may be read instead: those of its update and deletion, and below its list. */
function readRepairs({ operations: { read, list, update, delete: remove } }: KindContract): string[] {
  const paths = [update?.path, remove?.path, `${list.path}/{id}`].filter((path) => path !== undefined);
  return [...new Set(paths)].filter((path) => path !== read?.path && path.includes("{id}")).slice(0, 2);
}

/** Finds the record in the answer to the read of an object. */
function locateRecord(
  exam: Examination,
  list: ReadList,
  item: JsonObject,
  answer: ProbeAnswer,
): JsonObject | undefined {
  const { kind, scope } = list.ref;
  const rules = rulesFor(exam, kind, "read");
  const entry = entryOf(exam.contract, kind);
  const { id = "" } = entry;
  const isIt = (record: JsonObject) => id !== "" && textAt(record, id) === textAt(item, id);
  const record = recordIn(rules, answer.body);
  const path = ["kinds", kind.name, "operations", "read"];
  const spelt = { entry, kind, key: scope };
  if (record && (isIt(record) || shareOfFields(spelt, [record]) > 0.5)) {
    for (const each of [path, ["kinds", kind.name, "id"], writtenAt(exam, kind.name, "read", ["answer", "record"])])
      confirm(exam, each);
    return record;
  }
  const places = [["", answer.body] as const, ...pointersIn(answer.body)].flatMap(([pointer]) => {
    const found = recordIn({ ...rules, answer: { ...rules.answer, record: pointer } }, answer.body);
    return found && (isIt(found) || shareOfFields(spelt, [found]) > 0.5) ? [{ pointer, found }] : [];
  });
  const [best] = places.toSorted((a, b) => shareOfFields(spelt, [b.found]) - shareOfFields(spelt, [a.found]));
  const at = ruleAt(exam, kind.name, "read", ["answer", "record"]);
  const expected = `an object at ${placeText(rules.answer.record)}`;
  const found = best
    ? `the object at ${placeText(best.pointer)}`
    : `none in the answer of ${answer.path.slice(0, 100)}`;
  refute(exam, { path: at, expected, found, write: best && nested(at, best.pointer) });
  if (!best) return undefined;
  confirm(exam, path);
  return best.found;
}
