import type { Kind } from "../../kinds/kind.ts";
import type { Codec, FieldContract, MappedWord } from "../../model/contract.ts";
import { misfit, sortOf } from "../spelling/fits.ts";
import { findField, saysYes } from "./find-field.ts";
import { placesIn, type InnerShape, type Schemas, type Shape } from "./shape.ts";
import { lists } from "./vocabulary.ts";
import { plainName } from "./words.ts";

/** The shapes in which the fields of a kind stand. */
export interface FieldShapes {
  readonly item: Shape;
  readonly members?: { readonly at: string; readonly shape: Shape } | undefined;
  /** The body of a creation. */
  readonly creation?: Shape | undefined;
  /** Whether the contract has services, whose ids may stand in other kinds. */
  readonly hasServices: boolean;
}

export interface DraftField {
  readonly name: string;
  readonly field: FieldContract;
  readonly reason: string;
}

/** Types that nearly all servers take. */
const usualTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "SRV", "TXT"];

/** Drafts the fields of a kind that a record has, or the body of a creation takes. */
export function draftFields(schemas: Schemas, kind: Kind, shapes: FieldShapes): DraftField[] {
  const drafts = Object.entries(kind.fields).flatMap(([name, { access }]): DraftField[] => {
    if (access === "manifest_only") return [];
    const place = findPlace(schemas, kind, name, shapes);
    const written = shapes.creation && findField(schemas, kind, name, shapes.creation);
    const isSent = access === "write_only" || (access === "immutable" && kind.fields[name]?.required === true);
    const found = place ?? (isSent ? written : undefined);
    if (!found || found.pointer === "") return [];
    const field = {
      at: found.pointer,
      ...createPlace(kind, name, shapes, { found, written }),
      ...spell(kind, name, found),
      assumed: true,
    };
    const idOf = referenceTo(name, found);
    if (idOf && !shapes.hasServices) return [];
    const where = place ? "the records" : "the bodies of creations";
    return [{ name, field: { ...field, ...(idOf && { id_of: "service" }) }, reason: reasonOf(found, where) }];
  });
  return kind.members ? spellContent(schemas, drafts, shapes) : drafts;
}

const reasonOf = ({ names, shape }: InnerShape, where: string): string =>
  names.length === 0
    ? `${where} are texts`
    : `${where} have ${names.join(".")}${shape.types.size > 0 ? ` (${[...shape.types].join(" or ")})` : ""}`;

function findPlace(schemas: Schemas, kind: Kind, name: string, { item, members }: FieldShapes): InnerShape | undefined {
  if (!members || kind.members === undefined) return findField(schemas, kind, name, item);
  const inMember = findField(schemas, kind, name, members.shape, true);
  const isShared = kind.members.shared.includes(name) || name in kind.naming.toFields({});
  if (inMember && !isShared) return { ...inMember, pointer: members.at + inMember.pointer };
  return findField(schemas, kind, name, item);
}

const referenceTo = (name: string, { names }: InnerShape): boolean =>
  name === "service" && /(?:id|uuid)$/u.test(plainName(names.at(-1) ?? ""));

/** Compares the place in a record with that in the body of a creation. */
function createPlace(
  kind: Kind,
  name: string,
  { creation, members }: FieldShapes,
  { found, written }: { found: InnerShape; written: InnerShape | undefined },
): Pick<FieldContract, "create"> {
  const { access } = kind.fields[name] ?? {};
  if (!creation || creation.properties.size === 0 || members || access === "read_only") return {};
  if (written) return written.pointer === found.pointer ? {} : { create: written.pointer };
  const isKey = name in kind.naming.toFields({});
  return access === "mutable" && !isKey && kind.fields[name]?.required !== true ? { create: false } : {};
}

/** Says how the API spells a field, as far as its schema tells. */
function spell(kind: Kind, name: string, place: InnerShape): Partial<FieldContract> {
  const { shape, names } = place;
  const sort = sortOf(kind, name);
  const isNumber =
    shape.types.size > 0 && [...shape.types].every((type) => ["integer", "number", "null"].includes(type));
  const sayings = [...names, ...shape.texts].join(" ");
  const as: Codec[] = [];
  if (sort === "number" && name.endsWith("_mb") && /bytes/iu.test(sayings) && !/megabytes|mebibytes/iu.test(sayings))
    as.push("bytes");
  if (sort === "text" && isNumber && !lists.has(`${kind.name}.${name}`)) as.push("integer");
  if (kind.naming.relative?.field === name) as.push(...spellName(shape));
  if (kind.scope.includes("domain") && /localpart|^local$|^user(?:name)?$/u.test(plainName(names.at(-1) ?? "")))
    as.push("local_part");
  const map = wordsFor(kind, name, shape);
  return {
    ...(as.length > 0 && misfit(kind, name, as) === undefined && { as }),
    ...(map && { map }),
    ...(name === "ttl" && shape.minimum !== undefined && shape.minimum > 1 && { min: shape.minimum }),
    ...(name === "ttl" && shape.maximum !== undefined && { max: shape.maximum }),
    ...keysOf(shape, lists.has(`${kind.name}.${name}`)),
    ...(kind.fields[name]?.listed && { values: typesIn(shape.words) }),
  };
}

const typesIn = (words: readonly string[]): readonly string[] => {
  const types = words.filter((word) => /^[A-Z][A-Z0-9]*$/u.test(word) && word !== "SOA");
  return types.length > 0 ? [...types].sort() : usualTypes;
};

/** A list of name servers may be an object `{ ns1, ns2 }`. */
function keysOf({ items, properties }: Shape, isList: boolean): Pick<FieldContract, "keys"> {
  const first = [...properties.keys()].find((key) => /^[a-z_]+1$/u.test(key));
  return isList && items.length === 0 && first !== undefined ? { keys: `${first.slice(0, -1)}{n}` } : {};
}

function spellName({ texts }: Shape): Codec[] {
  const all = texts.join("\n");
  if (/complete|fully|full name|including the zone|zone name appended|^[\w-]+\.example\.com$/imu.test(all))
    return ["whole_name"];
  const isRelative = /(?:^|[\s"'`(])(?:@|www|sub)(?:$|[\s"'`),.])|without the zone|relative|must not end with/imu.test(
    all,
  );
  return isRelative ? ["relative_name"] : [];
}

const states: readonly (readonly ["ready" | "awaited" | "failed", RegExp])[] = [
  ["ready", /^(?:ok|active|ready|enabled|live|running|success|issued|registered|completed?|valid)$/u],
  [
    "awaited",
    /^(?:pending|updating|creating|provisioning|processing|initiali[sz]ing|preparing|in_?progress|queued|starting|requested)$/u,
  ],
  ["failed", /^(?:error|failed|failure)$/u],
];

/** Pairs the words of an enumeration with those of Hostform. */
function wordsFor(kind: Kind, name: string, { words, types }: Shape): FieldContract["map"] {
  if (words.length === 0 || words.length > 50) return undefined;
  if (sortOf(kind, name) === "boolean" && !types.has("boolean")) {
    const yes = words.filter((word) => saysYes(name, word));
    const no = words.filter((word) => !yes.includes(word));
    return yes.length > 0 && no.length > 0 ? { true: single(yes), false: single(no) } : undefined;
  }
  if (name !== "status" || !kind.readiness) return undefined;
  const ours = new Set([...kind.readiness.ready, ...kind.readiness.awaited, ...kind.readiness.failed]);
  const pairs = states.flatMap(([state, pattern]): [string, MappedWord | readonly MappedWord[]][] => {
    const theirs = words.filter((word) => !ours.has(word) && pattern.test(word.toLowerCase()));
    const [word] = kind.readiness?.[state] ?? [];
    if (theirs.length === 0 || word === undefined) return [];
    return [[word, single([...words.filter((each) => each === word), ...theirs])]];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

const single = (words: readonly string[]): MappedWord | readonly MappedWord[] =>
  words.length === 1 ? (words[0] ?? "") : words;

/** Parts of contents that APIs take one by one. */
const parts: Readonly<Record<string, readonly string[]>> = {
  CAA: ["flags", "tag", "value"],
  SRV: ["priority", "weight", "port", "target"],
};

/** Says where a priority stands that has no property, and where the parts of a content are. */
function spellContent(schemas: Schemas, drafts: readonly DraftField[], { item, members }: FieldShapes): DraftField[] {
  const hasPriority = drafts.some(({ name }) => name === "priority");
  const places = placesIn(schemas, item, 2).filter(({ names }) => names.length === 2);
  const pointerOf = (name: string) =>
    places.find(({ names: [outer, inner] }) => outer === "data" && inner === name)?.pointer;
  const inParts = Object.entries(parts).flatMap(([type, names]) => {
    const found = names.flatMap((name) => {
      const pointer = pointerOf(name);
      return pointer === undefined ? [] : [[name, pointer] as const];
    });
    return found.length === names.length ? [[type, Object.fromEntries(found)] as const] : [];
  });
  return drafts.map((draft) =>
    draft.name === "content"
      ? {
          ...draft,
          field: {
            ...draft.field,
            ...(!hasPriority && { as: ["priority_inside"] as const }),
            ...(!members && inParts.length > 0 && { parts: Object.fromEntries(inParts) }),
          },
        }
      : draft,
  );
}
