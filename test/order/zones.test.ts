import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Step } from "../../src/model/plan.ts";
import { readZones } from "../../src/order/zones.ts";
import { buildInput, inZone, record, records, zone } from "../plan/build-input.ts";

const dnssec = { id: "d1", enabled: true, ds_records: [] };

/** A signed zone whose signing a step changes, with what is declared of it. */
test.each([
  ["signed still where it is updated", "dnssec: { enabled: true }", "update", true],
  ["signed no more where it is switched off", "dnssec: { enabled: false }", "update", false],
  ["signed no more where its signing is deleted", "dnssec: { enabled: true }", "delete", false],
] as const)("a zone is %s", async (_, declared, action, after) => {
  const lists = { "/dns/zones": [zone], "/dns/zones/z1/dnssec": [dnssec] };
  const input = await buildInput(`dns: { example.com: { ${declared} } }`, lists);
  const address = "dnssec/example.com" as Address;
  const step = { id: `${action} ${address}`, address, action, calls: [] } as unknown as Step;
  expect(readZones(input, [step]).get("example.com")?.signed).toEqual({ before: true, after, step: step.id });
});

test("a zone whose signing is not there was not signed", async () => {
  const input = await buildInput("dns: { example.com: { dnssec: { enabled: true } } }", { "/dns/zones": [zone] });
  const step = { id: "x", address: "dnssec/example.com" as Address, action: "create", calls: [] } as unknown as Step;
  expect(readZones(input, [step]).get("example.com")?.signed).toMatchObject({ before: false, after: true });
});

test("a value more is the same answer where none names a host", async () => {
  const input = await buildInput(records("{ t: { TXT: [a, b] } }"), inZone(record("t", "TXT", '"a"')));
  const step = { id: "x", address: "dns_record/example.com/t/TXT" as Address, action: "update", calls: [] };
  const set = readZones(input, [step as unknown as Step])
    .get("example.com")
    ?.names.get("t.example.com")
    ?.get("TXT");
  expect(set).toMatchObject({ step: undefined, rewrittenBy: "x" });
});
