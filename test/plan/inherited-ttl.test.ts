import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText, type JsonObject } from "../../src/model/json.ts";
import { plan } from "../../src/plan/plan.ts";
import { explain } from "../../src/plan/explain.ts";
import { toAddress } from "../../src/model/address.ts";
import { buildInput, record, zone, type Lists } from "./build-input.ts";
import { forDraws } from "../support/for-draws.ts";

/** The TTLs that a manifest may write, from the nearest place to the farthest. */
interface Written {
  readonly record: number | undefined;
  readonly zone: number | undefined;
  readonly defaults: number | undefined;
}

const ttl = fc.constantFrom(60, 300, 7200);
const maybe = fc.option(ttl, { nil: undefined });
const written: fc.Arbitrary<Written> = fc.record({ record: maybe, zone: maybe, defaults: maybe });
const values = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
const held = fc.uniqueArray(
  fc.record({ value: fc.integer({ min: 1, max: 4 }), ttl: fc.constantFrom(60, 300, 3600, 7200, null) }),
  { maxLength: 3, selector: ({ value }) => value },
);

const line = (name: string, value: number | undefined) => (value === undefined ? "" : `${name}: ${value}`);
const manifestOf = (ttls: Written, addresses: readonly number[]) =>
  [
    `defaults: { ${line("ttl", ttls.defaults)} }`,
    `dns: { example.com: { ${[line("ttl", ttls.zone), `records: { www: { A: { ${line("ttl", ttls.record)}${ttls.record === undefined ? "" : ","} values: [${addresses.map((each) => `192.0.2.${each}`).join(", ")}] } } }`].filter(Boolean).join(", ")} } }`,
  ].join("\n");

const serverDefault = 3600;

/** Applies the plan to a model of the server, which gives a record without a TTL the TTL of its zone, and returns all TTLs at the end. */
async function ttlsAfter(manifest: string, lists: Lists, zoneTtl: number): Promise<readonly unknown[]> {
  const made = plan(await buildInput(manifest, lists));
  const listed = (lists["/dns/zones/z1/records"] ?? []).map((each) => [jsonText(each["id"]), each["ttl"]] as const);
  const ttls = new Map<string, unknown>(listed);
  for (const [index, call] of made.steps
    .flatMap(({ address, calls }) => calls.filter(() => address.startsWith("dns_record/")))
    .entries()) {
    const id = call.operation === "create" ? `made ${index}` : jsonText(call.params["id"]);
    if (call.operation === "delete") ttls.delete(id);
    else if (call.operation !== "renew") {
      const sent = call.values.find(({ field }) => field === "ttl");
      ttls.set(id, sent && "value" in sent ? sent.value : (ttls.get(id) ?? zoneTtl));
    }
  }
  return [...ttls.values()].map((each) => each ?? zoneTtl);
}

const account = (zoneTtl: number, records: readonly JsonObject[]): Lists => ({
  "/dns/zones": [{ ...zone, ttl: zoneTtl }],
  "/dns/zones/z1/records": records,
});

describe("the TTL of a record", () => {
  test("is its own, else its zone's in the manifest, else the default, else its zone's on the server: whatever was live", () =>
    forDraws(300, written, values, held, ttl, async (ttls, addresses, live, zoneTtl) => {
      const manifest = manifestOf(ttls, addresses);
      const records = live.map((each) => record("www", "A", `192.0.2.${each.value}`, { ttl: each.ttl }));
      const expected = ttls.record ?? ttls.zone ?? ttls.defaults ?? zoneTtl;
      const after = await ttlsAfter(manifest, account(zoneTtl, records), ttls.zone ?? zoneTtl);
      expect(after).toEqual(addresses.map(() => expected));
    }));

  test("is the same on a fresh account and on an old one", () =>
    forDraws(100, written, values, held, async (ttls, addresses, live) => {
      const manifest = manifestOf(ttls, addresses);
      const records = live.map((each) => record("www", "A", `192.0.2.${each.value}`, { ttl: each.ttl }));
      const old = await ttlsAfter(manifest, account(serverDefault, records), ttls.zone ?? serverDefault);
      expect(await ttlsAfter(manifest, {}, ttls.zone ?? serverDefault)).toEqual(old);
    }));

  test("is its zone's where the server says null, as the zone will be", () =>
    forDraws(100, written, values, ttl, async (ttls, addresses, zoneTtl) => {
      const live = addresses.map((each) => record("www", "A", `192.0.2.${each}`, { ttl: null }));
      const { steps } = plan(await buildInput(manifestOf(ttls, addresses), account(zoneTtl, live)));
      const ofZone = ttls.zone ?? zoneTtl;
      const isZones = (ttls.record ?? ttls.zone ?? ttls.defaults ?? zoneTtl) === ofZone;
      expect(steps.filter(({ address }) => address.startsWith("dns_record/"))).toHaveLength(isZones ? 0 : 1);
    }));

  test("stays as it is where ignore_changes names it, and where the server does not tell the zone's", async () => {
    const ignored =
      "dns: { example.com: { records: { www: { A: { values: [192.0.2.1], lifecycle: { ignore_changes: [ttl] } } } } } }";
    const live = [record("www", "A", "192.0.2.1", { ttl: 60 })];
    expect(plan(await buildInput(ignored, account(3600, live))).steps).toEqual([]);
    const manifest = "dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }";
    const { ttl: _ttl, ...untold } = zone;
    const lists = { "/dns/zones": [untold], "/dns/zones/z1/records": live };
    expect(plan(await buildInput(manifest, lists)).steps).toEqual([]);
  });
});

describe("what is managed though it is not written", () => {
  test.each([
    ["as it should be", { ttl: 7200, disabled: false }, "same", "same"],
    ["otherwise", { ttl: 60, disabled: true }, "differs", "differs"],
  ])("is explained with the value in the plan if it is %s", async (_, live, ttlVerdict, disabledVerdict) => {
    const manifest = "dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }";
    const input = await buildInput(manifest, account(7200, [record("www", "A", "192.0.2.1", live)]));
    const made = plan(input);
    const [object] = explain(input, made, toAddress("dns_record", ["example.com", "www", "A"]))?.objects ?? [];
    const absent = { is: "absent" };
    expect(object?.fields.filter(({ path }) => path === "ttl" || path === "disabled")).toMatchObject([
      { path: "ttl", written: absent, normal: { value: 7200 }, verdict: ttlVerdict },
      { path: "disabled", written: absent, normal: { value: false }, verdict: disabledVerdict },
    ]);
    expect(made.steps.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual(
      ttlVerdict === "differs" ? ["ttl", "disabled"] : [],
    );
  });
});
