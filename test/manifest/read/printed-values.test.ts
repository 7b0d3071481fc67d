import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openAccount } from "../../support/account.ts";
import { recordForms } from "../../support/forms/record-forms.ts";
import { writtenRecord } from "../../support/forms/written-record.ts";
import { eventsOf, exits, runInProcess } from "../../support/run-hostform.ts";

interface PlannedStep {
  readonly address: string;
  readonly changes: readonly { readonly path: string; readonly after: { readonly value?: unknown } }[];
}

/** The forms that are drawn of each type. */
const drawn = 15;

test("a value that a plan prints for a record of any type is accepted in a manifest, and means the same", async () => {
  const account = await openAccount();
  onTestFinished(account.close);
  const planned = async (records: readonly string[]) => {
    const lines = records.map((record, index) => `      n${index}: { ${record} }`);
    const text = ["version: 1", "name: printed", "dns:", "  example.com:", "    records:", ...lines].join("\n");
    const ran = exits(0, await runInProcess(account, ["plan", "-f", account.write("m.yaml", text), "--json"]));
    const steps = eventsOf(ran).filter(({ type }) => type === "planned") as unknown as PlannedStep[];
    return steps.filter(({ address }) => address.startsWith("dns_record/"));
  };
  const written = Object.entries(recordForms).flatMap(([type, { good }]) =>
    fc.sample(good, { numRuns: drawn, seed: 1 }).flatMap((content) => writtenRecord(type, content) ?? []),
  );
  const steps = await planned(written);
  expect(steps.length).toBeGreaterThan(drawn * 15);
  const byName = new Map(steps.map((step) => [Number(/\/n(\d+)\//u.exec(step.address)?.[1]), step]));
  const printed = written.map((_, index) => {
    const step = byName.get(index);
    const value = step?.changes.find(({ path }) => path === "value")?.after.value;
    return `${step?.address.split("/").at(-1) ?? ""}: ${JSON.stringify(value)}`;
  });
  expect(printed.some((record) => record.startsWith('MX: "0 '))).toBe(true);
  expect(printed.some((record) => record.startsWith('SRV: "0 '))).toBe(true);
  const changesOf = ({ address, changes }: PlannedStep) => ({ address, changes });
  expect((await planned(printed)).map(changesOf)).toEqual(steps.map(changesOf));
});
