import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Refusal } from "../../src/messages/refusals.ts";
import type { Plan } from "../../src/model/plan.ts";
import { allowingFlags } from "../../src/render/refusals-text.ts";

const refusal = (flag: Refusal["flag"], address?: string): Refusal => ({
  from: { rule: "ofProtectedKind", data: [] },
  code: "protected",
  summary: "",
  hint: "",
  ...(address !== undefined && { address: address as Address }),
  ...(flag !== undefined && { flag }),
});
const flagsFor = (refusals: readonly Refusal[], deleted: readonly string[] = []) =>
  allowingFlags({
    refusals,
    steps: deleted.map((address) => ({ address, action: "delete" })),
  } as unknown as Plan).join(" ");

test("names each address once, and quotes what a shell would take apart", () => {
  const wildcard = "dns_record/example.com/*/A";
  expect(
    flagsFor([
      refusal("--rollback"),
      refusal("--allow-delete", wildcard),
      refusal("--allow-delete", wildcard),
      refusal("--allow-purchase", "domain/example.com"),
      refusal(undefined, "cron/example.com/x"),
    ]),
  ).toBe(`--allow-delete '${wildcard}' --allow-purchase domain/example.com --rollback`);
  expect(flagsFor([refusal("--allow-delete", "cron/a.b/it's")])).toBe(String.raw`--allow-delete 'cron/a.b/it'\''s'`);
});

test("writes a number for more than five deletions of a kind: of all that the plan deletes, refused or not", () => {
  const jobs = Array.from({ length: 7 }, (_, index) => `cron/a.b/${index}`);
  const refused = (count: number) => jobs.slice(0, count).map((address) => refusal("--allow-delete", address));
  expect(flagsFor(refused(6), jobs)).toBe("--allow-delete 'cron/*=7'");
  expect(flagsFor(refused(2), jobs)).toBe("--allow-delete cron/a.b/0 --allow-delete cron/a.b/1");
});

test("names updates one by one: a number counts deletions", () => {
  const zones = Array.from({ length: 6 }, (_, index) => `dnssec/${index}.example`);
  expect(flagsFor(zones.map((address) => refusal("--allow-delete", address)))).not.toContain("*");
});

test("writes the name and the number of deletions for a customer that is removed whole", () => {
  const bakery = ["service/a.b", "dns_zone/a.b", "dns_record/a.b/www/A", "mailbox/info@a.b"];
  const all = [...bakery, "cron/c.d/x", "dns_record/a.b/@/A"];
  const refusals = [...bakery, "cron/c.d/x"].map((address) => refusal("--allow-delete", address));
  expect(flagsFor(refusals, all)).toBe("--allow-delete a.b=5 --allow-delete cron/c.d/x");
  // An update below that name is not counted, and what is deleted alone is named by its address.
  expect(flagsFor([...refusals, refusal("--allow-delete", "dnssec/a.b")], all)).toContain(" --allow-delete dnssec/a.b");
  expect(flagsFor([refusal("--allow-delete", "dns_zone/a.b")], all)).toBe("--allow-delete dns_zone/a.b");
});
