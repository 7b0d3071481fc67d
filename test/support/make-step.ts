import { toAddress, type Address } from "../../src/model/address.ts";
import type { Plan, Step } from "../../src/model/plan.ts";

/** A step that stands for any: only its id and its place among the others matter. */
export const makeStep = (id: string, after: readonly string[] = [], gaps?: Step["gaps"]): Step => ({
  id,
  address: toAddress("cron", ["example.com", id]),
  action: "update",
  replaces: false,
  purchase: false,
  changes: [],
  calls: [],
  after,
  reason: { is: "fields_differ", fields: [] },
  ...(gaps && { gaps }),
});

/** A step of a resource, without changes and calls: a creation unless `more` says otherwise. */
export const stepOf = (address: string, more: Partial<Step> = {}): Step => ({
  ...makeStep(`${more.action ?? "create"} ${address}`),
  address: address as Address,
  action: "create",
  reason: { is: "not_live" },
  at: { file: "m.yaml", line: 3, col: 5 },
  ...more,
});

/** A plan without steps, and with nothing to say of anything. */
export const planOf = (more: Partial<Plan>): Plan => ({
  target: { name: "test", baseUrl: "https://api.test/", contract: "v2026", emulator: false },
  steps: [],
  refusals: [],
  diagnostics: [],
  unmanaged: [],
  incomplete: [],
  unchanged: 0,
  owned: { addresses: [], preventDestroy: [], exclusive: [] },
  leftOut: [],
  ignoredSpellings: [],
  reads: 3,
  ...more,
});
