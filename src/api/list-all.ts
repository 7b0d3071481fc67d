import type { ApiRules } from "../model/contract.ts";
import type { Reader } from "./connection.ts";
import { listCounted } from "./list-counted.ts";
import { isNumbered, listInTurn } from "./list-in-turn.ts";
import { isCounted } from "../model/paging.ts";
import { failed, type Listing, type ListRequest, otherStatus } from "./read-page.ts";
import { noRecord, recordIn } from "./response.ts";

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
  if (result.value.status !== 200)
    return { items: [], reads: 1, incomplete: `GET ${path}: ${otherStatus(result.value.status)}` };
  if (record) return { items: [record], reads: 1 };
  return { items: [], reads: 1, incomplete: `GET ${path}: ${noRecord(rules)}` };
}

/** Reads all pages of a list: side by side where the server counts the objects and numbers the pages, else one after the other. */
export function listAll(reader: Reader, rules: ApiRules, request: ListRequest): Promise<Listing> {
  // A record without an id is told from others by all that it holds.
  const list = {
    ...request,
    idOf: (item: Parameters<typeof request.idOf>[0]) => request.idOf(item) || JSON.stringify(item),
  };
  return isNumbered(rules) && isCounted(rules) ? listCounted(reader, rules, list) : listInTurn(reader, rules, list);
}
