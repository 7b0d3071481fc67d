import { unknownStatus } from "../../kinds/derived/unknown-status.ts";
import { sortOf } from "../../contract/spelling/fits.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { FieldContract, MappedWord } from "../../model/contract.ts";
import { namesSecret } from "../../model/credentials.ts";
import { type Json, jsonText } from "../../model/json.ts";
import { nearest } from "../../model/nearest.ts";
import type { FieldValues, Misspelling } from "./field-values.ts";
import { shownWord } from "./say.ts";

const wordsFor = (theirs: MappedWord | readonly MappedWord[]): readonly MappedWord[] =>
  Array.isArray(theirs) ? (theirs as readonly MappedWord[]) : [theirs as MappedWord];

/** Finds a word of the API that the contract gives no meaning. */
export function judgeWords({ spelt: { kind }, name, field, values }: FieldValues): Misspelling | undefined {
  const scalars = [...new Set(values.flat(1))].filter((value) => typeof value !== "object");
  const { map } = field;
  const known = map ? Object.values(map).flatMap(wordsFor).map(String) : [];
  const isUnknown = (value: Json) => !known.includes(jsonText(value)) && !hasMeaning(kind, name, field, value);
  const word = scalars.find(isUnknown);
  if (word === undefined || namesSecret(field.at)) return undefined;
  const shown = shownWord(kind, name, word);
  if (shown === undefined) return undefined;
  const seen = scalars.map((value) => jsonText(value));
  const meaning = guessMeaning(kind, name, field, { word: shown, seen });
  const theirs = map && meaning !== undefined ? (map[meaning] ?? []) : [];
  // A word that an answer has shown stays; others are replaced.
  const kept = wordsFor(theirs as MappedWord).filter((each) => seen.includes(String(each)));
  const value: Json = kept.length === 0 ? word : [...kept, word];
  return {
    expected: map ? `one of the words of its map: ${known.join(", ").slice(0, 200)}` : `a word that ${kind.name} knows`,
    found: `the word ${shown}`,
    write: meaning === undefined ? {} : { map: { [meaning]: value } },
  };
}

/** Whether a word without an entry in the map is read as it is meant. */
function hasMeaning(kind: Kind, name: string, { map, values = [] }: FieldContract, value: Json): boolean {
  if (values.includes(jsonText(value))) return true;
  // The word is a meaning, for which the map has another word.
  if (map && Object.hasOwn(map, jsonText(value))) return false;
  if (name === "status" && kind.readiness) return unknownStatus(kind, { status: value }) === undefined;
  if (sortOf(kind, name) === "boolean")
    return typeof (kind.fields[name]?.normalise?.(value, {}) ?? value) === "boolean" && map === undefined;
  return map === undefined || typeof value === "boolean";
}

const positive =
  /^(?:1|y|yes|on|ok|true|active|enabled?|unlocked|live|running|ready|up|available|valid|issued|success)$/iu;
const underWay = /pend|start|progress|provision|updat|queue|creat|setup|wait|verif|install|new/iu;
const broken = /fail|error|broken|invalid|rejected/iu;

/** Returns the value of a manifest or the status that a word most likely stands for. */
function guessMeaning(
  kind: Kind,
  name: string,
  { map = {} }: FieldContract,
  { word, seen }: { readonly word: string; readonly seen: readonly string[] },
): string | undefined {
  if (sortOf(kind, name) === "boolean") {
    const other = Object.keys(map).find((key) => wordsFor(map[key] ?? []).some((each) => seen.includes(String(each))));
    if (other !== undefined) return other === "true" ? "false" : "true";
    return positive.test(word) ? "true" : "false";
  }
  if (Object.hasOwn(map, word)) return word;
  const unseen = Object.keys(map).filter(
    (key) => !wordsFor(map[key] ?? []).some((each) => seen.includes(String(each))),
  );
  const near = nearest(
    word,
    unseen.flatMap((key) => wordsFor(map[key] ?? []).map(String)),
  );
  const owner = unseen.find(
    (key) =>
      near !== undefined &&
      wordsFor(map[key] ?? [])
        .map(String)
        .includes(near),
  );
  if (owner !== undefined) return owner;
  if (name !== "status" || !kind.readiness)
    return nearest(word, Object.keys(map)) ?? (unseen.length === 1 ? unseen[0] : undefined);
  const { ready, awaited, failed } = kind.readiness;
  if (positive.test(word)) return ready[0];
  if (broken.test(word)) return failed[0];
  return underWay.test(word) ? awaited[0] : undefined;
}
