import { describe, expect, test } from "vitest";
import type { Begin } from "../../src/model/journal.ts";
import type { RunningApply } from "../../src/model/inventory.ts";
import { refuseUnknownOutcomes } from "../../src/policy/unknown-outcomes.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput } from "../plan/build-input.ts";

const since = "2026-01-01T00:00:00Z";
const process = { host: "runner", pid: 7, process: "p1" };
const begin: Begin = { type: "begin", version: 1, target: "test-1", by: "jane", since, ...process };
const unended: RunningApply = { by: "jane", since, until: since, ...process };

/** The codes of the refusals of a purchase and of another creation, after an apply that did not end. */
async function refusalsAfter(begun: readonly Begin[]): Promise<string[]> {
  const manifest =
    "services: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { example.com: { register: true } }";
  const consent = { purchases: addresses("domain/example.com", "service/example.com") };
  const made = plan(await buildInput(manifest, {}, consent));
  const journal = { kept: [], begun, last: undefined };
  const { refusals } = refuseUnknownOutcomes(made, { journal, unended, unconfirmed: [] });
  return refusals.map(({ code, address }) => `${code} ${address}`);
}

describe("a purchase after an apply that did not end", () => {
  test("is made if the journal of that process is here", async () => {
    expect(await refusalsAfter([begin])).toEqual([]);
    expect(await refusalsAfter([{ ...begin, pid: 8 }, begin])).toEqual([]);
  });

  test.each([
    ["host", { ...begin, host: "other" }],
    ["process id", { ...begin, pid: 8 }],
    ["name of the process", { ...begin, process: "p2" }],
  ])("is refused if only a journal with another %s is here", async (_, other) => {
    expect(await refusalsAfter([other])).toEqual(["journal_lost domain/example.com"]);
    expect(await refusalsAfter([])).toEqual(["journal_lost domain/example.com"]);
  });
});
