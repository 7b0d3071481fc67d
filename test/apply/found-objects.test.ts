import { describe, expect, test } from "vitest";
import { bindAddress, bindKind } from "../../src/contract/bound-kind.ts";
import { findByKey } from "../../src/apply/find-objects.ts";
import { isSameObject } from "../../src/apply/object-identity.ts";
import { runDelete } from "../../src/apply/run-delete.ts";
import { decodeRecord } from "../../src/contract/decode-record.ts";
import type { Address } from "../../src/model/address.ts";
import type { HeldRecord } from "../../src/model/journal.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { RemoteId } from "../../src/model/resource.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, service } from "../plan/build-input.ts";
import { cron, liveJobs } from "../plan/crons.ts";
import { answerOf, failureOf, fakeContext } from "../support/fake-context.ts";

describe("of the objects that a list has for one address", () => {
  async function find(address: string, listed: readonly JsonObject[]) {
    const input = await buildInput("services: { example.com: }", { "/services": [service] });
    const { context } = fakeContext(input, { reads: () => answerOf(listed) });
    return findByKey(context, bindAddress(input.contract, address as Address));
  }
  const issued = (id: string, created_at: string) => ({
    id, created_at, service_id: "s1", domains: ["example.com"], type: "managed", status: "issued",
  }); // prettier-ignore
  const certificates = [1, 3, 2].map((day) => issued(`x${day}`, `2026-01-0${day}T00:00:00Z`));

  test.each([1, 2, 3])("the newest counts where they supersede each other: %i", async (count) => {
    const found = await find("certificate/example.com/managed", certificates.slice(0, count));
    expect(found).toMatchObject({ ok: true, value: [{ id: count === 1 ? "x1" : "x3" }] });
  });

  test("none counts where they do not, and there are several", async () => {
    const database = (id: string) => ({ id, service_id: "s1", name: "shop", engine: "mariadb" });
    const address = "database/example.com/shop";
    expect(await find(address, [database("b1")])).toMatchObject({ ok: true, value: [{ id: "b1" }] });
    expect(await find(address, [database("b1"), database("b2")])).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("2 objects have this address") },
    });
  });
});

test("a list that many steps look into at once is decoded once", async () => {
  const count = 50;
  const input = await buildInput("services: { example.com: }", { "/services": [service] });
  let decoded = 0;
  const databases = Array.from({ length: count }, (_, number) => ({
    id: `b${number}`,
    service_id: "s1",
    name: `shop${number}`,
    get engine() {
      decoded += 1;
      return "mariadb";
    },
  }));
  const { context, gets } = fakeContext(input, { reads: () => answerOf(databases) });
  const addresses = databases.map(({ name }) => bindAddress(input.contract, `database/example.com/${name}` as Address));
  const found = await Promise.all(addresses.map((each) => findByKey(context, each)));
  expect(found.map((each) => each.ok && each.value.map(({ id }) => id))).toEqual(databases.map(({ id }) => [id]));
  expect(decoded).toBeLessThanOrEqual(gets.length * count);
});

describe("a deletion without an answer", () => {
  async function remove(ids: readonly string[]) {
    const address = cron("a") as Address;
    const manifest = `removed: [{ address: ${address}, action: delete }]`;
    const input = await buildInput(manifest, liveJobs("a"), { deletes: new Set([address]) });
    const call = plan(input).steps[0]?.calls[0];
    if (call?.operation !== "delete") throw new Error("Expected a deletion");
    const jobs = Object.values(liveJobs("a")).flat();
    const job = jobs.find(({ id }) => id === call.params["id"]);
    const items = ids.map((id) => ({ ...job, ...(id !== "its" && { id }) }));
    const { context } = fakeContext(input, { reads: () => answerOf(items), writes: [failureOf("unknown_outcome")] });
    return runDelete(context, bindAddress(input.contract, address), call);
  }

  test("is done where nothing is left, or what has the name is another object", async () => {
    expect(await remove([])).toMatchObject({ ok: true });
    expect(await remove(["another"])).toMatchObject({ ok: true });
  });

  test("is unknown where the object is still there", async () => {
    expect(await remove(["its"])).toMatchObject({ ok: false, error: { sort: "unknown_outcome" } });
  });
});

test("an object is the same as a deleted one where all its values are, but for what it is named by its id for", async () => {
  const input = await buildInput("services: { example.com: }", { "/services": [service] });
  const { context } = fakeContext(input, { reads: () => failureOf("unexpected") });
  const kind = bindKind(input.contract, "cron");
  const job = { id: "c1", service_id: "s1", name: "x", schedule: "0 0 * * *", command: "/bin/x", enabled: true };
  const held = { address: cron("x"), record: job, withheld: [], id: "c1" as RemoteId } as unknown as HeldRecord;
  const isSame = (changed: JsonObject) => {
    const decoding = { scope: { service: "example.com" }, nameOf: () => "example.com" };
    return isSameObject(context, held, decodeRecord(kind, { ...job, ...changed }, decoding).remote);
  };
  expect([isSame({}), isSame({ id: "c2" }), isSame({ service_id: "s9" })]).toEqual([true, true, true]);
  expect([isSame({ command: "/bin/y" }), isSame({ enabled: false })]).toEqual([false, false]);
});
