import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { refusals as refuse, type Refusal } from "../../src/messages/refusals.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { CollectionId } from "../../src/model/resource.ts";
import { planEvents } from "../../src/render/json-events.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { checkEvents } from "../support/run-hostform.ts";
import { forDraws } from "../support/for-draws.ts";
import { planOf, stepOf } from "../support/make-step.ts";
import { plainPage } from "../support/plain-page.ts";

const text = (more: Partial<Plan>, showIgnored = false) =>
  renderPlan(planOf({ unchanged: 1000, ...more }), { ...plainPage, showIgnored, now: 0 });
const addresses = (count: number, of = "example.com") =>
  Array.from({ length: count }, (_, index) => `dns_record/${of}/n${index}/A` as Address);
const unmanagedIn = (count: number) => ({
  collection: `dns_record/zone${count}.example` as CollectionId,
  addresses: addresses(count, `zone${count}.example`),
});

test("taking what an apply takes over out of the manifest deletes it, unless the API cannot delete it", () =>
  forDraws({}, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 5 }), (count, undeletable) => {
    const adopts = addresses(count);
    const lasting = adopts.slice(0, undeletable);
    const printed = text({ adopts, ...(lasting.length > 0 && { lasting }) }).replaceAll(/\s+/gu, " ");
    expect(printed).toContain("Once this is applied, Hostform manages ");
    expect(printed.includes("out of the manifest then deletes it")).toBe(lasting.length < count);
    expect(printed.includes("where the API can.")).toBe(lasting.length > 0 && lasting.length < count);
  }));

describe("the content of a resource that goes", () => {
  test.each([
    ["database/example.com/shop", "tables"],
    ["mailbox/info@example.com", "mails"],
    ["service/example.com", "files"],
  ])("%s: its %s are deleted for good, by a deletion and by a replacement", (address, content) => {
    expect(text({ steps: [stepOf(address, { action: "delete" })] })).toContain(
      `! its ${content} are deleted for good\n`,
    );
    const on_refusal = [{ address: address as Address, is: "lost" as const, reason: "no call brings that back" }];
    const replaced = text({ steps: [stepOf(address, { replaces: true, on_refusal })] });
    expect(replaced).toContain(`! its ${content} are deleted for good: it is empty afterwards\n`);
    expect(replaced).toContain(`! if the server refuses this, ${address} is not put back: `);
  });

  test("of a domain is not known by the host's API, and a plan says so of its deletion alone", () => {
    const risk = "! whether its registration ends, or only its place in this account, is up to the host\n";
    expect(text({ steps: [stepOf("domain/example.com", { action: "delete" })] })).toContain(risk);
    expect(text({ steps: [stepOf("domain/example.com", { action: "update" })] })).not.toContain(risk);
  });

  test.each(["create", "update", "renew"] as const)(
    "is not spoken of by a step that does not delete it: %s",
    (action) => {
      const steps = [
        stepOf("database/example.com/shop", { action }),
        stepOf("cron/example.com/a", { action: "delete" }),
      ];
      expect(text({ steps })).not.toContain("for good");
    },
  );
});

describe("what is not managed", () => {
  test("names five collections and counts the rest", () => {
    const shown = text({ unmanaged: [1, 2, 3, 4, 5, 6, 7].map(unmanagedIn) });
    expect(shown).toContain("dns_record/zone5.example: 5 (n0/A, n1/A, …)\n");
    expect(shown).not.toContain("zone6");
    expect(shown).toContain("and 13 more in 2 other collections");
  });

  test("closes its brackets, however long a name is", () =>
    forDraws({}, fc.integer({ min: 1, max: 120 }), (length) => {
      const address = `certificate/${"a".repeat(length)}.example/managed` as Address;
      const shown = text({ unmanaged: [{ collection: "certificate" as CollectionId, addresses: [address] }] });
      expect(shown).toMatch(/^ {2}certificate: 1 \(a.{1,70}\)$/mu);
    }));

  test("never makes one changed field longer than a kilobyte", async () => {
    const changed = stepOf("mailbox/info@example.com", {
      action: "update",
      changes: [{ path: "quota_mb", before: { is: "value", value: 1 }, after: { is: "value", value: 2 } }],
    });
    await forDraws({ numRuns: 30 }, fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 60 }), (counts) => {
      expect(Buffer.byteLength(text({ steps: [changed], unmanaged: counts.map(unmanagedIn) }))).toBeLessThan(1024);
    });
  });
});

test("lists that were not read for one reason stand in one sentence, and a reason of its own in another", () => {
  const reason = "GET /v2026/services: 500";
  const shown = text({
    incomplete: [
      { collection: "cron/a.example" as CollectionId, reason },
      { collection: "domain" as CollectionId, reason: "GET /v2026/domains: 502" },
      { collection: "service" as CollectionId, reason },
    ],
  });
  expect(shown).toContain("! The lists of cron/a.example, service are incomplete: GET /v2026/services: 500\n");
  expect(shown).toContain("! The list of domain is incomplete: GET /v2026/domains: 502\n");
});

test("sums count no step of a list that was not read whole, listed or folded", () => {
  const steps = [stepOf("cron/example.com/a"), stepOf("cron/example.com/b", { action: "delete" })];
  const unread = addresses(60).map((address, at) => stepOf(address, { action: at % 2 ? "create" : "delete" }));
  const refusals = unread.map((each): Refusal => refuse.incompleteRead(each));
  const incomplete = [{ collection: "dns_record/example.com" as CollectionId, reason: "500" }];
  for (const count of [1, 60]) {
    const [more, refused] = [unread.slice(0, count), refusals.slice(0, count)];
    const shown = text({ steps: [...steps, ...more], refusals: refused, incomplete });
    expect(shown).toContain("Plan: 1 to add, 0 to change, 1 to destroy.\n");
    expect(shown).toContain(
      `The changes to ${count} resource${count > 1 ? "s" : ""} are not known, because the list above is`,
    );
    expect(shown).toContain("Check first: 1 deletion\n");
    const none = text({ steps: more, refusals: refused, incomplete });
    expect(none).toContain("No plan: the changes to");
    expect(none).not.toMatch(/\d+ (?:to add|to change|to destroy|deletions?|calls?)\b/u);
  }
});

describe("a long plan", () => {
  const long = [
    ...addresses(32).map((address) => stepOf(address)),
    ...addresses(14, "example.net").map((address) => stepOf(address, { action: "update" })),
    ...addresses(3, "example.org").map((address) => stepOf(address, { action: "delete" })),
    stepOf("service/a.example", { action: "delete", replaces: true }),
    stepOf("service/a.example", { replaces: true }),
    stepOf("mailbox/info@example.com"),
  ];

  test("has its dangers in full, a replacement once, and sums by kind and by domain of the rest", () => {
    const [, dangers, kinds, domains] = text({ steps: long }).split("\n\n");
    expect(dangers).toMatch(/^Check first: 3 deletions, 1 replacement\n/u);
    expect(dangers?.split("\n")).toHaveLength(1 + 3 + 2);
    expect(dangers).toMatch(/^ +50 -\/\+ service\/a\.example .*must be replaced .*created again in step 51 /mu);
    expect(kinds).toMatch(/^The other 47 steps, .*--full shows each\):\n {2}dns_record {2,}32 to add, 14 to change\n/u);
    expect(kinds).toMatch(/\n {2}mailbox {2,}1 to add$/u);
    expect(domains).toMatch(/^ {2}example\.com {2,}33 to add\n {2}example\.net {2,}14 to change$/u);
  });

  test("names each change of MX or name servers before all others, wherever it stands, and no change of a TTL", async () => {
    const changed = (address: string, path: string) =>
      stepOf(address, {
        action: "update",
        changes: [
          { path, before: { is: "value", value: "mx.old.test." }, after: { is: "value", value: "mx.new.test." } },
        ],
      });
    const reroute = fc.constantFrom(
      changed("domain/shop.example", "nameservers"),
      changed("dns_record/shop.example/@/MX", "value"),
      changed("dns_record/shop.example/@/MX", "disabled"),
      changed("dns_record/shop.example/dev/NS", "value"),
    );
    const harmless = fc.constantFrom(
      changed("domain/shop.example", "auto_renew"),
      changed("dns_record/shop.example/@/MX", "ttl"),
      changed("dns_record/shop.example/www/CNAME", "value"),
      stepOf("dns_record/shop.example/@/MX"),
    );
    await forDraws({}, reroute, harmless, fc.nat({ max: 60 }), (danger, other, place) => {
      const steps = addresses(60).map((address) => changed(address, "value"));
      const shown = text({ steps: steps.toSpliced(place, 0, danger) });
      const head = `Check first: 1 MX or name server change\n  ${place + 1} ~ ${danger.address} `;
      expect(
        shown.slice(shown.indexOf("Check"), shown.indexOf("The other 60 steps")).replaceAll(/ +/gu, " "),
      ).toContain(head.replaceAll(/ +/gu, " "));
      expect(text({ steps: steps.toSpliced(place, 0, other) })).not.toContain("Check first");
    });
  });

  test("ends with the sums of all of it", () => {
    expect(text({ steps: long })).toMatch(/Plan: 34 to add, 14 to change, 4 to destroy\.\n.*\n$/u);
  });

  test("is listed up to fifty steps", () => {
    const most = addresses(50).map((address) => stepOf(address));
    expect(text({ steps: most })).toContain("n49/A");
    expect(text({ steps: [...most, stepOf("mailbox/info@example.com")] })).not.toContain("n49/A");
  });

  test("names thirty domains at most", () => {
    const many = Array.from({ length: 60 }, (_, index) => stepOf(`dns_record/z${index}.example/@/A`));
    expect(text({ steps: many })).toContain("\n  and 30 steps in 30 other domains or services\n");
  });

  test("is the same in colour", () => {
    const colored = renderPlan(planOf({ steps: long }), { ...plainPage, color: true, showIgnored: false, now: 0 });
    expect(stripVTControlCharacters(colored)).toBe(text({ steps: long }));
  });
});

test.each([
  ["this_change", "[this change]"],
  ["drift", "[drift]"],
  ["both", "[both]"],
  ["not_made", "[not made by the last apply]"],
] as const)("a step that comes of %s says %s before its place", (origin, word) => {
  expect(text({ steps: [stepOf("domain/a.example", { origin })] })).toContain(
    `domain/a.example   ${word}   m.yaml:3\n`,
  );
});

test("what was left out is counted and named in part", () => {
  expect(text({ leftOut: addresses(12) })).toContain(
    "Not selected by the flags given: 12 (dns_record/example.com/n0/A, dns_record/example.com/n1/A,\n  dns_record/example.com/n2/A, …)",
  );
});

describe("differences in spelling", () => {
  const ignoredSpellings = [
    { address: "mailbox/a@x.example" as Address, path: "quota_mb", written: "2 GiB", live: 2048 },
    { address: "dns_record/x.example/@/MX" as Address, path: "content", written: "MX.test", live: "mx.test.\u001b[2J" },
  ];

  test("are counted, also where there is nothing to change", () => {
    expect(text({ ignoredSpellings })).toContain("2 differences in formatting ignored (--show-ignored lists them).");
    expect(text({ ignoredSpellings })).not.toContain("2 GiB");
    expect(text({ ignoredSpellings, steps: [stepOf("domain/a.example")] })).toContain("2 differences in formatting");
  });

  test("are listed on request, with nothing that drives a terminal", () => {
    const shown = text({ ignoredSpellings }, true);
    expect(shown).toContain('mailbox/a@x.example quota_mb: written "2 GiB", live 2048');
    expect(shown).not.toContain("--show-ignored");
    expect(shown).not.toContain("\u001b");
  });

  test("are counted in the events, and are events of their own on request", () => {
    const version = { type: "version", format: 1, hostform: "0" };
    const events = planEvents(planOf({ ignoredSpellings, leftOut: addresses(1) }), { showIgnored: true });
    expect(checkEvents([version, ...events])).toEqual([]);
    expect(events.at(-1)).toMatchObject({ ignored_spellings: 2 });
    expect(events).toContainEqual({ type: "left_out", addresses: ["dns_record/example.com/n0/A"] });
    expect(events.filter(({ type }) => type === "ignored_spelling")).toHaveLength(2);
    const counted = planEvents(planOf({ ignoredSpellings }), { showIgnored: false });
    expect(counted.filter(({ type }) => type === "ignored_spelling")).toEqual([]);
  });
});
