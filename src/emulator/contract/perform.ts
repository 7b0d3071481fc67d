import type { Action } from "../actions/call.ts";
import { actions } from "../actions/index.ts";
import { isFields, type Fields } from "../fields.ts";
import { answerJson, noContent, type Answer } from "../http/answer.ts";
import { contextOf } from "../http/perform.ts";
import type { RequestContext, Service } from "../http/service.ts";
import { HttpError, notFound } from "../refusal.ts";
import type { Objects, StoredObject } from "../store/objects.ts";
import { answered } from "../actions/answered.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { answerList, answerObject, type ListQuery } from "./lists.ts";
import { putAt } from "./json.ts";
import { partsOfSet, readSet, writeSet, writeZoneSets } from "./sets.ts";
import { isSome, type Door, type MatchedRoute, type Some } from "./routes.ts";
import { answerOf, type Visit } from "./visit.ts";
import {
  create,
  findObject,
  fitsCreation,
  knownIn,
  remove,
  renew,
  update,
  type WriteRequest,
  type WriteResult,
} from "./writes.ts";

/** A request whose route and body are known. */
export interface RoutedRequest {
  readonly matched: Some<MatchedRoute>;
  readonly body: unknown;
  readonly asked: ListQuery;
  readonly ifMatch: string | undefined;
}

/** Makes the view of the service that a request works with. */
export function openVisit(
  service: Service,
  { contract, manner }: Door,
  arrival: RequestContext,
  objects: Objects,
): Visit {
  const { validators, perPageMax, spelling, router } = service;
  const contextFor = (id: string | undefined) => contextOf(service, arrival, id, objects);
  const run: Visit["run"] = (id, params, body = {}) => {
    const operation = router.operations.find((each) => each.id === id);
    const action: Action | undefined = actions[id];
    if (operation === undefined || action === undefined)
      throw new HttpError(405, "method_not_allowed", `The embedded service has no ${id}.`);
    const answer = action({
      operation,
      params,
      query: {},
      body: structuredClone(body),
      context: contextFor(params["id"]),
      validators,
      perPageMax,
      spelling,
      header: () => undefined,
    });
    const data: unknown = answer.body === undefined ? undefined : (JSON.parse(answer.body) as Fields)["data"];
    return { status: answer.status, data: isFields(data) ? data : {} };
  };
  const formatted = (object: StoredObject): Fields => answered({ spelling, context: contextFor(undefined) }, object);
  return { contract, manner, objects, formatted, run };
}

/** Returns the routes of the one kind and purpose that a request means. */
export function chooseRoutes(visit: Visit, matched: Some<MatchedRoute>, body: unknown): Some<MatchedRoute> {
  if (matched[0].route.method === "GET") return chooseReads(visit, matched);
  const kinds = [...new Set(matched.map(({ route }) => route.kind))];
  const byKind = kinds.map((kind) => matched.filter(({ route }) => route.kind === kind)).filter((some) => isSome(some));
  return byKind.find((routes) => isMeant(visit, routes, body)) ?? byKind[0] ?? matched;
}

function chooseReads(visit: Visit, matched: Some<MatchedRoute>): Some<MatchedRoute> {
  const lists = matched.filter(({ route: { role } }) => role.sort === "list");
  if (isSome(lists)) return lists;
  const found =
    matched.find(({ route: { role } }) => role.sort === "lookup") ??
    matched.find((each) => isThere(visit, each, undefined));
  return [found ?? matched[0]];
}

function isMeant(visit: Visit, routes: Some<MatchedRoute>, body: unknown): boolean {
  const creation = routes.find(({ route: { role } }) => role.sort === "create");
  if (creation !== undefined && fitsCreation(visit, creation, body)) return true;
  return routes.some(({ route }) => route.role.sort !== "create") && isThere(visit, routes[0], body);
}

function isThere(visit: Visit, matched: MatchedRoute, body: unknown): boolean {
  try {
    const { sort } = matched.route.role;
    if (sort.startsWith("set") || sort === "zone" || sort === "after") return true;
    findObject(visit, matched.route.kind, knownIn(visit, matched, body));
    return true;
  } catch (error) {
    if (error instanceof HttpError) return false;
    throw error;
  }
}

/** Answers a request. Throws an `HttpError`. */
export function answerRouted(
  visit: Visit,
  { matched, body, asked, ifMatch }: RoutedRequest,
  requestId: string,
): Answer {
  const [first] = matched;
  const { role, kind, method } = first.route;
  if (role.sort === "list" || role.sort === "lookup") return answerList(visit, matched, asked);
  if (method === "GET") return answerRead(visit, first);
  if (role.sort === "after") return noContent;
  if (role.sort === "zone" || role.sort.startsWith("set_"))
    return withJob(visit, kind, requestId, { answer: performSet(visit, first, body, ifMatch) });
  const writes = matched.map((each): WriteRequest => ({ matched: each, body, ifMatch }));
  const written = performWrite(visit, writes);
  const answer: Answer =
    written.object === undefined ? noContent : answerObject(visit, first, written.object, written.status);
  return withJob(visit, kind, requestId, { answer, job: written.job });
}

function performWrite(visit: Visit, writes: readonly WriteRequest[]): WriteResult {
  const of = (sort: string) => writes.find(({ matched }) => matched.route.role.sort === sort);
  const [creation, removal, renewal] = [of("create"), of("delete"), of("renew")];
  const changes = writes.filter(({ matched: { route } }) => ["update", "field"].includes(route.role.sort));
  if (renewal !== undefined) return renew(visit, renewal);
  if (isSome(changes) && (creation === undefined || isThere(visit, changes[0].matched, changes[0].body)))
    return update(visit, changes);
  if (removal !== undefined) return remove(visit, removal);
  if (creation === undefined) throw new Error("A write without a purpose.");
  return create(visit, creation);
}

function performSet(visit: Visit, matched: MatchedRoute, body: unknown, ifMatch: string | undefined): Answer {
  const parts = partsOfSet(visit, knownIn(visit, matched, body));
  const { operation, role } = matched.route;
  const write = { operation, body, parts, ifMatch, deletes: role.sort === "set_delete" };
  if (role.sort === "zone") {
    writeZoneSets(visit, write);
    return noContent;
  }
  const set = writeSet(visit, write);
  if (set === undefined) return noContent;
  const { record } = answerOf(visit, "dns_record", operation);
  return answerJson(role.sort === "set_create" ? 201 : 200, putAt({}, record, set));
}

function answerRead(visit: Visit, matched: MatchedRoute): Answer {
  const known = knownIn(visit, matched, undefined);
  if (matched.route.role.sort !== "set_read")
    return answerObject(visit, matched, findObject(visit, matched.route.kind, known));
  const set = readSet(visit, known);
  const { record } = answerOf(visit, "dns_record", matched.route.operation);
  return answerJson(200, putAt({}, record, set));
}

/** Names the job of a write, if the contract's API works in jobs: that which goes on, or one that is done. */
function withJob(
  visit: Visit,
  kind: KindName,
  requestId: string,
  { answer, job }: { readonly answer: Answer; readonly job?: string | undefined },
): Answer {
  const rules = answerOf(visit, kind).job;
  if (rules === undefined || (job === undefined && (rules.statuses !== undefined || answer.status >= 300)))
    return answer;
  const id = job ?? `done-${requestId}`;
  const path = (rules.path ?? "/jobs/{job}").replace("{job}", id);
  let body: unknown = rules.statuses === undefined && answer.body !== undefined ? JSON.parse(answer.body) : {};
  if (rules.id !== undefined) body = putAt(body, rules.id, id);
  else if (rules.ids !== undefined) body = putAt(body, rules.ids, [id]);
  const headers = rules.location === undefined ? {} : { [rules.location]: visit.contract.base_path + path };
  const status = rules.statuses?.[0] ?? (answer.status === 204 ? 200 : answer.status);
  return { status, headers: { ...answer.headers, ...headers }, body: JSON.stringify(body) };
}

/** Answers a look at a job. */
export function answerJob(visit: Visit, id: string): Answer {
  const { job: rules } = visit.contract.answer;
  const found = id.startsWith("done-") ? undefined : visit.objects.byId("job", id);
  if (rules === undefined || (found === undefined && !id.startsWith("done-"))) throw notFound(`job "${id}"`);
  const word = found === undefined ? "done" : String(found.record["status"]);
  const statusWord = word === "done" ? rules.done?.[0] : word === "failed" ? rules.failed?.[0] : undefined;
  let record: unknown = {};
  if (rules.id !== undefined && rules.record !== undefined && rules.id.startsWith(`${rules.record}/`))
    record = putAt(record, rules.id.slice(rules.record.length), id);
  if (rules.status !== undefined) record = putAt(record, rules.status, statusWord ?? word);
  const { resource } = found?.record ?? {};
  if (rules.resource_id !== undefined && isFields(resource)) record = putAt(record, rules.resource_id, resource["id"]);
  const body = putAt({}, rules.record ?? visit.contract.answer.record, record);
  return answerJson(word === "done" || rules.status !== undefined ? 200 : 202, body);
}
