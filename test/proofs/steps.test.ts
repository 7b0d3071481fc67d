import { expect, test } from "vitest";
import type { FaultRule } from "../../src/emulator/faults/rule.ts";
import { accountForFile } from "../support/account.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { openReader } from "./read-account.ts";
import { size } from "./size.ts";

const clock = virtualClock();
const account = accountForFile({}, clock.now);

const match = {};
const probability = 0.05;
/** Together they befall about one request in five. */
const failures: readonly FaultRule[] = [
  { match, probability, seed: 1, fault: { status: 429, retry_after: 1 } },
  { match, probability, seed: 2, fault: { status: 500 } },
  { match, probability, seed: 3, fault: { reset: "before" } },
  { match, probability, seed: 4, fault: { reset: "after" } },
];

const zones = 10;

test(`of ${size.steps} steps through a server that fails one request in five, all are done, and nothing twice`, async () => {
  const written = Array.from({ length: size.steps / zones - 1 }, (_, index) => `r${index}: { A: 192.0.2.1 }`).join(
    ", ",
  );
  const dns = Array.from({ length: zones }, (_, index) => `zone-${index}.example: { records: { ${written} } }`);
  const manifest = account.write("m.yaml", `version: 1\nname: steps\ndns: { ${dns.join(", ")} }\n`);
  await account.byHand("POST", "/_emulator/faults", { faults: failures });
  const ran = await runInProcess(account, ["apply", "--auto-approve", "--json", "-f", manifest], {}, clock);
  expect(ran.status, ran.stdout.slice(-2000) + ran.stderr).toBe(0);
  const report = eventsOf(ran).find(({ type }) => type === "report");
  expect(report).toMatchObject({ done: size.steps, failed: 0, blocked: 0, not_attempted: 0 });

  const operations = await account.operations();
  const befallen = operations.filter(({ fault }) => fault !== null).length;
  expect(befallen / operations.length).toBeGreaterThan(0.15);
  expect(operations.filter(({ method, committed }) => method === "POST" && committed)).toHaveLength(size.steps);
  await account.byHand("DELETE", "/_emulator/faults");
  const reader = openReader(account);
  const records = reader.read()["dns_record"] ?? [];
  reader.close();
  const made = records
    .filter(({ type, managed }) => type === "A" && managed === false)
    .map(({ zone, name }) => `${String(name)} of ${String(zone)}`);
  expect(new Set(made).size).toBe(made.length);
  expect(made).toHaveLength(size.steps - zones);
});
