import type { ApiRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import type { Reader } from "./connection.ts";
import { describeFailure } from "./describe-failure.ts";
import { recordIn } from "./record-in.ts";

/** A whole list, or what was read of it and why it is not whole. */
export interface Listing {
  readonly items: readonly JsonObject[];
  readonly reads: number;
  readonly incomplete?: string;
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
  if (record) return { items: [record], reads: 1 };
  return { items: [], reads: 1, incomplete: `GET ${path}: no record at ${rules.answer.record} of the answer` };
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly total: number;
}

/** More than any account has; a total beyond it is a mistake of the server, not a reason to ask for it. */
const mostPages = 100_000;

/**
 * Reads all pages of a list: the first tells the total, the others are fetched side by side (API.md section 3). Where there are
 * several, the first is read again at the end: what was taken out meanwhile would have moved an object from one page to another unseen.
 * @param idOf tells one object of the list from another.
 */
export async function listAll(
  reader: Reader,
  rules: ApiRules,
  path: string,
  query: Readonly<Record<string, string>>,
  idOf: (item: JsonObject) => string,
): Promise<Listing> {
  const { paging } = rules;
  const page = (number: number) =>
    readPage(reader, rules, path, { ...query, [paging.page]: String(number), [paging.size]: String(paging.max_size) });
  const first = await page(1);
  if (!first.ok) return failed([], 1, first.error);
  const { total, items: firstItems } = first.value;
  // The server may give less than was asked for, so the first page tells the size.
  const pages = firstItems.length === 0 ? 1 : Math.ceil(total / firstItems.length);
  if (pages > mostPages)
    return { items: firstItems, reads: 1, incomplete: `the server counts ${objects(total)}, on ${pages} pages` };
  if (pages === 1) return checked([first.value], first.value, idOf, 1);
  const others = await Promise.all(Array.from({ length: pages - 1 }, (_, index) => page(index + 2)));
  const again = await page(1);
  const broken = [...others, again].find((each) => !each.ok);
  if (broken && !broken.ok) return failed(firstItems, pages + 1, broken.error);
  const whole = [first, ...others].flatMap((each) => (each.ok ? [each.value] : []));
  return checked(whole, again.ok ? again.value : first.value, idOf, pages + 1);
}

/** A listing that is whole only if its count is the server's and nothing moved while it was read. */
function checked(pages: readonly Page[], again: Page, idOf: (item: JsonObject) => string, reads: number): Listing {
  const items = pages.flatMap((page) => page.items);
  const total = pages[0]?.total ?? 0;
  const ids = (page: Page | undefined) => JSON.stringify(page?.items.map(idOf));
  const moved = pages.some((page) => page.total !== total) || again.total !== total || ids(again) !== ids(pages[0]);
  if (!moved && items.length === total) return { items, reads };
  const meanwhile = moved ? ", and the list changed while it was read" : "";
  return {
    items,
    reads,
    incomplete: `the server counts ${objects(total)}, its pages held ${items.length}${meanwhile}`,
  };
}

const objects = (count: number) => `${count} ${count === 1 ? "object" : "objects"}`;

const failed = (items: readonly JsonObject[], reads: number, failure: Failure): Listing => ({
  items,
  reads,
  failure,
  incomplete: describeFailure(failure),
});

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
  const total = getPointer(body, rules.paging.total);
  if (Array.isArray(items) && items.every(isObject) && isCount(total)) return { ok: true, value: { items, total } };
  const message = `expected a list at ${rules.answer.list} and a count at ${rules.paging.total} of the answer`;
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
