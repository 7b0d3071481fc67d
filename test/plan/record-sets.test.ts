import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { plan } from "../../src/plan/plan.ts";
import { findExchanges } from "../../src/plan/find-exchanges.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep } from "../support/make-step.ts";
import { toAddress } from "../../src/model/address.ts";
import { jsonText } from "../../src/model/json.ts";
import type { Step } from "../../src/model/plan.ts";
import { only } from "./plan-results.ts";
import { buildInput, inZone, ours, record, records, service } from "./build-input.ts";

test("the order of the values in a manifest changes no step", async () => {
  const address = fc.integer({ min: 1, max: 9 }).map((last) => `192.0.2.${last}`);
  const some = fc.uniqueArray(address, { minLength: 1, maxLength: 5 });
  const order = some.chain((values) =>
    fc.tuple(fc.constant(values), fc.shuffledSubarray(values, { minLength: values.length })),
  );
  await forDraws(30, some, order, async (before, orders) => {
    const live = inZone(...before.map((value) => record("www", "A", value)));
    const [one, other] = await Promise.all(
      orders.map(
        async (values) => plan(await buildInput(records(`{ www: { A: [${values.join(", ")}] } }`), live)).steps,
      ),
    );
    expect(one).toEqual(other);
  });
});

test("a TTL that its live records do not share is shown with all that they have", async () => {
  const manifest = records("{ www: { A: { ttl: 900, values: [192.0.2.1, 192.0.2.2] } } }");
  const live = inZone(record("www", "A", "192.0.2.1", { ttl: 300 }), record("www", "A", "192.0.2.2", { ttl: 600 }));
  const [step] = plan(await buildInput(manifest, live)).steps;
  expect(step?.changes).toMatchObject([{ path: "ttl", before: { value: "300 and 600" }, after: { value: 900 } }]);
});

test("a priority that changes is shown with its value, once", async () => {
  const manifest = records('{ "@": { MX: [{ priority: 20, value: mx.example.net. }] } }');
  const live = inZone(record("@", "MX", "mx.example.net.", { priority: 10 }));
  const [step, ...more] = plan(await buildInput(manifest, live)).steps;
  expect(more).toEqual([]);
  expect(step?.changes).toMatchObject([
    { path: "value", before: { value: "10 mx.example.net." }, after: { value: "20 mx.example.net." } },
  ]);
  expect(step?.changes).toHaveLength(1);
});

test("whether a record that comes or goes is disabled, and its comment, is shown beside its value", async () => {
  const address = fc.integer({ min: 1, max: 9 }).map((last) => `192.0.2.${last}`);
  const beside = fc.record({ disabled: fc.boolean(), comment: fc.constantFrom("old", "new") });
  const set = fc.uniqueArray(fc.tuple(address, beside), { minLength: 1, maxLength: 4, selector: ([value]) => value });
  const texts = (all: readonly (readonly [string, { disabled: boolean; comment: string }])[]) =>
    all.flatMap(([value, { disabled, comment }]) => [value, comment, ...(disabled ? ["true"] : [])]).toSorted();
  await forDraws(60, set, set, async (after, before) => {
    const items = after.map(([value, fields]) => JSON.stringify({ value, ...fields })).join(", ");
    // Where no value stays, each comes or goes, and nothing is changed in place.
    const gone = before.filter(([value]) => !after.some(([other]) => other === value));
    const live = gone.map(([value, fields]) => record("www", "A", value, fields));
    const { changes } = only(plan(await buildInput(records(`{ www: { A: [${items}] } }`), inZone(...live))));
    const side = (which: "before" | "after") =>
      changes
        .filter(({ path }) => path !== "ttl")
        .flatMap(({ [which]: shown }) => (shown.is === "value" ? [jsonText(shown.value)] : []))
        .toSorted();
    expect(side("after")).toEqual(texts(after));
    expect(side("before")).toEqual(texts(gone));
  });
});

test.each([
  ["{ ttl: 3600, values: [192.0.2.1] }", true],
  ["192.0.2.1", true],
])("a record that is declared as it is live is managed from then on: %s", async (written, isOwned) => {
  const live = inZone(record("www", "A", "192.0.2.1"));
  const { steps, owned } = plan(await buildInput(records(`{ www: { A: ${written} } }`), live, {}, 0, ours([])));
  expect(steps).toEqual([]);
  expect(owned.addresses.includes(toAddress("dns_record", ["example.com", "www", "A"]))).toBe(isOwned);
});

const at = (action: Step["action"], type: string): Step => {
  const address = toAddress("dns_record", ["example.com", "www", type]);
  return { ...makeStep(`${action} ${type}`), address, action };
};

test("of the creations in the place of one deletion the first is made alone", () => {
  const [goes, first, second] = [at("delete", "CNAME"), at("create", "A"), at("create", "TXT")];
  const { deletions, firsts } = findExchanges([goes, first, second]);
  expect([...deletions]).toEqual([["create A", [goes]]]);
  expect([...firsts]).toEqual([["create TXT", new Set(["create A"])]]);
});

test("a deletion that makes room is planned with the calls that put each of its records back", async () => {
  const live = inZone(record("www", "A", "192.0.2.1"), record("www", "A", "192.0.2.2"), record("x", "A", "192.0.2.3"));
  const held = ours(["dns_record/example.com/www/A"]);
  const { steps } = plan(await buildInput(records("{ www: { CNAME: example.net. } }"), live, {}, 0, held));
  const creation = steps.find(({ action }) => action === "create");
  expect(creation?.on_refusal).toMatchObject([
    {
      address: "dns_record/example.com/www/A",
      is: "put_back",
      calls: [expect.objectContaining({ method: "POST" }), expect.objectContaining({ method: "POST" })],
    },
  ]);
});

test("a name that needs the certificate that waits for it is a circle, and the plan says which", async () => {
  const manifest = `services: { example.com: }
certificates: { example.com: [{ domains: [www.example.com] }] }
${records('{ www: { CNAME: "${ref:certificate/www.example.com/managed.fingerprint}.example.net." } }')}`;
  const { steps, diagnostics } = plan(await buildInput(manifest, { ...inZone(), "/services": [service] }));
  expect(steps).toEqual([]);
  expect(diagnostics).toMatchObject([{ code: "cycle", summary: expect.stringContaining("www/CNAME → create") }]);
});

test("a record that the panel of a vendor has disabled is enabled if the manifest declares it", async () => {
  const { contract } = await loadContract("hostinger");
  if (!contract) throw new Error("The contract hostinger is wrong");
  const values = fc.uniqueArray(fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3"), { minLength: 1 });
  const live = values.chain((some) =>
    fc.tuple(...some.map((content) => fc.record({ content: fc.constant(content), is_disabled: fc.boolean() }))),
  );
  await forDraws(60, values, live, async (declared, members) => {
    const zone = [{ name: "www", type: "A", ttl: 300, records: members }];
    const answered = { status: 200, location: undefined, requestId: undefined, attempts: 1 };
    const get: Reader["get"] = async ({ path }) => ({
      ok: true,
      value: { ...answered, body: path.endsWith("/portfolio") ? [{ domain: "shop.example" }] : zone },
    });
    const manifest = `dns: { shop.example: { records: { www: { A: { ttl: 300, values: [${declared.join(", ")}] } } } } }`;
    const { steps } = plan(await buildInput(manifest, { get }, {}, undefined, { contract }));
    const served = members.flatMap(({ content, is_disabled }) => (is_disabled ? [] : [content]));
    const isDone = members.length === served.length && served.toSorted().join() === declared.toSorted().join();
    expect(steps.map(({ action }) => action)).toEqual(isDone ? [] : ["update"]);
  });
});
