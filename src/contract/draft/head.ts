import type { AnswerRules, AuthRules, Pointer } from "../../model/contract.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { Collection } from "./collections.ts";
import type { Operation } from "./operations.ts";
import { entriesOf, listAt, own, placesIn, type Schemas, type Shape } from "./shape.ts";
import { plainName, wordsOf } from "./words.ts";

/** Segments that are no nouns of anything. */
const isPrefix = (segment: string) => /^(?:api|rest|client|public|v?\d+(?:\.\d+)*|v\d+\w*|latest)$/iu.test(segment);

export interface Server {
  /** Without its path; undefined where the description names none. */
  readonly origin: string | undefined;
  readonly path: string;
}

/** Reads where the API stands: the first server. */
export function readServer({ document }: Schemas): Server {
  const url = own(listAt(document, "servers")[0], "url");
  const [, origin, path = ""] =
    /^([a-z]+:\/\/[^/?#\s]+)?(\/[^?#\s]*)?/iu.exec(typeof url === "string" ? url : "") ?? [];
  const below = path.replaceAll(/\/+/gu, "/").replace(/\/$/u, "");
  return { origin, path: /[{}]/u.test(below) ? "" : below };
}

/** Returns the versions and the like with which all of these paths begin. */
export function sharedPrefix(paths: readonly string[]): string {
  const split = paths.map((path) => path.split("/").slice(1));
  const [first = []] = split;
  const end = first.findIndex(
    (segment, index) => !isPrefix(segment) || split.some((path) => path[index] !== segment || path.length <= index + 1),
  );
  return first
    .slice(0, Math.max(0, end))
    .map((segment) => `/${segment}`)
    .join("");
}

/** Tells how the key is sent: the scheme that most requests, or else the description, ask for. */
export function readAuth({ document, resolve }: Schemas): {
  readonly auth: AuthRules;
  readonly reason: string;
} {
  const schemes = own(own(document, "components"), "securitySchemes");
  const wanted = [
    ...[...listAt(document, "security"), ...usedSchemes(document)].map((each) => entriesOf(each).map(([name]) => name)),
    ...entriesOf(schemes).map(([name]) => [name]),
  ].sort((one, other) => one.length - other.length);
  for (const names of wanted) {
    const found = names.flatMap((name) => authOf(resolve(own(schemes, name))) ?? []);
    const [first, second] = found;
    if (!first || found.length !== names.length) continue;
    const reason = `the security ${names.length === 1 ? "scheme" : "schemes"} ${names.join(" and ")}`;
    if (!second) return { auth: { ...first, assumed: true }, reason };
    if (found.length === 2 && found.every(({ scheme }) => scheme === ""))
      return { auth: { headers: [first.header, second.header], assumed: true }, reason };
  }
  const auth = { header: "Authorization", scheme: "Bearer", assumed: true } as const;
  return { auth, reason: "no security scheme has a key in a header: this is the most usual" };
}

const usedSchemes = (document: Json): Json[] =>
  entriesOf(own(document, "paths"))
    .slice(0, 200)
    .flatMap(([, item]) => entriesOf(item).flatMap(([, operation]) => listAt(operation, "security").slice(0, 5)));

function authOf(scheme: Json | undefined): { header: string; scheme: string } | undefined {
  const type = own(scheme, "type");
  const header = own(scheme, "name");
  if (type === "http" && jsonText(own(scheme, "scheme")).toLowerCase() === "bearer")
    return { header: "Authorization", scheme: "Bearer" };
  if (type === "oauth2" || type === "openIdConnect") return { header: "Authorization", scheme: "Bearer" };
  if (type !== "apiKey" || own(scheme, "in") !== "header" || typeof header !== "string") return undefined;
  if (!/^[A-Za-z0-9-]+$/u.test(header)) return undefined;
  return { header: header.replaceAll(/(?:^|-)[a-z]/gu, (letter) => letter.toUpperCase()), scheme: "" };
}

/** Drafts how failures are told, from the answers of the lists that were found. */
export function draftFailures(
  schemas: Schemas,
  collections: readonly Collection[],
): Omit<AnswerRules, "record" | "list"> {
  const lists = collections.map(({ list }) => list);
  const failure = lists.find((each) => each.failure && each.failure.properties.size > 0)?.failure;
  const success = lists.every(
    ({ answer }) => answer && schemas.shapeOf(answer.properties.get("success") ?? []).types.has("boolean"),
  );
  const fields = failure && fieldsOf(schemas, failure);
  const code = failure && messageAt(schemas, failure, ["code", "error_code", "type", "error"]);
  return {
    error: {
      message:
        (failure && messageAt(schemas, failure, ["message", "error_message", "detail", "title", "error"])) ??
        "/message",
      ...(code !== undefined && { code }),
      ...(fields !== undefined && { fields }),
      assumed: true,
    },
    ...messageOf(schemas, lists),
    ...(lists.length > 0 && success && { failed_when: { pointer: "/success", equals: [false] } }),
    rate_limit: { statuses: [429], ...limitHeaders(lists), assumed: true },
  };
}

/** Finds the text beside the objects of an answer, and the header with the id of a request. */
function messageOf(schemas: Schemas, lists: readonly Operation[]): Pick<AnswerRules, "message" | "request_id"> {
  const hasMessage = lists.some(
    ({ answer }) => answer && schemas.shapeOf(answer.properties.get("message") ?? []).types.has("string"),
  );
  const header = lists.flatMap(({ answerHeaders }) => answerHeaders).find((name) => /^(?:x-)?request-id$/iu.test(name));
  return {
    ...(hasMessage && { message: "/message" }),
    ...(header !== undefined && { request_id: { header, assumed: true } }),
  };
}

function limitHeaders(lists: readonly Operation[]): Record<string, string> {
  const names = [...new Set(lists.flatMap((each) => [...each.limitHeaders, ...each.answerHeaders]))].filter((name) =>
    /^[A-Za-z0-9-]+$/u.test(name),
  );
  const named = (word: RegExp) => names.find((name) => word.test(wordsOf(name)));
  const found = {
    retry_after: named(/retry-after/u),
    remaining: named(/rate-?limit-remaining$/u),
    reset: named(/rate-?limit-reset$/u),
  };
  return Object.fromEntries(Object.entries(found).flatMap(([key, name]) => (name === undefined ? [] : [[key, name]])));
}

/** Finds a text of a failure, in its first error too. */
function messageAt(schemas: Schemas, failure: Shape, names: readonly string[]): Pointer | undefined {
  const inside = placesIn(schemas, failure, 2);
  const first = inside
    .filter(({ names: path, shape }) => path.length === 1 && shape.items.length > 0)
    .flatMap(({ pointer, shape }) =>
      placesIn(schemas, schemas.shapeOf(shape.items), 1).map((place) => ({
        ...place,
        pointer: `${pointer}/0${place.pointer}`,
      })),
    );
  for (const name of names.map(plainName))
    for (const places of [inside.filter((each) => each.names.length === 1), inside, first]) {
      const found = places.find(
        (each) =>
          plainName(each.names.at(-1) ?? "") === name &&
          each.shape.properties.size === 0 &&
          each.shape.items.length === 0,
      );
      if (found) return found.pointer;
    }
  return undefined;
}

function fieldsOf(schemas: Schemas, failure: Shape): Pointer | undefined {
  return placesIn(schemas, failure, 1).find(
    ({ names: path, shape }) =>
      /^(?:errors|validation_?errors|fields|field_?errors|violations)$/iu.test(path[0] ?? "") &&
      !shape.types.has("string") &&
      !schemas.shapeOf(shape.items).properties.has("message"),
  )?.pointer;
}
