import { formatQuotedStrings } from "../../kinds/dns/character-strings.ts";
import { longestContent, partsOfData } from "../../kinds/dns/record-content.ts";
import { holdsText, recordTypes } from "../../kinds/dns/record-types.ts";
import type { Token } from "../zone-file/lex.ts";
import { readData, type RecordData } from "../zone-file/read-data.ts";

/** A value of a record, as read from YAML, with every scalar a text. */
export type YamlValue = string | { readonly [key: string]: YamlValue } | readonly YamlValue[];

/** A field of a value: its names, and whether it is a text, which stands in quotes in a zone file. */
interface ValueField {
  readonly names: readonly string[];
  readonly isText: boolean;
  readonly usual: string | undefined;
}

/** Returns the fields of a value in the order of a zone file (octoDNS, "Records"); undefined for a type whose value is one text. */
function fieldsOf(type: string): readonly ValueField[] | undefined {
  const row = recordTypes.get(type);
  const parts = row ? partsOfData(row) : [];
  const names = row?.octodns ?? parts.map(({ name }) => name);
  if (names.length < 2) return undefined;
  return names.map((name, index) => ({
    names: typeof name === "string" ? [name] : name,
    isText: parts[index]?.json === "text",
    usual: parts[index]?.usual,
  }));
}

/** Reads one value of a record; or says what was expected, and in which field. */
export function readRecordValue(
  type: string,
  value: YamlValue,
): RecordData | { readonly expected: string; readonly field?: string } {
  if (holdsText(type)) {
    const read = readText(value);
    return "content" in read && read.content.length > longestContent ? { expected: "at most 65,535 bytes" } : read;
  }
  const layout = fieldsOf(type);
  if (!layout && typeof value !== "string") return { expected: "a text" };
  const written = layout
    ? tokensOf(layout, value)
    : [{ field: undefined, token: tokenOf(typeof value === "string" ? value : "", false) }];
  if ("expected" in written) return written;
  const hasParameters = recordTypes.get(type)?.parts.at(-1)?.token === "parameter";
  const parameters = hasParameters && typeof value === "object" && "svcparams" in value ? value["svcparams"] : {};
  const tokens = [...written.map(({ token }) => token), ...parameterTokens(parameters ?? {})];
  const read = readData(type, tokens, undefined);
  if (!("faults" in read)) return read;
  const [fault] = read.faults;
  const field = written.find(({ token }) => token === fault?.token)?.field;
  const expected = fault?.expected.replace("because there is no $ORIGIN before it", "with a final dot") ?? "";
  return { expected, field };
}

/** In octoDNS `\;` stands for a semicolon, and quotes around a text or within it are those of its strings. */
function readText(value: YamlValue): RecordData | { readonly expected: string } {
  if (typeof value !== "string") return { expected: "a text" };
  const bare = value.startsWith('"') ? value.slice(1, value.endsWith('"') ? -1 : undefined) : value;
  const plain = bare.replaceAll('" "', "").replaceAll(String.raw`\;`, ";");
  return { content: formatQuotedStrings(Buffer.from(plain, "utf8")) };
}

function tokensOf(
  layout: readonly ValueField[],
  value: YamlValue,
): { readonly field: string | undefined; readonly token: Token }[] | { readonly expected: string } {
  const names = layout.map((field) => field.names[0]);
  if (typeof value === "string" || Array.isArray(value)) return { expected: `a map of ${names.join(", ")}` };
  const map = value as Readonly<Record<string, YamlValue>>;
  const tokens = layout.flatMap(({ names: [first = "", ...others], isText, usual }) => {
    const field = [first, ...others].find((name) => map[name] !== undefined) ?? first;
    const written = map[field] ?? usual;
    return typeof written === "string" ? [{ field, token: tokenOf(written, isText) }] : [];
  });
  return tokens.length === layout.length ? tokens : { expected: `a map of ${names.join(", ")}` };
}

const tokenOf = (value: string, isQuoted: boolean): Token => ({
  text: isQuoted ? value.replaceAll(/["\\]/gu, String.raw`\$&`) : value,
  isQuoted,
  isGlued: false,
  line: 1,
  col: 1,
  endCol: 1,
});

const parameterTokens = (parameters: YamlValue): Token[] =>
  typeof parameters === "string"
    ? []
    : Object.entries(parameters).map(([key, value]) => {
        const text = Array.isArray(value) ? value.join(",") : typeof value === "string" ? value : "";
        return tokenOf(text === "" ? key : `${key}=${text}`, false);
      });
