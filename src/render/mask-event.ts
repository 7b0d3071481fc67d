import { escapeJson } from "../lib/escape.ts";
import { readBuilt } from "../lib/package-file.ts";
import { boundText, longestHint } from "../lib/shorten.ts";

/** The words that the schema of events demands, by the key at which it does: they stay, though a secret be the same word. Read once. */
let words: ReadonlyMap<string, readonly unknown[]> | undefined;

function isDemanded(key: string, text: string): boolean {
  words ??= new Map(JSON.parse(readBuilt("event-words.json")) as [string, unknown[]][]);
  return words.get(key)?.includes(text) === true;
}

/** Keys of texts that are the result of a command, not a message. */
const documents: ReadonlySet<string> = new Set(["manifest", "text"]);

/** Returns an event with each text in it masked, and the words that its schema demands left as they are. */
export function maskEvent(event: Readonly<Record<string, unknown>>, mask: (text: string) => string): object {
  const isSpelling = event["type"] === "ignored_spelling";
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => {
      // The code of a refusal or a diagnostic, and a hash, are ours; a code of the API stands in a failure.
      if (key === "type" || key === "code" || key === "hash") return [key, value];
      return [key, isSpelling ? maskForeign(value, mask) : maskIn(value, mask, key)];
    }),
  );
}

function maskIn(value: unknown, mask: (text: string) => string, key: string, parent = ""): unknown {
  // Values of the user's own objects, and a record that is to be created by hand, are data: they are of use only if they are whole.
  if (key === "value" || key === "record") return maskForeign(value, mask);
  if (key === "fields" && parent === "failure") return boundForeign(maskForeign(value, mask));
  if (documents.has(key) && typeof value === "string") return mask(value);
  if (typeof value === "string")
    return isDemanded(key, value) ? value : boundText(mask(value), key === "hint" ? longestHint : undefined);
  if (Array.isArray(value)) return value.map((each) => maskIn(each, mask, key, parent));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskIn(inner, mask, name, key)]));
}

/** Returns what the server says of the fields of a request, or the beginning and the end of its text where that is too long. */
function boundForeign(fields: unknown): unknown {
  const text = JSON.stringify(fields) ?? "";
  const bound = boundText(text);
  return bound === text ? fields : bound;
}

/** Masks a value of the API or a manifest: its numbers and keys may be secret, too. */
function maskForeign(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : mask(String(value));
  if (Array.isArray(value)) return value.map((each) => maskForeign(each, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [mask(name), maskForeign(inner, mask)]));
}

/** Returns an event as a line of JSON. `mask` takes secrets out of a text; each value is masked before it is serialised. */
export const renderEvent = (event: Parameters<typeof maskEvent>[0], mask: (text: string) => string): string =>
  `${escapeJson(JSON.stringify(maskEvent(event, mask)))}\n`;
