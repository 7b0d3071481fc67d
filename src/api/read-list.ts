import { inParallel } from "../lib/in-parallel.ts";
import type { JsonObject } from "../model/json.ts";
import type { Failure } from "../model/failure.ts";
import type { DetailReading, ListReading } from "../model/list-reading.ts";
import type { Reader } from "./connection.ts";
import { describeFailure } from "./network-failure.ts";
import { fillRequest, type IdNow } from "./fill-request.ts";
import { type Listing, failed, type ListRequest, otherStatus } from "./read-page.ts";
import { noRecord, recordIn } from "./response.ts";
import type { ApiRules } from "../model/contract.ts";
import { listCounted } from "./list-counted.ts";
import { isNumbered, listInTurn } from "./list-in-turn.ts";
import { isCounted } from "../model/paging.ts";

/** Reads a list, and the records that it holds only a part of; leaves out those that do not count. Its count is that of the whole list. */
export async function readList(reader: Reader, reading: ListReading, idOf: IdNow): Promise<Listing> {
  const { rules, isSingle, accepts = () => true, detail } = reading;
  // A value of a parent's record that is not there.
  if (Object.values(reading.request.params).includes(""))
    return { items: [], reads: 0, incomplete: `a parameter of ${reading.request.path} has no value` };
  const { path, query } = fillRequest(reading.request, idOf);
  const list = () =>
    isSingle
      ? listSingle(reader, rules, path, query)
      : listAll(reader, rules, { ...reading, path, query, template: reading.request.path });
  const listing = await list();
  const items = listing.items.filter(accepts);
  if (!detail) return { ...listing, items };
  // A part of a record is not an object to compare with.
  if (listing.incomplete !== undefined) return { ...listing, items: [] };
  const read = await readDetails(reader, detail, items, idOf);
  const reads = listing.reads + read.reads;
  const whole = read.items.filter(accepts);
  if (read.gone.length === 0 || read.incomplete !== undefined) return { ...read, items: whole, reads };
  const again = await list();
  const listed = new Set(again.items.map(reading.idOf));
  const incomplete = again.incomplete ?? stillListed(read.gone.map(reading.idOf).find((id) => listed.has(id)));
  return {
    items: whole,
    reads: reads + again.reads,
    ...(incomplete !== undefined && { incomplete, moved: true }),
    ...(again.failure && { failure: again.failure }),
  };
}

/** An object that is gone is no longer listed; else the address is wrong at which it was read. */
const stillListed = (id: string | undefined) =>
  id === undefined ? undefined : `the object ${id} is listed, and is not there where it is read by itself`;

/** Records of one list that are read side by side at most. */
const detailConcurrency = 8;
/** Records of one list that are read by themselves at most. */
const mostDetails = 2_000;

interface Details extends Listing {
  /** The items of the list whose objects were not there. */
  readonly gone: readonly JsonObject[];
}

async function readDetails(
  reader: Reader,
  { rules, requestOf, complete }: DetailReading,
  items: readonly JsonObject[],
  idOf: IdNow,
): Promise<Details> {
  if (items.length > mostDetails) {
    const incomplete = `it holds ${items.length} objects that are read one by one, and at most ${mostDetails} are`;
    return { items: [], gone: [], reads: 0, incomplete };
  }
  const gone: JsonObject[] = [];
  let broken: { readonly incomplete: string; readonly failure?: Failure } | undefined;
  let reads = 0;
  const whole = await inParallel(items, detailConcurrency, async (item) => {
    if (broken) return undefined;
    const request = requestOf(item);
    if (!request) {
      broken = { incomplete: "an object came without a usable id" };
      return undefined;
    }
    const { path, query } = fillRequest(request, idOf);
    reads += 1;
    const answer = await reader.get({ path, query, rules });
    if (!answer.ok) {
      if (answer.error.sort === "not_found") gone.push(item);
      else broken ??= { incomplete: describeFailure(answer.error), failure: answer.error };
      return undefined;
    }
    const record = recordIn(rules, answer.value.body);
    const own = record && complete(item, record);
    if (!own) broken ??= { incomplete: `GET ${path}: ${record ? "the answer is another object" : noRecord(rules)}` };
    return own;
  });
  return { items: whole.filter((item) => item !== undefined), gone, reads, ...broken };
}

/** Reads a list that is one object at most: its record, or 404 where there is none. */
export async function listSingle(
  reader: Reader,
  rules: ApiRules,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Listing> {
  const result = await reader.get({ path, query, rules });
  if (!result.ok) return result.error.sort === "not_found" ? { items: [], reads: 1 } : failed([], 1, result.error);
  const record = recordIn(rules, result.value.body);
  if (record && result.value.status === 200) return { items: [record], reads: 1 };
  const reason = result.value.status === 200 ? noRecord(rules) : otherStatus(result.value.status);
  return { items: [], reads: 1, incomplete: `GET ${path}: ${reason}` };
}

/** Reads all pages of a list: side by side where the server counts the objects and numbers the pages, else one after the other. */
export function listAll(reader: Reader, rules: ApiRules, request: ListRequest): Promise<Listing> {
  // A record without an id is distinguished by all that it holds.
  const list = { ...request, idOf: (item: JsonObject) => request.idOf(item) || JSON.stringify(item) };
  return isNumbered(rules) && isCounted(rules) ? listCounted(reader, rules, list) : listInTurn(reader, rules, list);
}
