import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../../src/kinds/index.ts";
import { samples } from "../../kinds/samples.ts";
import { size } from "../../proofs/size.ts";
import { startLanguageServer } from "../../support/language-server.ts";
import { loadText } from "../load-text.ts";
import { refactored } from "../templates/draw-templates.ts";
import { acceptedBodies } from "./accepted-bodies.ts";

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly items?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const root = new URL("../../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");
const written = JSON.parse(read("schemas/manifest.schema.json")) as Schema;
const modeline = "# yaml-language-server: $schema=../../dist/schemas/manifest.schema.json\n";
const head = `${modeline}version: 1\nname: agency-main\n`;

let server: Awaited<ReturnType<typeof startLanguageServer>>;
beforeAll(async () => {
  // The documents lie there in name only: the path of their first line begins in that folder.
  server = await startLanguageServer(new URL("examples/kinds/", root));
});
afterAll(() => server.close());

type Path = readonly (string | number)[];
const fields = Object.entries(samples).flatMap(([kind, { fields, path, body, bodies = {} }]) =>
  Object.entries(fields).map(([field, { at = field.split("."), values }]) => {
    const place: Path = [...(bodies[field]?.path ?? path), ...at.map((key) => (key === "0" ? 0 : key))];
    const [key = ""] = at;
    const beside = Object.entries(bodies[field]?.body ?? body).filter(([name]) => at.length === 1 && name !== key);
    return { kind, field, beside, path: place.map((each) => (each === "NAME" ? "shop.example" : each)), values };
  }),
);

/** A manifest that ends where a key of the last map of a path is to be written. */
function untilKey(path: Path, beside: readonly (readonly [string, unknown])[]): string {
  const lines = path
    .slice(0, -1)
    .map((key, depth) => `${"  ".repeat(depth)}${typeof key === "number" ? "-" : `"${key}":`}`);
  const indent = "  ".repeat(path.length - 1);
  return [...lines, ...beside.map(([key, value]) => `${indent}${key}: ${JSON.stringify(value)}`), indent].join("\n");
}

test("an editor offers each field of each kind at its place", async () => {
  expect(new Set(fields.map(({ kind }) => kind)).size).toBe(kinds.length);
  const offered = await Promise.all(
    fields.map(async ({ kind, field, path, beside }) => {
      const offers = await server.offersAfter(head + untilKey(path, beside));
      return offers.some(({ label }) => label === path.at(-1)) ? [] : [`${kind} ${field}`];
    }),
  );
  expect(offered.flat()).toEqual([]);
});

test.each([
  ["policy:\n  protect:\n    - ", Object.keys(samples)],
  [
    "templates:\n  customer:\n    mail:\n      shop.example:\n        mailboxes:\n          jo:\n            ",
    ["quota", "password"],
  ],
  ["removed:\n  - action: ", ["delete", "forget"]],
  ["variables:\n  a:\n    type: ", ["string", "number", "boolean", "list"]],
  ["dns:\n  shop.example:\n    dnssec:\n      algorithm: ", ["8", "13", "14", "15"]],
  ["databases:\n  shop.example:\n    databases:\n      shop:\n        engine: ", ["mariadb", "mysql", "postgresql"]],
  ["crons:\n  shop.example:\n    jobs:\n      nightly:\n        enabled: ", ["true", "false"]],
  ["dns:\n  shop.example:\n    records:\n      www:\n        A:\n          ", ["value", "ttl", "values", "lifecycle"]],
])("an editor offers after %j", async (text, labels) => {
  const offers = await server.offersAfter(head + text);
  expect(offers.map(({ label }) => label)).toEqual(expect.arrayContaining(labels));
});

test("an editor that completes a key writes valid YAML beside it", async () => {
  const places = new Set(fields.flatMap(({ path }) => path.map((_, depth) => untilKey(path.slice(0, depth + 1), []))));
  const offers = await Promise.all(
    [...places, "templates:\n  a:\n    ", "use:\n  - "].map((text) => server.offersAfter(head + text)),
  );
  const inserted = offers.flat().map(({ insertText }) => insertText);
  expect(inserted).toContain("A: ");
  // An unescaped ${…} is a variable of the editor.
  expect(inserted.filter((text) => /\[object Object\]|(?<!\\)\$\{(?!\d)/u.test(text))).toEqual([]);
});

const resolve = (part: Schema = {}): Schema =>
  part.$ref === undefined ? part : { ...written.$defs?.[part.$ref.replace("#/$defs/", "")], ...part, $ref: undefined };

function below(part: Schema, key: string | number): Schema | undefined {
  const { items, properties, additionalProperties, then, else: otherwise } = resolve(part);
  const found = typeof key === "number" ? items : (properties?.[key] ?? additionalProperties);
  if (found) return found;
  return [then, otherwise].flatMap((each) => (each && below(each, key)) ?? [])[0];
}

const describedBy = (path: Path) =>
  resolve(path.reduce<Schema>((part, key) => below(part, key) ?? {}, written)).description ?? "no description";
const words = (text: string) => text.replaceAll(/[^\p{L}\p{N}]+/gu, " ");

test("an editor shows the description of each field of each kind", async () => {
  const shown = await Promise.all(
    fields.map(async ({ kind, field, path, beside, values }) => {
      const text = head + untilKey(path, beside);
      const lines = text.split("\n");
      const uri = server.open(`${text}${path.at(-1)}: ${JSON.stringify(values[0])}\n`);
      const hover = await server.hoverAt(uri, { line: lines.length - 1, character: (lines.at(-1)?.length ?? 0) + 1 });
      return words(hover).includes(words(describedBy(path))) ? [] : [`${kind} ${field}: ${hover}`];
    }),
  );
  expect(shown.flat()).toEqual([]);
});

test("an editor has nothing against the examples and the built-in contracts", async () => {
  const files = ["examples", "schemas/contracts"].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const ofSchema = /^(# yaml-language-server: .*=).*\/((?:manifest|contract)\.schema\.json)$/mu;
      const text = file.endsWith(".yaml") ? read(file) : "";
      if (!ofSchema.test(text)) return undefined;
      const mistakes = await server.mistakesIn(text.replace(ofSchema, "$1../../dist/schemas/$2"));
      return mistakes.map(({ message }) => `${file}: ${message}`);
    }),
  );
  const checked = found.filter((each) => each !== undefined);
  expect(checked.length).toBeGreaterThan(25);
  expect(checked.flat()).toEqual([]);
});

const inZone = (records: string) => `dns:\n  shop.example:\n    records:\n      www:\n        ${records}`;

const accepted: readonly (readonly [string, string])[] = [
  ...acceptedBodies,
  ["numbers where a text is wanted", "services: {shop.example: {settings: {php_version: 8.3}}}"],
  ["numbers as records", inZone("TXT: [19, 0x1F, {value: 1e3}]")],
  [
    "variables in keys, numbers, truth values and lists",
    `variables:
  ttl: { type: number, default: 300 }
  on: { type: boolean, default: true }
  hosts: { type: list, default: [ns1.host.example, ns2.host.example] }
  tld: { default: example }
domains:
  "shop.\${var:tld}": { nameservers: "\${var:hosts}", auto_renew: "\${var:on}" }
dns:
  "shop.\${var:tld}": { ttl: "\${var:ttl}" }`,
  ],
  [
    "templates and their uses",
    `templates:
  customer:
    parameters: { domain: }
    domains: { "\${param:domain}": {} }
use:
  - { template: customer, for_each: [shop.example], with: { domain: "\${each}" } }`,
  ],
];

test("an editor has nothing against what Hostform takes", async () => {
  const found = await Promise.all(
    accepted.map(async ([what, body]) => {
      expect((await loadText(head + body)).diagnostics, what).toEqual([]);
      // The second is one file of several, of which another has the first two lines.
      const mistakes = await Promise.all([head, modeline].map((lines) => server.mistakesIn(lines + body)));
      return mistakes.flat().map(({ message }) => `${what}: ${message}`);
    }),
  );
  expect(found.flat()).toEqual([]);
});

test("an editor has nothing against drawn manifests, with templates and without", async () => {
  const draws = fc.sample(refactored, { numRuns: size.draws(40), seed: 1 });
  const found = await Promise.all(
    draws.flatMap(({ plain, templated }) =>
      [plain, templated].map(async (text) => {
        const mistakes = await server.mistakesIn(modeline + text);
        return mistakes.map(({ message, range }) => `${message}\n${text.split("\n")[range.start.line - 1]}`);
      }),
    ),
  );
  expect(found.flat()).toEqual([]);
});

/** Broken manifests, each with what an editor says of it. */
const broken: readonly (readonly [string, string, string])[] = [
  ["an unknown section", "domain: {}", "Property domain is not allowed."],
  ["an unknown field", "domains:\n  shop.example:\n    auto_renews: true", "Property auto_renews is not allowed."],
  ["a field that the platform sets", "dns:\n  shop.example:\n    serial: 5", "Property serial is not allowed."],
  ["no domain name", "mail:\n  shop:\n    mailboxes: {}", "Expected a domain name such as example.com"],
  ["a type of record in lower case", inZone("a: 192.0.2.1"), "Property a is not allowed."],
  [
    "an address in place of records",
    "dns:\n  shop.example:\n    records:\n      www: 192.0.2.1",
    'Incorrect type. Expected "record types with their content, such as { A: 192.0.2.10 }".',
  ],
  ["a record without its value", inZone("MX:\n          - priority: 10"), 'Missing property "value".'],
  ["an empty list of records", inZone("A: []"), "Array has too few items. Expected 1 or more."],
  ["no number", "dns:\n  shop.example:\n    ttl: an hour", "Expected a whole number of seconds"],
  [
    "no truth value",
    "crons:\n  shop.example:\n    jobs:\n      nightly:\n        enabled: yes",
    "Expected true or false",
  ],
  [
    "no list",
    "ftp:\n  shop.example:\n    accounts:\n      jo:\n        permissions: read",
    "Expected a list of read, write or both",
  ],
  ["no map", "domains:\n  shop.example: true", "Incorrect type. Expected one of object, null."],
  [
    "no privilege",
    "databases:\n  shop.example:\n    users:\n      jo:\n        grants:\n          shop: some",
    "Expected all, read_only, or a list of privileges such as [SELECT, INSERT]",
  ],
  ["a certificate of nothing", "certificates:\n  shop.example:\n    - type: managed", 'Missing property "domains".'],
  [
    "an unknown action",
    "removed:\n  - address: cron/shop.example/nightly\n    action: destroy",
    'Value is not accepted. Valid values: "delete", "forget".',
  ],
  ["no percentage", "policy:\n  max_deletes: 10 %", "Expected a whole number, or a percentage such as 10%"],
];

test("an editor marks the line of a mistake that Hostform names, and says what is expected", async () => {
  const found = await Promise.all(
    broken.map(async ([what, body]) => {
      const [mistake, ...others] = await server.mistakesIn(head + body);
      return [what, mistake && mistake.range.start.line + 1, mistake?.message, others.length];
    }),
  );
  const named = broken.map(async ([what, body, message]) => {
    const { diagnostics } = await loadText(head + body);
    return [what, diagnostics[0]?.at?.line, message, diagnostics.length - 1];
  });
  expect(found).toEqual(await Promise.all(named));
});
