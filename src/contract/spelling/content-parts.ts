import {
  decodeText,
  formatQuotedStrings,
  parseQuotedStrings,
  quoteText,
} from "../../kinds/shared/character-strings.ts";
import { splitWords } from "../../kinds/shared/content-fields.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import type { Pointer } from "../../model/contract.ts";

/** The sort of a part: a number, a word as it is, a quoted text, or all strings of a TXT as one text. */
type PartSort = "number" | "word" | "text" | "strings";

/** The parts of a type's content, in their order. The last one takes the rest. */
type ContentLayout = readonly (readonly [name: string, sort: PartSort])[];

const target: ContentLayout = [["target", "word"]];
const address: ContentLayout = [["address", "word"]];
const text: ContentLayout = [["text", "strings"]];
const binding: ContentLayout = [
  ["priority", "number"],
  ["target", "word"],
  ["value", "word"],
];
const association: ContentLayout = [
  ["usage", "number"],
  ["selector", "number"],
  ["matching_type", "number"],
  ["certificate", "word"],
];

/** Types whose contents an API may take in parts. The priority of MX and SRV is a field of its own. */
const partsByType: ReadonlyMap<string, ContentLayout> = new Map<string, ContentLayout>([
  ["A", address],
  ["AAAA", address],
  ["ALIAS", target],
  [
    "CAA",
    [
      ["flags", "number"],
      ["tag", "word"],
      ["value", "text"],
    ],
  ],
  ["CNAME", target],
  ["DNAME", target],
  [
    "DS",
    [
      ["key_tag", "number"],
      ["algorithm", "number"],
      ["digest_type", "number"],
      ["digest", "word"],
    ],
  ],
  ["HTTPS", binding],
  ["MX", target],
  [
    "NAPTR",
    [
      ["order", "number"],
      ["preference", "number"],
      ["flags", "text"],
      ["service", "text"],
      ["regexp", "text"],
      ["replacement", "word"],
    ],
  ],
  ["NS", target],
  ["PTR", target],
  ["SMIMEA", association],
  ["SPF", text],
  [
    "SRV",
    [
      ["weight", "number"],
      ["port", "number"],
      ["target", "word"],
    ],
  ],
  [
    "SSHFP",
    [
      ["algorithm", "number"],
      ["type", "number"],
      ["fingerprint", "word"],
    ],
  ],
  ["SVCB", binding],
  ["TLSA", association],
  ["TXT", text],
  [
    "URI",
    [
      ["priority", "number"],
      ["weight", "number"],
      ["target", "text"],
    ],
  ],
]);

export const typesInParts: readonly string[] = [...partsByType.keys()];

/** Returns the names of the parts of a type's content. */
export const partsOfType = (type: string): readonly string[] => (partsByType.get(type) ?? []).map(([name]) => name);

/** Places of the parts of a content, by their names. */
export type PartPointers = Readonly<Record<string, Pointer>>;

/** Returns the content that stands in parts in a record; undefined where one of them is missing. */
export function joinParts(type: string, pointers: PartPointers, raw: JsonObject): string | undefined {
  const words = (partsByType.get(type) ?? []).map(([name, sort]) => {
    const pointer = pointers[name];
    const value = pointer === undefined ? undefined : getPointer(raw, pointer);
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    if (sort === "strings") return formatQuotedStrings(Buffer.from(String(value), "utf8"));
    return sort === "text" ? quoteText(String(value)) : String(value);
  });
  // HTTPS and SVCB may end with their target.
  const whole = words.filter((word) => word !== undefined && word !== "");
  return whole.length === 0 || words.includes(undefined) ? undefined : whole.join(" ");
}

/** Returns the parts of a content and their places; undefined for a content that does not have them. */
export function splitParts(type: string, pointers: PartPointers, content: string): [Pointer, Json][] | undefined {
  const parts = partsByType.get(type) ?? [];
  const words = parts[0]?.[1] === "strings" ? [content] : splitWords(content, parts.length);
  if (words.length !== parts.length && !(parts === binding && words.length === 2)) return undefined;
  const placed = parts.map(([name, sort], index): [Pointer, Json] | undefined => {
    const pointer = pointers[name];
    const value = readPart(sort, words[index] ?? "");
    return pointer === undefined || value === undefined ? undefined : [pointer, value];
  });
  const all = placed.filter((each) => each !== undefined);
  return all.length === parts.length ? all : undefined;
}

function readPart(sort: PartSort, word: string): Json | undefined {
  if (sort === "number") return /^(?:0|[1-9]\d*)$/u.test(word) ? Number(word) : undefined;
  if (sort === "word") return word;
  const held = parseQuotedStrings(word);
  return held && decodeText(held);
}
