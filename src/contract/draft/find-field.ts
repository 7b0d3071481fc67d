import type { Kind } from "../../kinds/kind.ts";
import { sortOf } from "../spelling/fits.ts";
import { placesIn, type InnerShape, type Schemas, type Shape } from "./shape.ts";
import { generic, lists, vocabularies } from "./vocabulary.ts";
import { plainName } from "./words.ts";

const known = new WeakMap<Shape, readonly NamedPlace[]>();

interface NamedPlace extends InnerShape {
  readonly name: string;
  /** The name with that of the object around it. */
  readonly whole: string;
}

function namedPlaces(schemas: Schemas, shape: Shape): readonly NamedPlace[] {
  const places =
    known.get(shape) ??
    placesIn(schemas, shape).map((place) => ({
      ...place,
      name: plainName(place.names.at(-1) ?? ""),
      whole: plainName(
        place.names
          .slice(-2)
          .join("_")
          .replace(/_?in_?(?:mega)?bytes/iu, ""),
      ),
    }));
  known.set(shape, places);
  return places;
}

/** Tells whether a place is in an object named like the kind: nothing of this kind stands in others then. */
const isOfKind = ({ name }: Kind, { names: [first = ""] }: InnerShape): boolean => plainName(first) === plainName(name);

/** Tells whether a word of an enumeration says yes to a field. */
export const saysYes = (name: string, word: string): boolean =>
  /^(?:active|enabled|on|yes|true)$/iu.test(word) || (name.endsWith("_lock") && /^locked$/iu.test(word));

/** Tells whether values of a shape can be those of a field. */
function fits(kind: Kind, name: string, shape: Shape): boolean {
  const { types, items, properties, words } = shape;
  if (types.size === 0) return true;
  const is = (...wanted: string[]) => wanted.some((type) => types.has(type));
  if (lists.has(`${kind.name}.${name}`))
    return items.length > 0 || [...properties.keys()].some((key) => key.endsWith("1"));
  const sort = sortOf(kind, name);
  if (sort === "number") return is("integer", "number");
  if (sort === "boolean") return is("boolean") || words.some((word) => saysYes(name, word));
  return is("string", "integer", "number") || (sort === "any" && is("boolean"));
}

/**
 * Finds the place of a field in a record: by its names in the order of preference, in the record itself before the objects inside of it.
 * @param isMember the shape is that of a member of a set, which may be the value itself.
 */
export function findField(
  schemas: Schemas,
  kind: Kind,
  name: string,
  ...[shape, isMember = false]: readonly [shape: Shape, isMember?: boolean]
): InnerShape | undefined {
  if (isMember && name === kind.members?.identity && shape.types.has("string"))
    return { pointer: "", names: [], shape };
  const names = (vocabularies[kind.name]?.fields[name] ?? []).map((each) => [plainName(each), each] as const);
  const all = namedPlaces(schemas, shape).filter((place) => fits(kind, name, place.shape));
  const ofKind = namedPlaces(schemas, shape).some((place) => isOfKind(kind, place) && place.shape.properties.size > 0);
  const places = ofKind ? all.filter((place) => place.names.length === 1 || isOfKind(kind, place)) : all;
  for (const depth of [1, 2, 3])
    for (const [wanted, synonym] of names) {
      const found = places.find(
        (place) =>
          place.names.length === depth &&
          (place.whole === wanted || (place.name === wanted && (depth === 1 || !generic.has(synonym)))),
      );
      if (found) return found;
    }
  return undefined;
}
