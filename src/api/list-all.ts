import type { ApiRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import type { Reader } from "./connection.ts";

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
  const record = getPointer(result.value.body, rules.answer.record);
  if (isObject(record)) return { items: [record], reads: 1 };
  return { items: [], reads: 1, incomplete: `GET ${path}: no record at ${rules.answer.record} of the answer` };
}

interface Page {
  readonly items: readonly JsonObject[];
  readonly total: number;
}

/** Reads all pages of a list: the first tells the total, the others are fetched side by side (API.md section 3). */
export async function listAll(
  reader: Reader,
  rules: ApiRules,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Listing> {
  const { paging } = rules;
  const page = (number: number) =>
    readPage(reader, rules, path, { ...query, [paging.page]: String(number), [paging.size]: String(paging.max_size) });
  const first = await page(1);
  if (!first.ok) return failed([], 1, first.error);
  const { total } = first.value;
  // The server may give less than was asked for, so the first page tells the size.
  const size = first.value.items.length;
  const pages = size === 0 ? 1 : Math.ceil(total / size);
  const others = await Promise.all(Array.from({ length: pages - 1 }, (_, index) => page(index + 2)));
  const items = [...first.value.items];
  for (const other of others) {
    if (!other.ok) return failed(items, pages, other.error);
    items.push(...other.value.items);
  }
  const shifted = others.some((other) => other.ok && other.value.total !== total);
  if (shifted || items.length !== total) {
    return {
      items,
      reads: pages,
      incomplete: `the server counts ${total} objects, its pages held ${items.length}${shifted ? ", and the count changed meanwhile" : ""}`,
    };
  }
  return { items, reads: pages };
}

const failed = (items: readonly JsonObject[], reads: number, failure: Failure): Listing => ({
  items,
  reads,
  failure,
  incomplete: `${failure.method} ${failure.path}: ${failure.status ?? failure.sort} ${failure.message}`,
});

async function readPage(
  reader: Reader,
  rules: ApiRules,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Result<Page>> {
  const result = await reader.get({ path, query });
  if (!result.ok) return result;
  const { body, status, requestId } = result.value;
  const items = getPointer(body, rules.answer.list);
  const total = getPointer(body, rules.paging.total);
  if (Array.isArray(items) && items.every(isObject) && typeof total === "number")
    return { ok: true, value: { items, total } };
  const message = `expected a list at ${rules.answer.list} and a number at ${rules.paging.total} of the answer`;
  const search = new URLSearchParams(query).toString();
  return {
    ok: false,
    error: {
      sort: "malformed",
      method: "GET",
      path: `${path}?${search}`,
      status,
      message,
      attempts: 1,
      ...(requestId !== undefined && { requestId }),
    },
  };
}
