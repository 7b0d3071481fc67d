import type { Reader } from "../api/connection.ts";
import { fillRequest, type IdNow } from "../api/fill-request.ts";
import type { ApiResponse } from "../api/response.ts";
import { entryOf } from "../contract/entry.ts";
import { listReading } from "../contract/list-reading.ts";
import type { Binding } from "../contract/request.ts";
import { isWeakList, rulesOf } from "../contract/rules-of.ts";
import type { CollectionRef } from "../kinds/derived/collection.ts";
import type { ApiRules } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import type { Result } from "../model/failure.ts";

/** Lists that earlier runs have read, by the parts that tell one list from another. */
export interface ListStore {
  readonly find: (parts: readonly string[]) => KeptList | undefined;
  readonly keep: (parts: readonly string[], list: KeptList) => void;
  /** Whether a list must be read anew. */
  readonly isExcluded: (ref: CollectionRef) => boolean;
}

/** The records of a list that was read whole, and its pages in the order in which they were asked for. */
export interface KeptList {
  readonly pages: readonly KeptPage[];
  readonly items: readonly JsonObject[];
}

interface KeptPage {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly etag: string;
}

type Request = Parameters<Reader["get"]>[0];

/** A list that may be kept: its parts, and the rules for its answers. */
interface KeepableList {
  readonly parts: readonly string[];
  readonly rules: ApiRules;
}

/**
 * Returns how a list is kept; undefined for a list that must not be: its records may hold secrets, the contract does not vouch for its
 * ETags, nothing proves that it is whole, or its records depend on more than its own pages.
 */
function keepableList(binding: Binding, ref: CollectionRef): KeepableList | undefined {
  const { contract } = binding;
  const { kind } = ref;
  const { params = {}, fields, operations } = entryOf(contract, kind);
  const { single, detail, explode, for_each: each, scope, where } = operations.list;
  const rules = rulesOf(contract, kind.name, "list");
  const dependsOnOthers =
    [single, detail, explode, each, scope, where].some((word) => word !== undefined) ||
    Object.values(params).some((source) => "lookup" in source) ||
    Object.values(fields).some((field) => field.id_of !== undefined);
  if (kind.listing?.published !== true || rules.answer.list_etag === undefined) return undefined;
  if (dependsOnOthers || isWeakList(contract, kind.name) || isNextInHeader(rules)) return undefined;
  const idNow: IdNow = (address, at) => binding.idOf(address, at) ?? "";
  const { path, query } = fillRequest(listReading(binding, ref).request, idNow);
  return { parts: [ref.id, path, JSON.stringify(query)], rules };
}

/** Whether the `Link` header tells the next page: an ETag may speak of the body alone. */
const isNextInHeader = ({ paging: { style, next } }: ApiRules): boolean =>
  (style === "link" || style === "cursor") && next === undefined;

/** A read of a list that may be kept. `unchanged` has the records of one whose pages all have their ETags still. */
export type KeptReading =
  | { readonly is: "unchanged"; readonly items: readonly JsonObject[]; readonly reads: number }
  | {
      readonly is: "unknown";
      /** Uses the pages that were read already, and notes the ETag of each. */
      readonly reader: Reader;
      /** Requests whose answers say nothing to a reader of the list. */
      readonly reads: number;
      readonly keep: (items: readonly JsonObject[]) => void;
    };

/** Asks for each page of a kept list whether it has changed. Where one has, or the list was not kept, it must be read. */
export async function readKept(
  { lists: store, ...reader }: Reader & { readonly lists?: ListStore },
  binding: Binding,
  ref: CollectionRef,
): Promise<KeptReading> {
  const list = store && !store.isExcluded(ref) ? keepableList(binding, ref) : undefined;
  if (!store || !list) return { is: "unknown", reader, reads: 0, keep: () => undefined };
  const kept = store.find(list.parts);
  const { isUnchanged, answers, asked } = kept
    ? await askPages(reader, list.rules, kept.pages)
    : { isUnchanged: false, answers: new Map<string, Result<ApiResponse>>(), asked: 0 };
  if (kept && isUnchanged) return { is: "unchanged", items: kept.items, reads: asked };
  const noted = notePages(reader, answers);
  const keep = (items: readonly JsonObject[]) => {
    const pages = noted.pages();
    if (pages) store.keep(list.parts, { pages, items });
  };
  return { is: "unknown", reader: { get: noted.get }, reads: asked - answers.size, keep };
}

const placeOf = ({ path, query = {} }: Pick<Request, "path" | "query">): string => JSON.stringify([path, query]);

/** Pages of one list that are asked for side by side at most; how many are under way in all is up to the connection. */
const concurrency = 32;

/**
 * Asks for the pages until one has changed. The first is asked for before all others, and what was asked for after it had been read
 * again is asked for last: that again shows that nothing moved meanwhile.
 */
async function askPages(reader: Reader, rules: ApiRules, pages: readonly KeptPage[]) {
  const answers = new Map<string, Result<ApiResponse>>();
  let asked = 0;
  let isUnchanged = true;
  const ask = async ({ path, query, etag }: KeptPage) => {
    const answer = await reader.get({ path, query, rules, ifNoneMatch: etag, goesOn: asked++ > 0 });
    if (answer.ok && answer.value.status === 304) return;
    isUnchanged = false;
    answers.set(placeOf({ path, query }), answer);
  };
  const askAll = async (some: readonly KeptPage[], lanes: number) => {
    const left = some.values();
    const lane = async () => {
      for (const page of left) if (isUnchanged) await ask(page);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };
  const [first, ...others] = pages;
  const again = others.findIndex((page) => first && placeOf(page) === placeOf(first));
  const last = again < 0 ? others.length : again;
  await askAll(pages.slice(0, 1), 1);
  await askAll(others.slice(0, last), concurrency);
  await askAll(others.slice(last), 1);
  return { isUnchanged: isUnchanged && pages.length > 0, answers, asked };
}

/** Returns a reader that gives each of the answers once, before it asks, and notes the pages that it was asked for. */
function notePages(reader: Reader, answers: ReadonlyMap<string, Result<ApiResponse>>) {
  const left = new Map(answers);
  const noted: { readonly page: Pick<Request, "path" | "query">; etag?: string | undefined }[] = [];
  const get: Reader["get"] = async (request) => {
    const note: (typeof noted)[number] = { page: request };
    noted.push(note);
    const known = left.get(placeOf(request));
    left.delete(placeOf(request));
    const answer = known ?? (await reader.get(request));
    if (answer.ok) note.etag = answer.value.etag;
    return answer;
  };
  /** The pages, if all of them have a strong ETag, and a page that was read twice has the same. */
  const pages = (): readonly KeptPage[] | undefined => {
    const tags = new Map<string, string>();
    const kept = noted.map(({ page: { path, query = {} }, etag }) => ({ path, query, etag: etag ?? "" }));
    for (const page of kept) {
      const place = placeOf(page);
      if (page.etag === "" || (tags.get(place) ?? page.etag) !== page.etag) return undefined;
      tags.set(place, page.etag);
    }
    return kept;
  };
  return { get, pages };
}
