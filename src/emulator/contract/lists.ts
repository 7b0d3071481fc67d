import { malformed } from "../refusal.ts";
import { isFields } from "../fields.ts";
import { answerJson, type Answer } from "../http/answer.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { StoredObject } from "../store/objects.ts";
import { allOf, serviceOfZone } from "./account.ts";
import type { ListEntry, PagingEntry } from "./contract.ts";
import { getAt, putAt } from "./json.ts";
import { partsOfLookup, readParams, tokenOf } from "./params.ts";
import { recordOf } from "./record.ts";
import type { MatchedRoute, Some } from "./routes.ts";
import { answerOf, entryOf, knownScope, pagingOf, type Visit } from "./visit.ts";
import { setsOf } from "./sets.ts";

/** The parts of a request that decide on the page of a list. */
export interface ListQuery {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The most that the service gives. */
  readonly perPageMax: number;
}

/** Answers a list. Several kinds may share one. */
export function answerList(visit: Visit, matched: Some<MatchedRoute>, asked: ListQuery): Answer {
  const { kind, operation } = matched[0].route;
  const list = operation as ListEntry;
  const answer = answerOf(visit, kind, list);
  const items = joinShared(matched, visit);
  if (list.single === true) return answerJson(items.length === 0 ? 404 : 200, putAt({}, answer.record, items[0] ?? {}));
  const poor = list.detail === "read" ? items.map((item) => poorItem(visit, kind, item)) : items;
  return pageOf(poor, pagingOf(visit, kind), asked, (page) => putAt({}, answer.list, keyed(list, page)));
}

/** Joins the items of kinds that share a list: the API shows what has one id as one object. */
function joinShared(matched: readonly MatchedRoute[], visit: Visit): unknown[] {
  const all = matched.flatMap((each) =>
    itemsOf(visit, each).map((item) => ({ item, id: sharedId(visit, each, item) })),
  );
  if (matched.length < 2) return all.map(({ item }) => item);
  const joined = new Map<unknown, unknown>();
  for (const [index, { item, id }] of all.entries()) {
    const other = joined.get(id);
    joined.set(id ?? index, isFields(other) && isFields(item) ? { ...item, ...other } : item);
  }
  return [...joined.values()];
}

function sharedId(visit: Visit, { route: { kind } }: MatchedRoute, item: unknown): string | undefined {
  const { id } = entryOf(visit, kind);
  const value = id === undefined || !isFields(item) ? undefined : getAt(item, id);
  return value === undefined ? undefined : JSON.stringify(value);
}

function itemsOf(visit: Visit, { route, params }: MatchedRoute): unknown[] {
  const { kind, operation } = route;
  const list = operation as ListEntry;
  if (route.role.sort === "lookup") return lookedUp(visit, route.role.param, kind, params);
  const { parts, each } = readParams(visit, kind, params);
  const scope = list.scope === "mixed" ? undefined : knownScope(visit, kind, parts);
  const all = list.single === true ? singleOf(visit, kind, parts, scope) : allOf(kind, scope, visit.objects);
  const here = each === undefined ? all : all.filter((zone) => serviceOfZone(zone, visit.objects)?.id === each.id);
  return list.explode === undefined ? here.map((object) => recordOf(visit, object)) : setsOf(visit, here);
}

function singleOf(
  { objects }: Visit,
  kind: KindName,
  { domain = "" }: Readonly<Record<string, string>>,
  scope: string | undefined,
): readonly StoredObject[] {
  if (kind !== "mail_settings") return allOf(kind, scope, objects).slice(0, 1);
  const settings = objects.byKey(`mail_settings ${domain.toLowerCase()}`);
  return settings === undefined ? [] : [settings];
}

/** Returns what a lookup finds: an object for what the query names, or for each domain, zone or service. */
function lookedUp(visit: Visit, param: string, kind: KindName, known: Readonly<Record<string, string>>): unknown[] {
  const { params = {} } = entryOf(visit, kind);
  const lookup = params[param]?.lookup;
  if (lookup === undefined) return [];
  const { where = [], at } = lookup;
  const needed = partsOfLookup(params, lookup);
  const given = readParams(visit, kind, known).parts;
  const choices = needed.reduce<Record<string, string>[]>(
    (rows, [, part]) =>
      rows.flatMap((row) => valuesOf(visit, part, given[part]).map((value) => ({ ...row, [part]: value }))),
    [{}],
  );
  return choices.map((parts) => {
    const filled = (value: unknown): unknown => {
      const name = typeof value === "string" ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined;
      return name === undefined ? value : parts[needed.find(([param]) => param === name)?.[1] ?? ""];
    };
    const item = where.reduce<unknown>((whole, { pointer, equals }) => putAt(whole, pointer, filled(equals[0])), {});
    return putAt(item, at, tokenOf(param, params, lookup, parts));
  });
}

function valuesOf({ objects }: Visit, part: string, given: string | undefined): string[] {
  if (given !== undefined) return [given];
  const kind = part === "zone" ? "dns_zone" : "service";
  const names = allOf(kind, undefined, objects).map(({ record }) => String(record["name"] ?? record["domain"]));
  const more = part === "domain" ? allOf("domain", undefined, objects).map(({ record }) => String(record["name"])) : [];
  return [...new Set([...names, ...more])];
}

/** Returns a part of a record: its id and its first field. */
function poorItem(visit: Visit, kind: KindName, record: unknown): unknown {
  const { id = "", fields, operations } = entryOf(visit, kind);
  const own = getAt(record, id);
  if (visit.manner.bareIds === true && operations.list.keyed_by === undefined) return own;
  const [name] = Object.values(fields);
  const poor = putAt({}, id, own);
  return name === undefined ? poor : putAt(poor, name.at, getAt(record, name.at));
}

function keyed({ keyed_by: at }: ListEntry, items: readonly unknown[]): unknown {
  if (at === undefined) return items;
  return Object.fromEntries(items.map((item) => [String(getAt(item, at)), putAt(item, at, undefined)]));
}

function pageOf(
  items: readonly unknown[],
  paging: PagingEntry,
  { path, query, perPageMax }: ListQuery,
  envelope: (page: readonly unknown[]) => unknown,
): Answer {
  const {
    style = "page",
    first = 1,
    page: param = style === "link" ? "cursor" : "",
    size,
    max_size: most = perPageMax,
  } = paging;
  const wanted = size === undefined ? most : Number(query.get(size) ?? most);
  if (!(wanted >= 1)) throw malformed(`${size} must be a number from 1`);
  // Without a place that tells the size of a page, a client takes a page that is shorter than it asked for as the last.
  const counts = paging.actual_size !== undefined || paging.total !== undefined || paging.total_header !== undefined;
  const perPage =
    style === "none"
      ? Infinity
      : counts || style === "cursor" || style === "link"
        ? Math.min(wanted, perPageMax)
        : wanted;
  const start = style === "none" ? 0 : startOf(style, query.get(param), { first, perPage });
  const shown = items.slice(start, start + perPage);
  const rest = start + perPage < items.length ? String(start + perPage) : undefined;
  let answer = envelope(shown);
  const headers: Record<string, string> = {};
  if (paging.total !== undefined) answer = putAt(answer, paging.total, items.length);
  if (paging.total_header !== undefined) headers[paging.total_header] = String(items.length);
  if (paging.actual_size !== undefined) answer = putAt(answer, paging.actual_size, perPage);
  const place = style === "cursor" || style === "link" ? rest : undefined;
  if (place !== undefined) {
    const cursor = Buffer.from(place).toString("base64url");
    const again = new URLSearchParams(query);
    again.set(param, cursor);
    const next = style === "cursor" ? cursor : `${path}?${again.toString()}`;
    if (paging.next !== undefined) answer = putAt(answer, paging.next, next);
    else headers["Link"] = `<${next}>; rel="next"`;
  } else if (paging.next !== undefined && isFields(answer)) answer = putAt(answer, paging.next, null);
  return { ...answerJson(200, answer), headers };
}

function startOf(style: string, text: string | null, { first, perPage }: { first: number; perPage: number }): number {
  const start =
    style === "page"
      ? (Number(text ?? first) - first) * perPage
      : style === "offset"
        ? Number(text ?? 0)
        : text === null
          ? 0
          : Number(Buffer.from(text, "base64url").toString());
  if (Number.isSafeInteger(start) && start >= 0) return start;
  throw malformed(`There is no page "${String(text)}"`);
}

/** Answers the read of one object. */
export function answerObject(visit: Visit, { route }: MatchedRoute, object: StoredObject, status = 200): Answer {
  const { record, message } = answerOf(visit, route.kind, route.operation);
  const whole = putAt(
    message === undefined || record === "" ? {} : putAt({}, message, "Done."),
    record,
    recordOf(visit, object),
  );
  return answerJson(status, whole);
}
