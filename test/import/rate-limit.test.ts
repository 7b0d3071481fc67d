import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { size } from "../proofs/size.ts";
import { openAccount } from "../support/account.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** An account of customers who have a service, a domain, a zone, mail and a scheduled task each. */
function accountOf(customers: number) {
  const names = Array.from({ length: customers }, (_, index) => `customer${index}.example`);
  const plan = { hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" };
  return {
    service: names.map((domain) => ({ domain, ...plan })),
    domain: names.map((name) => ({ name })),
    dns_zone: names.map((name) => ({ name })),
    dns_record: names.map((zone) => ({ zone, name: "www", type: "A", content: "192.0.2.1" })),
    mailbox: names.map((name) => ({ address: `info@${name}`, quota_mb: 1024 })),
    cron: names.map((service) => ({ service, name: "nightly", schedule: "0 3 * * *", command: "backup" })),
  };
}

test("an import fits the rate limit of the server, and says how far it is", async () => {
  const { customers, limit } = size.limitedImport;
  const clock = virtualClock();
  const started = clock.now();
  const account = await openAccount({ seed: accountOf(customers), rateLimitPerMinute: limit }, clock.now);
  onTestFinished(account.close);
  const imported = await runInProcess(account, ["import", join(account.folder, "hosting"), "--json"], {}, clock);
  expect(imported.status, imported.stderr).toBe(0);
  const events = eventsOf(imported);
  const sums = events.find(({ type }) => type === "imported");
  expect(sums).toMatchObject({ resources: 6 * customers, left_out: 0 });
  const operations = await account.operations();
  expect(operations.filter(({ status }) => status === 429)).toEqual([]);
  expect(operations).toHaveLength(Number(sums?.["reads"]));
  // It waits for a new minute as often as it must, and no oftener.
  const minutes = Math.ceil(operations.length / limit) - 1;
  expect(Math.round((clock.now() - started) / 60_000)).toBe(minutes);
  expect(events.filter(({ type }) => type === "reading")).toHaveLength(minutes);
});
