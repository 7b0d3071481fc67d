import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Step } from "../../src/model/plan.ts";
import type { CollectionId } from "../../src/model/resource.ts";
import { itemsOfDrift, titleOfPage } from "../../src/render/page/page-items.ts";
import { groupSteps, numberSteps } from "../../src/render/plan-groups.ts";
import { renderSums } from "../../src/render/plan-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { pageSources } from "../support/page-source.ts";
import { plainPage } from "../support/plain-page.ts";

const step = (address: string) =>
  ({ id: `create ${address}`, address: address as Address, action: "create", replaces: false }) as Step;

test("a certificate of several names is grouped with its customer, wherever the customer's name stands among them", async () => {
  const customer = "butcher.example";
  const others = ["aaa.example", "www.zzz.example", "mmm.example"];
  const own = fc.constantFrom([customer], [`www.${customer}`], [customer, `www.${customer}`]);
  await forDraws({}, own, fc.subarray(others), fc.boolean(), (names, alien, isFirst) => {
    const certificate = step(`certificate/${[...names, ...alien].sort().join("+")}/managed`);
    const rest = [step(`service/${customer}`), step(`dns_record/${customer}/@/A`), step("service/baker.example")];
    const groups = groupSteps(numberSteps(isFirst ? [certificate, ...rest] : [...rest, certificate]));
    expect([...groups.keys()].sort()).toEqual(["baker.example", customer]);
    expect(groups.get(customer)?.map(({ step: each }) => each)).toContain(certificate);
  });
});

test("a certificate of a domain that no other step is about has a group by its first name", () => {
  const groups = groupSteps(numberSteps([step("certificate/a.example+www.a.example/managed")]));
  expect([...groups.keys()]).toEqual(["a.example"]);
});

test("a page of drift puts changed MX records and name servers with the dangers, as that of a plan does", () => {
  const changed = (address: string, path: string) => ({
    address: address as Address,
    is: "differs" as const,
    changes: [{ path, before: { is: "value", value: "a.test." }, after: { is: "value", value: "b.test." } } as const],
  });
  const items = [
    changed("dns_record/shop.example/@/MX", "value"),
    changed("dns_record/shop.example/@/MX", "ttl"),
    changed("dns_record/shop.example/www/CNAME", "value"),
    changed("domain/shop.example", "nameservers"),
    changed("mailbox/info@shop.example", "quota_mb"),
  ];
  const target = { name: "shop", baseUrl: "https://api.test/", contract: "v2026", emulator: false };
  const drift = { target, lastApply: undefined, items, tolerated: [], incomplete: [] };
  expect(itemsOfDrift(drift, plainPage).map(({ isDanger }) => isDanger)).toEqual([true, false, false, true, false]);
});

const unread = [{ collection: "mailbox/a.example" as CollectionId, reason: "500" }];
const request = { collection: "dns_record/a.example" as CollectionId, due: true };
const messages = { diagnostics: [], notices: [] };

test.each([
  [{}, "No changes", ""],
  [{ incomplete: unread }, "No changes known", ", 1 list incomplete"],
  [{ afterRequests: [request] }, "No changes to resources", ""],
  [{ afterRequests: [request], incomplete: unread }, "No changes known", ", 1 list incomplete"],
])("a plan without steps says what is known to be the same: %j", (more, none, rest) => {
  const { plan } = pageSources().plan;
  if (!plan) throw new Error("no plan");
  const empty = { ...plan, steps: [], refusals: [], incomplete: [], ...more };
  expect(titleOfPage({ plan: empty, ...messages })).toBe(`Hostform: ${none.toLowerCase()}${rest}`);
  expect(renderSums(empty, { ...plainPage, showIgnored: false, now: 0 })[0]).toContain(`${none}. `);
});

test("the title of a plan, an apply and drift says that lists were not read whole, and that of an apply what is left", () => {
  const { plan, report, drift } = pageSources();
  if (!plan.plan || !drift.drift) throw new Error("no plan");
  const broken = { ...plan.plan, steps: [], refusals: [], incomplete: unread };
  const end = /, 1 list incomplete$/u;
  expect(titleOfPage({ plan: { ...plan.plan, incomplete: unread }, ...messages })).toMatch(end);
  expect(titleOfPage({ ...report, rest: broken })).toMatch(end);
  expect(titleOfPage({ ...report, rest: { ...broken, incomplete: [] } })).not.toMatch(/incomplete|match/u);
  expect(titleOfPage({ ...report, rest: plan.plan })).toContain("; the live state does not match");
  const none = { ...drift.drift, items: [], tolerated: [], incomplete: unread };
  expect(titleOfPage({ drift: none, ...messages })).toBe("Hostform: No drift known, 1 list incomplete.");
});
