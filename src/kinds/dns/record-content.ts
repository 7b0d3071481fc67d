import { withArticle } from "../../model/with-article.ts";
import { trimBlanks } from "../shared/text-checks.ts";
import { type ContentForm, makeForm, splitWords } from "./content-form.ts";
import { isNumberedType, isOpaque, numberedType, readOpaque } from "./numbered-type.ts";
import { type Part, uint16 } from "./parts.ts";
import { holdsText, type RecordType, recordTypes } from "./record-types.ts";
import { readFields } from "./wire-fields.ts";

interface WrittenType extends ContentForm {
  /** Content that still has its priority before it, as zone files and some servers write it: the priority, and the rest. */
  readonly withPriority: RegExp | undefined;
}

const priority = uint16("priority");

/** Returns the parts of a type's data in a zone file and as bytes, where the priority is the first. */
export const partsOfData = ({ parts, hasPriority = false }: RecordType): readonly Part[] =>
  hasPriority ? [priority, ...parts] : parts;

/** Whether records of a type have a priority that is a field of its own. */
export const isPrioritised = (type: string): boolean => recordTypes.get(type)?.hasPriority === true;

/** The priority that stands before the content of an MX or SRV record; undefined where none does. */
export function inlinePriority(type: string, content: string): number | undefined {
  const { withPriority } = writtenTypes.get(type) ?? {};
  const read = withPriority && readOwnForm(type, content);
  const [, priority] = (typeof read === "string" && withPriority?.exec(trimBlanks(read))) || [];
  return priority === undefined ? undefined : Number(priority);
}

/** Returns the content of an MX or SRV record without the priority that stands before it. */
export const withoutPriority = (type: string, content: string): string =>
  writtenTypes.get(type)?.withPriority?.exec(trimBlanks(content))?.[2] ?? content;

/** Whether the data of a type has a wire format that Hostform reads; ALIAS has none. */
export const hasWireFormat = (type: string): boolean => recordTypes.get(type)?.number !== undefined;

/** Returns a record's data in the presentation form of its type; undefined if the bytes are not data of this type. */
export function readWireData(type: string, data: Buffer): string | undefined {
  const row = recordTypes.get(type);
  return (
    row &&
    readFields(
      partsOfData(row).map(({ read }) => read),
      data,
    )
  );
}

/** Returns the normal form of a content as name servers answer with it. */
export const servedContent = (type: string, content: string): string =>
  recordTypes.get(type)?.parts[0]?.served?.(content) ?? content;

const opaque: ContentForm = { normalise: (content) => trimBlanks(content), check: () => undefined };

/** Returns a content in the form of its type, also if it is written as opaque bytes; or the form that was expected. */
function readOwnForm(type: string, content: string): string | { readonly expected: string } {
  if (!isOpaque(content) || !hasWireFormat(type)) return content;
  const data = readOpaque(content);
  const text = Buffer.isBuffer(data) ? readWireData(type, data) : undefined;
  if (text !== undefined) return text;
  const expected = Buffer.isBuffer(data)
    ? `data of ${withArticle(type)} record behind the length (RFC 3597)`
    : data.expected;
  const own = holdsText(type) ? String.raw`in quotes, if the text itself begins with \#` : "in its own form";
  return { expected: `${expected}; or write the ${type} record ${own}` };
}

/** Characters that the data of one record may take: 65,535 bytes, each written as `\\DDD`, with quotes around every 255. */
export const longestContent = 4 * 65_535 + 3 * 258;

/**
 * Makes the form in which a type's content may be written: the priority may still stand before it, and opaque bytes mean the same as its
 * own form (RFC 3597 section 5).
 */
function makeWrittenType(name: string, row: RecordType): WrittenType {
  const form = makeForm(row);
  const withPriority = row.hasPriority === true ? priorityBefore(row.parts) : undefined;
  const bare = (content: string) => withPriority?.exec(trimBlanks(content))?.[2] ?? content;
  return {
    withPriority,
    normalise: (content, zone) => {
      if (content.length > longestContent) return content;
      const own = readOwnForm(name, content);
      return form.normalise(bare(typeof own === "string" ? own : content), zone);
    },
    check: (content) => {
      if (content.length > longestContent) return "at most 65,535 bytes of data";
      const own = readOwnForm(name, content);
      if (typeof own !== "string") return own.expected;
      return form.check(own === content ? content : bare(own));
    },
  };
}

/** Matches a priority, and the words of the parts behind it. */
function priorityBefore(parts: readonly Part[]): RegExp {
  const words = parts.map(({ json }) => (json === "number" ? String.raw`\d{1,5}` : String.raw`[^ \t\r\n]+`));
  const blanks = String.raw`[ \t\r\n]+`;
  return new RegExp(String.raw`^(\d{1,5})${blanks}(${words.join(blanks)})$`, "u");
}

const writtenTypes: ReadonlyMap<string, WrittenType> = new Map(
  [...recordTypes].map(([name, row]) => [name, makeWrittenType(name, row)]),
);

/** Returns the form of a type's content. The text of a type that Hostform does not know is opaque. */
export const recordTypeOf = (type: string): ContentForm =>
  writtenTypes.get(type) ?? (isNumberedType(type) ? numberedType(type) : opaque);

/**
 * Returns the host names that a record's content points to, from its normal form: lower case, without the final dot.
 * The root (`.`, which says "none") is left out.
 */
export function hostsIn(type: string, content: string): string[] {
  const parts = recordTypes.get(type)?.parts ?? [];
  const place = parts.findIndex(({ hosts }) => hosts !== undefined);
  const part = parts[place];
  const word = part && (part.takes === "all" ? content : splitWords(content)[place]);
  return (word !== undefined && part?.hosts?.(word)) || [];
}

/** Returns a content of numbers and a host with another spelling of the host, also if the priority still stands before them. */
export function respellHost(type: string, content: string, respell: (host: string) => string): string {
  const row = recordTypes.get(type);
  const last = row?.parts.at(-1);
  if (!row || last?.token !== "name" || row.parts.some((part) => part !== last && part.json !== "number"))
    return content;
  const words = splitWords(content);
  const isWhole = words.length === row.parts.length || words.length === partsOfData(row).length;
  return isWhole ? [...words.slice(0, -1), respell(words.at(-1) ?? "")].join(" ") : content;
}
