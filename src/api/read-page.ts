import { counted } from "../lib/shorten.ts";
import type { ApiRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { ListReading } from "../model/list-reading.ts";
import { isCounted } from "../model/paging.ts";
import { getPointer, isObject, setPointer } from "../model/json-pointer.ts";
import { pathOf, type Reader } from "./connection.ts";
import { describeFailure } from "./network-failure.ts";
import type { NextPage } from "./next-page.ts";
import type { ApiResponse } from "./response.ts";

/** A list to be read. */
export interface ListRequest extends Omit<PageRequest, "goesOn">, Pick<ListReading, "idOf" | "keyedBy" | "idAt"> {
  /** The path with its parameters: lists of one sort have pages of one size. Default: the path. */
  readonly template?: string;
}

/** A whole list, or what was read of it and why it is not whole. */
export interface Listing {
  readonly items: readonly JsonObject[];
  readonly reads: number;
  readonly incomplete?: string;
  /** It is not whole because it changed while it was read: read again, it may be. */
  readonly moved?: true;
  readonly failure?: Failure;
}

export interface ListPage {
  readonly items: readonly JsonObject[];
  /** Undefined where the API does not count. */
  readonly total: number | undefined;
  /** The number of objects that a page holds, as the server says. */
  readonly size: number | undefined;
  readonly next: NextPage | undefined;
}

/** More than any account has; a total beyond it is a mistake of the server, not a reason to ask for it. */
export const mostPages = 10_000;

/** A server may give more than was asked for, but not without measure: so many times the size of a page. */
const longestPages = 10;

/** A page to be asked for. `goesOn`: another of the list was read. */
export interface PageRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly goesOn?: boolean;
}

/** Reads one page; `query` has its place in the list. Fails if the answer is not a list, or lacks a count that it should have. */
export async function readPage(
  reader: Reader,
  rules: ApiRules,
  list: ListRequest,
  { path, query, goesOn = false }: PageRequest,
): Promise<Result<ListPage>> {
  const result = await reader.get({ path, query, rules, goesOn });
  if (!result.ok) return result;
  const { body, status, next, requestId, attempts } = result.value;
  const { actual_size: sizeAt } = rules.paging;
  const total = totalIn(rules, result.value);
  const found = getPointer(body, rules.answer.list);
  const items = itemsIn(found, list);
  const size = sizeAt === undefined ? undefined : getPointer(body, sizeAt);
  const isTooLong = items !== undefined && items.length > mostItems(rules);
  if (status === 200 && items && !isTooLong && (isCount(total) || !isCounted(rules)))
    return { ok: true, value: { items, total, size: isCount(size) ? size : undefined, next } };
  const message =
    status !== 200
      ? otherStatus(status)
      : isTooLong
        ? `the server sent a page of ${items.length} objects instead of ${rules.paging.max_size}`
        : expectedList(rules, list);
  const asked = { sort: "malformed", method: "GET", path: pathOf({ path, query }) } as const;
  return { ok: false, error: { ...asked, status, message, attempts, requestId } };
}

/** Returns the query of a page, by its place in the list: its number, the objects to skip, or a cursor. */
export const pageQuery = (
  { paging: { page, size, max_size: most } }: ApiRules,
  { query }: ListRequest,
  place: string | undefined,
): Record<string, string> => ({
  ...query,
  ...(page !== undefined && place !== undefined && { [page]: place }),
  ...(size !== undefined && most !== undefined && { [size]: String(most) }),
});

/** Returns the place of a page, `number` counted from 1, in the list: its number as the API counts, or the objects before it. */
export const pagePlace = ({ paging: { style, first = 1 } }: ApiRules, number: number, skip: number): string =>
  String(style === "offset" ? skip : number - 1 + first);

function totalIn({ paging }: ApiRules, { body, total }: ApiResponse): number | undefined {
  const stated = paging.total === undefined ? total : getPointer(body, paging.total);
  if (isCount(stated)) return stated;
  // A header is always a text.
  return paging.total === undefined && total !== undefined && /^\d{1,15}$/u.test(total) ? Number(total) : undefined;
}

const isCount = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** The largest page that is believed; an answer that is the whole list is bounded by its size alone. */
const mostItems = ({ paging: { style, max_size: size = Infinity } }: ApiRules): number =>
  style === "none" ? Infinity : longestPages * size;

/** Returns the records of a list, from what stands at its place; undefined if that is not a list of records. */
function itemsIn(
  found: Json | undefined,
  { keyedBy, idAt }: Pick<ListRequest, "keyedBy" | "idAt">,
): readonly JsonObject[] | undefined {
  if (keyedBy !== undefined && isObject(found)) {
    const entries = Object.entries(found);
    return allObjects(entries.map(([key, value]) => (isObject(value) ? setPointer(value, keyedBy, key) : value)));
  }
  // Some languages write an object without keys as an empty list.
  if (!Array.isArray(found) || (keyedBy !== undefined && found.length > 0)) return undefined;
  const items: readonly Json[] = found;
  return allObjects(idAt === undefined ? items : items.map((item) => (isId(item) ? setPointer({}, idAt, item) : item)));
}

const isId = (value: Json) => typeof value === "string" || typeof value === "number";

const allObjects = (items: readonly Json[]): readonly JsonObject[] | undefined =>
  items.every((item) => isObject(item)) ? items : undefined;

function expectedList({ answer, paging }: ApiRules, { keyedBy }: ListRequest): string {
  const place = answer.list === "" ? "the top" : answer.list;
  const list = keyedBy === undefined ? `a list at ${place}` : `an object of records at ${place}`;
  if (paging.total !== undefined) return `expected ${list} and a count at ${paging.total} of the answer`;
  const count = paging.total_header === undefined ? "" : `, and a count in the header ${paging.total_header}`;
  return `expected ${list} of the answer${count}`;
}

export const otherStatus = (status: number): string =>
  `the server answered with status ${status}, and a whole list comes with 200: it may hold only a part`;

export const failed = (items: readonly JsonObject[], reads: number, failure: Failure): Listing => ({
  items,
  reads,
  failure,
  incomplete: describeFailure(failure),
});

/** Some servers answer 404 or 400 where a page after the last is asked for by its number. */
export const isMissingPage = ({ sort }: Failure): boolean => sort === "not_found" || sort === "invalid";

interface ReadPages {
  readonly pages: readonly ListPage[];
  /** The first page as it was read at the end. */
  readonly again: ListPage | undefined;
  readonly reads: number;
  /** The list was not read on. */
  readonly isOver?: boolean;
}

/** Returns a listing that is whole only if its count is the server's, where it counts, and nothing moved while it was read. */
export function checked({ pages, again, reads, isOver = false }: ReadPages, idOf: ListRequest["idOf"]): Listing {
  const items = pages.flatMap((page) => page.items);
  const [first] = pages;
  const total = first?.total;
  const ids = (page: ListPage | undefined) => JSON.stringify(page?.items.map(idOf));
  const isOther = again !== undefined && (again.total !== total || ids(again) !== ids(first));
  const moved = pages.some((page) => page.total !== total) || isOther;
  if (!moved && (total === undefined || items.length === total)) return { items, reads };
  const meanwhile = moved
    ? ", and the list changed while it was read"
    : isOver
      ? ", and the pages contradict each other"
      : "";
  const incomplete =
    total === undefined
      ? `its pages held ${counted(items.length, "object")}${meanwhile}`
      : `the server counts ${counted(total, "object")}, its pages held ${items.length}${meanwhile}`;
  return { items, reads, incomplete, ...(moved && { moved }) };
}

/** One listing of several. `reads`: the requests before them. */
export function joinLists(listings: readonly Listing[], reads = 0): Listing {
  const broken = listings.find(({ incomplete }) => incomplete !== undefined);
  return {
    ...broken,
    items: listings.length === 1 ? (listings[0]?.items ?? []) : listings.flatMap(({ items }) => items),
    reads: listings.reduce((sum, listing) => sum + listing.reads, reads),
  };
}
