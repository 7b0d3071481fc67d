import { describe, expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, ours, service } from "./build-input.ts";
import { cron, declareJobs, liveJobs } from "./crons.ts";
import { codes } from "./plan-results.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

describe("prevent_destroy", () => {
  const kept = "lifecycle: { prevent_destroy: true }";
  const consent = { deletes: addresses("service/example.com", cron("x")) };

  test("refuses a replace whatever is consented to", async () => {
    const manifest = `services: { example.com: { datacenter: BCN1, ${kept} } }`;
    const made = plan(await buildInput(manifest, { "/services": [service] }, consent));
    expect(made.refusals).toMatchObject([{ code: "prevent_destroy", hint: expect.stringContaining("no flag") }]);
    expect(made.refusals[0]?.flag).toBeUndefined();
  });

  const says = "its lifecycle sets prevent_destroy";
  const takeOut = "no flag allows it: take prevent_destroy out of its lifecycle, and apply that first";
  const declareAgain = "no flag allows it: declare it once more without prevent_destroy, apply that, then take it out";
  const moved = `services: { example.com: { datacenter: BCN1, ${kept} } }`;
  test.each([
    [
      "a replace",
      moved,
      `service/example.com would be replaced, because datacenter cannot be changed in place; ${says}`,
      takeOut,
    ],
    [
      "a block that is gone",
      "",
      `${cron("x")} would be deleted (in the inventory, and no longer declared); ${says}`,
      declareAgain,
    ],
    [
      "removed:",
      `removed: [{ address: ${cron("x")}, action: delete }]`,
      `${cron("x")} would be deleted (named under removed:); ${says}`,
      declareAgain,
    ],
  ])("says of %s how the object would be lost, why, and how to allow it", async (_, manifest, summary, hint) => {
    const live = manifest === moved ? { "/services": [service] } : liveJobs("a", "x", "y");
    const made = plan(await buildInput(manifest, live, consent, now, ours([cron("a"), cron("x")], [cron("x")])));
    expect(made.refusals.filter(({ code }) => code === "prevent_destroy")).toMatchObject([{ summary, hint }]);
  });

  test("outlives its block", async () => {
    const made = plan(
      await buildInput("services: { example.com: }", liveJobs("x", "y"), consent, now, ours([cron("x")], [cron("x")])),
    );
    expect(codes(made)).toEqual(["prevent_destroy"]);
    expect(made.refusals[0]?.hint).toContain("declare it once more");
  });

  test("outlives it against removed: too", async () => {
    const manifest = `removed: [{ address: ${cron("x")}, action: delete }]`;
    const made = plan(await buildInput(manifest, liveJobs("x", "y"), consent, now, ours([cron("x")], [cron("x")])));
    expect(codes(made)).toEqual(["prevent_destroy"]);
  });

  test("is marked in the inventory, kept with what is not selected, and lifted by a block without it", async () => {
    const manifest = declareJobs(`a: { command: x, ${kept} }, b: { command: x }, c: { command: x }`);
    const held = ours([cron("b"), cron("c")], [cron("b"), cron("c")]);
    const selection = { only: [cron("a"), cron("b")], except: [] };
    const made = plan(await buildInput(manifest, liveJobs("a", "b", "c"), {}, now, { ...held, selection }));
    expect(made.owned).toEqual({
      addresses: [cron("a"), cron("b"), cron("c")],
      preventDestroy: [cron("a"), cron("c")],
      exclusive: [],
    });
  });
});
