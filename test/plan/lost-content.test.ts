import { expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { plainPage } from "../support/plain-page.ts";
import { buildInput } from "./build-input.ts";
import { liveJobs } from "./crons.ts";

test.each([
  ["mailbox/info@example.com", "its mails are deleted for good"],
  ["cron/example.com/x", ""],
])("the deletion of %s shows the content that is lost with it: %s", async (address, shown) => {
  const lists = {
    "/domains": [{ id: "d1", name: "example.com" }],
    "/mail/accounts?domain=example.com": [{ id: "m1", address: "info@example.com" }],
    ...liveJobs("x"),
  };
  const made = plan(await buildInput(`removed: [{ address: ${address}, action: delete }]`, lists));
  expect(made.steps.map(({ id }) => id)).toEqual([`delete ${address}`]);
  const text = renderPlan(made, { ...plainPage, showIgnored: false, now: 0 });
  expect(/! (.* deleted for good)/u.exec(text)?.[1] ?? "").toBe(shown);
});
