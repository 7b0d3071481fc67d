import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Step } from "../../src/model/plan.ts";
import { readZones } from "../../src/order/zones.ts";
import { buildInput, zone } from "../plan/build-input.ts";

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
