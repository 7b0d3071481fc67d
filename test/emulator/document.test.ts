import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { actions } from "../../src/emulator/actions/index.ts";
import { apiDocument } from "../../src/emulator/document/api-document.ts";
import { formats } from "../../src/emulator/document/validators.ts";
import { buildRouter } from "../../src/emulator/document/router.ts";
import { groups } from "../../src/emulator/store/keys.ts";
import { createJudge, documentFile } from "./judge.ts";

const judge = createJudge();

type Json = Readonly<Record<string, unknown>>;

const document = parse(readFileSync(documentFile, "utf8")) as {
  readonly paths: Readonly<Record<string, Json>>;
  readonly tags: readonly { readonly name: string }[];
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
};

test("every operation of the document has an action, and no action is without one", () => {
  const operations = buildRouter(apiDocument).operations.map(({ id }) => id);
  expect(Object.keys(actions).sort()).toEqual([...operations].sort());
});

test("the tags are the vendor's nine groups and the jobs, and permissions are given for the nine", () => {
  const names = document.tags.map(({ name }) => name);
  expect(names, "give the operations of a new kind one of these tags").toEqual([
    "Services",
    "Mail",
    "FTP",
    "Database",
    "DNS",
    "DNSSEC",
    "Crons",
    "Domains",
    "SSL",
    "Jobs",
  ]);
  expect([...groups].sort()).toEqual(
    names
      .filter((name) => name !== "Jobs")
      .map((name) => name.toLowerCase())
      .sort(),
  );
});

test("every format that the document names is checked", () => {
  const named = [...JSON.stringify(document).matchAll(/"format":"([^"]+)"/gu)].map(([, format]) => format);
  expect(named).toContain("email");
  expect(
    named.filter((format) => !formats.some((known) => known === format)),
    "write these into `formats` of src/emulator/document/validators.ts, or a pattern in their place",
  ).toEqual([]);
});

/** What the vendor's document shows, as places in ours. */
const shown = [
  "POST /v2026/services",
  "schemas.ServiceCreate",
  "schemas.ServiceCreate.properties.hosting",
  "schemas.ServiceCreate.properties.hosting.properties.id_service_type",
  "schemas.ServiceCreate.properties.domain",
  "schemas.ServiceCreate.properties.domain.properties.name",
  "schemas.ServiceCreate.properties.domain.properties.register",
  "schemas.ServiceCreate.properties.datacenter",
  "schemas.ServiceCreated",
  ...["id", "type", "domain", "status", "created_at"].flatMap((field) => [
    `schemas.ServiceCreated.properties.${field}`,
    `schemas.Service.properties.${field}`,
  ]),
];

function unmarked(place: string, schema: Json): string[] {
  const own = schema["x-assumed"] === true ? [] : [place];
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
  return [...own, ...properties.flatMap(([name, property]) => unmarked(`${place}.properties.${name}`, property))];
}

test("everything that the vendor's document does not show is marked as assumed, and nothing else is", () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    ["get", "post", "put", "delete"].flatMap((method) => {
      const operation = item[method] as Json | undefined;
      return operation === undefined || operation["x-assumed"] === true ? [] : [`${method.toUpperCase()} ${path}`];
    }),
  );
  const schemas = Object.entries(document.components["schemas"] ?? {}).flatMap(([name, schema]) =>
    unmarked(`schemas.${name}`, schema),
  );
  const others = ["parameters", "headers", "responses"].flatMap((part) =>
    Object.entries(document.components[part] ?? {})
      .filter(([, value]) => value["x-assumed"] !== true)
      .map(([name]) => `${part}.${name}`),
  );
  expect([...operations, ...schemas, ...others].sort()).toEqual([...shown].sort());
});

const zone = { id: "z", name: "a.test", ttl: 60, nameservers: [], serial: 1, status: "active", etag: '"x"' };
const received = {
  method: "GET",
  path: "/v2026/dns/zones/z",
  status: 200,
  headers: { "content-type": "application/json", "x-request-id": "r" },
  text: JSON.stringify({ data: zone, message: "" }),
};

test.each([
  ["as it should be", {}, undefined],
  ["without a request id", { headers: { "content-type": "application/json" } }, "X-Request-Id"],
  ["as plain text", { headers: { ...received.headers, "content-type": "text/plain" } }, "Content-Type"],
  ["with a status of another operation", { status: 202 }, "no such response"],
  ["with a field too many", { text: JSON.stringify({ data: { ...zone, password: "x" }, message: "" }) }, "additional"],
  ["with a wrong type", { text: JSON.stringify({ data: { ...zone, ttl: "60" }, message: "" }) }, "/data/ttl"],
  ["without its message", { text: JSON.stringify({ data: zone }) }, "message"],
  [
    "of a failure",
    { status: 500, text: JSON.stringify({ message: "", code: "", errors: {}, request_id: "" }) },
    "failed",
  ],
  ["with a body where there is none", { method: "DELETE", status: 204 }, "no body"],
])("the judge of the tests sees an answer %s", (_, change, complaint) => {
  const judged = (): void => judge({ ...received, ...change });
  if (complaint === undefined) expect(judged).not.toThrow();
  else expect(judged).toThrow(complaint);
});
