import { exitCodes } from "./exit-codes.ts";
import type { ProbeFinding } from "../model/contract-summary.ts";
import type { Outcome, PutBack } from "../model/report.ts";
import { reasonWords } from "../messages/step-reasons.ts";
import { stateNames } from "./fleet/states.ts";
import { verdicts, ways } from "./why-words.ts";
import { escapeJson } from "../lib/escape.ts";
import { boundText, longestHint } from "../lib/shorten.ts";

/** A word that is missing here does not compile. */
const outcomes: Readonly<Record<(Outcome | PutBack["outcome"] | ProbeFinding)["is"], true>> = {
  done: true,
  failed: true,
  blocked: true,
  not_attempted: true,
  put_back: true,
  seen: true,
  refuted: true,
  unseen: true,
};

/** Words of ours at each key (schemas/events.schema.json): they stay, though a secret be the same word. */
const words: Readonly<Record<string, ReadonlySet<unknown>>> = {
  is: new Set(["value", "sensitive", "known_after_apply", "absent", "put_back", "lost"]),
  action: new Set(["create", "update", "delete", "renew"]),
  reason: new Set(reasonWords),
  origin: new Set(["this_change", "drift", "both", "not_made"]),
  drift: new Set(["differs", "gone", "appeared"]),
  mismatch: new Set(["differs", "silent", "nobody"]),
  severity: new Set(["error", "warning", "notice"]),
  flag: new Set(["--allow-delete", "--allow-purchase", "--rollback"]),
  outcome: new Set(Object.keys(outcomes)),
  state: new Set(["ready", "pending", "failed", "missing", "planning", "applying", "stopped", "done", ...stateNames]),
  kind: new Set(["plan", "drift", "apply"]),
  ending: new Set(Object.keys(exitCodes)),
  change: new Set(["entered", "left"]),
  verdict: new Set(Object.keys(verdicts)),
  stage: new Set(["seed", "run", "cut"]),
  removed: new Set(["forget", "delete"]),
  lastChange: new Set(["not_committed", "cut_off"]),
  undeclared: new Set(["unmanaged", "platform"]),
  how: new Set(Object.keys(ways)),
};

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
    return words[key]?.has(value) === true ? value : boundText(mask(value), key === "hint" ? longestHint : undefined);
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
