import { isTypeName, nameOfType } from "../../kinds/dns/numbered-type.ts";
import { checkZone } from "../../kinds/shared/domain-name.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import type { FileZone, ZoneRecord } from "../zone.ts";
import { lexEntries, type Token } from "./lex.ts";
import { isWithin, readName, type WholeName } from "./names.ts";
import { readData } from "./read-data.ts";
import { readSeconds } from "./seconds.ts";

/** A text of a zone: its file as it is named in messages, and its content. */
export interface ZoneText {
  readonly file: string;
  readonly text: string;
}

/** Reads the file that an $INCLUDE names, or says why it is not read. Files that are being read come from the outermost to the innermost. */
export type ReadInclude = (
  name: string,
  open: readonly ZoneText[],
) => ZoneText | { readonly expected: string; readonly found: string };

/** All that the entries of a zone file change for those behind them. */
interface ZoneFileState {
  origin?: WholeName | undefined;
  /** Undefined before the first record, and behind an owner that could not be read. */
  owner?: WholeName | undefined;
  isOwnerWrong?: boolean;
  /** The last TTL that a record has, and the value of $TTL or of the SOA record. */
  lastTtl?: number;
  defaultTtl?: number | undefined;
  firstTtl?: number;
  soa?: { readonly owner: WholeName; readonly content: string };
  firstOrigin?: WholeName;
}

export interface ReadZone {
  readonly zone: FileZone | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one zone (RFC 1035 section 5). All mistakes are diagnostics. */
export function readZone(source: ZoneText, include: ReadInclude): ReadZone {
  const fileZone = zoneOfFile(source.file);
  const reader = new ZoneReader(include, fileZone === undefined ? undefined : `${fileZone}.`);
  reader.readText([source]);
  return reader.finish(source);
}

/** Returns the zone that a file name has in it: `example.com.zone`, `db.example.com`, `example.com`. */
function zoneOfFile(file: string): string | undefined {
  const name = file.replace(/^.*[/\\]/su, "").toLowerCase();
  const bare = name.replace(/^db\./u, "").replace(/\.(?:zone|db|txt|hosts|dns)$/u, "");
  return [bare, name].find((each) => checkZone(each) === undefined);
}

const classNames = /^(?:IN|CH|HS|CHAOS|HESIOD|NONE|ANY|CLASS\d+)$/iu;
const ofInternet = /^(?:IN|CLASS0*1)$/iu;

/** Owns the state between entries, and all that was found. */
class ZoneReader {
  readonly #include: ReadInclude;
  readonly #records: ZoneRecord[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #state: ZoneFileState;

  constructor(include: ReadInclude, origin: WholeName | undefined) {
    this.#include = include;
    this.#state = { origin };
  }

  /** @param open the files that are being read, the text itself last. */
  readText(open: readonly ZoneText[]): void {
    const { file = "", text = "" } = open.at(-1) ?? {};
    for (const entry of lexEntries(text)) {
      if ("faults" in entry) {
        for (const { summary, expected, ...place } of entry.faults) this.#fail({ file, ...place }, summary, expected);
        continue;
      }
      const [first, ...rest] = entry.tokens;
      if (!first) continue;
      if (!entry.isIndented && !first.isQuoted && first.text.startsWith("$")) this.#readDirective(first, rest, open);
      else this.#readRecord(entry.isIndented ? undefined : first, entry.isIndented ? entry.tokens : rest, file);
    }
  }

  #readDirective(directive: Token, [first, second, ...rest]: readonly Token[], open: readonly ZoneText[]): void {
    const { file = "" } = open.at(-1) ?? {};
    const word = directive.text.toUpperCase();
    const at = placeOf(file, directive);
    const extra = word === "$INCLUDE" ? rest[0] : second;
    if (word === "$GENERATE") return this.#fail(at, "$GENERATE is not read", "its records, each in a line of its own");
    if (!["$ORIGIN", "$TTL", "$INCLUDE"].includes(word))
      return this.#fail(at, `${directive.text} is not a directive`, "$ORIGIN, $TTL or $INCLUDE");
    if (!first) return this.#fail(at, `${word} has no value`, directives[word] ?? "");
    if (extra)
      return this.#fail(placeOf(file, extra), `${word} has ${extra.text} behind its value`, "the end of the line");
    if (word === "$ORIGIN") this.#setOrigin(first, file);
    else if (word === "$TTL") this.#setTtl(first, file);
    else this.#readInclude(first, second, open);
  }

  #setOrigin(token: Token, file: string): void {
    const { name } = this.#readName(token, file, "$ORIGIN");
    if (name === undefined) return;
    this.#state.origin = name;
    this.#state.firstOrigin ??= name;
  }

  #setTtl(token: Token, file: string): void {
    const ttl = readSeconds(token.text);
    if (ttl === undefined)
      return this.#fail(placeOf(file, token), `${token.text} is not a TTL`, directives["$TTL"] ?? "");
    this.#state.defaultTtl = ttl;
    this.#state.firstTtl ??= ttl;
  }

  #readInclude(path: Token, originToken: Token | undefined, open: readonly ZoneText[]): void {
    const { file = "" } = open.at(-1) ?? {};
    const before = this.#state.origin;
    const { owner, isOwnerWrong } = this.#state;
    const read = originToken && this.#readName(originToken, file, "$INCLUDE");
    if (read && read.name === undefined) return;
    const found = this.#include(path.text, open);
    if ("expected" in found) return this.#fail(placeOf(file, path), found.found, found.expected);
    if (read?.name !== undefined) this.#state.origin = read.name;
    this.readText([...open, found]);
    Object.assign(this.#state, { origin: before, owner, isOwnerWrong });
  }

  #readRecord(ownerToken: Token | undefined, tokens: readonly Token[], file: string): void {
    const owner = ownerToken ? this.#setOwner(ownerToken, file) : this.#state.owner;
    const head = this.#readHead(tokens, ownerToken, file);
    if (!head) return;
    const [first] = tokens;
    if (owner === undefined) {
      if (!ownerToken && !this.#state.isOwnerWrong && first)
        this.#fail(placeOf(file, first), "The record has no owner", "a name at the beginning of the line");
      return;
    }
    const { type, typeToken, ttl, data } = head;
    const at = placeOf(file, typeToken);
    const read = readData(type, data, this.#state.origin);
    if ("faults" in read) {
      for (const { token, expected } of read.faults)
        this.#fail(
          token ? placeOf(file, token) : at,
          token ? `${token.text} cannot stand here in a record of type ${type}` : `The ${type} record is not whole`,
          expected,
        );
      return;
    }
    const seconds = this.#ttlOf(ttl, type, read.content);
    if (seconds === undefined) return this.#fail(at, "The record has no TTL", "a TTL, or $TTL before it");
    if (type === "SOA" && !this.#setSoa(owner, read.content, at)) return;
    this.#records.push({ name: owner, type, ttl: seconds, at, ...read });
  }

  #setOwner(token: Token, file: string): WholeName | undefined {
    const { name } = this.#readName(token, file, "the owner of a record");
    this.#state.owner = name;
    this.#state.isOwnerWrong = name === undefined;
    return name;
  }

  #readHead(tokens: readonly Token[], owner: Token | undefined, file: string) {
    let rest = tokens;
    let ttl: number | undefined;
    let hasClass = false;
    for (let [next] = rest; next && !next.isQuoted; [next] = rest) {
      const seconds = ttl === undefined ? readSeconds(next.text) : undefined;
      if (seconds !== undefined) ttl = seconds;
      else if (!hasClass && classNames.test(next.text)) {
        if (!ofInternet.test(next.text))
          return this.#fail(placeOf(file, next), `The class ${next.text} is not read`, "IN, or no class");
        hasClass = true;
      } else break;
      rest = rest.slice(1);
    }
    const [typeToken, ...data] = rest;
    const near = tokens.at(-1) ?? owner;
    if (!typeToken) return near && this.#fail(placeOf(file, near), "The record has no type", "a type and its data");
    const type = nameOfType(typeToken.text.toUpperCase().replace(/^TYPE0+(?=\d)/u, "TYPE"));
    if (typeToken.isQuoted || !isTypeName(type))
      return this.#fail(
        placeOf(file, typeToken),
        `${typeToken.text} is not a type of record`,
        "a type, such as A, or TYPE65280",
      );
    return { ttl, type, typeToken, data };
  }

  #ttlOf(written: number | undefined, type: string, content: string): number | undefined {
    const state = this.#state;
    if (written !== undefined) state.lastTtl = written;
    else if (state.defaultTtl === undefined && state.lastTtl === undefined && type === "SOA")
      state.defaultTtl = readSeconds(content.split(" ").at(-1) ?? "");
    return written ?? state.defaultTtl ?? state.lastTtl;
  }

  /** Transfers of a zone end with the SOA record with which they began. */
  #setSoa(owner: WholeName, content: string, at: Position): boolean {
    const { soa } = this.#state;
    if (soa && (soa.owner !== owner || soa.content !== content)) {
      this.#fail(at, `A second SOA record stands here, and the first is of ${soa.owner}`, "one zone in each file");
      return false;
    }
    this.#state.soa = { owner, content };
    return true;
  }

  #readName(token: Token, file: string, what: string): { readonly name: WholeName | undefined } {
    const read = readName(token.text, this.#state.origin);
    if ("name" in read) return read;
    this.#fail(placeOf(file, token), `${token.text} cannot be ${what}`, read.expected);
    return { name: undefined };
  }

  #fail(at: Position, summary: string, detail: string): undefined {
    this.#diagnostics.push({ severity: "error", code: "bad_zone_file", summary, detail, at });
  }

  /** Returns the zone, if its name is known and no entry has a mistake. */
  finish({ file }: ZoneText): ReadZone {
    const { soa, firstOrigin, origin, firstTtl } = this.#state;
    const name = soa?.owner ?? firstOrigin ?? origin;
    const start = { file, line: 1, col: 1 };
    if (name === undefined && this.#diagnostics.length === 0)
      this.#fail(start, "The zone has no name", "an SOA record, $ORIGIN, or a file name such as example.com.zone");
    const expected = name === undefined ? undefined : checkZone(name);
    if (name !== undefined && expected !== undefined && this.#diagnostics.length === 0)
      this.#fail(start, `${name} cannot be a zone`, expected);
    if (name === undefined || this.#diagnostics.length > 0) return { zone: undefined, diagnostics: this.#diagnostics };
    const inside = this.#records.filter((record) => isWithin(record.name, name));
    const outside = this.#records.filter((record) => !isWithin(record.name, name));
    const warnings = outside.map(({ name: owner, type, at }): Diagnostic => ({
      severity: "warning",
      code: "not_imported",
      summary: `The ${type} record of ${owner} is not in the manifest: it is outside the zone ${name}`,
      at,
    }));
    return { zone: { name: name.slice(0, -1), ttl: firstTtl, records: inside, file }, diagnostics: warnings };
  }
}

const placeOf = (file: string, { line, col, endCol }: Token): Position => ({ file, line, col, endCol });

const directives: Readonly<Record<string, string>> = {
  $INCLUDE: "the name of a file, and a name below which its records stand",
  $ORIGIN: "a name, such as example.com.",
  $TTL: "seconds, such as 3600 or 1h30m, up to 2147483647",
};
