import { groupBy } from "../../lib/collect.ts";
import { isTypeName, nameOfType } from "../../kinds/dns/numbered-type.ts";
import { checkZone, normaliseDomain } from "../../kinds/shared/domain-name.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import { notImported, type FileZone, type TextFile, type ZoneRecord } from "../zone.ts";
import { lexEntries, type Token } from "./lex.ts";
import { isWithin, readName, type WholeName } from "./names.ts";
import { readData } from "./read-data.ts";
import { readSeconds } from "./seconds.ts";

/** Reads the file that an $INCLUDE names, or says why it is not read. Files that are being read come from the outermost to the innermost. */
export type ReadInclude = (
  name: string,
  open: readonly TextFile[],
) => TextFile | { readonly expected: string; readonly found: string };

export interface ReadZone {
  readonly zone: FileZone | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one zone (RFC 1035 section 5). All mistakes are diagnostics. */
export function readZone(source: TextFile, include: ReadInclude): ReadZone {
  const fileZone = zoneOfFile(source.file);
  const reader = new ZoneReader(include, fileZone === undefined ? undefined : `${fileZone}.`);
  reader.readText([source]);
  return reader.finish(source);
}

/** Returns the zone that a file name has in it: `example.com.zone`, `db.example.com`, `example.com`. */
function zoneOfFile(file: string): string | undefined {
  const name = file.replace(/^.*[/\\]/su, "").toLowerCase();
  const bare = name.replace(/^db\./u, "").replace(/\.(?:zone|db|txt|hosts|dns)$/u, "");
  const zone = [bare, name].find((each) => checkZone(each) === undefined);
  return zone && normaliseDomain(zone);
}

const classNames = /^(?:IN|CH|HS|CHAOS|HESIOD|NONE|ANY|CLASS\d+)$/iu;
const ofInternet = /^(?:IN|CLASS0*1)$/iu;

/** Owns what the entries of a zone file change for those behind them, and all that was found. */
class ZoneReader {
  readonly #include: ReadInclude;
  readonly #records: ZoneRecord[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  #origin: WholeName | undefined;
  #firstOrigin: WholeName | undefined;
  /** Undefined before the first record, and behind an owner that could not be read. */
  #owner: WholeName | undefined;
  #isOwnerWrong = false;
  /** The last TTL that a record has. */
  #lastTtl: number | undefined;
  /** The value of $TTL or of the SOA record. */
  #defaultTtl: number | undefined;
  #firstTtl: number | undefined;
  #soa: { readonly owner: WholeName; readonly content: string } | undefined;

  constructor(include: ReadInclude, origin: WholeName | undefined) {
    this.#include = include;
    this.#origin = origin;
  }

  /** @param open the files that are being read, the text itself last. */
  readText(open: readonly [...TextFile[], TextFile]): void {
    for (const entry of lexEntries(open.at(-1) as TextFile)) {
      if ("faults" in entry) {
        for (const { at, summary, expected } of entry.faults) this.#fail(at, summary, expected);
        continue;
      }
      const { tokens, isIndented } = entry;
      const [first, ...rest] = tokens;
      if (!first) continue;
      if (isIndented) this.#readRecord(undefined, tokens);
      else if (!first.isQuoted && first.text.startsWith("$")) this.#readDirective(first, rest, open);
      else this.#readRecord(first, rest);
    }
  }

  #readDirective({ text, at }: Token, [first, second, ...rest]: readonly Token[], open: readonly TextFile[]): void {
    const word = text.toUpperCase();
    const extra = word === "$INCLUDE" ? rest[0] : second;
    if (word === "$GENERATE") return this.#fail(at, "$GENERATE is not read", "its records, each in a line of its own");
    if (!["$ORIGIN", "$TTL", "$INCLUDE"].includes(word))
      return this.#fail(at, `${text} is not a directive`, "$ORIGIN, $TTL or $INCLUDE");
    if (!first) return this.#fail(at, `${word} has no value`, directives[word] ?? "");
    if (extra) return this.#fail(extra.at, `${word} has ${extra.text} behind its value`, "the end of the line");
    if (word === "$ORIGIN") this.#setOrigin(first);
    else if (word === "$TTL") this.#setTtl(first);
    else this.#readInclude(first, second, open);
  }

  #setOrigin(token: Token): void {
    const name = this.#readName(token, "$ORIGIN");
    if (name === undefined) return;
    this.#origin = name;
    this.#firstOrigin ??= name;
  }

  #setTtl({ text, at }: Token): void {
    const ttl = readSeconds(text);
    if (ttl === undefined) return this.#fail(at, `${text} is not a TTL`, directives["$TTL"] ?? "");
    this.#defaultTtl = ttl;
    this.#firstTtl ??= ttl;
  }

  #readInclude(path: Token, originToken: Token | undefined, open: readonly TextFile[]): void {
    const [origin, owner, isOwnerWrong] = [this.#origin, this.#owner, this.#isOwnerWrong];
    const inside = originToken ? this.#readName(originToken, "$INCLUDE") : origin;
    if (originToken && inside === undefined) return;
    const found = this.#include(path.text, open);
    if ("expected" in found) return this.#fail(path.at, found.found, found.expected);
    this.#origin = inside;
    this.readText([...open, found]);
    this.#origin = origin;
    this.#owner = owner;
    this.#isOwnerWrong = isOwnerWrong;
  }

  #readRecord(ownerToken: Token | undefined, tokens: readonly Token[]): void {
    if (ownerToken) {
      this.#owner = this.#readName(ownerToken, "the owner of a record");
      this.#isOwnerWrong = this.#owner === undefined;
    }
    const owner = this.#owner;
    const head = this.#readHead(tokens, ownerToken);
    if (!head) return;
    const [first] = tokens;
    if (owner === undefined) {
      if (!this.#isOwnerWrong && first)
        this.#fail(first.at, "The record has no owner", "a name at the beginning of the line");
      return;
    }
    const { type, at, ttl, data } = head;
    const read = readData(type, data, this.#origin);
    if ("faults" in read) {
      for (const { token, expected } of read.faults)
        if (token) this.#fail(token.at, `${token.text} cannot stand here in a record of type ${type}`, expected);
        else this.#fail(at, `The ${type} record is not whole`, expected);
      return;
    }
    const seconds = this.#ttlOf(ttl, type, read.content);
    if (seconds === undefined) return this.#fail(at, "The record has no TTL", "a TTL, or $TTL before it");
    if (type === "SOA" && !this.#setSoa(owner, read.content, at)) return;
    this.#records.push({ name: owner, type, ttl: seconds, at, ...read });
  }

  #readHead(tokens: readonly Token[], owner: Token | undefined) {
    let rest = tokens;
    let ttl: number | undefined;
    let hasClass = false;
    for (let [next] = rest; next && !next.isQuoted; [next] = rest) {
      const seconds = ttl === undefined ? readSeconds(next.text) : undefined;
      if (seconds !== undefined) ttl = seconds;
      else if (!hasClass && classNames.test(next.text)) {
        if (!ofInternet.test(next.text))
          return this.#fail(next.at, `The class ${next.text} is not read`, "IN, or no class");
        hasClass = true;
      } else break;
      rest = rest.slice(1);
    }
    const [typeToken, ...data] = rest;
    const near = tokens.at(-1) ?? owner;
    if (!typeToken) return near && this.#fail(near.at, "The record has no type", "a type and its data");
    const { text, isQuoted, at } = typeToken;
    const type = nameOfType(text.toUpperCase().replace(/^TYPE0+(?=\d)/u, "TYPE"));
    if (isQuoted || !isTypeName(type))
      return this.#fail(at, `${text} is not a type of record`, "a type, such as A, or TYPE65280");
    return { ttl, type, at, data };
  }

  #ttlOf(written: number | undefined, type: string, content: string): number | undefined {
    if (written !== undefined) this.#lastTtl = written;
    else if (this.#defaultTtl === undefined && this.#lastTtl === undefined && type === "SOA")
      this.#defaultTtl = readSeconds(content.split(" ").at(-1) ?? "");
    return written ?? this.#defaultTtl ?? this.#lastTtl;
  }

  /** Transfers of a zone end with the SOA record with which they began. */
  #setSoa(owner: WholeName, content: string, at: Position): boolean {
    const before = this.#soa;
    if (before && (before.owner !== owner || before.content !== content)) {
      this.#fail(at, `A second SOA record stands here, and the first is of ${before.owner}`, "one zone in each file");
      return false;
    }
    this.#soa = { owner, content };
    return true;
  }

  #readName({ text, at }: Token, what: string): WholeName | undefined {
    const read = readName(text, this.#origin);
    return typeof read === "string" ? read : this.#fail(at, `${text} cannot be ${what}`, read.expected);
  }

  #fail(at: Position, summary: string, detail: string): undefined {
    this.#diagnostics.push({ severity: "error", code: "bad_zone_file", summary, detail, at });
  }

  /** Returns the zone, if its name is known and no entry has a mistake. */
  finish({ file }: TextFile): ReadZone {
    const diagnostics = this.#diagnostics;
    if (diagnostics.length > 0) return { zone: undefined, diagnostics };
    const name = this.#soa?.owner ?? this.#firstOrigin ?? this.#origin;
    const start = { file, line: 1, col: 1 };
    if (!this.#soa && this.#records.length === 0)
      this.#fail(start, "The zone file has no record", "at least an SOA record, or one record of the zone");
    else if (name === undefined)
      this.#fail(start, "The zone has no name", "an SOA record, $ORIGIN, or a file name such as example.com.zone");
    const expected = name === undefined ? undefined : checkZone(name);
    if (expected !== undefined) this.#fail(start, `${name} cannot be a zone`, expected);
    if (name === undefined || diagnostics.length > 0) return { zone: undefined, diagnostics };
    const parts = groupBy(this.#records, (record) => isWithin(record.name, name));
    for (const { name: owner, type, at } of parts.get(false) ?? [])
      diagnostics.push(notImported(at, `The ${type} record of ${owner}`, `it is outside the zone ${name}`));
    const records = parts.get(true) ?? [];
    return { zone: { name: name.slice(0, -1), ttl: this.#firstTtl, records, file }, diagnostics };
  }
}

const directives: Readonly<Record<string, string>> = {
  $INCLUDE: "the name of a file, and a name below which its records stand",
  $ORIGIN: "a name, such as example.com.",
  $TTL: "seconds, such as 3600 or 1h30m, up to 2147483647",
};
