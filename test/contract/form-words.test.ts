import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { expectedOf } from "../../src/contract/find-mistakes.ts";
import type { Json } from "../../src/model/json.ts";
import { contractFile } from "../support/contract-file.ts";

const { load } = contractFile();

const contract = `contract: 1
name: my-host
request:
  auth: { header: Authorization, scheme: Bearer }
answer: { record: /data, list: /data, error: { message: /message }, rate_limit: { statuses: [429] } }
paging: { page: page, size: per_page, max_size: 100 }
kinds:
  dns_zone:
    id: /id
    fields:
      name: { at: /name, as: [final_dot], create: /name }
    operations:
      list: { method: GET, path: /zones }
      create: { method: POST, path: /zones, body: { /kind: primary } }
`;

const topKeys = "answer, base_path, contract, extends, kinds, name, paging, request";
const size = "(The most objects that the API puts on a page; this many are asked for)";

/** Each wrong entry, with its place, what is said of it, what is expected, and what to do. */
test.each([
  [
    "name: my-host",
    "nam: my-host",
    ['1:1 "name" is missing in the contract | write name: "my-host" (Names the contract in every plan)'],
    [`2:1 There is no key "nam" in the contract | one of ${topKeys} | did you mean "name"?`],
  ],
  [
    "name: my-host",
    "name: my-host\nzzz: 1",
    [`3:1 There is no key "zzz" in the contract | one of ${topKeys} | take it out, or write one of these keys`],
  ],
  ["100", "ten", [`6:49 paging > max_size is "ten" | a whole number ${size} | write a whole number, such as 100`]],
  [
    "100",
    "0",
    [`6:49 paging > max_size is 0 | a number of at least 1 ${size} | write a number of at least 1, such as 100`],
  ],
  [
    "429",
    "999",
    ["5:94 answer > rate_limit > statuses > 0 is 999 | a number of at most 599 | write a number of at most 599"],
  ],
  [
    "header: Authorization, scheme: Bearer",
    "headers: [X-A]",
    [
      '4:20 request > auth > headers is ["X-A"] | a list of at least 2 items (Two headers in place of `header`: the key is first:second, split at its first colon) | write a list of at least 2 items, such as ["X-Auth-Email","X-Auth-Key"]',
    ],
  ],
  [
    "POST",
    "FETCH",
    [
      '14:25 kinds > dns_zone > operations > create > method is "FETCH" | one of GET, POST, PUT, PATCH, DELETE | write one of GET, POST, PUT, PATCH, DELETE',
    ],
  ],
  [
    "POST",
    "POTS",
    [
      '14:25 kinds > dns_zone > operations > create > method is "POTS" | one of GET, POST, PUT, PATCH, DELETE | did you mean POST?',
    ],
  ],
  [
    "at: /name",
    "at: []",
    [
      '11:19 kinds > dns_zone > fields > name > at is [] | text (Where the field stands in a record, and in bodies unless create says otherwise) | write text, such as "/settings/php_version"',
    ],
  ],
  [
    "create: { method: POST, path: /zones, body: { /kind: primary } }",
    "create: 5",
    [
      '14:15 kinds > dns_zone > operations > create is 5 | "implicit" or a map (The request that creates an object; implicit: the server creates it together with its parent, and no request does) | write "implicit" or a map',
    ],
  ],
])("%s that is written as %s", async (right, wrong, ...expected) => {
  expect(await linesOf(contract.replace(right, () => wrong))).toEqual(expected.flat());
});

test.each([
  ["contract: 1", "contract: 2", "write 1"],
  ["as: [final_dot]", "as: final_dot", "write [final_dot]"],
  ["at: /name,", "at: name,", "write /name"],
  ["create: /name", "create: name", "write /name"],
  ["path: /zones,", "path: zones,", "write /zones"],
  ["body: { /kind:", "body: { kind:", "write /kind, a place in the body; constants of the body may stand in base"],
])("%s that is written as %s is one mistake, with the words to write", async (right, wrong, hint) => {
  const { diagnostics } = await load(contract.replace(right, wrong));
  expect(diagnostics.map((each) => each.hint)).toEqual([hint]);
});

test("a long value is cut where it is repeated, and whole in what to write", async () => {
  const long = "x/".repeat(60);
  const [line = ""] = await linesOf(contract.replace("at: /name", `at: ${long}`));
  expect(line).toContain(` is "${long.slice(0, 59)}… | a JSON pointer: each key with a slash before it`);
  expect(line).toContain(`| write /${long}`);
});

async function linesOf(text: string): Promise<string[]> {
  const { diagnostics } = await load(text);
  return diagnostics.map(({ at, summary, detail, hint }) =>
    [`${at?.line}:${at?.col} ${summary}`, detail, hint].filter((part) => part !== undefined).join(" | "),
  );
}

test("each pattern of the schema has words for the form that it asks for", () => {
  const schema = JSON.parse(
    readFileSync(new URL("../../schemas/contract.schema.json", import.meta.url), "utf8"),
  ) as Json;
  const patterns = [...new Set(patternsIn(schema))];
  const words = patterns.map((pattern) =>
    expectedOf({ keyword: "pattern", message: "must match", params: { pattern } }),
  );
  expect(new Set(words).size).toBeGreaterThan(3);
  expect(words).not.toContain("text of another form");
});

function patternsIn(value: Json): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === "pattern" && typeof inner === "string" ? [inner] : patternsIn(inner),
  );
}
