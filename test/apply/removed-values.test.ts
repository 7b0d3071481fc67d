import { expect, test } from "vitest";
import { findTemporarilyRemovedValues } from "../../src/apply/temporarily-removed-values.ts";
import type { Address } from "../../src/model/address.ts";
import type { Change, Step } from "../../src/model/plan.ts";
import { makeStep } from "../support/make-step.ts";

const job = "cron/example.com/a" as Address;
const other = "cron/example.com/b" as Address;
const stepOf = (action: Step["action"], address: Address, more: Partial<Step>): Step => ({
  ...makeStep(`${action} ${address}`),
  address,
  action,
  ...more,
});
const carried = (path: string, value: string): Change => ({
  path,
  before: { is: "value", value },
  after: { is: "value", value },
  carried: true,
});
const changed: Change = { path: "command", before: { is: "value", value: "x" }, after: { is: "value", value: "y" } };
const creation = stepOf("create", job, { after: [`delete ${job}`], changes: [carried("email", "a@b.test"), changed] });
const later = stepOf("update", other, { after: [`create ${job}`], changes: [carried("timezone", "UTC")] });
const unrelated = stepOf("update", other, { changes: [carried("timezone", "UTC")] });
const deletion = (replaces: boolean) =>
  stepOf("delete", job, {
    replaces,
    calls: [{ operation: "delete", method: "DELETE", path: "/{id}", params: { id: "c1" }, query: {}, etag: undefined }],
  });
const removed = (address: Address, fields: object) => ({
  address,
  fields,
  withheld: [],
  beside: {},
  of: { address: job, id: "c1" },
});

test("a replacement removes the values that its creation carries over, and those of the updates behind that", () => {
  const steps = [deletion(true), creation, later];
  expect([...findTemporarilyRemovedValues({ steps })]).toEqual([
    [`delete ${job}`, [removed(job, { email: "a@b.test" }), removed(other, { timezone: "UTC" })]],
  ]);
});

test.each([
  ["a deletion without a creation", [deletion(false), creation, later]],
  ["creations and updates", [creation, later]],
  ["a replacement that carries nothing over", [deletion(true), { ...creation, changes: [changed] }, unrelated]],
])("nothing is removed for a while by %s", (_, steps) => {
  expect([...findTemporarilyRemovedValues({ steps })]).toEqual([]);
});

test("a reference that is detached is removed until its step sets it again", () => {
  const detached = stepOf("update", job, { detaches: true, changes: [changed] });
  expect([...findTemporarilyRemovedValues({ steps: [detached] }).values()]).toEqual([
    [{ address: job, fields: { command: "x" }, withheld: [], beside: {} }],
  ]);
});
