import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { renderRefusals } from "../../src/render/refusals-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { plainPage } from "../support/plain-page.ts";
import { committable } from "../../src/render/refusals-text.ts";
import type { Address } from "../../src/model/address.ts";
import { inventoryAfterRun } from "../../src/state/inventory/owned-after.ts";
import { emptyInventory } from "../../src/model/inventory.ts";
import type { Ownership } from "../../src/model/plan-input.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Report } from "../../src/model/report.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, type Lists, ours, record, zone } from "../plan/build-input.ts";
import { cron, liveJobs } from "../plan/crons.ts";

/** The effect of a committed entry under `removed:` on a plan. */
const now = Date.parse("2026-01-01T00:00:00Z");
const refused = ({ refusals }: Plan) => refusals.map(({ code, address }) => `${code} ${address}`);
const service = "service/example.com";
const removing = (...all: string[]) =>
  `policy: { protect: [cron] }\nremoved: [${all.map((address) => `{ address: ${address}, action: delete }`).join(", ")}]`;
const committed = (all: readonly string[], more: Partial<Ownership> = {}) => ({
  ownership: { ...ours([...all]).ownership, removals: addresses(...all), ...more },
});
const planWith = async (manifest: string, lists: Lists, held: { ownership: Ownership }, consent = {}) =>
  plan(await buildInput(manifest, lists, consent, now, held));

test("allows the deletion of its own address", async () => {
  const made = await planWith(removing(cron("a")), liveJobs("a"), committed([cron("a")]));
  expect([made.steps.map(({ id }) => id), made.refusals]).toEqual([[`delete ${cron("a")}`], []]);
  expect(refused(await planWith(removing(cron("a")), liveJobs("a"), ours([cron("a")])))).toEqual([
    `protected ${cron("a")}`,
  ]);
});

test("allows nothing that the manifest of this run does not name", async () => {
  const made = await planWith(
    "policy: { protect: [cron] }\nservices: { example.com: }",
    liveJobs("a"),
    committed([cron("a")]),
  );
  expect(refused(made)).toEqual([`protected ${cron("a")}`]);
});

test("allows no replacement", async () => {
  const manifest = "services: { example.com: { datacenter: BCN1 } }";
  const made = await planWith(manifest, liveJobs(), committed([service]));
  expect(refused(made)).toEqual([`protected ${service}`]);
});

test.each([
  ["not_committed", "is consent once it is committed"],
  ["not_in_git", "does not count, because its file is in no git repository"],
  ["rolled_back", "does not count, because this commit does not contain that of the last apply"],
] as const)("says why an entry does not count as consent: %s", async (why, text) => {
  const uncounted = new Map([...addresses(cron("a"))].map((address) => [address, why]));
  const { ownership } = committed([cron("a")], { removals: addresses(), uncounted });
  const { refusals } = await planWith(removing(cron("a")), liveJobs("a"), { ownership });
  expect(refusals[0]?.summary).toBe(
    `${cron("a")} would be deleted (named under removed:); its kind is protected; its entry under removed: ${text}`,
  );
  expect(/, or commit .+$/u.test(refusals[0]?.hint ?? "")).toBe(why === "not_committed");
});

test("says of an entry that was carried out when it was, and keeps the hint of its spelling where that is not known", async () => {
  const manifest = removing(cron("gone"), cron("unknown"), cron("mispelt"));
  const inventory = { ...ours([]).ownership.inventory, removed: addresses(cron("gone"), cron("unknown")) };
  const carriedOut = new Map([...addresses(cron("gone"))].map((address) => [address, "2026-01-01T00:00:00Z"]));
  const held = committed([], {
    inventory: { ...inventory, addresses: addresses(), preventDestroy: addresses() },
    carriedOut,
  });
  const { diagnostics } = await planWith(manifest, liveJobs("a"), held);
  const told = diagnostics
    .filter(({ code }) => code === "already_removed")
    .map(({ summary, hint }) => `${summary}; ${hint}`);
  expect(told).toEqual([
    `${cron("gone")} was deleted by an earlier apply: its entry under removed: was carried out at 2026-01-01T00:00:00Z; take the entry out`,
    `${cron("unknown")} does not exist: an earlier apply deleted it, or found nothing to delete; take the entry out, or check its spelling`,
    `${cron("mispelt")} is named under removed: and does not exist; take the entry out, or check its spelling`,
  ]);
});

describe("is never over", () => {
  test("a number of deletions that the plan contradicts", async () => {
    const given = [removing(cron("a")), liveJobs("a", "b"), committed([cron("a")])] as const;
    const count = (number: number) => ({ deleteCounts: new Map([["cron", number]]) });
    expect(refused(await planWith(...given, count(2)))).toEqual([`over_budget ${cron("a")}`]);
    expect(refused(await planWith(...given, count(1)))).toEqual([]);
  });

  test("prevent_destroy", async () => {
    const { inventory } = ours([cron("a")], [cron("a")]).ownership;
    const made = await planWith(removing(cron("a")), liveJobs("a"), committed([cron("a")], { inventory }));
    expect(refused(made)).toEqual([`prevent_destroy ${cron("a")}`]);
  });

  test("children that stay, each of which needs an entry of its own", async () => {
    const made = await planWith(removing(service), liveJobs("a"), committed([service]));
    expect(refused(made)).toEqual([`has_children ${service}`]);
    const half = await planWith(removing(service, cron("a")), liveJobs("a"), committed([service]));
    expect(refused(half)).toEqual([`protected ${cron("a")}`]);
    const both = await planWith(removing(service, cron("a")), liveJobs("a"), committed([service, cron("a")]));
    expect(both.refusals).toEqual([]);
  });

  test("the records of a zone, as the flag is", async () => {
    const lists: Lists = inZone(record("a", "A", "192.0.2.1"));
    const [parent, child] = ["dns_zone/example.com", "dns_record/example.com/a/A"];
    const manifest = `policy: { protect: [dns_record] }\nremoved: [${[parent, child].map((each) => `{ address: ${each}, action: delete }`).join(", ")}]`;
    expect(refused(await planWith(manifest, lists, committed([parent])))).toEqual([`protected ${child}`]);
    expect((await planWith(manifest, lists, ours([]), { deletes: addresses(parent) })).refusals).toEqual([]);
  });

  test("the consent that DNSSEC asks for", async () => {
    const signed = { enabled: true, algorithm: 13, status: "active", ds: [], keys: [] };
    const lists: Lists = { "/dns/zones": [zone], "/dns/zones/z1/dnssec": [signed] };
    const address = "dnssec/example.com";
    const made = await planWith(removing(address), lists, committed([address]));
    if (made.steps.length > 0) expect(refused(made)).toEqual([`protected ${address}`]);
    expect(made.steps).not.toEqual([]);
  });

  test("a list that was cut short", async () => {
    const foreign = { id: "c9", service_id: "s2", name: "z" };
    const lists = {
      ...liveJobs("a"),
      "/crons?service_id=s1": [...(liveJobs("a")["/crons?service_id=s1"] ?? []), foreign],
    };
    expect(refused(await planWith(removing(cron("a")), lists, committed([cron("a")])))).toEqual([
      `incomplete_read ${cron("a")}`,
    ]);
  });

  test("an older commit", async () => {
    const made = await planWith(removing(cron("a")), liveJobs("a", "b"), committed([cron("a")], { rolledBack: true }));
    expect(made.refusals.map(({ code }) => code)).toEqual(["rolled_back"]);
  });
});

describe("once it was carried out", () => {
  const done = (...all: string[]) => {
    const inventory = { addresses: addresses(), preventDestroy: addresses(), removed: addresses(...all) };
    return { ownership: { ...ours([]).ownership, inventory } };
  };

  test("it is kept in mind while it stands, and a deletion that was not confirmed is not", async () => {
    const made = await planWith(removing(cron("a"), cron("b")), liveJobs("a"), committed([cron("a")]));
    expect(made.owned.removed).toEqual([cron("a"), cron("b")]);
    const outcomes = (is: "done" | "failed") =>
      ({ outcomes: made.steps.map((step) => ({ step, outcome: { is } })) }) as unknown as Report;
    expect(inventoryAfterRun(emptyInventory, made, outcomes("done")).removed).toEqual(addresses(cron("a"), cron("b")));
    expect(inventoryAfterRun(emptyInventory, made, outcomes("failed")).removed).toEqual(addresses(cron("b")));
    // An earlier apply has deleted it, and this one has put it back: the entry is not carried out.
    const [address, request] = [cron("b") as Address, { method: "POST", path: "/crons" }];
    const putBacks = [{ address, by: address, ...request, outcome: { is: "put_back" as const } }];
    const report = { ...outcomes("done"), putBacks };
    expect(inventoryAfterRun(emptyInventory, made, report).removed).toEqual(addresses(cron("a")));
    const out = await planWith("services: { example.com: }", liveJobs(), done(cron("a")));
    expect(out.owned.removed).toBeUndefined();
  });

  test("what exists again is named, and needs the flag, of whatever kind", async () => {
    const manifest = removing(cron("a")).replace("policy: { protect: [cron] }\n", "");
    const made = await planWith(manifest, liveJobs("a", "b"), done(cron("a")));
    expect(made.refusals).toMatchObject([
      { address: cron("a"), hint: `--allow-delete ${cron("a")}`, summary: expect.stringContaining("exists again") },
    ]);
    const allowed = await planWith(manifest, liveJobs("a", "b"), done(cron("a")), { deletes: addresses(cron("a")) });
    expect(allowed.refusals).toEqual([]);
  });
});

test("the plan of a pull request prints the lines that would consent, unless they would allow a part of it only", async () => {
  const manifest = "policy: { protect: [cron] }\nservices: { example.com: { datacenter: BCN1 } }";
  const made = await planWith(manifest, liveJobs("a"), ours([service, cron("a")]));
  expect(refused(made)).toContain(`protected ${service}`);
  expect(committable(made)).toEqual([]);
  const going = await planWith("policy: { protect: [cron] }", liveJobs("a"), ours([cron("a")]));
  expect(committable(going)).toEqual([cron("a")]);
  // An entry that stands there already would not help.
  expect(committable(await planWith(removing(cron("a")), liveJobs("a"), ours([cron("a")])))).toEqual([]);
});

test("the printed lines, once they are committed, consent to all that goes: to parents and to each child", () => {
  const jobs = ["a", "b", "c", "d", "e"];
  const shop = { id: "b1", etag: "eb1", service_id: "s1", name: "shop", engine: "mariadb", charset: "utf8mb4" };
  const lists = { ...liveJobs(...jobs), "/databases?service_id=s1": [shop] };
  const all = [service, "database/example.com/shop", ...jobs.map(cron)];
  const whole = "{ schedule: '0 3 * * *', command: x }";
  return forDraws(40, fc.subarray(all), fc.boolean(), async (chosen, protects) => {
    const going = chosen.includes(service) ? all : chosen;
    const kept = jobs.filter((name) => !going.includes(cron(name)));
    const declared =
      going === all
        ? ""
        : `services: { example.com: }
databases: { example.com: { databases: { ${going.includes(all[1] ?? "") ? "" : "shop:"} } } }
crons: { example.com: { jobs: { ${kept.map((name) => `${name}: ${whole}`).join(", ")} } } }\n`;
    const policy = protects ? "policy: { protect: [cron] }\n" : "";
    const made = await planWith(policy + declared, lists, ours(all));
    const deleted = made.steps.map(({ address }) => address).toSorted();
    expect(deleted).toEqual([...going].sort());
    const lines = renderRefusals(made, plainPage);
    const at = lines.findIndex((line) => line.trim() === "removed:");
    const printed =
      at < 0
        ? ""
        : `${lines
            .slice(at)
            .map((line) => line.slice(4))
            .join("\n")}\n`;
    const { removed = [] } = (parse(printed) ?? {}) as { removed?: { address: string; action: string }[] };
    expect(removed.map(({ address }) => address).toSorted()).toEqual(refusedAddresses(made));
    const inGit = ours(all).ownership;
    const entries = { ownership: { ...inGit, removals: addresses(...removed.map(({ address }) => address)) } };
    const next = await planWith(policy + declared + printed, lists, entries);
    expect([next.refusals, next.steps.map(({ address }) => address).toSorted()]).toEqual([[], deleted]);
  });
});

test.each([
  ["jo", ["mailbox/jo@example.com"]],
  ["jo smith", []],
  ["", []],
])("the printed lines name no address that a manifest cannot have: %j", async (local, printed) => {
  const box = { id: "m1", etag: "em1", address: `${local}@example.com` };
  const lists = { ...liveJobs(), "/mail/accounts?domain=example.com": [box] };
  const made = await planWith(
    "services: { example.com: }\nmail: { example.com: { exclusive: true } }",
    lists,
    ours([]),
  );
  expect(made.refusals.map(({ flag }) => flag)).toContain("--allow-delete");
  expect(committable(made)).toEqual(printed);
});

const refusedAddresses = ({ refusals }: Plan) => refusals.flatMap(({ address }) => address ?? []).toSorted();
