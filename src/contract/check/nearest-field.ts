import { nearest } from "../../model/nearest.ts";

const singular = (name: string) => name.toLowerCase().replaceAll("_", "-").replace(/s$/u, "");

/** Words of vendors for kinds and fields, in singular and with hyphens. */
const synonyms: Readonly<Record<string, string>> = {
  hosting: "service",
  project: "service",
  site: "service",
  website: "service",
  webspace: "service",
  "max-size": "quota_mb",
  "expiry-date": "expires_at",
  "valid-until": "expires_at",
};

/** Returns the known name that a made-up name of a kind or a field most likely means: a similar one, or that for which APIs have this word. */
export function nearestField(name: string, known: readonly string[]): string | undefined {
  const word = singular(name);
  const synonym = Object.hasOwn(synonyms, word) ? synonyms[word] : undefined;
  return nearest(name, known) ?? known.find((each) => each === synonym) ?? holding(word, known);
}

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
