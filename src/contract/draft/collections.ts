import { kinds } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Operation } from "./operations.ts";
import { placesIn, type Schemas, type Shape } from "./shape.ts";
import { findField } from "./find-field.ts";
import { vocabularies, type Vocabulary } from "./vocabulary.ts";
import { plainName } from "./words.ts";

/** The list of a kind, as a description offers it. */
export interface Collection {
  readonly kind: Kind;
  readonly list: Operation;
  /** The pointer to the list in an answer. */
  readonly at: string;
  readonly item: Shape;
  /** The pointer to the members in an item, if it is a set, and the shape of a member. */
  readonly members?: { readonly at: string; readonly shape: Shape };
  readonly isSingle: boolean;
}

export interface Lacking {
  readonly kind: string;
  /** Paths whose names fit, with the field that each lacks. */
  readonly near: readonly { readonly path: string; readonly lacks: string }[];
}

interface Candidate extends Collection {
  readonly score: number;
  readonly missing: string | undefined;
}

/** Finds the list of each kind: the GET whose path and whose records are most like it. */
export function findCollections(
  schemas: Schemas,
  operations: readonly Operation[],
): { readonly collections: ReadonlyMap<string, Collection>; readonly lacking: readonly Lacking[] } {
  const reads = operations.filter(({ method, answer }) => method === "GET" && answer);
  const collections = new Map<string, Collection>();
  const lacking: Lacking[] = [];
  const managed = managedNouns(operations);
  for (const kind of kinds) {
    const service = collections.get("service")?.list;
    const found = reads.flatMap((list) =>
      candidate(schemas, kind, list).map((each) => ({
        ...each,
        score: each.score + (managed.get(lastNoun(list)) ?? 0) + (service ? 3 * sharedSegments(service, list) : 0),
      })),
    );
    const [best] = found.filter(({ missing }) => missing === undefined).sort((one, other) => other.score - one.score);
    if (best) collections.set(kind.name, best);
    else
      lacking.push({
        kind: kind.name,
        near: found.slice(0, 3).map(({ list, missing = "" }) => ({ path: list.path, lacks: missing })),
      });
  }
  return { collections, lacking };
}

/** Returns the constants of a path, as its words. */
export const nounsOf = (operation: Pick<Operation, "segments">): string =>
  operation.segments.flatMap(({ noun }) => (noun === "" ? [] : [noun])).join("/");

export const lastNoun = ({ segments }: Pick<Operation, "segments">): string =>
  segments.findLast(({ noun }) => noun !== "")?.noun ?? "";

/** Counts, for each noun, whether its objects can be created and deleted: Hostform is for those. */
function managedNouns(operations: readonly Operation[]): ReadonlyMap<string, number> {
  const nouns = new Map<string, number>();
  const found = new Set(
    operations.flatMap((each) =>
      each.method === "POST" || each.method === "DELETE" ? `${each.method} ${lastNoun(each)}` : [],
    ),
  );
  for (const each of found) {
    const [, noun = ""] = each.split(" ");
    nouns.set(noun, (nouns.get(noun) ?? 0) + 6);
  }
  return nouns;
}

/** Counts the segments with which two paths begin. */
function sharedSegments({ segments: one }: Operation, { segments: other }: Operation): number {
  const end = one.findIndex(({ text }, index) => other[index]?.text !== text);
  return Math.min(3, end === -1 ? one.length : end);
}

const vocabularyOf = ({ name }: Kind): Vocabulary | undefined =>
  Object.hasOwn(vocabularies, name) ? vocabularies[name] : undefined;

function candidate(schemas: Schemas, kind: Kind, list: Operation): Candidate[] {
  const vocabulary = vocabularyOf(kind);
  const nouns = nounsOf(list);
  const [, weight] = vocabulary?.paths.find(([pattern]) => pattern.test(nouns)) ?? [];
  if (!vocabulary || weight === undefined || !list.answer) return [];
  const isSingle = vocabulary.single === true;
  const found = isSingle ? recordShapeIn(schemas, list.answer) : listIn(schemas, list);
  if (!found) return [];
  const members = kind.members ? membersIn(schemas, found.shape) : undefined;
  const has = (name: string) =>
    findField(schemas, kind, name, found.shape) !== undefined ||
    (members !== undefined && findField(schemas, kind, name, members.shape, true) !== undefined);
  const fields = Object.keys(vocabulary.fields).filter(has);
  const missing = vocabulary.needs.find((name) => !fields.includes(name));
  const score = weight * 10 + fields.length + pathScore(kind, list);
  const collection = { kind, list, at: found.at, item: found.shape, isSingle, ...(members && { members }) };
  return [{ ...collection, score, missing }];
}

/** A list of the whole account has no parameters, others one. */
function pathScore({ scope }: Kind, { segments, isDeprecated, path }: Operation): number {
  const params = segments.filter(({ param }) => param !== undefined).length;
  const surplus = Math.max(0, params - (scope.length > 0 ? 1 : 0));
  return -12 * surplus - segments.length - (isDeprecated ? 25 : 0) - (path.endsWith("/") ? 20 : 0);
}

interface FoundShape {
  readonly at: string;
  readonly shape: Shape;
}

const envelopes = ["data", "result", "results", "items", "list", "records", "content", "values"];

/** Finds the list of objects in an answer: the whole of it, one of the usual names, or else the first. */
export function listIn(schemas: Schemas, { answer, segments }: Operation): FoundShape | undefined {
  if (!answer) return undefined;
  const endsInParam = segments.at(-1)?.param !== undefined;
  const whole = itemOf(schemas, answer);
  if (whole) return { at: "", shape: whole };
  const places = placesIn(schemas, answer, endsInParam ? 1 : 2).flatMap(({ pointer, names, shape }) => {
    const item = itemOf(schemas, shape);
    return item ? [{ at: pointer, name: plainName(names.at(-1) ?? ""), shape: item }] : [];
  });
  const noun = plainName(segments.findLast((each) => each.noun !== "")?.text ?? "");
  const wanted = [...(endsInParam ? [] : [noun]), ...envelopes.map(plainName)];
  const named = places.find(({ name }) => wanted.includes(name) || (name !== "" && noun.endsWith(name)));
  return named ?? (endsInParam ? undefined : places[0]);
}

/** Returns the objects that a list holds; undefined for anything else. */
function itemOf(schemas: Schemas, shape: Shape): Shape | undefined {
  if (shape.items.length === 0) return undefined;
  const item = schemas.shapeOf(shape.items);
  return item.properties.size > 0 ? item : undefined;
}

/** Finds the record in an answer: below the usual name of an envelope, or the whole. */
export function recordShapeIn(schemas: Schemas, answer: Shape, like?: Shape): FoundShape | undefined {
  const likeness = ({ properties }: Shape) =>
    like ? [...properties.keys()].filter((name) => like.properties.has(name)).length : properties.size;
  const places = placesIn(schemas, answer, 1).flatMap(({ pointer, names, shape }) =>
    shape.properties.size > 0 && (like || envelopes.includes(names[0] ?? "")) ? [{ at: pointer, shape }] : [],
  );
  const [best] = [{ at: "", shape: answer }, ...places].sort(
    (one, other) => likeness(other.shape) - likeness(one.shape),
  );
  return best && likeness(best.shape) > 0 ? best : undefined;
}

const memberNames = ["records", "rrs", "values", "resource_records", "data", "contents", "items", "rdata", "answers"];

/** Finds the members of a set: a list of texts, or of objects, inside of an item. */
function membersIn(schemas: Schemas, item: Shape): { at: string; shape: Shape } | undefined {
  for (const { pointer, names, shape } of placesIn(schemas, item, 1)) {
    if (shape.items.length === 0 || !memberNames.map(plainName).includes(plainName(names[0] ?? ""))) continue;
    return { at: pointer, shape: schemas.shapeOf(shape.items) };
  }
  return undefined;
}
