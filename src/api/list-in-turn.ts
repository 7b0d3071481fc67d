import { counted } from "../lib/shorten.ts";
import type { ApiRules } from "../model/contract.ts";
import type { Reader } from "./connection.ts";
import {
  checked,
  failed,
  isMissingPage,
  type Listing,
  type ListRequest,
  mostPages,
  type ListPage,
  type PageRequest,
  pageQuery,
  pagePlace,
  readPage,
} from "./read-page.ts";

/** The successor of a page: another one, the end (`isPart`: the page belongs to the list), or nothing, because the list is not whole. */
type Following =
  | { readonly is: "page"; readonly asked: PageRequest }
  | { readonly is: "end"; readonly isPart: boolean }
  | { readonly is: "broken"; readonly reason: string; readonly moved?: true };

/**
 * Reads a list page by page, where the next page is known only from the one before or nothing tells how many there are. Where several
 * pages held objects, the first is read again at the end.
 *
 * Proofs that a list which comes out whole is whole, by its style:
 * - any style with a total: it holds as many objects as the server counts, and neither the count nor the first page changed meanwhile;
 * - a cursor or link without a total: the server says that nothing follows. One that forgets to name the next page is not found out;
 * - pages or offsets without a total: a page came that was empty, a repetition, or short by a server that fills its pages. An object that
 *   was taken out of a page between the first and the last, so that another slipped there unseen, is not found out;
 * - one answer without a total: nothing. A server that cuts it short is not found out.
 */
export async function listInTurn(reader: Reader, rules: ApiRules, list: ListRequest): Promise<Listing> {
  const { idOf } = list;
  const place = isNumbered(rules) ? pagePlace(rules, 1, 0) : undefined;
  const start: PageRequest = { path: list.path, query: pageQuery(rules, list, place) };
  const walk: Walk = { rules, list, pages: [], known: new Set(), asked: new Set() };
  const items = () => walk.pages.flatMap((page) => page.items);
  let reads = 0;
  for (let next: PageRequest | undefined = start; next;) {
    const read = await readPage(reader, rules, list, { ...next, goesOn: reads > 0 });
    reads += 1;
    if (!read.ok && walk.pages.length > 0 && isNumbered(rules) && isMissingPage(read.error)) break;
    if (!read.ok) return failed(items(), reads, read.error);
    const following = followPage(walk, read.value);
    if (following.is !== "end" || following.isPart) keepPage(walk, read.value);
    if (following.is === "broken")
      return { items: items(), reads, incomplete: following.reason, ...(following.moved && { moved: true }) };
    next = following.is === "page" ? following.asked : undefined;
  }
  const { pages } = walk;
  if (pages.filter((page) => page.items.length > 0).length < 2)
    return checked({ pages, again: undefined, reads }, idOf);
  const again = await readPage(reader, rules, list, { ...start, goesOn: true });
  if (!again.ok) return failed(items(), reads + 1, again.error);
  return checked({ pages, again: again.value, reads: reads + 1 }, idOf);
}

/** The part of a list that is read already. */
interface Walk {
  readonly rules: ApiRules;
  readonly list: ListRequest;
  readonly pages: ListPage[];
  readonly known: Set<string>;
  /** Cursors and links that were followed. */
  readonly asked: Set<string>;
}

function keepPage({ pages, known, list }: Walk, page: ListPage): void {
  pages.push(page);
  for (const item of page.items) known.add(list.idOf(item));
}

/** Whether the pages are asked for by a number that is counted here: that of the page, or of the objects to skip. */
export const isNumbered = ({ paging: { style = "page", page } }: ApiRules): boolean =>
  (style === "page" || style === "offset") && page !== undefined;

const cameTwice = (count: number): Following => ({
  is: "broken",
  reason: `${counted(count, "object")} came on two pages: the list changed while it was read`,
  moved: true,
});

function followPage(walk: Walk, page: ListPage): Following {
  const { rules, pages, known, list } = walk;
  if (pages.length >= mostPages) return { is: "broken", reason: `it does not end after ${pages.length} pages` };
  const again = page.items.filter((item) => known.has(list.idOf(item))).length;
  if (again > 0 && again < page.items.length) return cameTwice(again);
  return isNumbered(rules) ? followNumber(walk, page, again > 0) : followPointer(walk, page, again > 0);
}

/** The page after one that was asked for by its number. A server that has no more gives an empty page, or repeats the last or the first. */
function followNumber({ rules, list, pages }: Walk, page: ListPage, isRepeated: boolean): Following {
  const { items } = page;
  if (items.length === 0) return { is: "end", isPart: pages.length === 0 };
  const ids = (each: ListPage | undefined) => JSON.stringify(each?.items.map(list.idOf));
  if (isRepeated) {
    if (ids(page) === ids(pages[0]) || ids(page) === ids(pages.at(-1))) return { is: "end", isPart: false };
    return cameTwice(items.length);
  }
  // A first page that holds less than was asked for may be all, or all that the server puts on a page.
  const full = pages[0]?.items.length ?? items.length;
  const fillsPages = rules.paging.max_size !== undefined && full >= rules.paging.max_size;
  if (fillsPages && items.length < full) return { is: "end", isPart: true };
  const skip = pages.reduce((sum, each) => sum + each.items.length, items.length);
  const place = pagePlace(rules, pages.length + 2, skip);
  return { is: "page", asked: { path: list.path, query: pageQuery(rules, list, place) } };
}

/** The page that a cursor or a link leads to. */
function followPointer({ rules, list, asked }: Walk, { next }: ListPage, isRepeated: boolean): Following {
  if (next === undefined) {
    return isRepeated
      ? { is: "broken", reason: "its last page repeats another: the list changed while it was read", moved: true }
      : { is: "end", isPart: true };
  }
  if ("refused" in next) return { is: "broken", reason: next.refused };
  const place = "cursor" in next ? next.cursor : next.path;
  if (isRepeated || asked.has(place)) return { is: "broken", reason: "its next page leads back to one that was read" };
  asked.add(place);
  return {
    is: "page",
    asked:
      "cursor" in next
        ? { path: list.path, query: pageQuery(rules, list, next.cursor) }
        : { path: next.path, query: {} },
  };
}
