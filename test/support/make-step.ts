import { toAddress } from "../../src/model/address.ts";
import type { Step } from "../../src/model/plan.ts";

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
