import { expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, service } from "./build-input.ts";

/** The notices of the services `s0`, `s1` and so on, each with its status. */
async function noticesOf(statuses: readonly string[]): Promise<string[]> {
  const domains = statuses.map((_, index) => `s${index}.example`);
  const manifest = `services: { ${domains.map((domain) => `${domain}: { plan: WEB-M }`).join(", ")} }`;
  const live = statuses.map((status, index) => ({ ...service, id: `s${index}`, domain: domains[index] ?? "", status }));
  const { diagnostics } = plan(await buildInput(manifest, { "/services": live }));
  return diagnostics.map(({ summary }) => summary);
}

test("unknown statuses are reported once each, in their order, with the first three objects that have them", async () => {
  expect(await noticesOf(["zeta", "active", "alpha", "zeta", "beta", "zeta", "zeta", "zeta"])).toEqual([
    expect.stringMatching(/"alpha" of service\/s2.example is unknown/u),
    expect.stringMatching(/"beta" of service\/s4.example is unknown/u),
    expect.stringMatching(
      /"zeta" of service\/s0.example, service\/s3.example, service\/s5.example and 2 more is unknown/u,
    ),
  ]);
});
