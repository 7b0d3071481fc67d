import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block } from "../../src/import/block.ts";
import { parseFile, placeBlocks } from "../../src/import/find-place.ts";
import { insertBlocks, isPlaceable } from "../../src/import/insert.ts";
import { parseSource } from "../../src/manifest/yaml/parse.ts";
import { toJson } from "../../src/manifest/yaml/written.ts";
import type { Address } from "../../src/model/address.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { isObject } from "../../src/model/json-pointer.ts";
import { forDraws } from "../support/for-draws.ts";

const block = (address: string, path: string, body: Json, isItem = false): Block => ({
  address: address as Address,
  domain: path.split(" ")[1] ?? "",
  path: path.split(" "),
  isItem,
  body,
});
const long = `one line of text that is long\nand another, ${"which is longer than a line of a terminal, ".repeat(2)}`;
const additions = [
  block("dns_record/a.test/x/A", "dns a.test records x A", "192.0.2.1"),
  block("dns_record/a.test/y/TXT", "dns a.test records y TXT", long),
  block("cron/a.test/nightly", "crons a.test jobs nightly", { schedule: "*/5 * * * *", command: long }),
  block("certificate/a.test/managed", "certificates a.test", { domains: ["a.test"] }, true),
  block("mailbox/null@a.test", "mail a.test mailboxes null", { quota: "2 GiB" }),
];

/** Sections of which any part may be absent, empty or there. */
const draftRoot = fc.gen().map((draw): JsonObject => {
  const some = (filled: () => Json): Json =>
    draw(fc.constantFrom, 0, 1, 2, 3) === 0 ? draw(fc.constantFrom, null, {}) : filled();
  const keys = (entries: Readonly<Record<string, () => Json>>): Json =>
    Object.fromEntries(Object.entries(entries).flatMap(([key, value]) => (draw(fc.boolean) ? [[key, value()]] : [])));
  const inDomain = (value: () => Json) => () => some(() => keys({ "a.test": () => some(value), "b.test": () => ({}) }));
  const names = () => some(() => keys({ AAAA: () => "::1", TXT2: () => "it's" }));
  const sections = {
    dns: inDomain(() => keys({ ttl: () => 60, records: () => some(() => keys({ x: names, y: names })) })),
    crons: inDomain(() =>
      keys({ jobs: () => some(() => keys({ b: () => ({ schedule: "0 0 * * *" }), c: () => null })) }),
    ),
    mail: inDomain(() =>
      keys({ mailboxes: () => some(() => keys({ b: () => ({ quota: "a b" }) })), z: () => [1, "x"] }),
    ),
    certificates: () =>
      keys({ "a.test": () => draw(fc.constantFrom, null, [], [{ domains: ["b.test"] }], ["x", { y: 1 }]) }),
  };
  return { version: 1, ...(keys(sections) as JsonObject) };
});

type Draw = fc.GeneratorValue;

/** Writes values in a drawn layout: in brackets or not, on one line or several, with comments, trailing commas and keys behind `?`. */
class Writer {
  readonly draw: Draw;
  constructor(draw: Draw) {
    this.draw = draw;
  }

  is = (oneIn: number) => this.draw(fc.nat, oneIn - 1) === 0;

  /** Returns what stands between two tokens in brackets. */
  gap(indent: number): string {
    const spaces = " ".repeat(indent + this.draw(fc.nat, 3));
    return this.draw(fc.constantFrom, " ", " ", " ", `\n${spaces}`, ` # c\n${spaces}`, `\n\n${spaces}# {c\n${spaces}`);
  }

  scalar = (value: Json) =>
    value === 60 && this.is(3)
      ? "&sixty 60"
      : value === null
        ? ""
        : typeof value === "string" && (this.is(2) || !/^[a-z.]+$/u.test(value))
          ? JSON.stringify(value)
          : typeof value === "string"
            ? value
            : JSON.stringify(value);

  key = (key: string) => (this.is(4) ? `"${key}"` : key);

  flow(value: Json, indent: number): string {
    if (Array.isArray(value))
      return this.bracket(
        "[",
        value.map((item) => this.flow(item, indent)),
        "]",
        indent,
      );
    if (!isObject(value)) return this.scalar(value);
    const entries = Object.entries(value).map(([key, each]) => {
      if (each === null && this.is(2)) return this.key(key);
      const mark = this.is(6) ? "? " : "";
      return `${mark}${this.key(key)}:${this.is(6) ? this.gap(indent) : " "}${this.flow(each, indent)}`;
    });
    return this.bracket("{", entries, "}", indent);
  }

  bracket(open: string, items: readonly string[], close: string, indent: number): string {
    const body = items.map((item, at) => {
      const comma = at < items.length - 1 || this.is(3) ? `${this.is(4) ? this.gap(indent) : ""},` : "";
      return `${this.gap(indent)}${item}${comma}`;
    });
    const last = this.is(3) ? "" : this.gap(this.is(2) ? indent : Math.max(0, indent - 1));
    return `${open}${body.join("")}${last}${close}`;
  }

  /** Returns the lines of a map. */
  block(map: JsonObject, indent: number): string {
    const lead = " ".repeat(indent);
    const lines = Object.entries(map).map(([key, value]) => {
      const note = this.is(5) ? " # note" : "";
      const isExplicit = this.is(5);
      const name = isExplicit ? `${lead}? ${this.key(key)}${note}\n${lead}:` : `${lead}${this.key(key)}:`;
      if (isObject(value) && Object.keys(value).length > 0 && this.is(2))
        return `${name}${note}\n${this.block(value, indent + 1 + this.draw(fc.nat, 2))}`;
      if (Array.isArray(value) && value.length > 0 && this.is(2))
        return `${name}${note}\n${value.map((item) => `${lead}- ${this.flow(item, indent + 1)}\n`).join("")}`;
      if (value === null && isExplicit && this.is(2)) return `${lead}? ${this.key(key)}${note}\n`;
      return `${name} ${this.flow(value, indent + 1)}${note}\n`;
    });
    return lines.join(this.is(5) ? `${lead}# between\n` : "");
  }
}

const layout = fc.tuple(draftRoot, fc.gen()).map(([root, draw]) => {
  const writer = new Writer(draw);
  const text = writer.is(6) ? `${writer.flow(root, 0)}\n` : writer.block(root, 0);
  return writer.is(5) ? text.trimEnd() : text;
});

const read = (text: string): { readonly value: Json | undefined; readonly problems: readonly string[] } => {
  const { root, diagnostics } = parseSource({ file: "m.yaml", text });
  return { value: root && toJson(root), problems: diagnostics.map(({ summary }) => summary) };
};

/** Returns a value with a block in it. */
function joined(value: Json | undefined, path: readonly string[], { body, isItem }: Block): Json {
  const [key, ...rest] = path;
  if (key === undefined) return isItem ? [...(Array.isArray(value) ? value : []), body] : body;
  const map = isObject(value) ? value : {};
  return { ...map, [key]: joined(map[key], rest, { body, isItem } as Block) };
}

function edit(text: string, blocks: readonly Block[]): string | undefined {
  const file = parseFile({ file: "m.yaml", text });
  const placed = placeBlocks(blocks, [file], () => "m.yaml");
  return placed.every((each) => isPlaceable(file, each)) ? insertBlocks(file, placed) : undefined;
}

describe("a manifest in any layout", () => {
  test("has the added blocks and all that it had, byte for byte", () =>
    forDraws(900, layout, fc.subarray([...additions], { minLength: 1 }), fc.boolean(), (drawn, blocks, isCrlf) => {
      const text = isCrlf ? drawn.replaceAll("\n", "\r\n") : drawn;
      const before = read(text);
      fc.pre(before.problems.length === 0);
      const [first] = blocks as [Block];
      const one = edit(text, [first]) ?? text;
      expect(isAround(text, one), `${text}\n→\n${one}`).toBe(true);
      const after = edit(text, blocks);
      fc.pre(after !== undefined);
      const wanted = blocks.reduce<Json>((value, each) => joined(value, each.path, each), before.value ?? {});
      expect(read(after), `${text}\n→\n${after}`).toEqual({ value: wanted, problems: [] });
    }));
});

/** Whether a text is another with something added at one place. */
function isAround(text: string, longer: string): boolean {
  let same = 0;
  while (same < text.length && text[same] === longer[same]) same += 1;
  return longer.endsWith(text.slice(same));
}
