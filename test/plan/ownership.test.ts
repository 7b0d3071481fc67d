import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeReason } from "../../src/messages/step-reasons.ts";
import type { Address } from "../../src/model/address.ts";
import type { Plan } from "../../src/model/plan.ts";
import { marksByAddress } from "../../src/plan/owned-when-done.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, type Lists, ours, record, service, zone } from "./build-input.ts";
import { cron, declareJobs, liveJobs, whole } from "./crons.ts";
import { ids, told } from "./plan-results.ts";
import { forDraws } from "../support/for-draws.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const everyCron = { deleteCounts: new Map([["cron", 1]]) };

test.each([false, true])(
  "a certificate is at the service of the newest one, and an older one keeps its own service from being deleted (newest first: %s)",
  async (isFirst) => {
    const at = (id: string, month: string) => ({
      id,
      service_id: id,
      domains: ["example.com"],
      type: "managed",
      created_at: `2025-${month}-01T00:00:00Z`,
    });
    const certificates = [at("s1", "01"), at("s2", "02")];
    const lists: Lists = {
      "/services": [service, { ...service, id: "s2", domain: "other.example" }],
      "/ssl/certificates": isFirst ? certificates.toReversed() : certificates,
    };
    const declared = "services: { other.example: }\ncertificates: { other.example: [{ domains: [example.com] }] }";
    const input = await buildInput(declared, lists);
    expect(input.live.resources.get("certificate/example.com/managed" as Address)?.key["service"]).toBe(
      "other.example",
    );
    expect(ids(plan(input))).toEqual([]);
    const removed = "removed: [{ address: service/example.com, action: delete }]";
    expect(plan(await buildInput(`${declared}\n${removed}`, lists)).refusals).toMatchObject([
      { code: "has_children", summary: expect.stringContaining("certificate/example.com/managed belongs to it") },
    ]);
  },
);

describe("what is ours and no longer declared", () => {
  const declared = declareJobs(`a: ${whole}, b: ${whole}`);
  const live = liveJobs("a", "b", "old", "theirs");
  const held = ours([cron("a"), cron("b"), cron("old")]);

  test("is deleted, and nothing else that is not declared is", async () => {
    const made = plan(await buildInput(declared, live, {}, now, held));
    expect(ids(made)).toEqual(["delete cron/example.com/old"]);
    expect(made.steps.map(describeReason)[0]).toBe("in the inventory, and no longer declared");
    expect(made.refusals).toEqual([]);
    expect(made.owned.addresses).toEqual([cron("a"), cron("b")]);
    expect(made.unmanaged).toEqual([{ collection: "cron/example.com", addresses: [cron("theirs")] }]);
  });

  test("goes after all that is created, and what depends on another goes before it", async () => {
    const lists = {
      ...liveJobs("old", "older"),
      ...inZone(record("gone", "A", "192.0.2.1"), record("also", "A", "192.0.2.1")),
    };
    const gone = [cron("old"), cron("older"), "dns_record/example.com/gone/A", "dns_record/example.com/also/A"];
    const manifest = `${declareJobs(`b: ${whole}, a: ${whole}`)}\ndns: { example.com: { records: { new: { A: 192.0.2.1 } } } }`;
    const made = plan(await buildInput(manifest, lists, { deletes: addresses(...gone) }, now, ours(gone)));
    const created = ids(made).filter((id) => id.startsWith("create"));
    expect(created).toHaveLength(3);
    expect(ids(made).slice(0, 3)).toEqual(created);
    expect(ids(made).filter((id) => id.includes("cron/"))).toEqual(
      ["create", "create", "delete", "delete"].map(
        (action, index) => `${action} ${cron(["a", "b", "old", "older"][index] ?? "")}`,
      ),
    );
  });

  test("stays where no inventory is known", async () => {
    expect(plan(await buildInput(declared, live)).steps).toEqual([]);
  });

  test("stays, and leaves the inventory, where removed: says forget", async () => {
    const manifest = `${declared}\nremoved: [{ address: ${cron("old")}, action: forget }]`;
    const made = plan(await buildInput(manifest, live, {}, now, held));
    expect(made.steps).toEqual([]);
    expect(made.owned.addresses).not.toContain(cron("old"));
  });

  test("stays in the inventory if ignore names it, and this is reported", async () => {
    const manifest = declareJobs(`a: ${whole}, b: ${whole}`, "ignore: [o*],");
    const made = plan(await buildInput(manifest, live, {}, now, held));
    expect(made.steps).toEqual([]);
    expect(made.diagnostics).toMatchObject([{ severity: "notice", code: "ours_but_stays" }]);
    expect(made.owned.addresses).toContain(cron("old"));
  });

  test("stays if the API cannot delete it, and this is reported", async () => {
    const address = "certificate/example.com/managed";
    const certificate = { id: "x1", service_id: "s1", domains: ["example.com"], type: "managed", status: "issued" };
    const lists: Lists = { "/services": [service], "/ssl/certificates": [certificate] };
    const made = plan(await buildInput("services: { example.com: }", lists, {}, now, ours([address])));
    expect(made.steps).toEqual([]);
    expect(told(made)).toEqual(["ours_but_stays"]);
  });

  test("is found under its declared name, though the server has prefixed it", async () => {
    const address = "database/example.com/shop";
    const lists = {
      "/services": [service],
      "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name: "u123_shop", engine: "mariadb" }],
    };
    const consent = { deletes: addresses(address) };
    const made = plan(await buildInput("services: { example.com: }", lists, consent, now, ours([address])));
    expect(ids(made)).toEqual([`delete ${address}`]);
    expect(made.refusals).toEqual([]);
    expect(made.owned.addresses).toEqual([]);
  });

  test("stays where the platform owns it", async () => {
    const lists = inZone(record("@", "NS", "ns1.test.", { managed: true }));
    const held = ours(["dns_record/example.com/@/NS"]);
    expect(plan(await buildInput("dns: { example.com: }", lists, {}, now, held)).steps).toEqual([]);
  });
});

describe("a commit that does not contain that of the last apply", () => {
  const rolledBack = { ownership: { ...ours([cron("old")], [], ["cron/example.com"]).ownership, rolledBack: true } };
  const manifest = declareJobs(`a: ${whole}`, "exclusive: true,");
  const live = liveJobs("a", "old", "theirs");

  test("is refused once, with all that it would delete", async () => {
    const made = plan(await buildInput(manifest, live, {}, now, rolledBack));
    expect(ids(made)).toEqual([`delete ${cron("old")}`, `delete ${cron("theirs")}`]);
    expect(made.refusals).toMatchObject([
      { code: "rolled_back", flag: "--rollback", hint: expect.stringContaining(`${cron("old")}, ${cron("theirs")}`) },
    ]);
  });

  test("is taken as it is with --rollback", async () => {
    const made = plan(await buildInput(manifest, live, { rollback: true }, now, rolledBack));
    expect(ids(made)).toEqual([`delete ${cron("old")}`, `delete ${cron("theirs")}`]);
    expect(made.refusals).toEqual([]);
  });
});

describe("a name that the server may have lengthened", () => {
  const manifest = `services: { example.com: }
databases: { example.com: { databases: { shop: { engine: mariadb } } } }`;
  const lists = {
    "/services": [service],
    "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name: "u123_shop", engine: "mariadb" }],
  };

  test("is not taken for ours where an inventory is kept that does not hold it", async () => {
    const made = plan(await buildInput(manifest, lists, {}, now, ours([])));
    expect(made.refusals).toMatchObject([
      { code: "in_the_way", hint: expect.stringContaining("--adopt database/example.com/shop") },
    ]);
  });

  test("is ours where it is in the inventory", async () => {
    const made = plan(await buildInput(manifest, lists, {}, now, ours(["database/example.com/shop"])));
    expect([made.steps, made.refusals]).toEqual([[], []]);
  });
});

describe("the inventory after an apply", () => {
  test("takes in what is managed or made, but not what an empty block only refers to", async () => {
    const manifest = "services: { example.com: }\ndomains: { new.example: , example.com: { auto_renew: true } }";
    const lists = { "/services": [service], "/domains": [{ id: "d1", name: "example.com", auto_renew: true }] };
    const { owned } = plan(await buildInput(manifest, lists));
    expect(owned.addresses).toEqual(["domain/example.com", "domain/new.example"]);
  });

  test("takes in an empty block that holds the blocks of others", async () => {
    const zones = ["a.example", "b.example", "c.example"];
    const held = (name: string) => (name === "c.example" ? "" : "{ records: { www: { A: 192.0.2.1 } } }");
    const manifest = `dns: { ${zones.map((name) => `${name}: ${held(name)}`).join(", ")} }`;
    const lists = { "/dns/zones": zones.map((name) => ({ ...zone, id: name, name })) };
    const { owned } = plan(await buildInput(manifest, lists));
    expect(owned.addresses.filter((address) => address.startsWith("dns_zone"))).toEqual([
      "dns_zone/a.example",
      "dns_zone/b.example",
    ]);
  });

  test("keeps what a list that is not whole does not show, and drops what a whole one does not", async () => {
    const foreign = { "/services": [service], "/crons?service_id=s1": [{ id: "c9", service_id: "s2", name: "z" }] };
    const manifest = "services: { example.com: }";
    const held = ours([cron("gone")]);
    expect(plan(await buildInput(manifest, foreign, {}, now, held)).owned.addresses).toEqual([cron("gone")]);
    expect(plan(await buildInput(manifest, liveJobs(), {}, now, held)).owned.addresses).toEqual([]);
  });

  test("takes in what exists already, which the plan names; not what it creates, and nothing without an inventory", async () => {
    const manifest = declareJobs(`a: ${whole}, b: ${whole}, c: ${whole}`);
    const adoptsOf = async (more = {}) => plan(await buildInput(manifest, liveJobs("a", "b"), {}, now, more)).adopts;
    expect(await adoptsOf(ours([cron("a")]))).toEqual([cron("b")]);
    expect(await adoptsOf(ours([cron("a"), cron("b")]))).toBeUndefined();
    expect(await adoptsOf()).toBeUndefined();
  });

  test("says which of what it takes in stay where they leave the manifest: the API deletes no mail settings", async () => {
    const manifest = `${declareJobs(`a: ${whole}`)}\nmail: { example.com: { settings: { catch_all: null } } }`;
    const lists = { ...liveJobs("a"), "/mail/settings/example.com": [{ catch_all: null }] };
    const made = plan(await buildInput(manifest, lists, {}, now, ours([])));
    expect(made.adopts).toEqual(expect.arrayContaining([cron("a"), "mail_settings/example.com"]));
    expect(made.lasting).toEqual(["mail_settings/example.com"]);
  });

  test("keeps an address of a kind that this version does not know", async () => {
    const held = ours(["vhost/example.com"]);
    expect(plan(await buildInput("services: {}", {}, {}, now, held)).owned.addresses).toEqual(["vhost/example.com"]);
  });
});

describe("whatever is declared, live, ours, removed, ignored or exclusive", () => {
  const names = ["a", "b", "c", "d", "e"];
  const fate = fc
    .record({
      live: fc.boolean(),
      declared: fc.constantFrom("no", "refers", "whole"),
      held: fc.boolean(),
      removed: fc.constantFrom("no", "delete", "forget"),
      ignored: fc.boolean(),
    })
    // What is declared cannot be removed or ignored, and what is not there cannot only be referred to.
    .map((each) => ({
      ...each,
      ignored: each.declared === "no" && each.ignored,
      declared: each.declared === "refers" && !each.live ? "whole" : each.declared,
      removed: each.declared === "no" ? each.removed : "no",
    }));
  type Fate = Parameters<Parameters<typeof fate.map>[0]>[0];
  const drawn = fc.record({
    fates: fc.tuple(fate, fate, fate, fate, fate),
    exclusive: fc.boolean(),
    known: fc.boolean(),
  });
  type Drawn = Parameters<Parameters<typeof drawn.map>[0]>[0];
  const pick = ({ fates }: Drawn, holds: (fate: Fate) => boolean) =>
    names.filter((_, index) => holds(fates[index] as Fate));

  const goes =
    ({ exclusive, known }: Drawn) =>
    ({ live, declared, held, removed, ignored }: Fate) =>
      live &&
      declared === "no" &&
      (removed === "delete" || (removed === "no" && !ignored && ((known && held) || exclusive)));

  function manifestOf(given: Drawn): string {
    const jobs = names.flatMap((name, index) => {
      const { declared } = given.fates[index] as Fate;
      return declared === "no" ? [] : [`${name}: ${declared === "refers" ? "" : whole}`];
    });
    const removed = names.flatMap((name, index) => {
      const { removed: action } = given.fates[index] as Fate;
      return action === "no" ? [] : [`{ address: ${cron(name)}, action: ${action} }`];
    });
    const ignore = pick(given, ({ ignored }) => ignored);
    const beside = `exclusive: ${given.exclusive}, ignore: [${ignore.join(", ")}],`;
    return `${declareJobs(jobs.join(", "), beside)}\nremoved: [${removed.join(", ")}]`;
  }

  async function planOf(given: Drawn, live: readonly string[], held: readonly string[]): Promise<Plan> {
    const more = given.known ? ours(held.map(cron)) : {};
    return plan(await buildInput(manifestOf(given), liveJobs(...live), everyCron, now, more));
  }

  test("exactly that is deleted which is to go, and the inventory holds what is ours then", () =>
    forDraws(150, drawn, async (given) => {
      const live = pick(given, (each) => each.live);
      const made = await planOf(
        given,
        live,
        pick(given, ({ held }) => held),
      );
      const deleted = made.steps.flatMap(({ action, address }) => (action === "delete" ? [address] : []));
      const gone = pick(given, goes(given));
      expect(deleted.toSorted()).toEqual(gone.map(cron));

      const owned = pick(given, (each) => {
        const before = given.known && each.held;
        if (each.declared !== "no") return before || each.declared === "whole";
        return before && each.live && !goes(given)(each) && each.removed !== "forget";
      });
      expect(made.owned.addresses).toEqual(owned.map(cron));

      const after = [
        ...new Set([
          ...live.filter((name) => !gone.includes(name)),
          ...pick(given, ({ declared }) => declared !== "no"),
        ]),
      ];
      const again = await planOf({ ...given, known: true }, after, owned);
      expect([again.steps, again.owned.addresses], "an apply leaves nothing to do").toEqual([[], owned.map(cron)]);
    }));
});

test("marks of secret fields are read back by address, in their order", async () => {
  const address = fc.constantFrom(cron("a"), "mailbox/info@example.com", "database_user/example.com/x");
  const field = fc.constantFrom("a", "command", "dkim.record");
  const marks = fc.uniqueArray(fc.tuple(address, field), { selector: (pair) => pair.join(" ") });
  await forDraws(30, marks, (pairs) => {
    const read = marksByAddress(new Set(pairs.map(([of, name]) => `${of} ${name}`)));
    expect([...read.keys()].toSorted()).toEqual([...new Set(pairs.map(([of]) => of))].toSorted());
    for (const [of, names] of read) expect(names).toEqual(pairs.flatMap(([at, name]) => (at === of ? [name] : [])));
  });
});

test("marks that name no address are left out", () => {
  const marks = ["cron/example.com command", "teapot/example.com/x content", `${cron("a")} command`];
  expect([...marksByAddress(new Set(marks))]).toEqual([[cron("a"), ["command"]]]);
});
