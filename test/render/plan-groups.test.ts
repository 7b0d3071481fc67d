import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Step } from "../../src/model/plan.ts";
import { groupSteps, numberSteps } from "../../src/render/plan-groups.ts";

const step = (address: string) =>
  ({ id: `create ${address}`, address: address as Address, action: "create", replaces: false }) as Step;

test("a certificate of several names is grouped with its customer, wherever the customer's name stands among them", () => {
  const customer = "butcher.example";
  const others = ["aaa.example", "www.zzz.example", "mmm.example"];
  const own = fc.constantFrom([customer], [`www.${customer}`], [customer, `www.${customer}`]);
  fc.assert(
    fc.property(own, fc.subarray(others), fc.boolean(), (names, alien, isFirst) => {
      const certificate = step(`certificate/${[...names, ...alien].sort().join("+")}/managed`);
      const rest = [step(`service/${customer}`), step(`dns_record/${customer}/@/A`), step("service/baker.example")];
      const groups = groupSteps(numberSteps({ steps: isFirst ? [certificate, ...rest] : [...rest, certificate] }));
      expect([...groups.keys()].sort()).toEqual(["baker.example", customer]);
      expect(groups.get(customer)?.map(({ step: each }) => each)).toContain(certificate);
    }),
  );
});

test("a certificate of a domain that no other step is about has a group by its first name", () => {
  const groups = groupSteps(numberSteps({ steps: [step("certificate/a.example+www.a.example/managed")] }));
  expect([...groups.keys()]).toEqual(["a.example"]);
});
