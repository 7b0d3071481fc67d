import type { PagingRules } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { askPage, recordsAt } from "./ask-list.ts";
import type { Examination } from "./examination.ts";
import type { ReadList } from "./examine-list.ts";
import { hintsOfPaging, namesByHint } from "./judge/guess-paging.ts";
import { headersOf, numbersBeside } from "./judge/guess-total.ts";
import { lastToken } from "./judge/pointers.ts";
import { isSpent } from "./probe.ts";

/** Objects on a page that is asked for: by pages of one, a page counted from 0 and an offset look alike. */
export const pageLength = 2;
/** Objects of a list by which ways of paging can be told apart. */
export const fewest = 3;
/** Names of a parameter that are tried at most, beside the contract's own. */
const mostNames = { page: 3, size: 6 };

type Query = Readonly<Record<string, string>>;

/** Returns how objects of a list are told apart: by their ids, or, if these are wrong, as a whole. */
function nameBy({ items, reading: { idOf } }: ReadList): (item: JsonObject) => string {
  const hasIds = new Set(items.map(idOf)).size === items.length;
  return hasIds ? idOf : (item) => JSON.stringify(item);
}

/** Returns the ids of a list from its start, by as many of its parameters as say nothing of a place. */
export async function idsFromStart(exam: Examination, list: ReadList, size: Query): Promise<readonly string[]> {
  const read = list.items.map(nameBy(list));
  const ids = (await idsBy(exam, list, size)) ?? read;
  return ids.length < read.length ? read : ids;
}

/** Returns the ids on a page that is asked for by these parameters and no others; undefined if it was refused. */
export async function idsBy(exam: Examination, list: ReadList, query: Query): Promise<readonly string[] | undefined> {
  if (isSpent(exam.probe)) return undefined;
  const { page: _page, size: _size, ...paging } = list.reading.rules.paging;
  const reading = { ...list.reading, rules: { ...list.reading.rules, paging } };
  const answer = await askPage(exam, { ...list, reading }, query);
  if (answer.failure) return undefined;
  return recordsAt(reading, reading.rules, answer.body)?.map(nameBy(list));
}

/** Returns the names that a parameter may have, first the contract's own. */
function namesOf(list: ReadList, word: "page" | "size"): readonly string[] {
  const own = list.reading.rules.paging[word];
  const hints = hintsOfPaging(list.answer.body, headersOf(list.answer.head));
  const others = namesByHint(word, hints).filter((name) => name !== own);
  return own === undefined ? [] : [own, ...others.slice(0, mostNames[word])];
}

/** Returns the name of the parameter by which a page holds as many objects as are asked for; undefined if none does. */
export async function findSize(exam: Examination, list: ReadList, place: Query): Promise<string | undefined> {
  const names = namesOf(list, "size");
  const queries = names.map((name) => ({ name, query: { [name]: String(pageLength) } }));
  // An API may want a place with each size, or count its pages otherwise.
  const placed = queries.slice(0, 1).map(({ name, query }) => ({ name, query: { ...place, ...query } }));
  for (const { name, query } of [...queries.slice(0, 1), ...placed, ...queries.slice(1)])
    if ((await idsBy(exam, list, query))?.length === pageLength) return name;
  return undefined;
}

/** A way to ask for a page by a number. */
export interface Way {
  readonly page: string;
  readonly style: "page" | "offset";
  readonly first: 0 | 1;
}

/** The ids of a list, and the query for a size of its pages. `isShort`: it asks for two objects. */
interface Sized {
  readonly all: readonly string[];
  readonly size: Query;
  readonly isShort: boolean;
}

/** Returns the way by which pages follow each other; undefined if none does. */
export async function findWay(
  exam: Examination,
  list: ReadList,
  { all, size, isShort }: Sized,
): Promise<Way | "refused" | undefined> {
  let isRefused = true;
  for (const page of namesOf(list, "page")) {
    const ask = (value: number) => idsBy(exam, list, { [page]: String(value), ...size });
    const way = await wayBy(all, ask, isShort);
    if (way !== "refused" && way !== undefined) return { page, ...way };
    isRefused &&= way === "refused";
  }
  return isRefused ? "refused" : undefined;
}

/**
 * Returns how an API counts by a parameter. The value 1 shows the second object first if objects are skipped, the first if pages are
 * counted from 1, or if the parameter has no effect, and neither if pages are counted from 0.
 */
async function wayBy(
  all: readonly string[],
  ask: (value: number) => Promise<readonly string[] | undefined>,
  isShort: boolean,
): Promise<Omit<Way, "page"> | "refused" | undefined> {
  const isSecondPage = (ids: readonly string[]) =>
    isShort ? ids[0] === all[pageLength] && ids.length <= pageLength : !ids.some((id) => all.includes(id));
  const ids = await ask(1);
  if (!ids) return "refused";
  if (ids[0] === all[1]) return { style: "offset", first: 1 };
  if (isSecondPage(ids)) return { style: "page", first: 0 };
  if (ids[0] !== all[0]) return undefined;
  const next = await ask(2);
  return (next ? isSecondPage(next) : !isShort) ? { style: "page", first: 1 } : undefined;
}

/** Returns the words of paging that differ from a way, each with its right value; null takes a word away. */
export function pageWords({ page, style = "page", first }: PagingRules, way: Way, isOfKind: boolean): JsonObject {
  const isFirst = way.style === "page" && way.first === 0;
  return {
    ...(way.page !== page && { page: way.page }),
    ...(way.style !== style && { style: way.style === "page" && !isOfKind ? null : way.style }),
    ...(isFirst && first !== 0 && { first: 0 }),
    ...(!isFirst && first === 0 && { first: null }),
  };
}

/** Returns the size of a page that an answer names; undefined if it names none. */
export function namedSize({ answer }: ReadList, size: string): number | undefined {
  const sizes = numbersBeside(answer.body).filter(([pointer, number]) => {
    const name = lastToken(pointer);
    return (
      number > 0 && (name === size || /^(?:per_?page|page_?size|items_?per_?page|limit|page_?limit)$/iu.test(name))
    );
  });
  return sizes[0]?.[1];
}

/** Whether the page after the first holds objects that the first does not hold. */
export async function hasMore(exam: Examination, list: ReadList): Promise<boolean> {
  const { page, size, max_size: most, style = "page", first = 1 } = list.reading.rules.paging;
  if (page === undefined || size === undefined || (style !== "page" && style !== "offset")) return false;
  const known = new Set(list.items.map(nameBy(list)));
  const place = style === "offset" ? list.items.length : first + 1;
  const ids = await idsBy(exam, list, { [page]: String(place), [size]: String(most) });
  return ids?.some((id) => !known.has(id)) ?? false;
}

/** Whether an answer counts more objects than it holds; undefined if it does not count. */
export function countsMore({ answer, items, reading }: ReadList): boolean | undefined {
  const { total, total_header: header } = reading.rules.paging;
  if (total === undefined && header === undefined) return undefined;
  const value = total === undefined ? answer.head?.header(header) : getPointer(answer.body, total);
  return Number(value) > items.length;
}
