import { expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, service } from "./build-input.ts";

test("a service that registers its domain brings it along: the plan updates that one instead of making a second", async () => {
  const manifest =
    "services: { example.com: { plan: P, datacenter: D, register: true } }\ndomains: { example.com: { auto_renew: false } }";
  const made = plan(await buildInput(manifest, {}, { purchases: addresses("service/example.com") }));
  expect(made.steps.map(({ id }) => id)).toEqual(["create service/example.com", "update domain/example.com"]);
  expect(made.steps[1]).toMatchObject({
    after: ["create service/example.com"],
    reason: { is: "made_by_server", parent: "service/example.com" },
  });
});

test("a service that is there brings no domain along", async () => {
  const manifest = "services: { example.com: { register: true } }\ndomains: { example.com: { auto_renew: false } }";
  const { steps } = plan(await buildInput(manifest, { "/services": [service] }));
  expect(steps.filter(({ reason }) => reason.is === "made_by_server")).toEqual([]);
});

test("the same registration in two blocks is a mistake", async () => {
  const manifest = "services: { example.com: { register: true } }\ndomains: { example.com: { register: true } }";
  await expect(buildInput(manifest, {})).rejects.toThrow("registered twice");
});
