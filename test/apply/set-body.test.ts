import { expect, test } from "vitest";
import { bindAddress, bindKind } from "../../src/contract/bound-kind.ts";
import { buildSetBody, isSameSet } from "../../src/apply/set-body.ts";
import { setCalls } from "../../src/contract/set-calls.ts";
import type { Address } from "../../src/model/address.ts";
import type { Contract, KindContract, OperationContract } from "../../src/model/contract.ts";
import type { SetCall } from "../../src/model/http-call.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { buildInput } from "../plan/build-input.ts";
import { failureOf, fakeContext } from "../support/fake-context.ts";

const address = "dns_record/a.test/www/A" as Address;
const key = { zone: "a.test", name: "www", type: "A" };
const request: OperationContract = { method: "PUT", path: "/sets" };

/** An API whose members stand side by side in its list, and in their sets where they are written. */
const sideBySide = (update: OperationContract, members?: string): KindContract => ({
  fields: { name: { at: "/name" }, type: { at: "/type" }, content: { at: "/value" } },
  operations: {
    list: { method: "GET", path: "/sets" },
    set: { create: request, update: [update], delete: request, ...(members !== undefined && { members }) },
  },
});

/** Returns what writes a second address beside a live one, and its body. */
async function write(entry: KindContract, raw: JsonObject) {
  const { contract: builtIn, live } = await buildInput("", {});
  const contract: Contract = { ...builtIn, kinds: { ...builtIn.kinds, dns_record: entry } };
  const remote = { id: "1" as RemoteId, etag: undefined, raw, fields: { ...key, content: "192.0.2.1" } };
  const [call] = setCalls({ contract, idOf: () => undefined }, bindKind(contract, "dns_record"), {
    address,
    key,
    live: [remote],
    members: [{ stays: remote, fields: {} }, { fields: { content: { is: "known", value: "192.0.2.2" } } as never }],
    shared: {},
    changed: new Set(["content"]),
  });
  if (!call) throw new Error("Expected a request");
  const { context } = fakeContext({ contract, live }, { reads: () => failureOf("not_found") });
  return { call, body: buildSetBody(context, bindAddress(contract, address), call, { remotes: [remote], items: [] }) };
}

const live = { name: "www", type: "A", value: "192.0.2.1", weight: 7 };
const added = { name: "www", type: "A", value: "192.0.2.2" };

test.each<readonly [string, string | undefined, Json]>([
  ["the body itself", "", [live, added]],
  ["its place in the body", "/records", { records: [live, added] }],
])("the members of a set stand in %s", async (_, members, body) => {
  expect((await write(sideBySide({ ...request, send: "record" }, members), live)).body).toEqual(body);
});

test("a set is sent without the id and the ETag that the API gave it", async () => {
  const { operations } = sideBySide({ ...request, send: "record" }, "/records");
  const entry: KindContract = {
    id: "/id",
    etag: "/etag",
    fields: { name: { at: "/name" }, type: { at: "/type" }, content: { at: "/records/value" } },
    operations: { ...operations, list: { ...operations.list, explode: "/records" } },
  };
  const raw = { id: 9, etag: "e", name: "www", type: "A", records: { value: "192.0.2.1", weight: 7 } };
  const { body } = await write(entry, raw);
  expect(body).toEqual({
    name: "www",
    type: "A",
    records: [{ value: "192.0.2.1", weight: 7 }, { value: "192.0.2.2" }],
  });
});

test.each([
  ["are counted where a request holds their list", "update", "/records", false],
  ["are counted where a request deletes them", "delete", undefined, false],
  ["are not counted where a request writes what they share alone", "update", undefined, true],
] as const)("the members of a set that differ in no field %s", (_, form, list, isSame) => {
  const request = { operation: "set", method: "PUT", path: "/sets", params: {}, query: {}, base: {}, at: "" } as const;
  const parts = { omit: [], members: [], values: [], compared: ["ttl"], etag: undefined, read: undefined };
  const call: SetCall = { ...request, ...parts, form, ...(list !== undefined && { list }) };
  const twice = [{ ttl: 60 }, { ttl: 60 }];
  expect(isSameSet(call, twice, twice)).toBe(true);
  expect(isSameSet(call, twice, [{ ttl: 60 }])).toBe(isSame);
});
