import fc from "fast-check";
import { expect, test } from "vitest";
import { buildUpdateBody } from "../../src/apply/build-body.ts";
import { runUpdate } from "../../src/apply/run-update.ts";
import { updateCall, updateCalls } from "../../src/contract/binding.ts";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import type { Address } from "../../src/model/address.ts";
import { knownValues } from "../../src/model/body.ts";
import type { Contract, KindContract, OperationContract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { getPointer, layAt, setPointer } from "../../src/model/json-pointer.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { buildInput } from "../plan/build-input.ts";
import { answerOf, fakeContext } from "../support/fake-context.ts";
import { forDraws } from "../support/for-draws.ts";

/**
 * A PATCH puts each member of its body in the place of the object's own, as most APIs do, or lays objects over objects (RFC 7396): whatever
 * stands beside a field in an object is there afterwards as it was.
 */
const { contract: builtIn, live } = await buildInput("", {});
const address = "mailbox/info@a.test" as Address;
const idOf = () => "id" as RemoteId;

const drawn = fc.record({
  inObject: fc.constantFrom("", "/storage", "/storage/all"),
  at: fc.constantFrom("", "/mailbox"),
  isFromSnapshot: fc.boolean(),
  laysOver: fc.boolean(),
});

test("a PATCH of named fields, or of one field, holds these alone", async () => {
  const quota = { method: "PATCH", path: "/mails/{id}" } as const;
  for (const [update, own] of [
    [{ ...quota, send: ["quota_mb"] }, {}],
    [quota, { quota_mb: { ...quota } }],
  ] as const) {
    const entry: KindContract = {
      id: "/id",
      fields: { address: { at: "/address" }, quota_mb: { at: "/storage/limit" } },
      operations: { list: { method: "GET", path: "/mails" }, update },
      update_of: own,
    };
    const contract: Contract = { ...builtIn, kinds: { ...builtIn.kinds, mailbox: entry } };
    const bound = bindAddress(contract, address);
    const { kind, key } = bound;
    const raw = { id: "id", address: "info@a.test", storage: { limit: 1024, warning: 90 } };
    const remote = { id: "id" as RemoteId, etag: undefined, raw, fields: {} };
    const calls = updateCalls(
      { contract, idOf },
      { address, kind, key, remote },
      { fields: knownValues({ quota_mb: 7 }) },
    );
    const { context } = fakeContext({ contract, live }, { reads: () => answerOf(raw) });
    expect(calls.map((call) => buildUpdateBody(context, bound, call, raw))).toEqual([{ storage: { limit: 7 } }]);
  }
});

test.each([
  ["a list", ["ttl", "content"], { ttl: 60, to: "20 mx.a.test." }],
  ["places", { content: "/value" }, { value: "20 mx.a.test." }],
] as const)("a request that names the content of a record in %s sends the priority within it", (_, send, body) => {
  const update = { method: "PUT", path: "/records/{id}", send } as unknown as OperationContract;
  const entry: KindContract = {
    id: "/id",
    fields: { ttl: { at: "/ttl" }, content: { at: "/to", as: ["priority_inside"] } },
    operations: { list: { method: "GET", path: "/records" }, update },
  };
  const contract: Contract = { ...builtIn, kinds: { ...builtIn.kinds, dns_record: entry } };
  const bound = bindAddress(contract, "dns_record/a.test/@/MX" as Address);
  const raw = { id: "id", ttl: 60, to: "10 mx.a.test." };
  const remote = { id: "id" as RemoteId, etag: undefined, raw, fields: {} };
  const fields = knownValues({ ttl: 60, content: "mx.a.test.", priority: 20 });
  const calls = updateCalls({ contract, idOf }, { ...bound, remote }, { fields }, ["priority"]);
  const { context } = fakeContext({ contract, live }, { reads: () => answerOf(raw) });
  expect(calls.map((call) => buildUpdateBody(context, bound, call, raw))).toEqual([body]);
});

test("what a PATCH does not change of an object that holds a field stays as it was", async () => {
  await forDraws(100, drawn, async ({ inObject, at, isFromSnapshot, laysOver }) => {
    const update: OperationContract = { method: "PATCH", path: "/mails/{id}", ...(at !== "" && { at }) };
    const entry: KindContract = {
      id: "/id",
      fields: {
        address: { at: "/address" },
        sending_enabled: { at: "/sends" },
        quota_mb: { at: `${inObject}/limit` },
        usage_mb: { at: `${inObject}/used/now` },
      },
      operations: { list: { method: "GET", path: "/mails" }, read: { method: "GET", path: "/mails/{id}" }, update },
    };
    const contract: Contract = { ...builtIn, kinds: { ...builtIn.kinds, mailbox: entry } };
    const bound = bindAddress(contract, address);
    const { kind, key } = bound;
    const places = { "/warning": 90, "/limit": 1024, "/used/now": 17 };
    const raw = Object.entries(places).reduce<JsonObject>(
      (record, [pointer, value]) => setPointer(record, inObject + pointer, value),
      { id: "id", address: "info@a.test", sends: true, serial: 7 },
    );
    const redacted = isFromSnapshot ? { redacted: [] } : {};
    const remote = { id: "id" as RemoteId, etag: undefined, raw, fields: {}, ...redacted };
    const fields = knownValues({ sending_enabled: false, quota_mb: 2048 });
    const call = updateCall({ contract, idOf }, { address, kind, key, remote }, { fields });
    let record = raw;
    const { context, sent } = fakeContext({ contract, live }, { reads: () => answerOf(record) });
    const { connection } = context;
    const send: typeof connection.send = async (request) => {
      sent.push(request);
      const body = getPointer(request.body ?? {}, at) as JsonObject;
      const written = laysOver ? layAt(record, "", body) : { ...record, ...body };
      // What only the server writes stays its own.
      record = setPointer(written, `${inObject}/used/now`, 17);
      return answerOf({});
    };
    Object.assign(connection, { send });
    expect(await runUpdate(context, bound, call)).toMatchObject({ ok: true });
    expect(record).toEqual(setPointer({ ...raw, sends: false }, `${inObject}/limit`, 2048));
    // Nothing is sent that is read-only, or that no object with a field holds.
    expect(JSON.stringify(sent[0]?.body)).not.toMatch(/serial|"id"|now/u);
  });
});
