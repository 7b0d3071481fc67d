import { expect, test } from "vitest";
import { bindKind } from "../../src/contract/bound-kind.ts";
import { decodeRecord } from "../../src/contract/decode-record.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import {
  describeUnoffered,
  isImplicit,
  offeredParents,
  tellsOwner,
  unofferedPart,
} from "../../src/contract/offered.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import type { Contract } from "../../src/model/contract.ts";
import { addresses, buildInput } from "../plan/build-input.ts";
import { builtIn } from "../support/built-in-contract.ts";

/** The contract of an API without zones. */
async function withoutZones(): Promise<Contract> {
  const { dns_zone: _, ...kinds } = builtIn.kinds;
  return { ...builtIn, kinds };
}

/** The messages about what a manifest declares under an API without zones. */
async function messages(manifest: string): Promise<string[]> {
  const without = await withoutZones();
  const { desired } = await buildInput(manifest, {});
  return [...desired.resources.values()].flatMap((resource) => {
    const part = unofferedPart(without, resource);
    return part ? [describeUnoffered(without, resource, part).summary] : [];
  });
}

const cannot = "cannot be written: the contract v2026 has no such field";

test("an API without zones takes their records, and the TTL that stands for those of the records", async () => {
  const records = "dns: { a.test: { ttl: 60, records: { www: { A: 192.0.2.1 } } } }";
  expect(await messages(records)).toEqual([]);
});

test("an API without zones takes no lifecycle of a zone", async () => {
  const kept = "dns: { a.test: { lifecycle: { prevent_destroy: true } } }";
  expect(await messages(kept)).toEqual([`lifecycle of dns_zone/a.test ${cannot}`]);
});

test("an API tells whose a record of DNS is by a field for that, or by a condition", async () => {
  const { managed: flag, ...others } = builtIn.kinds["dns_record"]?.fields ?? {};
  const tells = (fields: object, more: object = {}) => {
    const entry = { ...builtIn.kinds["dns_record"], fields, ...more };
    return tellsOwner({ ...builtIn, kinds: { dns_record: entry } } as Contract, kindNamed("dns_record"));
  };
  expect([tells({ ...others, managed: flag }), tells(others)]).toEqual([true, false]);
  expect(tells(others, { managed_when: [{ pointer: "/type", equals: ["SOA"] }] })).toBe(true);
});

test.each([
  [{}, null],
  [{ lock: 1 }, "1"],
  [{ lock: "yes" }, "yes"],
] as const)("a record with %j belongs to the platform where the contract says that its lock is %j", (raw, equals) => {
  const kind = bindKind(builtIn, "dns_record");
  const entry = { ...kind.entry, managed_when: [{ pointer: "/lock", equals: [equals] }] };
  const { remote } = decodeRecord({ ...kind, entry }, raw, { scope: { zone: "a.test" } });
  expect(remote.fields).toHaveProperty("managed", true);
});

test("a requirement that only a kind which the API lacks could meet is none", async () => {
  const [zone, domain] = ["dns_zone/a.test", "domain/a.test"].map((each) => [...addresses(each)]);
  const asked = [zone ?? [], [...(zone ?? []), ...(domain ?? [])]];
  expect(offeredParents(await withoutZones(), asked)).toEqual([domain]);
});

test("a set that one request writes is made by that, also where objects of its kind are made by the server", async () => {
  const { contract } = await loadContract("hetzner-cloud");
  const { operations } = contract?.kinds["dns_record"] ?? {};
  const entry = { ...contract?.kinds["dns_record"], operations: { ...operations, create: "implicit" } };
  const implicit = { ...contract, kinds: { ...contract?.kinds, dns_record: entry } } as Contract;
  expect(isImplicit(implicit, kindNamed("dns_record"))).toBe(false);
  const single = { ...entry, operations: { list: operations?.list, create: "implicit" } };
  expect(
    isImplicit({ ...implicit, kinds: { dns_record: single } } as unknown as Contract, kindNamed("dns_record")),
  ).toBe(true);
});
