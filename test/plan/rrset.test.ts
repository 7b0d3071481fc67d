import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, inZone, record, records, zone } from "./build-input.ts";
import { only } from "./plan-results.ts";

const calls = ({ steps }: Plan) => steps.flatMap((step) => step.calls.map(({ method }) => method));

describe("an RRset", () => {
  test("keeps the records whose values stay, pairs the rest as updates, and only then creates and deletes", async () => {
    const manifest = records("{ www: { A: [192.0.2.1, 192.0.2.2, 192.0.2.3] } }");
    const live = inZone(record("www", "A", "192.0.2.1"), record("www", "A", "192.0.2.9"));
    const step = only(plan(await buildInput(manifest, live)));
    expect(step.calls.map(({ operation }) => operation)).toEqual(["update", "create"]);
    expect(step.action).toBe("update");
  });

  test("gives no other value to a disabled or commented record", async () => {
    const manifest = records("{ www: { A: 192.0.2.1 } }");
    const live = inZone(
      record("www", "A", "192.0.2.8", { disabled: true }),
      record("www", "A", "192.0.2.9", { comment: "the old office" }),
    );
    expect(calls(plan(await buildInput(manifest, live)))).toEqual(["POST", "DELETE", "DELETE"]);
  });

  test("enables a record that was disabled by hand", async () => {
    const live = inZone(record("www", "A", "192.0.2.1", { disabled: true }));
    expect(only(plan(await buildInput(records("{ www: { A: 192.0.2.1 } }"), live))).changes).toMatchObject([
      { path: "disabled" },
    ]);
  });

  test("is brought to the TTL of its zone where the manifest writes none", async () => {
    const live = inZone(record("www", "A", "192.0.2.1", { ttl: 3600 }), record("www", "A", "192.0.2.2", { ttl: 300 }));
    expect(calls(plan(await buildInput(records("{ www: { A: [192.0.2.1, 192.0.2.2] } }"), live)))).toEqual(["PUT"]);
  });

  test("gives a new value the TTL that its siblings are to have", async () => {
    const live = inZone(record("www", "A", "192.0.2.1", { ttl: 3600 }));
    const [call] = only(plan(await buildInput(records("{ www: { A: [192.0.2.1, 192.0.2.2] } }"), live))).calls;
    expect(call?.operation === "create" && call.values).toContainEqual({ pointer: "/ttl", field: "ttl", value: 3600 });
  });

  test("changes the priority of an MX in place", async () => {
    const live = inZone(record("@", "MX", "mx.example.net.", { priority: 10 }));
    expect(
      calls(plan(await buildInput(records('{ "@": { MX: [{ priority: 20, value: mx.example.net. }] } }'), live))),
    ).toEqual(["PUT"]);
  });

  test("keeps the TTL of most of its records where its zone's is not known, and does not mind those that go", async () => {
    const mixed = [60, 60, 3600].map((ttl, index) => record("www", "A", `192.0.2.${index + 1}`, { ttl }));
    const lists = { ...inZone(...mixed), "/dns/zones": [{ ...zone, ttl: null }] };
    const three = records("{ www: { A: [192.0.2.1, 192.0.2.2, 192.0.2.3] } }");
    expect(calls(plan(await buildInput(three, lists)))).toEqual(["PUT"]);
    const two = records("{ www: { A: [192.0.2.1, 192.0.2.2] } }");
    expect(calls(plan(await buildInput(two, lists)))).toEqual(["DELETE"]);
  });
});

test("a value that a server hides, writes as a text, or leaves out because it is null needs no change", async () => {
  const manifest = records(
    '{ "@": { MX: [{ priority: 10, value: mx.example.net. }] }, www: { A: { ttl: 60, values: [192.0.2.1] } } }',
  );
  const live = inZone(
    record("@", "MX", "mx.example.net.", { priority: "10" }),
    record("www", "A", "192.0.2.1", { ttl: "60", disabled: null }),
  );
  expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
});

test("a CNAME that carries a comment is deleted before its successor is made: both cannot stand", async () => {
  const live = inZone(record("www", "CNAME", "old.example.net.", { comment: "by hand" }));
  expect(calls(plan(await buildInput(records("{ www: { CNAME: new.example.net. } }"), live)))).toEqual([
    "DELETE",
    "POST",
  ]);
});
