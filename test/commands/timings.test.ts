import { beforeAll, expect, test } from "vitest";
import fc from "fast-check";
import { startStopwatch } from "../../src/lib/stopwatch.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

const account = accountForFile({ seed: { dns_zone: [{ name: "a.example" }] } });
let manifest: string;

beforeAll(async () => {
  const records = "records: { www: { A: 192.0.2.1 } }";
  manifest = account.write("m.yaml", `version: 1\nname: part\ndns: { a.example: { ${records} } }\n`);
});

const parts = ["start", "parse", "validate", "reads", "diff", "order", "render"];

test("plan --timings prints the time of each part after the plan", async () => {
  const { stdout } = exits(0, await runInProcess(account, ["plan", "--timings", "-f", manifest]));
  const pattern = `\nTimings: ${parts.map((part) => `${part} \\d+ ms`).join(", ")}; \\d+ ms in all\n$`;
  expect(stdout).toMatch(new RegExp(pattern, "u"));
});

test("plan --timings --json has one event of them, after the plan", async () => {
  const events = eventsOf(await runInProcess(account, ["plan", "--timings", "--json", "-f", manifest]));
  expect(checkEvents(events)).toEqual([]);
  const [last] = events.slice(-1);
  expect(Object.keys(last?.["parts"] as object)).toEqual(parts);
  expect(events.filter(({ type }) => type === "timings")).toEqual([last]);
});

test("a plan without the flag says nothing of time", async () => {
  const { stdout } = await runInProcess(account, ["plan", "-f", manifest]);
  expect(stdout).not.toContain("Timings");
});

test("a stopwatch counts each moment for one part", async () => {
  const action = fc.record({ part: fc.constantFrom("a", "b", "c"), passes: fc.nat(100) });
  await forDraws({}, fc.nat(100), fc.array(action), (start, actions) => {
    let now = start;
    const expected: Record<string, number> = { a: start };
    const stopwatch = startStopwatch<string>("a", () => now);
    for (const { part, passes } of actions) {
      expected[part] = (expected[part] ?? 0) + passes;
      stopwatch.begin(part);
      now += passes;
    }
    expect(Object.fromEntries(stopwatch.read().map((each) => [each.part, each.milliseconds]))).toEqual(expected);
  });
});
