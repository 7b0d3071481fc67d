import { expect, test } from "vitest";
import { inventoryAfterRun } from "../../src/state/inventory/owned-after.ts";
import { emptyInventory } from "../../src/model/inventory.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Outcome } from "../../src/model/report.ts";
import { makeStep } from "../support/make-step.ts";

test.each<[string, Outcome, boolean]>([
  ["was held back before anything of it was sent", { is: "not_attempted" }, false],
  ["was held back in its middle", { is: "not_attempted", callsDone: 1 }, true],
])("a creation that %s", (_what, outcome, isOurs) => {
  const step = { ...makeStep("a"), action: "create" as const };
  const plan: Pick<Plan, "owned" | "leftOut"> = {
    owned: { addresses: [step.address], preventDestroy: [], exclusive: [] },
    leftOut: [],
  };
  const { addresses } = inventoryAfterRun(emptyInventory, plan, { outcomes: [{ step, outcome }] });
  expect(addresses.has(step.address)).toBe(isOurs);
});
