import { expect, test } from "vitest";
import { describeReason } from "../../src/messages/step-reasons.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, record, service } from "./build-input.ts";

const cron = (name: string) => ({ id: name, service_id: "s1", name, command: "true", schedule: "0 0 * * *" });

test("every step says which line asks for it, and why", async () => {
  const input = await buildInput(
    `services:
  example.com: { datacenter: BCN1 }
domains:
  old.example: { auto_renew: true, renew_before: 40d }
dns:
  example.com:
    exclusive: true
    records: { new: { A: 192.0.2.1 }, www: { A: 192.0.2.2 } }
crons:
  example.com:
    jobs: { kept: { schedule: "@daily", command: "true" } }
removed:
  - { address: cron/example.com/gone, action: delete }
`,
    {
      "/services": [service],
      "/domains": [{ id: "d1", name: "old.example", auto_renew: true, expires_at: "2026-01-20T00:00:00Z" }],
      ...inZone(record("www", "A", "192.0.2.1"), record("stray", "A", "192.0.2.9")),
      "/crons?service_id=s1": [cron("kept"), cron("gone")],
    },
    { deletes: addresses("service/example.com") },
  );
  const { steps } = plan(input);
  expect(Object.fromEntries(steps.map(({ id, at }) => [id, at?.line]))).toEqual({
    "create service/example.com": 4,
    "delete service/example.com": 4,
    "renew domain/old.example": 6,
    "create dns_record/example.com/new/A": 10,
    "update dns_record/example.com/www/A": 10,
    "delete dns_record/example.com/stray/A": 9,
    "create cron/example.com/kept": 13,
    "delete cron/example.com/kept": 13,
    "delete cron/example.com/gone": 15,
  });
  expect(steps.filter((step) => describeReason(step) === "")).toEqual([]);
  const made = steps.find(({ id }) => id === "create service/example.com");
  expect(made?.changes.filter(({ forcesReplace }) => forcesReplace).map(({ path }) => path)).toEqual(["datacenter"]);
  const kept = steps.find(({ id }) => id === "create cron/example.com/kept");
  expect(kept && describeReason(kept)).toContain("its parent service/example.com");
});
