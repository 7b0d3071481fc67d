import type { Reader } from "../../src/api/connection.ts";
import { readAnswer } from "../../src/api/response.ts";
import type { Contract, KindContract, PagingRules } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { textOf } from "./text-of.ts";

/** How a made-up vendor lists its domains. */
export interface Shape {
  readonly style: "none" | "page" | "offset" | "cursor" | "link";
  readonly first: 0 | 1;
  /** Where the list stands in an answer; empty: it is the answer. */
  readonly list: "" | "/data" | "/result/items";
  readonly total: "body" | "header" | "none";
  /** Style link: the header, or a pointer; the address whole, from the root, or its query alone. */
  readonly link: "header" | "body";
  readonly address: "whole" | "root" | "query";
  /** The size of page that is asked for; undefined: none is. */
  readonly asked: number | undefined;
  /** The most that the server puts on a page. */
  readonly cap: number;
  readonly keyed: boolean;
  /** What the list holds of each object. */
  readonly items: "whole" | "poor" | "ids";
  /** What comes for a page after the last. */
  readonly past: "empty" | "last" | "first" | "missing" | "invalid";
}

export interface Domain {
  readonly id: number;
  readonly name: string;
  readonly type: string;
}

/** A list body can be a bare list only where nothing stands beside it. */
export function possible(shape: Shape): boolean {
  const besides =
    shape.total === "body" || shape.style === "cursor" || (shape.style === "link" && shape.link === "body");
  return !(shape.list === "" && besides) && !(shape.keyed && shape.items === "ids");
}

export const pageSize = ({ style, asked, cap }: Shape): number =>
  style === "none" ? Number.MAX_SAFE_INTEGER : Math.min(asked ?? cap, cap);

function pagingOf(shape: Shape): PagingRules {
  const { style, first, asked, total } = shape;
  return {
    ...(style !== "page" && { style }),
    ...(style === "page" && { page: "page", ...(first === 0 && { first }) }),
    ...(style === "offset" && { page: "skip" }),
    ...(style === "cursor" && { page: "after", next: "/next" }),
    ...(style === "link" && shape.link === "body" && { next: "/links/next" }),
    ...(asked !== undefined && style !== "none" && { size: "limit", max_size: asked }),
    ...(total === "body" && { total: "/meta/count" }),
    ...(total === "header" && { total_header: "X-Total" }),
  };
}

/** The contract of a vendor that has domains and nothing else. `more` is laid over its list. */
export function contractOf(shape: Shape, more: Partial<KindContract["operations"]["list"]> = {}): Contract {
  return {
    contract: 1,
    name: "drawn",
    base_path: "/v7",
    request: { auth: { header: "X-Key", scheme: "" }, headers: {} },
    answer: {
      record: "",
      list: shape.list,
      error: { message: "/message", code: "/errors/0/code" },
      rate_limit: { statuses: [429] },
    },
    paging: pagingOf(shape),
    kinds: {
      domain: {
        id: "/id",
        fields: { name: { at: "/name" } },
        operations: {
          list: {
            method: "GET",
            path: "/domains",
            ...(shape.keyed && { keyed_by: "/name" }),
            ...(shape.items !== "whole" && { detail: "read" }),
            ...more,
          },
          read: { method: "GET", path: "/domains/{id}" },
        },
      },
    },
  };
}

/** What a request meets: it fails, or its next page leads back, or the count is wrong by so much. */
export interface Trouble {
  readonly fails?: boolean;
  readonly repeats?: boolean;
  readonly wrongBy?: number;
}

const baseUrl = new URL("https://vendor.example/api");

/**
 * A vendor that holds domains, read through the client's own reading of answers.
 * @param before called before each request with its number, from 1; it may change the domains.
 */
export function vendorOf(
  shape: Shape,
  domains: readonly Domain[],
  contract: Contract,
  before: (nth: number) => Trouble = () => ({}),
) {
  let asked = 0;
  const paths: string[] = [];
  const answer = (path: string, trouble: Trouble): Answer => {
    const url = new URL(path, baseUrl);
    const id = /\/domains\/(.+)$/u.exec(url.pathname)?.[1];
    if (trouble.fails === true) return { status: 503, body: { message: "down", errors: [{ code: 7 }] } };
    if (id === undefined) return listAnswer(shape, domains, url, trouble);
    const found = domains.find((domain) => String(domain.id) === id);
    return found ? { status: 200, body: { ...found } } : { status: 404, body: { message: "gone" } };
  };
  const reader: Reader = {
    get: async ({ path, query = {}, rules = contract }) => {
      asked += 1;
      const trouble = before(asked);
      await Promise.resolve();
      const search = new URLSearchParams(query).toString();
      const whole = search === "" ? path : `${path}?${search}`;
      paths.push(whole);
      const { status, body, headers = {} } = answer(whole, trouble);
      const header = (name: string | undefined) => (name === undefined ? undefined : headers[name.toLowerCase()]);
      const at = { method: "GET", path: whole, attempts: 1, baseUrl };
      return readAnswer(rules, at, { status, header, body: textOf(Buffer.from(JSON.stringify(body))) }, (text) => text);
    },
  };
  return { reader, paths };
}

interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

function listAnswer(shape: Shape, domains: readonly Domain[], url: URL, { repeats, wrongBy = 0 }: Trouble): Answer {
  const size = Math.min(Number(url.searchParams.get("limit") ?? shape.cap), shape.cap);
  const number = (name: string, otherwise: number) => Number(url.searchParams.get(name) ?? otherwise);
  const skip =
    shape.style === "page"
      ? (number("page", shape.first) - shape.first) * size
      : shape.style === "none"
        ? 0
        : number(shape.style === "offset" ? "skip" : "after", 0);
  const end = shape.style === "none" ? domains.length : skip + size;
  const isPast = skip > 0 && skip >= domains.length;
  if (isPast && shape.past === "missing") return { status: 404, body: { message: "no such page" } };
  if (isPast && shape.past === "invalid") return { status: 400, body: { message: "no such page" } };
  const lastStart = Math.max(0, Math.ceil(domains.length / size) - 1) * size;
  const [from, to] = !isPast
    ? [skip, end]
    : shape.past === "last"
      ? [lastStart, lastStart + size]
      : shape.past === "first"
        ? [0, size]
        : [skip, end];
  const next = end < domains.length ? String(repeats === true ? skip : end) : undefined;
  const link = next === undefined ? undefined : linkTo(shape, url, next);
  const total = domains.length + wrongBy;
  const list = spell(shape, domains.slice(from, to));
  const inside: JsonObject = shape.list === "/result/items" ? { result: { items: list } } : { data: list };
  const extra: JsonObject = {
    ...(shape.total === "body" && { meta: { count: total } }),
    ...(shape.style === "cursor" && { next: next ?? null }),
    ...(shape.style === "link" && shape.link === "body" && { links: { next: link ?? null } }),
  };
  return {
    status: 200,
    body: shape.list === "" ? list : { ...inside, ...extra },
    headers: {
      ...(shape.total === "header" && { "x-total": String(total) }),
      ...(link !== undefined &&
        shape.link === "header" && { link: `<${url.href}>; rel="first", <${link}>; title="a, b"; rel="last next"` }),
    },
  };
}

function linkTo({ address }: Shape, url: URL, after: string): string {
  const query = new URLSearchParams({ ...Object.fromEntries(url.searchParams), after }).toString();
  if (address === "query") return `?${query}`;
  return `${address === "whole" ? baseUrl.href : baseUrl.pathname}/v7/domains?${query}`;
}

function spell({ keyed, items }: Shape, domains: readonly Domain[]): Json {
  if (items === "ids") return domains.map(({ id }) => id);
  const records = domains.map(({ id, name, type }) => ({
    id,
    ...(items === "whole" && { type }),
    ...(!keyed && { name }),
  }));
  if (!keyed) return records;
  return records.length === 0
    ? []
    : Object.fromEntries(records.map((record, index) => [domains[index]?.name ?? "", record]));
}
