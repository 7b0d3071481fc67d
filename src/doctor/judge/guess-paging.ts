import type { Pointer } from "../../model/contract.ts";
import { type Json, jsonText } from "../../model/json.ts";
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

const names = {
  page: ["page", "offset", "skip", "start", "p", "page_number", "pageNumber", "pageIndex"],
  size: ["per_page", "limit", "take", "page_size", "pageSize", "perPage", "size", "count"],
} as const;

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

/** Returns names that a parameter of paging may have, those that the answer hints at first. */
export function namesByHint(word: "page" | "size", hints: PagingHints): readonly string[] {
  const isKnown = (name: string) =>
    hints.params.includes(name) || hints.names.some((each) => plain(each) === plain(name));
  return names[word].toSorted((a, b) => Number(isKnown(b)) - Number(isKnown(a)));
}

const plain = (name: string) => name.toLowerCase().replaceAll(/current|number|index|[^a-z]/gu, "");
