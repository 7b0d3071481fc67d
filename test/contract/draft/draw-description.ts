import fc from "fast-check";
import { vocabularies } from "../../../src/contract/draft/vocabulary.ts";
import type { Json, JsonObject } from "../../../src/model/json.ts";

const nouns = [
  "zones", "domains", "records", "rrsets", "websites", "services", "mailboxes", "mail", "aliases", "ftp", "accounts", "databases", "users",
  "database-users", "cron-jobs", "certificates", "dnssec", "settings", "actions", "password", "orders", "v1", "a b", "__proto__", "",
]; // prettier-ignore
const params = ["{id}", "{zone}", "{zone_id}", "{domain}", "{a-b}", "{name}", "{type}", "{orderId}", "{}", "{x}.json"];
const names = [...new Set(Object.values(vocabularies).flatMap(({ fields }) => Object.values(fields).flat()))].concat([
  "id", "uuid", "data", "items", "records", "errors", "etag", "total", "a/b", "c~d", "__proto__", "constructor",
]); // prettier-ignore

/** Draws any JSON, in place of what belongs there. */
const junk = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

const object = (value: fc.Arbitrary<Json>, keys: fc.Arbitrary<string>): fc.Arbitrary<JsonObject> =>
  fc.array(fc.tuple(keys, value), { maxLength: 8 }).map((entries) => Object.fromEntries(entries));

const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<Json>(
      { type: "string" },
      { type: "integer", minimum: 0, maximum: 300 },
      { type: "boolean" },
      { type: ["string", "null"], enum: ["active", "pending", "A", "TXT", null] },
      { $ref: "#/components/schemas/0" },
      { $ref: "#/components/schemas/1" },
      { $ref: "elsewhere.yaml#/x" },
    ),
    fc.record({ type: fc.constant("object"), properties: object(tie("schema"), fc.constantFrom(...names)) }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { maxLength: 3 }) }),
    junk,
  ),
}));

const content = schema.map((each): Json => ({ content: { "application/json": { schema: each } } }));

const operation = fc.record({
  parameters: fc.array(
    fc.record({
      name: fc.constantFrom("page", "per_page", "cursor", "offset", "domain", "zone_id", "x"),
      in: fc.constant("query"),
    }),
    { maxLength: 3 },
  ),
  requestBody: content,
  responses: fc.oneof(content, junk).map((answer): Json => ({ "200": answer, "404": answer })),
});

/** Draws descriptions: mostly of what vendors have, with something wrong in it now and then. */
export const drawDescription = (): fc.Arbitrary<JsonObject> =>
  fc.record({
    openapi: fc.constant("3.1.0"),
    info: fc.oneof(junk, fc.record({ title: fc.string() })),
    servers: fc.oneof(junk, fc.constantFrom<Json>([{ url: "https://x.example/v1" }], [{ url: "//" }], [{ url: "/a//b/" }])),
    security: fc.constantFrom<Json>([{ key: [] }], [{ key: [], other: [] }], null),
    paths: object(
      object(fc.oneof({ arbitrary: operation, weight: 9 }, { arbitrary: junk, weight: 1 }), fc.constantFrom("get", "get", "post", "put", "patch", "delete")),
      fc.array(fc.oneof({ arbitrary: fc.constantFrom(...nouns), weight: 3 }, { arbitrary: fc.constantFrom(...params), weight: 1 }), { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`),
    ),
    components: fc.record({
      schemas: fc.tuple(schema, schema).map(([first, second]): JsonObject => ({ "0": first, "1": second })),
      securitySchemes: fc.constantFrom<Json>({ key: { type: "http", scheme: "bearer" } }, { key: { type: "apiKey", in: "header", name: "X-A b" } }, {
        key: { type: "apiKey", in: "header", name: "x-a" }, other: { type: "apiKey", in: "header", name: "x-b" } }),
    }),
  }); // prettier-ignore
