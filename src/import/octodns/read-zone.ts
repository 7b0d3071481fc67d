import { isCollection, isMap, isNode, isScalar, LineCounter, type Document } from "yaml";
import { isTypeName } from "../../kinds/dns/numbered-type.ts";
import { normaliseDomain } from "../../kinds/shared/domain-name.ts";
import { parseYaml } from "../../lib/yaml.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import { notImported, type FileZone, type TextFile, type ZoneRecord } from "../zone.ts";
import { readName } from "../zone-file/names.ts";
import { readSeconds } from "../zone-file/seconds.ts";
import { formatQuotedStrings } from "../../kinds/dns/character-strings.ts";
import { longestContent, partsOfData } from "../../kinds/dns/record-content.ts";
import { holdsText, recordTypes } from "../../kinds/dns/record-types.ts";
import type { Token } from "../zone-file/lex.ts";
import { readData, type RecordData } from "../zone-file/read-data.ts";

/** The TTL of records that name none, unless a configuration of octoDNS sets another. */
const usualTtl = 3600;

/** Returns the zone of a file of octoDNS: `example.com.yaml`, and parts of it as `example.com._1_mail.yaml`. */
export const zoneOfFile = (name: string): string =>
  normaliseDomain(name.replace(/\.ya?ml$/u, "").replace(/\._\d+_[^.]*$/u, ""));

type Path = readonly (string | number)[];

interface ZoneReading {
  readonly source: TextFile;
  readonly zone: string;
  readonly document: Document;
  /** The node of each name: the document looks through all names for one. */
  readonly nodes: ReadonlyMap<unknown, unknown>;
  readonly lines: LineCounter;
  readonly records: ZoneRecord[];
  readonly diagnostics: Diagnostic[];
}

/** Reads the records of one file of octoDNS. All mistakes are diagnostics. */
export function readOctodnsFile(
  source: TextFile,
  zone: string,
): { readonly zone: FileZone; readonly diagnostics: readonly Diagnostic[] } {
  const lines = new LineCounter();
  const document = parseYaml(source.text, { lineCounter: lines, schema: "failsafe" });
  const pairs = isMap(document.contents) ? document.contents.items : [];
  const nodes = new Map(pairs.map(({ key, value }) => [isScalar(key) ? key.value : key, value]));
  const reading: ZoneReading = { source, zone, document, nodes, lines, records: [], diagnostics: [] };
  for (const { message, pos } of [...document.errors, ...document.warnings])
    reading.diagnostics.push(mistake(positionAt(reading, pos[0]), `This is not YAML: ${message}`));
  if (reading.diagnostics.length === 0) readRoot(reading);
  return {
    zone: { name: zone, ttl: usualTtl, records: reading.records, file: source.file },
    diagnostics: reading.diagnostics,
  };
}

const mistake = (at: Position, summary: string, detail?: string): Diagnostic => ({
  severity: "error",
  code: "bad_octodns_file",
  summary,
  detail,
  at,
});

function readRoot(reading: ZoneReading): void {
  let root: YamlValue | null;
  try {
    root = reading.document.toJS({ maxAliasCount: 1000 }) as YamlValue | null;
  } catch (error) {
    return fail(reading, [], `This cannot be read: ${(error as Error).message}`, "YAML with few aliases");
  }
  if (root === null || root === "") return;
  if (!isMapped(root)) return fail(reading, [], "This is not a zone", "a map of names");
  for (const [name, value] of Object.entries(root)) {
    for (const [index, record] of listOf(value).entries())
      readRecord(reading, name, record, Array.isArray(value) ? [name, index] : [name]);
  }
}

function readRecord(reading: ZoneReading, name: string, record: YamlValue, path: Path): void {
  const shown = name === "" ? reading.zone : name;
  const owner = readName(name === "" ? "@" : name, `${reading.zone}.`);
  if (typeof owner === "object") return fail(reading, path, `${name} cannot be a name`, owner.expected);
  if (!isMapped(record)) return fail(reading, path, `${shown} has no record`, "a map with type and value");
  const type = typeof record["type"] === "string" ? record["type"].toUpperCase() : "";
  if (!/^[A-Z][\w/-]*$/u.test(type)) return fail(reading, path, `A record of ${shown} has no type`, "type: A");
  const { octodns = {} } = record;
  if (isMapped(octodns) && octodns["ignored"] === "true") {
    const part = `The ${type} record of ${shown}`;
    reading.diagnostics.push(notImported(positionOf(reading, path), part, "octoDNS ignores it"));
    return;
  }
  const ttl =
    record["ttl"] === undefined ? usualTtl : readSeconds(typeof record["ttl"] === "string" ? record["ttl"] : "");
  if (ttl === undefined) return fail(reading, [...path, "ttl"], "This is not a TTL", "seconds, such as 3600");
  const key = record["values"] === undefined ? "value" : "values";
  const value = record[key];
  if (value === undefined || listOf(value).length === 0)
    return fail(reading, path, `The ${type} record of ${shown} has no value`, "value or values");
  warnOfRules(reading, record, `${type} record of ${shown}`, path);
  for (const [index, each] of listOf(value).entries()) {
    const at = [...path, key, ...(Array.isArray(value) ? [index] : [])];
    const read = isTypeName(type) ? readRecordValue(type, each) : { content: JSON.stringify(each) };
    if (!("expected" in read)) {
      reading.records.push({ name: owner, type, ttl, at: positionOf(reading, at), ...read });
    } else
      fail(
        reading,
        [...at, ...(read.field ?? "").split(" ").filter(Boolean)],
        `This cannot be the value of a record of type ${type}`,
        read.expected,
      );
  }
}

/** Rules by which octoDNS answers with other values, for which there is nothing in a manifest. */
function warnOfRules(reading: ZoneReading, map: YamlMap, name: string, path: Path): void {
  for (const rule of ["geo", "dynamic"]) {
    if (map[rule] === undefined) continue;
    const at = positionOf(reading, [...path, rule]);
    reading.diagnostics.push(notImported(at, `${rule} of the ${name}`, "only its fixed values are"));
  }
}

function fail(reading: ZoneReading, path: Path, summary: string, expected: string): void {
  reading.diagnostics.push(mistake(positionOf(reading, path), summary, expected));
}

/** Returns the place of the node at a path, or of the nearest above it. */
function positionOf(reading: ZoneReading, [name, ...path]: Path): Position {
  const top = reading.nodes.get(name);
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length > 0 && isCollection(top) ? top.getIn(path.slice(0, length), true) : top;
    if (isNode(node) && node.range) return positionAt(reading, node.range[0]);
  }
  return { file: reading.source.file, line: 1, col: 1 };
}

function positionAt({ source, lines }: ZoneReading, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { file: source.file, line: Math.max(line, 1), col: Math.max(col, 1) };
}

/** A value of a record, as read from YAML, with every scalar a text. */
type YamlValue = string | YamlMap | readonly YamlValue[];

interface YamlMap {
  readonly [key: string]: YamlValue;
}

const isMapped = (value: YamlValue): value is YamlMap => typeof value === "object" && !Array.isArray(value);

const listOf = (value: YamlValue): readonly YamlValue[] => (Array.isArray(value) ? value : [value]);

/** Reads one value of a record; or says what was expected, and in which field. */
function readRecordValue(
  type: string,
  value: YamlValue,
): RecordData | { readonly expected: string; readonly field?: string } {
  if (holdsText(type)) return readText(value);
  const written = tokensOf(type, value);
  if ("expected" in written) return written;
  const hasParameters = recordTypes.get(type)?.parts.at(-1)?.token === "parameter";
  const parameters = hasParameters && isMapped(value) ? parameterTokens(value["svcparams"] ?? {}) : [];
  const read = readData(type, [...written.map(({ token }) => token), ...parameters], undefined);
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
  const content = formatQuotedStrings(Buffer.from(plain, "utf8"));
  return content.length > longestContent ? { expected: "at most 65,535 bytes" } : { content };
}

interface FieldToken {
  /** Undefined for a value that is one text. */
  readonly field: string | undefined;
  readonly token: Token;
}

/** Returns the fields of a value in the order of a zone file (octoDNS, "Records"), texts in quotes; or says what was expected. */
function tokensOf(type: string, value: YamlValue): FieldToken[] | { readonly expected: string } {
  const row = recordTypes.get(type);
  const parts = row ? partsOfData(row) : [];
  const names = (row?.octodns ?? parts.map(({ name }) => name)).map((name) => [name].flat());
  if (names.length < 2)
    return typeof value === "string" ? [{ field: undefined, token: tokenOf(value, false) }] : { expected: "a text" };
  const expected = `a map of ${names.map(([first]) => first).join(", ")}`;
  if (!isMapped(value)) return { expected };
  const tokens = names.flatMap(([first = "", ...others], index) => {
    const part = parts[index];
    const field = [first, ...others].find((name) => value[name] !== undefined) ?? first;
    const written = value[field] ?? part?.usual;
    return typeof written === "string" ? [{ field, token: tokenOf(written, part?.json === "text") }] : [];
  });
  return tokens.length === names.length ? tokens : { expected };
}

const tokenOf = (value: string, isQuoted: boolean): Token => ({
  text: isQuoted ? value.replaceAll(/["\\]/gu, String.raw`\$&`) : value,
  isQuoted,
  isGlued: false,
  at: { file: "", line: 1, col: 1 },
});

const parameterTokens = (parameters: YamlValue): Token[] =>
  typeof parameters === "string"
    ? []
    : Object.entries(parameters).map(([key, value]) => {
        const text = Array.isArray(value) ? value.join(",") : typeof value === "string" ? value : "";
        return tokenOf(text === "" ? key : `${key}=${text}`, false);
      });
