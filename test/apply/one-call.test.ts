import { describe, expect, test } from "vitest";
import { bindAddress } from "../../src/contract/bound-kind.ts";
import { buildBody } from "../../src/apply/build-body.ts";
import { findUnreplaced, putBack } from "../../src/apply/exchanges/put-back.ts";
import type { HeldObject } from "../../src/apply/exchanges/held.ts";
import { runRenew } from "../../src/apply/run-renew.ts";
import { runUpdate } from "../../src/apply/run-update.ts";
import type { Address } from "../../src/model/address.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { UpdateCall } from "../../src/model/http-call.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, inZone, record, service } from "../plan/build-input.ts";
import { answerOf, failureOf, fakeContext } from "../support/fake-context.ts";

const address = "service/example.com" as Address;

/** A service of which two settings change, and the call that changes them. */
async function planUpdate(): Promise<{ input: PlanInput; call: UpdateCall }> {
  const manifest = "services: { example.com: { plan: WEB-L, settings: { php_version: 8.3 } } }";
  const input = await buildInput(manifest, { "/services": [service] });
  const call = plan(input).steps[0]?.calls[0];
  if (call?.operation !== "update") throw new Error("Expected an update");
  return { input, call };
}

describe("an update without an answer", () => {
  const lost = failureOf("unknown_outcome", "no answer");

  test.each([
    ["none of its values is there", service, false],
    ["one of its values is there", { ...service, hosting: { id_service_type: "WEB-L" } }, false],
    [
      "all of its values are there",
      { ...service, hosting: { id_service_type: "WEB-L" }, settings: { php_version: "8.3" } },
      true,
    ],
  ])("is done if what is read then has its values: %s", async (_, now, isDone) => {
    const { input, call } = await planUpdate();
    const { context, sent } = fakeContext(input, { reads: () => answerOf(now), writes: [lost] });
    const result = await runUpdate(context, bindAddress(input.contract, address), call);
    expect(result).toMatchObject(isDone ? { ok: true, value: { raw: now } } : lost);
    expect(sent).toHaveLength(1);
  });

  test("fails with that if the object is not found, which was there before and is looked for once", async () => {
    const { input, call } = await planUpdate();
    const { context, gets } = fakeContext(input, { reads: () => failureOf("not_found"), writes: [lost] });
    expect(await runUpdate(context, bindAddress(input.contract, address), call)).toEqual(lost);
    expect(gets).toHaveLength(1);
  });

  test("and a stale one fails with what the read says", async () => {
    const { input, call } = await planUpdate();
    const reads = () => failureOf("not_found", "it is gone");
    const refused = failureOf("stale");
    const stale = refused.ok ? refused : { ...refused, error: { ...refused.error, method: "PUT" } };
    const { context } = fakeContext(input, { reads, writes: [stale] });
    expect(await runUpdate(context, bindAddress(input.contract, address), call)).toMatchObject({
      ok: false,
      error: { message: "it is gone" },
    });
  });
});

test.each([
  ["all that was sent", 0, { ...service, hosting: { id_service_type: "WEB-L" }, settings: { php_version: "8.3" } }],
  ["an id alone", 1, { id: "s1" }],
])("an update of some fields that is answered with %s is read again %i times", async (_, reads, answered) => {
  const { input, call } = await planUpdate();
  const { context, gets } = fakeContext(input, { reads: () => answerOf(service), writes: [answerOf(answered)] });
  await runUpdate(context, bindAddress(input.contract, address), { ...call, partial: true });
  expect(gets).toHaveLength(reads);
});

describe("a renewal", () => {
  const domainOf = (expires_at: string) => ({ id: "d1", name: "example.com", status: "active", expires_at });
  const before = domainOf("2026-01-20T00:00:00Z");

  /** Renews a domain over an API without a request that reads one alone, whose list shows this afterwards. */
  async function renew(listed: readonly ReturnType<typeof domainOf>[]) {
    const input = await buildInput("domains: { example.com: { renew_before: 30d } }", { "/domains": [before] });
    const [call] = plan(input).steps[0]?.calls ?? [];
    if (call?.operation !== "renew") throw new Error("Expected a renewal");
    const { contract } = input;
    const { read: _, ...operations } = contract.kinds["domain"]?.operations ?? {};
    const domain = { ...contract.kinds["domain"], operations } as Contract["kinds"][string];
    const unread = { ...input, contract: { ...contract, kinds: { ...contract.kinds, domain } } };
    const accepted = answerOf({});
    const writes = accepted.ok ? [{ ...accepted, value: { ...accepted.value, requestId: "req-7" } }] : [];
    const { context, sent } = fakeContext(unread, { reads: () => answerOf(listed), writes });
    const result = await runRenew(context, bindAddress(unread.contract, "domain/example.com" as Address), call);
    expect(sent).toHaveLength(1);
    return result;
  }

  test("is read from the list where the API cannot read one object alone", async () => {
    const after = domainOf("2027-01-20T00:00:00Z");
    expect(await renew([after])).toEqual({ ok: true, value: { raw: after } });
  });

  test.each([
    ["unchanged", [before], "expires_at is unchanged, so it is not renewed yet"],
    ["gone", [], "it could not be read (no list has it)"],
  ])(
    "of a domain that is %s in the list is said to be unknown, with the id of the request",
    async (_, listed, found) => {
      expect(await renew(listed)).toMatchObject({
        ok: false,
        error: { sort: "unknown_outcome", message: expect.stringContaining(found), requestId: "req-7" },
      });
    },
  );
});

const held = (more: Partial<HeldObject> = {}): HeldObject => ({
  address: "dns_record/example.com/www/A" as Address,
  successor: "dns_record/example.com/www/CNAME" as Address,
  id: "r1",
  method: "POST",
  path: "/v2026/dns/zones/z1/records",
  query: {},
  key: "k",
  record: {},
  withheld: [],
  call: undefined,
  ...more,
});

describe("a record that was deleted for another", () => {
  const zoneOf = (...records: ReturnType<typeof record>[]) =>
    buildInput("dns: { example.com: { records: { www: { CNAME: a.example.net. } } } }", inZone(...records));
  const before = record("www", "CNAME", "a.example.net.", { id: "r7" });
  const made = record("www", "CNAME", "b.example.net.", { id: "r8" });
  const [deleted, again] = [
    record("www", "A", "192.0.2.1", { id: "r1" }),
    record("www", "A", "192.0.2.1", { id: "r9" }),
  ];

  test.each([
    ["nothing is there", [], false],
    ["only what was there before", [before], false],
    ["another one is there", [before, made], true],
  ])("is replaced if another one has come: %s", async (_, listed, expected) => {
    const { context } = fakeContext(await zoneOf(before), { reads: () => answerOf(listed) });
    expect(await findUnreplaced(context, held().successor, [held()], 1000)).toEqual({
      ok: true,
      value: expected ? [] : [held()],
    });
  });

  test.each([
    ["still lists it at first", [[deleted], [deleted], []], "failed"],
    ["lists it to the end", [[deleted]], "put_back"],
    ["lists it anew in the end", [[deleted], [], [again]], "put_back"],
  ])(
    "is not taken for put back, where that is answered by a conflict, while a list that lags %s",
    async (_, lists, is) => {
      const { context, sent } = fakeContext(await zoneOf(before), {
        reads: (_path, nth) => answerOf(lists[nth - 1] ?? lists.at(-1) ?? []),
        writes: [failureOf("conflict")],
      });
      const { outcome } = await putBack(context, held({ record: deleted }), "create x");
      expect(outcome.is).toBe(is);
      expect(sent).toHaveLength(1);
    },
  );

  test.each([
    ["three times under its idempotency key", 3],
    ["once without such a key", 1],
  ])("is put back %s at most, where no answer says whether it is", async (_, times) => {
    const input = await zoneOf();
    const { idempotency, ...request } = input.contract.request;
    const contract: Contract = { ...input.contract, request: { ...request, ...(times > 1 && { idempotency }) } };
    const lost = failureOf("unknown_outcome");
    const { context, sent } = fakeContext(
      { ...input, contract },
      { reads: () => answerOf([]), writes: [lost, lost, lost] },
    );
    const { outcome } = await putBack(context, held({ record: deleted }), "create x");
    expect(outcome).toMatchObject({ is: "failed", later: true });
    expect(sent).toHaveLength(times);
  });

  test("is not put back without the values that were too secret to keep, which are named", async () => {
    const { context, sent } = fakeContext(await zoneOf(), { reads: () => failureOf("unexpected") });
    const { outcome } = await putBack(context, held({ withheld: ["/comment", "/content"] }), "create x");
    expect(outcome).toMatchObject({
      is: "failed",
      failure: { message: expect.stringContaining("does not hold comment, content,") },
      later: false,
    });
    expect(sent).toEqual([]);
  });
});

test("a domain that an earlier apply has deleted is put back at its service, of which its record holds the id", async () => {
  const input = await buildInput("services: { example.com: }", { "/services": [service] });
  const { context, sent } = fakeContext(input, { reads: () => failureOf("unexpected"), writes: [answerOf({})] });
  const record = { name: "example.com", service_id: "s1" };
  const domain = { address: "domain/example.com" as Address, path: "/v2026/domains", record };
  expect((await putBack(context, held(domain), "create x")).outcome).toEqual({ is: "put_back" });
  expect(sent).toMatchObject([{ body: record }]);
});

test("a grant names a database of this run as the server has named it", async () => {
  const manifest = `services: { example.com: }
databases: { example.com: { databases: { shop: { engine: mariadb }, blog: { engine: mariadb } }, users: { app: { password: "\${env:SECRET}", grants: { shop: all, blog: all } } } } }`;
  const input = await buildInput(manifest, { "/services": [service] });
  const step = plan(input).steps.find(({ id }) => id === "create database_user/example.com/app@localhost");
  const [call] = step?.calls ?? [];
  if (!step || call?.operation !== "create") throw new Error("Expected a creation");
  const { context } = fakeContext(input, { reads: () => failureOf("unexpected") });
  context.made.set("database/example.com/shop" as Address, {
    id: "b1" as RemoteId,
    raw: { id: "b1", service_id: "s1", name: "u123_shop", engine: "mariadb" },
  });
  expect(buildBody(context, bindAddress(input.contract, step.address), call)).toMatchObject({
    grants: [{ database: "blog" }, { database: "u123_shop" }],
  });
});
