import type { ApiRules } from "../model/contract.ts";
import { type Json, jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { Header } from "./read-text.ts";

/** The page after another: its cursor, its path, or why it is not asked for. */
export type NextPage = { readonly cursor: string } | { readonly path: string } | { readonly refused: string };

/** Returns the path below the base URL that an address leads to; undefined where it leads elsewhere, where the key must not go. */
export function localPath(baseUrl: URL, location: string, from: string = baseUrl.href): string | undefined {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  const prefix = baseUrl.pathname.replace(/\/$/u, "");
  if (url?.origin !== baseUrl.origin || !url.pathname.startsWith(`${prefix}/`)) return undefined;
  return url.pathname.slice(prefix.length) + url.search;
}

/**
 * Returns the page that an answer names as the next, where it names any. A link is followed on the API's own host below its base path
 * only: the key goes along.
 * @param from the path that was asked for, with its query.
 */
export function findNextPage(
  { paging, base_path: base }: ApiRules,
  { body, header }: { readonly body: Json; readonly header: Header },
  { baseUrl, from }: { readonly baseUrl: URL; readonly from: string },
): NextPage | undefined {
  const { style, next } = paging;
  if (style !== "cursor" && style !== "link") return undefined;
  const named = next === undefined ? linkNamedNext(header("link")) : getPointer(body, next);
  if (named === undefined || named === null || named === "" || named === false) return undefined;
  if (style === "cursor" && (typeof named === "string" || typeof named === "number")) return { cursor: String(named) };
  if (typeof named !== "string")
    return { refused: `the link to the next page is ${jsonText(named).slice(0, shownChars)}` };
  const path = localPath(baseUrl, named, baseUrl.origin + baseUrl.pathname.replace(/\/$/u, "") + from);
  if (path?.startsWith(`${base}/`) === true) return { path };
  return { refused: `the next page is at ${named.slice(0, shownChars)}, which is not below the API's own address` };
}

const shownChars = 200;

/** Each link of a `Link` header (RFC 8288): its address and its parameters. */
const links = /<([^<>]*)>([^<]*)/gu;
const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s",;]+))/iu;

function linkNamedNext(header: string | undefined): string | undefined {
  for (const [, address, params = ""] of (header ?? "").matchAll(links)) {
    const [, quoted, bare = ""] = relation.exec(params) ?? [];
    const words = (quoted ?? bare).toLowerCase().split(/\s+/u);
    if (words.includes("next")) return address;
  }
  return undefined;
}
