import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, zone, type Lists } from "./build-input.ts";

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);

describe("dnssec", () => {
  const live = (dnssec: JsonObject): Lists => ({ "/dns/zones": [zone], "/dns/zones/z1/dnssec": [dnssec] });
  const signed = { enabled: true, algorithm: 13, status: "active" };
  const declare = (text: string) => `dns: { example.com: { dnssec: ${text} } }`;

  test("is not switched off without naming it, with a warning of the parent's DS records", async () => {
    const refused = plan(await buildInput(declare("{ enabled: false }"), live(signed)));
    expect(refused.refusals).toMatchObject([
      { code: "protected", summary: expect.stringContaining("DS records"), hint: "--allow-delete dnssec/example.com" },
    ]);
    const allowed = plan(
      await buildInput(declare("{ enabled: false }"), live(signed), { deletes: addresses("dnssec/example.com") }),
    );
    expect(allowed.refusals).toEqual([]);
    expect(ids(allowed)).toEqual(["update dnssec/example.com"]);
  });

  test("keeps its algorithm: no flag changes it, and the plan lists the steps to take by hand", async () => {
    const input = await buildInput(declare("{ enabled: true, algorithm: 15 }"), live(signed), {
      deletes: addresses("dnssec/example.com"),
    });
    expect(plan(input).refusals).toMatchObject([
      { code: "refused_by_kind", summary: expect.stringMatching(/algorithm.*by hand/u) },
    ]);
  });

  test("that is declared off and was never on is nothing to do", async () => {
    expect(plan(await buildInput(declare("{ enabled: false }"), { "/dns/zones": [zone] })).steps).toEqual([]);
  });

  test("goes with its zone only where both are named", async () => {
    const removed = "removed: [{ address: dns_zone/example.com, action: delete }]";
    const input = await buildInput(removed, live(signed), { deletes: addresses("dns_zone/example.com") });
    expect(plan(input).refusals).toMatchObject([
      { code: "has_children", summary: expect.stringContaining("dnssec/example.com") },
    ]);
  });
});
