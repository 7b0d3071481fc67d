import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { builtInContracts } from "../../src/contract/load-contract.ts";
import { findMistakes } from "../../src/contract/find-mistakes.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { forDraws } from "../support/for-draws.ts";
import { contractFile } from "../support/contract-file.ts";

const { load } = contractFile();

const contract = `contract: 1
name: my-host
base_path: /v1
request:
  auth: { header: Authorization, scheme: Bearer }
  headers: { Accept: application/json }
answer:
  record: /data
  list: /data
  error: { message: /message }
  rate_limit: { statuses: [429] }
paging: { page: page, size: per_page, max_size: 100 }
kinds:
  dns_zone:
    id: /id
    fields:
      name: { at: /name }
    operations:
      list: { method: GET, path: /zones }
      create: { method: POST, path: /zones }
  dns_record:
    params: { zone_id: { id_of: dns_zone, key: { name: zone } } }
    id: /id
    fields:
      name: { at: /name }
      type: { at: /type, values: [A, AAAA, TXT] }
      content: { at: /content }
      ttl: { at: /ttl }
    operations:
      list: { method: GET, path: "/zones/{zone_id}/records" }
      update: { method: PUT, path: "/zones/{zone_id}/records/{id}" }
      delete: { method: DELETE, path: "/zones/{zone_id}/records/{id}" }
`;

/** Each entry that would send a wrong request, with the place of its mistake. */
test.each([
  ["base_path: /v1", 'base_path: "/v1?x=1"', "3:12"],
  ["base_path: /v1", "base_path: /v1/", "3:12"],
  ["base_path: /v1", "base_path: /../v1", "3:12"],
  ["path: /zones }", 'path: "/zones?x=1" }', "19:34"],
  ["path: /zones }", 'path: "//other.example/zones" }', "19:34"],
  ["path: /zones }", String.raw`path: "/\\other.example/zones" }`, "19:34"],
  ["path: /zones }", 'path: "/zones/../x" }', "19:34"],
  ["path: /zones }", 'path: "/zones#x" }', "19:34"],
  ["path: /zones }", 'path: "/zones/{" }', "19:34"],
  ["path: /zones }", 'path: "/zones %" }', "19:34"],
  ["path: /zones }", "path: /zonés }", "19:34"],
  ["Accept: application/json", String.raw`Accept: "a\r\nX: y"`, "6:22"],
  ["Accept: application/json", "Accept: €", "6:22"],
  ["Accept: application/json", '"X Y": z', "6:14"],
  ["Accept: application/json", "host: other.example", "6:14"],
  ["Accept: application/json", 'Content-Length: "5"', "6:14"],
  ["Accept: application/json", "authorization: x", "6:14"],
  ["scheme: Bearer", String.raw`scheme: "a\nb"`, "5:42"],
  ["header: Authorization", "header: Transfer-Encoding", "5:19"],
  ["list: /data", "list: /da~2ta", "9:9"],
  ["statuses: [429]", "statuses: [200]", "11:28"],
  ["page: page", 'page: ""', "12:17"],
  ["page: page", "page: per_page", "12:9"],
  ["key: { name: zone } } }", "name: zone } }", "22:43"],
  [", key: { name: zone } } }", " } }", "22:24"],
  ["{ id_of: dns_zone, key: { name: zone } }", "{}", "22:24"],
  ["dns_zone:\n    id: /id\n", "dns_zone:\n", "21:33"],
  ["at: /ttl", "at: /content", "28:18"],
  ['DELETE, path: "/zones/{zone_id}/records/{id}"', 'DELETE, path: "/zones/{zone_id}/records"', "32:39"],
  ['PUT, path: "/zones/{zone_id}/records/{id}"', 'PUT, path: "/zones/{zone_id}/records/"', "31:36"],
])("%s that is written as %s is one mistake, at its place", async (right, wrong, place) => {
  expect(contract).toContain(right);
  const { contract: loaded, diagnostics } = await load(contract.replace(right, () => wrong));
  expect(loaded).toBeUndefined();
  expect(diagnostics.map(({ at }) => `${at?.line}:${at?.col}`)).toEqual([place]);
  for (const { summary, detail = "", hint = "" } of diagnostics)
    expect(`${summary} ${detail} ${hint}`).not.toMatch(/must |pattern|schema/u);
});

test("a contract may delete by the key, and update a list of one object", async () => {
  const byKey = contract
    .replace("params: {", "params: { name: { key: name }, type: { field: type },")
    .replace('DELETE, path: "/zones/{zone_id}/records/{id}"', 'DELETE, path: "/zones/{zone_id}/{name}/{type}"');
  expect((await load(byKey)).diagnostics).toEqual([]);
  expect((await load(contract)).diagnostics).toEqual([]);
});

test.each([
  ["dns_record", "each zone", "error"],
  ["mailbox", "each domain", "warning"],
  ["cron", "each service", "warning"],
])("a list of %s that is one object, so that there is one for %s, is refused: %s", async (kind, place, severity) => {
  const text = `contract: 1\nname: other\nextends: v2026\nkinds:\n  ${kind}: { operations: { list: { single: true } } }\n`;
  const { diagnostics, warnings = diagnostics } = await load(text);
  expect(warnings.map((each) => [each.severity, each.summary])).toEqual([
    [severity, `kinds.${kind}.operations.list is single, so there is at most one ${kind} for ${place}`],
  ]);
});

test("a list of one object is right for what a domain or an account has once, and below each object of another kind", async () => {
  const lists = [
    "dnssec: { operations: { list: { single: true } } }",
    "service: { operations: { list: { single: true } } }",
    "mailbox: { operations: { list: { path: '/services/{service}/mailbox', single: true, for_each: { service: service } } } }",
  ];
  for (const list of lists) {
    const { warnings } = await load(`contract: 1\nname: other\nextends: v2026\nkinds:\n  ${list}\n`);
    expect([list, warnings?.filter(({ summary }) => summary.includes("single"))]).toEqual([list, []]);
  }
});

/** Fields that do not tell whose an object is, by the kinds that a mixed list may hold. */
test.each([
  ["mailbox", "domain", "address: { at: /local, as: [local_part] }"],
  ["mail_alias", "domain", "address: { at: /local, as: [local_part] }"],
  ["mail_settings", "domain", ""],
  ["dns_record", "zone", "name: { at: /name, as: [whole_name] }"],
  ["dnssec", "zone", ""],
  ...["ftp_account", "database", "database_user", "cron"].map((kind) => [kind, "service", "service: { absent: true }"]),
])("a list of %s that holds those of all others needs what tells its %s", async (kind, part, fields) => {
  const mixed = (own: string) =>
    `contract: 1\nname: other\nextends: v2026\nkinds:\n  ${kind}: { fields: { ${own} }, operations: { list: { scope: mixed } } }\n`;
  const { diagnostics } = await load(mixed(fields ?? ""));
  const unsaid = diagnostics.filter(({ summary }) => summary.includes("mixed"));
  expect(unsaid.map(({ at, summary }) => `${at?.line} ${summary}`)).toEqual([
    `5 kinds.${kind}.operations.list is mixed, and no ${kind} tells its ${part}: each list would hold those of all`,
  ]);
});

test.each(["mailbox", "mail_alias", "ftp_account", "database", "database_user", "cron"])(
  "a list of %s may hold those of all others, where each tells whose it is",
  async (kind) => {
    const text = `contract: 1\nname: other\nextends: v2026\nkinds: { ${kind}: { operations: { list: { scope: mixed } } } }\n`;
    expect((await load(text)).diagnostics).toEqual([]);
  },
);

test("a type that no standard names is a warning", async () => {
  const { diagnostics, warnings } = await load(contract.replace("[A, AAAA, TXT]", '[A, AAA, "TYPE*"]'));
  expect(diagnostics).toEqual([]);
  expect(warnings?.map(({ at, summary }) => `${at?.line}:${at?.col} ${summary}`)).toEqual([
    "26:38 kinds.dns_record.fields.type takes AAA, which is not a type that Hostform knows",
  ]);
});

const contracts = builtInContracts.map(
  (name) => parse(readFileSync(new URL(`../../schemas/contracts/${name}.yaml`, import.meta.url), "utf8")) as JsonObject,
);

const odd: readonly (Json | undefined)[] = [
  undefined,
  null,
  [],
  {},
  "",
  "x",
  "/{x}",
  0,
  1.5,
  true,
  ["x"],
  [null],
  { x: null },
  { x: "y" },
];

test.each([["request.headers"], ["answer.rate_limit"], ["base_path"]])(
  "a contract without %s has no mistake",
  (path) => {
    const [whole = {}] = contracts;
    expect(findMistakes(replaceAt(whole, path.split("."), undefined) as JsonObject)).toEqual(findMistakes(whole));
  },
);

test("whatever stands in the place of an entry, the mistakes of a contract are found and end in words", () =>
  forDraws(
    100,
    fc.constantFrom(...contracts),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...odd)), { minLength: 1, maxLength: 2 }),
    (whole, changes) => {
      let changed: Json = whole;
      for (const [at, value] of changes) {
        const places = placesIn(changed);
        changed = replaceAt(changed, places[at % places.length] ?? [], value);
      }
      for (const { summary, detail = "", hint = "" } of findMistakes(changed as JsonObject)) {
        expect(summary).not.toBe("");
        expect(`${detail} ${hint}`).not.toMatch(/must (?:be|match|NOT|have)/u);
      }
    },
  ));

function placesIn(value: Json): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [[key], ...placesIn(below).map((path) => [key, ...path])]);
}

function replaceAt(value: Json, [key, ...rest]: readonly string[], by: Json | undefined): Json {
  if (key === undefined) return by ?? null;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as JsonObject) }) as Record<string, Json>;
  if (rest.length > 0) copy[key] = replaceAt(copy[key] ?? null, rest, by);
  else if (by === undefined) delete copy[key];
  else copy[key] = by;
  return copy;
}
