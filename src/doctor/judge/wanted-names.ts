import type { Json } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";

/** A text of an answer under its key. */
interface Said {
  readonly key: string;
  readonly text: string;
}

/** A name of a parameter, also in a form such as `filter[zone]`. */
const name = String.raw`[A-Za-z][\w.-]{0,40}(?:\[\w{1,40}\])?`;
const absence =
  /\b(?:required|missing|mandatory|blank|empty|must be (?:given|set|present|provided|specified)|not (?:given|set|present|provided))\b/iu;
const sentences: readonly RegExp[] = [
  new RegExp(`["'\`]\\$?(${name})["'\`]`, "gu"),
  new RegExp(`\\b(?:parameter|param|field|argument)s?:?\\s+(${name})`, "giu"),
  new RegExp(
    `\\b(${name})\\s+(?:(?:query\\s+)?(?:parameter|param|field|argument)\\s+)?(?:is|was|are|must|can't|cannot|required|missing)\\b`,
    "giu",
  ),
  new RegExp(`\\b(?:missing|provide|specify)\\s+(?:the\\s+|an?\\s+)?(${name})`, "giu"),
];
/** Words of a sentence that are no names of parameters. */
const usual =
  /^(?:an?|the|this|it|that|is|was|are|must|be|can|not|value|values|query|request|body|input|parameters?|params?|fields?|arguments?|required|missing|mandatory|invalid|valid|empty|blank|error|errors|data|something|and|or|of|in|at|all|no|bad)$/iu;
const namesPlace = /^(?:field|param|parameter|name|property|attribute|key|path|loc|location|pointer|source)$/iu;

/** Returns the names of parameters that an API misses, by its words, at most three; not those that it was sent. */
export function namesWanted(body: Json, sent: readonly string[]): string[] {
  const all = textsIn(body);
  if (!all.some(({ text }) => absence.test(text))) return [];
  const named = all.flatMap(({ key, text }) => [
    ...(namesPlace.test(key) ? [text] : []),
    ...(absence.test(text) ? [...(namesPlace.test(key) || isWord(key) ? [] : [key]), ...namesIn(text)] : []),
  ]);
  const known = new Set([...sent, ""].map((each) => each.toLowerCase()));
  const fit = named
    .map((each) => each.replace(/^.*[./]/u, ""))
    .filter((each) => new RegExp(`^${name}$`, "u").test(each) && !usual.test(each) && !known.has(each.toLowerCase()));
  return [...new Set(fit)].slice(0, 3);
}

/** Whether a key is that of a message, and not the name of a parameter. */
const isWord = (key: string) =>
  /^(?:\d*|messages?|msg|errors?|details?|descriptions?|reasons?|titles?|texts?|types?|codes?|status|error_?description|hint|info|result)$/iu.test(
    key,
  );

const namesIn = (text: string) =>
  sentences
    .map((sentence) => [...text.matchAll(sentence)].flatMap(([, found = ""]) => (usual.test(found) ? [] : [found])))
    .find((found) => found.length > 0) ?? [];

/** Returns the texts of an answer with their keys, at most 100 of them, those in a list under the key of the list. */
function textsIn(body: Json): Said[] {
  const found: Said[] = [];
  let level: readonly (readonly [string, Json])[] = [["", body]];
  for (let depth = 0; depth < 6 && level.length > 0; depth += 1) {
    for (const [key, value] of level) if (typeof value === "string") found.push({ key, text: value.slice(0, 500) });
    level = level
      .flatMap(([key, value]): (readonly [string, Json])[] => {
        if (Array.isArray(value)) return (value as readonly Json[]).map((each) => [key, each]);
        return isObject(value) ? Object.entries(value) : [];
      })
      .slice(0, 100);
  }
  return found.slice(0, 100);
}
