import { makeId } from "../actions/context.ts";
import { namePlace } from "../emulator-error.ts";
import { readRules } from "../faults/read-rules.ts";
import { isFields, type Fields } from "../fields.ts";
import { answerJson, type Answer } from "../http/answer.ts";
import type { Service } from "../http/service.ts";
import { invalid, mergeErrors, refuseInvalid, type FieldErrors } from "../refusal.ts";
import { applySeed } from "../seed/apply-seed.ts";
import { readSpelling } from "../spelling/words.ts";
import { groups, levels, makeSecret, type Level, type Permissions } from "../store/keys.ts";
import { transition } from "./transition.ts";

/** Answers a request to one of the service's own switches. Throws an `HttpError` for what is wrong with the body or the query. */
export type Switch = (service: Service, body: Fields, query: URLSearchParams) => Answer;

const answerData = (status: number, data: unknown, message: string): Answer => answerJson(status, { data, message });

/** `GET faults`: the rules, each with how often it `matched` and `fired`. */
const listFaults: Switch = ({ faults }) => {
  const rules = faults.list();
  return answerData(200, rules, rules.length === 1 ? "1 rule." : `${rules.length} rules.`);
};

const within = (place: string): string => (place === "" ? "faults" : namePlace(place));

/** `POST faults {faults: [RULE, …]}` (schemas/faults.schema.json): adds rules, all or none. */
const addFaults: Switch = ({ faults, router, exit }, { faults: list }) => {
  const read = readRules(list, router.operations, exit !== undefined);
  if ("errors" in read)
    throw invalid(Object.fromEntries(Object.entries(read.errors).map(([place, texts]) => [within(place), texts])));
  faults.add(read.rules);
  return answerData(201, { added: read.rules.length }, "The faults were added.");
};

/** `DELETE faults`: drops all rules, and shows the present to reads again. */
const clearFaults: Switch = ({ faults, lag }) => {
  const cleared = faults.list().length;
  faults.clear();
  lag.clear();
  return answerData(200, { cleared }, "The faults were cleared.");
};

/** `POST keys {key?, permissions: {group: "none" | "read" | "write"}}`: adds a key; groups left out are "none". */
const addKey: Switch = ({ store, random }, { key, permissions }) => {
  refuseInvalid(checkKey(key, permissions));
  const secret = typeof key === "string" ? key : makeSecret(random);
  const given = permissions as Partial<Permissions>;
  const all = Object.fromEntries(
    groups.map((group): [string, Level] => [group, given[group] ?? "none"]),
  ) as Permissions;
  const added = store.transaction(() => store.keys.put(secret, makeId("key", random), all));
  return answerData(201, { id: added.id, key: secret, permissions: all }, "The key was added.");
};

function checkKey(key: unknown, permissions: unknown): FieldErrors {
  const errors = mergeErrors();
  if (key !== undefined && !(typeof key === "string" && /^[\x21-\x7e]+$/.test(key))) {
    errors["key"] = ["must be visible ASCII characters without spaces"];
  }
  if (!isFields(permissions)) return { ...errors, permissions: ["must be an object of groups"] };
  for (const [group, level] of Object.entries(permissions)) {
    if (!groups.some((name) => name === group))
      errors[`permissions.${group}`] = [`is not a group; there are ${groups.join(", ")}`];
    else if (!levels.some((name) => name === level))
      errors[`permissions.${group}`] = [`must be one of ${levels.join(", ")}`];
  }
  return errors;
}

const mostOperations = 1000;

/** `GET operations?after=SEQ&limit=N`: logged operations after a sequence number (default 0), at most `limit` (default and maximum 1000). */
const listOperations: Switch = ({ store, log }, _, query) => {
  const errors: FieldErrors = {};
  const read = (name: string, fallback: number): number => {
    const text = query.get(name) ?? String(fallback);
    if (!/^\d{1,15}$/.test(text)) errors[name] = [`must be a whole number; it was "${text}"`];
    return Number(text);
  };
  const [after, limit] = [read("after", 0), read("limit", mostOperations)];
  refuseInvalid(errors);
  log.flush();
  const operations = store.operations.after(after, Math.min(limit, mostOperations));
  return answerData(200, operations, `${operations.length} operations.`);
};

/** `POST seed` of a seed: adds all its objects in one transaction. */
const addSeed: Switch = (service, body) =>
  answerData(201, { added: applySeed(service, body) }, "The seed was applied.");

/** `PUT spelling {spelling: LIST}`: from now on answers have this formatting; an empty list: as they are stored. */
const changeSpelling: Switch = (service, { spelling }) => {
  const read = readSpelling(String(spelling));
  if ("problem" in read) throw invalid({ spelling: [`${read.problem}; ${read.hint}`] });
  service.spelling = read.spelling;
  return answerData(200, { spelling: [...read.spelling] }, "The spelling was changed.");
};

/** `POST transitions {kind, id, status, …fields}`: see `transition`. */
const changeObject: Switch = (service, body) =>
  answerData(200, transition(service, body), `The ${String(body["kind"])} was changed.`);

/** The switches by their name and method. */
export const switches = new Map<string, Readonly<Record<string, Switch>>>([
  ["faults", { GET: listFaults, POST: addFaults, DELETE: clearFaults }],
  ["keys", { POST: addKey }],
  ["operations", { GET: listOperations }],
  ["seed", { POST: addSeed }],
  ["spelling", { PUT: changeSpelling }],
  ["transitions", { POST: changeObject }],
]);
