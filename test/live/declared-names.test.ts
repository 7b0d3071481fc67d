import { expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { groupRecords } from "../../src/live/group-records.ts";
import type { Address } from "../../src/model/address.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Key, Resource } from "../../src/model/resource.ts";

const { contract } = await loadContract(undefined);
const ref = collectionOf(kindNamed("dns_record"), { zone: "example.com" });
const record = (id: string, name: string, content: string) => ({
  id,
  name,
  type: "A",
  content,
  ttl: 60,
  etag: `"${id}"`,
});
const items = [
  record("r1", "www", "192.0.2.1"),
  record("r2", "www", "192.0.2.2"),
  record("r3", "www", "192.0.2.3"),
  record("r4", "api", "192.0.2.4"),
];
const address = "dns_record/example.com/www/A" as Address;
const group = (key: Key) => {
  const resource: Resource = {
    address,
    kind: "dns_record",
    key,
    fields: {},
    at: { file: "", line: 1, col: 1, endCol: 1 },
  };
  return groupRecords(contract as Contract, ref, { items, declared: new Map([[address, resource]]) }, () => undefined);
};
const alone = groupRecords(contract as Contract, ref, { items }, () => undefined);

test("a list is the same beside a manifest that declares some of it, and holds their keys once", () => {
  const key = { zone: "example.com", name: "www", type: "A" };
  const beside = group(key);
  expect(beside).toEqual(alone);
  expect(beside.map(({ remotes }) => remotes.length)).toEqual([3, 1]);
  expect(beside[0]?.key).toBe(key);
});

test.each([
  ["another part", { zone: "example.com", name: "www", type: "AAAA" }],
  ["a part more", { zone: "example.com", name: "www", type: "A", more: "" }],
  ["a part less", { zone: "example.com", name: "www" }],
])("a list does not take over a key with %s", (_, key) => {
  expect(group(key)).toEqual(alone);
});
