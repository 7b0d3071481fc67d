import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { layOver } from "../../src/contract/lay-over.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { spellBody } from "../../src/contract/spelling/spell-body.ts";
import { normalValue } from "../../src/kinds/derived/normal-value.ts";
import { kindNamed, kinds } from "../../src/kinds/index.ts";
import type { Codec, KindContract } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { readBlocks } from "./read-commands.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const names = "contracts.md contracts-reading.md contracts-writing.md contracts-sets.md contracts-table.md".split(" ");
const pages = names.map((name) => ({ name, text: readFileSync(join(root, "docs", name), "utf8") }));
const page = pages.map(({ text }) => text).join("");
const blocks = pages.flatMap(({ name, text }) => readBlocks(text).map((block) => ({ ...block, name })));
const first = blocks[0]?.text ?? "";

const folder = folderForFile();

function write(text: string): string {
  const file = join(folder, "file.yaml");
  writeFileSync(file, text);
  return file;
}

const get = (path: string) => ({ method: "GET", path });
/** The page's first contract with some more kinds, over which its fragments are laid. */
const base = layOver(parse(first) as Json, {
  kinds: {
    service: { id: "/id", fields: { domain: { at: "/domain" } }, operations: { list: get("/services") } },
    dns_record: {
      id: "/id",
      params: { zone: { key: "zone" } },
      fields: {
        name: { at: "/name" },
        type: { at: "/type", values: ["A"] },
        content: { at: "/content" },
        priority: { at: "/priority" },
      },
      operations: { list: get("/zones/{zone}/records") },
    },
    mailbox: {
      id: "/id",
      params: { domain: { key: "domain" } },
      fields: { address: { at: "/address" }, password: { at: "/password" }, sending_enabled: { at: "/enabled" } },
      operations: { list: get("/mail/{domain}"), read: get("/mail/{id}") },
    },
    cron: {
      id: "/id",
      params: { service: { id_of: "service", key: { domain: "service" } } },
      fields: { name: { at: "/name" }, schedule: { at: "/schedule" }, command: { at: "/command" } },
      operations: { list: get("/services/{service}/crons") },
    },
  },
});

/** A fragment begins with a comment that names its place in a contract. */
const placeOf = (text: string) => /^# (at|in place of) ([\w.]+)\n/u.exec(text);
const at = (path: readonly string[], value: Json): Json =>
  path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);

function withFragment(text: string): Json {
  const [, how = "", path = ""] = placeOf(text) ?? [];
  const place = path.split(".");
  const own = at(place, parse(text) as Json);
  return layOver(how === "at" ? base : layOver(base, at(place, null)), own);
}

describe("the pages on contracts", () => {
  test.each(blocks)("have YAML that Hostform accepts at line $line of $name", async ({ text, language }) => {
    expect(language).toBe("yaml");
    if (text.startsWith("version:")) {
      exits(0, await runInProcess(noAccount, ["validate", "-f", write(text), "--contract", v1()]));
      return;
    }
    if (!text.startsWith("contract:")) expect(placeOf(text), text).not.toBeNull();
    const whole = text.startsWith("contract:") ? text : stringify(withFragment(text));
    const { diagnostics, warnings } = await loadContract(write(whole));
    // The requests that use the parameters of a fragment stand in other fragments.
    const found = [...diagnostics, ...(warnings ?? [])].filter(({ code }) => code !== "contract_unused");
    expect(found, text).toEqual([]);
  });

  function v1(): string {
    const file = join(folder, "contract.yaml");
    writeFileSync(file, first);
    return file;
  }

  test("name every word and every codec of the language", () => {
    const schema = JSON.parse(readFileSync(join(root, "schemas", "contract.schema.json"), "utf8")) as JsonObject;
    const words = [...wordsOf(schema), ...((schema["$defs"] as { codec: { enum: string[] } }).codec.enum ?? [])];
    expect(words).toContain("explode");
    expect([...new Set(words)].filter((word) => !new RegExp(`\\b${word}\\b`, "u").test(page))).toEqual([]);
  });

  test("name the parts of each kind's key", () => {
    for (const { name, naming, scope } of kinds) {
      const row = page.split("\n").find((line) => (line.split("|")[1] ?? "").includes(`\`${name}\``));
      expect(row, `write a row for ${name} into the table of keys in docs/contracts-reading.md`).toBeDefined();
      const own = [...scope, ...Object.keys(naming.ofLive({}, {}))];
      for (const part of own) expect(row, name).toContain(`\`${part}\``);
    }
  });
});

/** The field that each codec of the page's table is tried on. */
const fieldOfCodec: Readonly<Record<Codec, readonly [kind: string, field: string, type?: string]>> = {
  integer: ["service", "plan"],
  string: ["dns_record", "ttl"],
  bytes: ["mailbox", "quota_mb"],
  local_part: ["mailbox", "address"],
  whole_name: ["dns_record", "name"],
  relative_name: ["dns_record", "name"],
  empty_apex: ["dns_record", "name"],
  final_dot: ["domain", "name"],
  no_final_dot: ["dns_record", "content", "CNAME"],
  plain_text: ["dns_record", "content", "TXT"],
  quoted_text: ["dns_record", "content", "TXT"],
  priority_inside: ["dns_record", "content", "MX"],
};

/** Returns the values of a cell: its code, and an empty text in words. */
const valuesIn = (cell = ""): Json[] =>
  [...cell.matchAll(/`([^`]*)`|an empty text|priority (\d+)/gu)].map(([, code, priority]) =>
    priority === undefined ? asJson(code ?? "") : Number(priority),
  );
/** A quoted number is a text; other quotes belong to the value. */
const asJson = (code: string): Json => (/^("\w+"|\d+|true)$/u.test(code) ? (JSON.parse(code) as Json) : code);

const isCodec = (word: string): word is Codec => Object.hasOwn(fieldOfCodec, word);

const codecRows = page.split("\n").flatMap((line) => {
  const [, name = "", , ours, theirs] = line.split("|");
  const [, codec = ""] = /^ `(\w+)`/u.exec(name) ?? [];
  return isCodec(codec) ? [[codec, valuesIn(ours), valuesIn(theirs)] as const] : [];
});

test("the page has a row for each codec", () => {
  expect(codecRows.map(([codec]) => codec).sort()).toEqual(Object.keys(fieldOfCodec).sort());
});

test.each(codecRows)("the codec %s spells %j as %j, as the page says", (codec, ours, theirs) => {
  const [name, field, type = "A"] = fieldOfCodec[codec];
  const kind = kindNamed(name);
  const key = { zone: "example.com", domain: "example.com", name: "@", type };
  const entry: KindContract = {
    fields: { [field]: { at: "/value", as: [codec] } },
    operations: { list: { method: "GET", path: "/all" } },
  };
  const spell = (values: Readonly<Record<string, Json>>) =>
    spellBody(
      { kind: { ...kind, entry }, key },
      {},
      Object.entries(values).map(([each, value]) => ({
        pointer: "/value",
        field: each,
        value: normalValue(kind, each, value, key),
      })),
    )["value"];
  const written =
    codec === "priority_inside"
      ? [spell({ [field]: ours[0] ?? "", priority: ours[1] ?? 0 })]
      : ours.map((value) => spell({ [field]: value }));
  expect(written).toEqual(theirs);
});

/** The words that the schema defines. */
function wordsOf(schema: Json | undefined): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap(wordsOf);
  const { properties, ...rest } = schema as JsonObject;
  const own = (properties ?? {}) as JsonObject;
  return [...Object.keys(own), ...Object.values(own).flatMap(wordsOf), ...Object.values(rest).flatMap(wordsOf)];
}

test("every word of the schema has a description and an example", () => {
  const schema = JSON.parse(readFileSync(join(root, "schemas", "contract.schema.json"), "utf8")) as JsonObject;
  expect(poorWords(schema)).toEqual([]);
});

/** The words without a description or an example. */
function poorWords(schema: Json | undefined, path = ""): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((each) => poorWords(each, path));
  const { properties = {}, examples: _examples, ...rest } = schema as JsonObject;
  const own = Object.entries(properties as JsonObject).flatMap(([name, word]) => {
    const { description, examples } = word as JsonObject;
    const isPoor = description === undefined || examples === undefined;
    return [...(isPoor ? [`${path}/${name}`] : []), ...poorWords(word, `${path}/${name}`)];
  });
  return [...own, ...Object.entries(rest).flatMap(([key, each]) => poorWords(each, `${path}/${key}`))];
}
