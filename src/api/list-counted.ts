import { counted } from "../lib/shorten.ts";
import { inParallel } from "../lib/in-parallel.ts";
import type { ApiRules } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { JsonObject } from "../model/json.ts";
import type { Reader } from "./connection.ts";
import {
  checked,
  failed,
  isMissingPage,
  type Listing,
  type ListRequest,
  mostPages,
  type ListPage,
  pageQuery,
  pagePlace,
  readPage,
} from "./read-page.ts";

/** Pages of one list that are asked for side by side at most; how many are under way in all is up to the connection. */
const pageConcurrency = 32;

/**
 * Reads all pages of a list that the server counts: the first tells the total, the others are fetched side by side. Where there are
 * several, the first is read again at the end: what was taken out meanwhile would have moved an object from one page to another unseen.
 * Where the last page is full, the page after it is read too: a total may be wrong by just that page. A list that cannot be whole any
 * more is not read on.
 */
export async function listCounted(reader: Reader, rules: ApiRules, list: ListRequest): Promise<Listing> {
  const { idOf } = list;
  const page = (number: number, size?: number) =>
    readPage(reader, rules, list, {
      path: list.path,
      query: pageQuery(rules, list, pagePlace(rules, number, (number - 1) * (size ?? 0))),
      goesOn: size !== undefined,
    });
  const read = await page(1);
  if (!read.ok) return failed([], 1, read.error);
  const first = read.value;
  const size = first.items.length;
  const pages = countPages(first);
  if (typeof pages === "string") return { items: first.items, reads: 1, incomplete: pages };
  const { template = list.path } = list;
  const most = reader.fullest?.get(template) ?? 0;
  reader.fullest?.set(template, Math.max(size, most));
  // Where no size of pages is asked for or stated, a single page that holds as many as the total is believed.
  const isBelieved = pages === 1 && rules.paging.size === undefined && first.size === undefined;
  const isFull = !isBelieved && isLastFull(first, pages, most);
  const endsHere = (listing: Listing) =>
    isFull ? checkBeyond(listing, first, () => page(pages + 1, size), idOf) : listing;
  if (pages === 1) return endsHere(checked({ pages: [first], again: first, reads: 1 }, idOf));
  const others = await readOthers(first, pages, (number) => page(number, size), idOf);
  const reads = 1 + others.length;
  const [broken] = others.flatMap((each) => (each.ok ? [] : [each.error]));
  if (broken && !isMissingPage(broken)) return failed(first.items, reads, broken);
  const whole = [first, ...others.flatMap((each) => (each.ok ? [each.value] : []))];
  if (whole.length < pages && !broken) return checked({ pages: whole, again: first, reads, isOver: true }, idOf);
  const again = await page(1, size);
  if (!again.ok) return failed(first.items, reads + 1, again.error);
  // The page is gone because the list is shorter now, or the server does not know its own pages.
  if (broken && again.value.total === first.total) return failed(first.items, reads + 1, broken);
  return endsHere(checked({ pages: whole, again: again.value, reads: reads + 1 }, idOf));
}

/**
 * Returns whether no more objects may fit on the last page. A server that does not say how many a page holds may hold back any number,
 * unless a page of such a list has held more: `most`.
 */
function isLastFull({ items, total = 0, size }: ListPage, pages: number, most: number): boolean {
  if (items.length === 0) return false;
  return pages > 1 ? total % items.length === 0 : items.length >= (size ?? most);
}

/**
 * Returns the listing, which is not whole if the page after its last holds an object that it does not hold. A server may also answer
 * that there is no such page, or repeat another.
 */
async function checkBeyond(
  listing: Listing,
  { total: stated = 0 }: ListPage,
  readBeyond: () => Promise<Result<ListPage>>,
  idOf: (item: JsonObject) => string,
): Promise<Listing> {
  if (listing.incomplete !== undefined) return listing;
  const read = await readBeyond();
  const reads = listing.reads + 1;
  if (!read.ok) return isMissingPage(read.error) ? { ...listing, reads } : failed(listing.items, reads, read.error);
  const { items, total } = read.value;
  const known = new Set(listing.items.map(idOf));
  const more = items.filter((item) => !known.has(idOf(item))).length;
  const moved = total !== stated;
  if (!moved && more === 0) return { ...listing, reads };
  const beyond = moved
    ? `then ${total}: the list changed while it was read`
    : `and the page after its last holds ${counted(more, "object")} more`;
  const incomplete = `the server counts ${counted(stated, "object")}, ${beyond}`;
  return { ...listing, reads, incomplete, ...(moved && { moved }) };
}

/** Returns the number of pages, or the reason why it cannot be right. */
function countPages({ items, total = 0, size = 0 }: ListPage): number | string {
  // The server may give less than was asked for, so the first page tells the size.
  const pages = items.length === 0 ? 1 : Math.ceil(total / items.length);
  if (pages > 1 && items.length < size)
    return `the server counts ${counted(total, "object")}, ${size} on a page, and its first page held ${items.length}`;
  return pages > mostPages ? `the server counts ${counted(total, "object")}, on ${pages} pages` : pages;
}

/** Reads the pages after the first, and none more once one has failed, or does not go with the first. */
async function readOthers(
  first: ListPage,
  pages: number,
  page: (number: number) => Promise<Result<ListPage>>,
  idOf: (item: JsonObject) => string,
): Promise<readonly Result<ListPage>[]> {
  let isOver = false;
  const numbers = Array.from({ length: pages - 1 }, (_, index) => index + 2);
  const read = await inParallel(numbers, pageConcurrency, async (number) => {
    if (isOver) return undefined;
    const result = await page(number);
    isOver ||= !result.ok || !isConsistentPage(first, result.value, number === pages, idOf);
    return result;
  });
  return read.filter((each) => each !== undefined);
}

/** Whether a page can be a later one of the same list: as long as the first, unless it is the last, and not the first again. */
function isConsistentPage(
  first: ListPage,
  page: ListPage,
  isLast: boolean,
  idOf: (item: JsonObject) => string,
): boolean {
  const [start] = page.items;
  const [firstStart] = first.items;
  const isFirst = start && firstStart && idOf(start) === idOf(firstStart);
  return page.total === first.total && (isLast || page.items.length === first.items.length) && isFirst !== true;
}
