import type { ApiRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import type { Reader } from "./connection.ts";
import { describeFailure } from "./describe-failure.ts";
import { recordIn } from "./response.ts";

/** A whole list, or what was read of it and why it is not whole. */
export interface Listing {
  readonly items: readonly JsonObject[];
  readonly reads: number;
  readonly incomplete?: string;
  /** It is not whole because it changed while it was read: read again, it may be. */
  readonly moved?: true;
  readonly failure?: Failure;
}

/** Reads a list that is one object at most: its record, or 404 where there is none. */
export async function listSingle(
  reader: Reader,
  rules: ApiRules,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Listing> {
  const result = await reader.get({ path, query });
  if (!result.ok) return result.error.sort === "not_found" ? { items: [], reads: 1 } : failed([], 1, result.error);
  const record = recordIn(rules, result.value.body);
  if (result.value.status !== 200)
    return { items: [], reads: 1, incomplete: `GET ${path}: ${otherStatus(result.value.status)}` };
  if (record) return { items: [record], reads: 1 };
  return { items: [], reads: 1, incomplete: `GET ${path}: no record at ${rules.answer.record} of the answer` };
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly total: number;
  /** How many objects the server says that a page holds. */
  readonly size: number | undefined;
}

/** More than any account has; a total beyond it is a mistake of the server, not a reason to ask for it. */
const mostPages = 10_000;
/** Pages of one list that are asked for side by side at most; how many are under way in all is up to the connection. */
const pageConcurrency = 32;

/** A list to be read: `idOf` tells one object of it from another. */
export interface ListRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly idOf: (item: JsonObject) => string;
}

/**
 * Reads all pages of a list: the first tells the total, the others are fetched side by side. Where there are
 * several, the first is read again at the end: what was taken out meanwhile would have moved an object from one page to another unseen.
 * Where the last page is full, the page after it is read too: a total may be wrong by just that page. A list that cannot be whole any
 * more is not read on.
 */
export async function listAll(reader: Reader, rules: ApiRules, { path, query, idOf }: ListRequest): Promise<Listing> {
  const { paging } = rules;
  const page = (number: number) =>
    readPage(reader, rules, path, {
      ...query,
      ...(paging.page !== undefined && { [paging.page]: String(number) }),
      ...(paging.size !== undefined && { [paging.size]: String(paging.max_size) }),
    });
  const first = await page(1);
  if (!first.ok) return failed([], 1, first.error);
  const pages = countPages(first.value);
  if (typeof pages === "string") return { items: first.value.items, reads: 1, incomplete: pages };
  const isFull = isLastFull(first.value, pages);
  const endsHere = (listing: Listing) =>
    isFull ? checkBeyond(listing, first.value, () => page(pages + 1), idOf) : listing;
  if (pages === 1) return endsHere(checked({ pages: [first.value], again: first.value, reads: 1 }, idOf));
  const others = await readOthers(first.value, pages, page, idOf);
  const reads = 1 + others.length;
  const broken = others.find((each) => !each.ok);
  if (broken && !broken.ok) return failed(first.value.items, reads, broken.error);
  const whole = [first, ...others].flatMap((each) => (each.ok ? [each.value] : []));
  if (whole.length < pages) return checked({ pages: whole, again: first.value, reads, isOver: true }, idOf);
  const again = await page(1);
  if (!again.ok) return failed(first.value.items, reads + 1, again.error);
  return endsHere(checked({ pages: whole, again: again.value, reads: reads + 1 }, idOf));
}

/** Returns whether no more objects fit on the last page. A server that does not say how many a page holds may hold back any number. */
function isLastFull({ items, total, size }: Page, pages: number): boolean {
  if (items.length === 0) return false;
  return pages > 1 ? total % items.length === 0 : items.length >= (size ?? 0);
}

/**
 * Returns the listing, which is not whole if the page after its last holds an object that it does not hold. A server may also answer
 * that there is no such page, or repeat another.
 */
async function checkBeyond(
  listing: Listing,
  first: Page,
  readBeyond: () => Promise<Result<Page>>,
  idOf: (item: JsonObject) => string,
): Promise<Listing> {
  if (listing.incomplete !== undefined) return listing;
  const read = await readBeyond();
  const reads = listing.reads + 1;
  if (!read.ok)
    return ["not_found", "invalid"].includes(read.error.sort)
      ? { ...listing, reads }
      : failed(listing.items, reads, read.error);
  const { items, total } = read.value;
  const counted = `the server counts ${objects(first.total)}`;
  if (total !== first.total)
    return {
      ...listing,
      reads,
      incomplete: `${counted}, then ${total}: the list changed while it was read`,
      moved: true,
    };
  const known = new Set(listing.items.map(idOf));
  const more = items.filter((item) => !known.has(idOf(item))).length;
  return more === 0
    ? { ...listing, reads }
    : { ...listing, reads, incomplete: `${counted}, and the page after its last holds ${objects(more)} more` };
}

/** How many pages there are, or why that cannot be. */
function countPages({ items, total, size = 0 }: Page): number | string {
  // The server may give less than was asked for, so the first page tells the size.
  const pages = items.length === 0 ? 1 : Math.ceil(total / items.length);
  if (pages > 1 && items.length < size)
    return `the server counts ${objects(total)}, ${size} on a page, and its first page held ${items.length}`;
  return pages > mostPages ? `the server counts ${objects(total)}, on ${pages} pages` : pages;
}

/** Reads the pages after the first, and none more once one has failed, or does not go with the first. */
async function readOthers(
  first: Page,
  pages: number,
  page: (number: number) => Promise<Result<Page>>,
  idOf: (item: JsonObject) => string,
): Promise<readonly Result<Page>[]> {
  const read: Result<Page>[] = [];
  let next = 2;
  let isOver = false;
  const readLane = async () => {
    while (!isOver && next <= pages) {
      const number = next;
      next += 1;
      const result = await page(number);
      read[number - 2] = result;
      isOver ||= !result.ok || !isConsistentPage(first, result.value, number === pages, idOf);
    }
  };
  await Promise.all(Array.from({ length: Math.min(pageConcurrency, pages - 1) }, readLane));
  return read.filter((each) => each !== undefined);
}

/** Whether a page can be a later one of the same list: as long as the first, unless it is the last, and not the first again. */
function isConsistentPage(first: Page, page: Page, isLast: boolean, idOf: (item: JsonObject) => string): boolean {
  const [start] = page.items;
  const [firstStart] = first.items;
  const isFirst = start && firstStart && idOf(start) === idOf(firstStart);
  return page.total === first.total && (isLast || page.items.length === first.items.length) && isFirst !== true;
}

interface ReadPages {
  readonly pages: readonly Page[];
  /** The first page as it was read at the end. */
  readonly again: Page;
  readonly reads: number;
  /** The list was not read on. */
  readonly isOver?: boolean;
}

/** A listing that is whole only if its count is the server's and nothing moved while it was read. */
function checked({ pages, again, reads, isOver = false }: ReadPages, idOf: ListRequest["idOf"]): Listing {
  const items = pages.flatMap((page) => page.items);
  const total = pages[0]?.total ?? 0;
  const ids = (page: Page | undefined) => JSON.stringify(page?.items.map(idOf));
  const moved = pages.some((page) => page.total !== total) || again.total !== total || ids(again) !== ids(pages[0]);
  if (!moved && items.length === total) return { items, reads };
  const meanwhile = moved
    ? ", and the list changed while it was read"
    : isOver
      ? ", and the pages contradict each other"
      : "";
  const counted = `the server counts ${objects(total)}, its pages held ${items.length}${meanwhile}`;
  return { items, reads, incomplete: counted, ...(moved && { moved }) };
}

const objects = (count: number) => `${count} ${count === 1 ? "object" : "objects"}`;

const failed = (items: readonly JsonObject[], reads: number, failure: Failure): Listing => ({
  items,
  reads,
  failure,
  incomplete: describeFailure(failure),
});

const otherStatus = (status: number) =>
  `the server answered with status ${status}, and a whole list comes with 200: it may hold only a part`;

/** A server may give more than was asked for, but not without measure: so many times the size of a page. */
const longestPages = 10;

const isCount = (value: Json | undefined): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

async function readPage(
  reader: Reader,
  rules: ApiRules,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Result<Page>> {
  const result = await reader.get({ path, query });
  if (!result.ok) return result;
  const { body, status, requestId, attempts } = result.value;
  const items = getPointer(body, rules.answer.list);
  const total = rules.paging.total === undefined ? undefined : getPointer(body, rules.paging.total);
  const size = rules.paging.actual_size === undefined ? undefined : getPointer(body, rules.paging.actual_size);
  const most = longestPages * (rules.paging.max_size ?? 100);
  const isTooLong = Array.isArray(items) && items.length > most;
  if (status === 200 && Array.isArray(items) && !isTooLong && items.every(isObject) && isCount(total))
    return { ok: true, value: { items, total, size: isCount(size) ? size : undefined } };
  const message =
    status !== 200
      ? otherStatus(status)
      : isTooLong
        ? `the server sent a page of ${items.length} objects instead of ${rules.paging.max_size}`
        : `expected a list at ${rules.answer.list} and a count at ${rules.paging.total} of the answer`;
  const search = new URLSearchParams(query).toString();
  return {
    ok: false,
    error: {
      sort: "malformed",
      method: "GET",
      path: `${path}?${search}`,
      status,
      message,
      attempts,
      ...(requestId !== undefined && { requestId }),
    },
  };
}
