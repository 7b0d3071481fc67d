import { kinds } from "../kinds/index.ts";
import { nearest } from "../model/nearest.ts";
import { vocabularies } from "./draft/vocabulary.ts";

const singular = (name: string) => name.toLowerCase().replaceAll("_", "-").replace(/s$/u, "");

/** Returns the kind that a made-up name most likely means: one that is spelt alike, or for which APIs have this word. */
export function nearestKind(name: string): string | undefined {
  const word = singular(name);
  const weights = kinds.flatMap((kind) =>
    (vocabularies[kind.name]?.paths ?? []).flatMap(([pattern, weight]) =>
      pattern.test(word) ? [{ name: kind.name, weight }] : [],
    ),
  );
  const [likely] = weights.toSorted((a, b) => b.weight - a.weight);
  return nearest(name, namesOf(kinds)) ?? likely?.name ?? holding(word, namesOf(kinds));
}

/** Returns the field of a kind that a made-up name most likely means. */
export function nearestField(kind: string, name: string, known: readonly string[]): string | undefined {
  const words = Object.entries(vocabularies[kind]?.fields ?? {});
  const word = name.toLowerCase().replaceAll("-", "_");
  const synonym = words.find(([field, names]) => known.includes(field) && names.includes(word))?.[0];
  return nearest(name, known) ?? synonym ?? holding(word, known);
}

const namesOf = (all: typeof kinds) => all.map(({ name }) => name);

const partsOf = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/u);

/** Returns the name that holds a word, or that a longer word holds; undefined unless there is only one. */
function holding(word: string, known: readonly string[]): string | undefined {
  const own = partsOf(word);
  const found = known.filter((name) => {
    const parts = partsOf(name);
    return own.every((part) => parts.includes(part)) || parts.every((part) => own.includes(part));
  });
  return found.length === 1 ? found[0] : undefined;
}
