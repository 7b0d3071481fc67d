import type { PagingRules, Pointer } from "../../model/contract.ts";
import { type Json, type JsonObject, jsonText } from "../../model/json.ts";
import { lastToken, pointersIn } from "./pointers.ts";

/** The signs of paging in an answer. */
interface PagingHints {
  /** The pointer of an address or a cursor of the next page; empty for the header `Link`. */
  readonly next: Pointer | undefined;
  /** Query parameters that addresses of other pages have. */
  readonly params: readonly string[];
  /** Names of numbers beside the list. */
  readonly names: readonly string[];
}

const pageNames = ["page", "p", "page_number", "pageNumber", "current_page", "pageIndex", "offset", "skip", "start"];
const sizeNames = ["per_page", "limit", "page_size", "pageSize", "perPage", "size", "count"];
const offsets: ReadonlySet<string> = new Set(["offset", "skip", "start", "from"]);

/** Finds signs of paging in an answer. */
export function hintsOfPaging(body: Json, headers: ReadonlyMap<string, string>): PagingHints {
  const texts = [...pointersIn(body)].filter(([, value]) => typeof value === "string");
  const next = texts.find(
    ([pointer, value]) =>
      /^next(?:_?(?:page|url|link|href))?$|^href$/iu.test(lastToken(pointer)) && /next/iu.test(pointer) && value !== "",
  )?.[0];
  const link = headers.get("link") ?? "";
  const addresses = [
    ...texts.map(([, value]) => jsonText(value)),
    ...[...link.matchAll(/<([^<>]{1,2000})>/gu)].map(([, address = ""]) => address),
  ];
  const params = addresses.slice(0, 50).flatMap((address) => {
    const [, search = ""] = /^[^?]{0,1000}\?(.{1,1000})$/u.exec(address) ?? [];
    return [...new URLSearchParams(search).keys()];
  });
  const names = [...pointersIn(body)].flatMap(([pointer, value]) =>
    typeof value === "number" ? [lastToken(pointer)] : [],
  );
  return { next: next ?? (/rel="?next/u.test(link) ? "" : undefined), params, names };
}

/** Returns changes of paging, each a fragment, those that the answer hints at first. */
export function pagingGuesses(paging: PagingRules, hints: PagingHints): JsonObject[] {
  const isKnown = (name: string) =>
    hints.params.includes(name) || hints.names.some((each) => plain(each) === plain(name));
  const byHint = (names: readonly string[]) => [...names].sort((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
  const pages = byHint(pageNames).filter((name) => name !== "current_page" && name !== paging.page);
  const sizes = byHint(sizeNames).filter((name) => name !== paging.size);
  const [page = "page", nextPage = "offset"] = pages;
  const [size = "per_page", nextSize = "limit"] = sizes;
  return [
    ...(isKnown(paging.page ?? "") || paging.style === "offset" ? [styleOf(paging, paging.page ?? "page")] : []),
    { page, ...styleOf(paging, page) },
    { size },
    { first: paging.first === 0 ? null : 0 },
    { page, size, ...styleOf(paging, page) },
    { size: nextSize },
    { page: nextPage, ...styleOf(paging, nextPage) },
  ].filter((change) => Object.keys(change).length > 0);
}

const plain = (name: string) => name.toLowerCase().replaceAll(/current|number|index|[^a-z]/gu, "");

function styleOf({ style = "page" }: PagingRules, page: string): JsonObject {
  const right = offsets.has(page) ? "offset" : "page";
  return right === style ? {} : { style: right === "page" ? null : right };
}
