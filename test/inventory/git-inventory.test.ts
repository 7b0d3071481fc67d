import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { InventoryStore, LeaseHolder } from "../../src/model/inventory.ts";
import {
  afterApplies,
  applied,
  appliedBy,
  bob,
  codes,
  leaseClock,
  namesIn,
  noon,
  openWorkshop,
  ours,
  ref,
  take,
  target,
} from "./repositories.ts";
import type { Workshop } from "./repositories.ts";

let shop: Workshop;
beforeAll(() => {
  shop = openWorkshop();
});
afterAll(() => shop.close());

const minute = 60_000;

describe("an inventory in a git ref", () => {
  test("is absent before the first apply", async () => {
    const store = await shop.open(shop.clone(shop.makeRemote()));
    expect(await store.read()).toEqual({ inventory: undefined, notices: [], headContainsLastApply: "yes" });
  });

  test("goes from one clone to another, over the remote", async () => {
    const remote = shop.makeRemote();
    const store = await shop.open(shop.clone(remote));
    await store.read();
    const marked = { ...ours("a", "b"), preventDestroy: new Set(["domain/a.example" as Address]) };
    expect(await store.begin(marked)).toEqual({ is: "written", kept: true, notices: [] });
    expect(await store.finish({ ...marked, lastApply: appliedBy(store) }, "apply: 2 added")).toEqual([]);
    const other = await shop.open(shop.clone(remote), { runner: bob });
    const { inventory, notices, headContainsLastApply } = await other.read();
    expect(inventory).toEqual({ ...marked, lastApply: appliedBy(store) });
    expect({ notices, headContainsLastApply }).toEqual({ notices: [], headContainsLastApply: "yes" });
  });

  test("has one commit an apply, which says what it was, and touches neither index nor work tree", async () => {
    const { clone } = await afterApplies(shop, ["a"]);
    await applied(await shop.open(clone), "a", "b");
    expect(
      shop.git(clone, "log", "--format=%s|%an|%(trailers:key=Hostform-By,valueonly,separator=)", ref).split("\n"),
    ).toEqual(["apply: a b|hostform|alice@desk", "apply: a|hostform|alice@desk"]);
    const changed = shop
      .git(clone, "log", "-1", "--format=", "-p", "-U0", ref)
      .split("\n")
      .filter((line) => /^[+-] /u.test(line));
    expect(changed).toEqual(['-    "domain/a.example"', '+    "domain/a.example",', '+    "domain/b.example"']);
    expect(shop.git(clone, "status", "--porcelain")).toBe("");
    expect(shop.git(clone, "fsck", "--strict", "--no-dangling")).toBe("");
  });

  test("holds what is about to be made as soon as an apply has begun, whatever becomes of it", async () => {
    const remote = shop.makeRemote();
    const store = await shop.open(shop.clone(remote));
    await store.read();
    await store.begin(ours("a", "about-to-be-made"));
    const { inventory } = await (await shop.open(shop.clone(remote), { runner: bob })).read();
    expect(namesIn(inventory)).toEqual(["a", "about-to-be-made"]);
    expect(inventory?.running).toMatchObject({ by: "alice@desk", host: "desk", pid: 100 });
  });

  test("keeps two targets of one repository apart", async () => {
    const clone = shop.clone(shop.makeRemote());
    const staging = { ...target, place: "https://staging.test/" };
    await applied(await shop.open(clone), "a");
    await applied(await shop.open(clone, { target: staging }), "b");
    expect(namesIn((await (await shop.open(clone)).read()).inventory)).toEqual(["a"]);
    expect(namesIn((await (await shop.open(clone, { target: staging })).read()).inventory)).toEqual(["b"]);
  });

  test("stays the same where the manifests move, and is found from below and over a link", async () => {
    const { clone } = await afterApplies(shop, ["a"]);
    shop.commit(clone, "deep/down/other.yaml", "version: 1\nname: agency\n");
    const store = await shop.open(clone, { manifest: "deep/down/other.yaml" });
    expect(namesIn((await store.read()).inventory)).toEqual(["a"]);
    expect(await store.pathsInRepository([join(clone, "deep/down/other.yaml"), "/etc/hostname"])).toEqual([
      "deep/down/other.yaml",
    ]);
  });

  test("is shared by work trees, and found in one that is detached", async () => {
    const { clone } = await afterApplies(shop, ["a"]);
    const tree = join(shop.folder, "tree");
    shop.git(clone, "worktree", "add", "--quiet", "--detach", tree);
    const store = await shop.open(tree);
    expect(namesIn((await store.read()).inventory)).toEqual(["a"]);
    await applied(store, "b");
    expect(namesIn((await (await shop.open(clone)).read()).inventory)).toEqual(["b"]);
  });

  test("needs no remote, and no commit", async () => {
    const clone = join(shop.folder, "alone");
    shop.git(shop.folder, "init", "--quiet", clone);
    const store = await shop.open(clone);
    expect(store.head).toBeUndefined();
    await applied(store, "a");
    const { inventory, notices, headContainsLastApply } = await (await shop.open(clone)).read();
    expect([namesIn(inventory), notices, headContainsLastApply]).toEqual([["a"], [], "yes"]);
  });

  test("shows the manifests as they were at a commit", async () => {
    const clone = shop.clone(shop.makeRemote());
    const store = await shop.open(clone);
    shop.commit(clone, "manifest.yaml", "changed\n");
    expect(await store.manifestsAt(store.head ?? "", ["manifest.yaml"])).toEqual([
      { file: "manifest.yaml", text: "version: 1\nname: agency\n" },
    ]);
    expect(await store.manifestsAt(store.head ?? "", ["manifest.yaml", "absent.yaml"])).toBeUndefined();
    expect(await store.manifestsAt("0".repeat(40), ["manifest.yaml"])).toBeUndefined();
  });

  test("knows when an address entered and left", async () => {
    const clone = shop.clone(shop.makeRemote());
    const store = await shop.open(clone);
    for (const names of [["a"], ["b"], ["b", "a"], ["a", "c"]]) await applied(store, ...names);
    const events = await store.history("domain/a.example" as Address);
    expect(events?.map(({ change, subject, by, planHash }) => [change, subject, by, planHash])).toEqual([
      ["entered", "apply: b a", "alice@desk", "plan-1"],
      ["left", "apply: b", "alice@desk", "plan-1"],
      ["entered", "apply: a", "alice@desk", "plan-1"],
    ]);
    expect(await store.history("domain/never.example" as Address)).toEqual([]);
  });

  test("leaves no folder of its own behind", async () => {
    const clone = shop.clone(shop.makeRemote());
    const temporary = join(shop.folder, "temporary");
    mkdirSync(temporary);
    vi.stubEnv("TMPDIR", temporary);
    const store = await shop.open(clone);
    await applied(store, "a");
    expect(readdirSync(temporary)).toHaveLength(1);
    await store.close();
    expect(readdirSync(temporary)).toEqual([]);
    vi.unstubAllEnvs();
  });
});

describe("two runners", () => {
  const two = async (more = {}) => {
    const { remote } = await afterApplies(shop, ["a"]);
    return {
      remote,
      one: await shop.open(shop.clone(remote)),
      other: await shop.open(shop.clone(remote), { runner: bob, ...leaseClock(5), ...more }),
    };
  };

  const bothTake = async (one: InventoryStore, other: InventoryStore) => {
    const taken = await Promise.all([one.lock({ timeout: 0 }), other.lock({ timeout: 0 })]);
    return taken.toSorted((a, b) => a.is.localeCompare(b.is));
  };
  const since = "2026-06-01T12:00:00.000Z";
  const oneOfTwo = [
    { is: "held", by: { by: expect.stringMatching(/^(alice|bob)@/u) as string, since } },
    { is: "ours" },
  ];

  test("that begin at once: the second is told who holds the lock, and since when", async () => {
    const { one, other } = await two();
    expect(await bothTake(one, other)).toMatchObject(oneOfTwo);
  });

  test("of one clone without a remote: likewise, and the lock says that it is local", async () => {
    const clone = join(shop.folder, "both");
    shop.git(shop.folder, "init", "--quiet", clone);
    const taken = await bothTake(await shop.open(clone), await shop.open(clone, { runner: bob }));
    expect(taken).toMatchObject(oneOfTwo);
    shop.git(shop.folder, "init", "--quiet", `${clone}-again`);
    const { notices } = await take(await shop.open(`${clone}-again`));
    expect(notices).toMatchObject([
      { code: "lock_local", summary: expect.stringContaining("has no remote") as string },
    ]);
  });

  test("of which one takes its time: the other waits, is told for whom, and goes on when it has ended", async () => {
    const { one, other, remote } = await two();
    const lock = await take(one);
    const told: unknown[] = [];
    const onWait = (by: LeaseHolder | undefined, waited: number) => told.push([by?.by, waited]);
    const clock = leaseClock();
    const sleep = async (milliseconds: number) => {
      clock.pass(milliseconds);
      if (told.length === 2) await lock.release();
    };
    const waiting = await shop.open(shop.clone(remote), { runner: bob, ...clock, sleep });
    expect(await waiting.lock({ timeout: 50_000, onWait })).toMatchObject({ is: "ours" });
    expect(told).toEqual([
      ["alice@desk", 0],
      ["alice@desk", 2000],
    ]);
    expect(await other.lock({ timeout: 0 })).toMatchObject({ is: "held", by: { by: "bob@laptop" } });
    // The history of applies is what it was.
    expect(shop.git(remote, "for-each-ref", "--format=%(objecttype)", "refs/hostform/lock")).toBe("blob");
    expect(shop.git(remote, "log", "--format=%s", "--glob=refs/hostform/*")).toBe("apply: a");
  });

  test("of which one is gone: the other takes over once it has watched a whole lease, whatever the clocks say", async () => {
    for (const offset of [-minute * 10_000, minute * 10_000]) {
      const clock = leaseClock();
      const { one, other } = await two({ ...clock, now: () => noon + offset });
      await take(one);
      const tooSoon = await other.lock({ timeout: 59_999 });
      expect(tooSoon).toMatchObject({ is: "held", by: { by: "alice@desk" }, unwatched: true });
      const before = clock.awake();
      await take(other, 90_000);
      expect(clock.awake() - before).toBeGreaterThanOrEqual(60_000);
    }
  });

  test("of which one renews: the other does not take over, however long that goes on", async () => {
    const [clock, others] = [leaseClock(), leaseClock()];
    const { remote } = await two();
    const lock = await take(await shop.open(shop.clone(remote), clock));
    const sleep = async () => {
      for (const each of [clock, others]) each.pass(14_000);
      clock.tick();
      await lock.confirm();
    };
    const other = await shop.open(shop.clone(remote), { runner: bob, ...others, sleep });
    expect(await other.lock({ timeout: 100_000 })).toMatchObject({ is: "held", unwatched: false });
    expect(lock.mayWrite()).toBe(true);
  });

  test("of which one sleeps with its machine: once awake, it starts no write", async () => {
    const [clock, others] = [leaseClock(), leaseClock(5)];
    const { remote } = await two();
    const lock = await take(await shop.open(shop.clone(remote), clock));
    const other = await shop.open(shop.clone(remote), { runner: bob, ...others });
    await take(other, 90_000);
    clock.pass(54_999);
    // It cannot know yet, and the other has begun when it had watched for a whole lease: later than this.
    expect(lock.mayWrite()).toBe(true);
    clock.pass(1);
    const lost: string[] = [];
    lock.onLost(({ reason }) => lost.push(reason));
    expect(lock.mayWrite()).toBe(false);
    expect(lost).toEqual(["it could not be renewed for 55 s"]);
    expect(await lock.confirm()).toBe(false);
  });

  test("of which one is cut off from the remote: it writes until its lease is over, and no longer", async () => {
    const clock = leaseClock();
    const { remote } = await two();
    const lock = await take(await shop.open(shop.clone(remote), clock));
    renameSync(remote, `${remote}-away`);
    for (let waited = 0; waited < 55_000; waited += 11_000) {
      expect(lock.mayWrite()).toBe(true);
      clock.tick();
      clock.pass(11_000);
    }
    expect(await lock.confirm()).toBe(false);
    renameSync(`${remote}-away`, remote);
    expect(await lock.confirm()).toBe(false);
    expect(lock.lost()?.reason).toContain("it could not be renewed for 55 s: ");
  });

  test("of which one has changed what the other has read: the plan is out of date", async () => {
    const { one, other } = await two();
    await other.read();
    await applied(one, "a", "b");
    await take(other);
    expect(await other.begin(ours("a", "c"))).toMatchObject({ is: "moved", lastApply: { by: "alice@desk" } });
  });

  test("of which one takes over from the other and sends nothing: the lock that it found is put back", async () => {
    const { one, other, remote } = await two();
    await take(one);
    await one.read();
    await one.begin(ours("a", "b"));
    await take(other, 90_000);
    const { inventory: found } = await other.read();
    await other.begin(ours("a", "b", "c"));
    expect(await other.finish(found ?? ours(), "apply: stopped before anything was sent")).toEqual([]);
    expect((await (await shop.open(shop.clone(remote))).read()).inventory).toEqual(found);
    expect(found?.running?.by).toBe("alice@desk");
  });

  test("of which the one that was overtaken ends late: both changes are there, and the lock stays with the other", async () => {
    const { one, other, remote } = await two();
    const lock = await take(one);
    await one.read();
    await one.begin(ours("a", "b", "failed"));
    await take(other, 90_000);
    await other.read();
    await other.begin(ours("a", "b", "failed", "c"));
    expect(lock.mayWrite()).toBe(true);
    expect(codes(await one.finish({ ...ours("b"), lastApply: appliedBy(one) }, "apply: late"))).toEqual([
      "inventory_was_taken_over",
    ]);
    const { inventory } = await (await shop.open(shop.clone(remote))).read();
    // "a" was deleted by the late one; "failed" was about to be made, so it stays, as after a kill.
    expect(namesIn(inventory)).toEqual(["b", "c", "failed"]);
    expect(inventory?.running?.by).toBe("bob@laptop");
    expect(codes(await other.finish({ ...ours("a", "b", "c") }, "apply: other"))).toEqual(["inventory_was_taken_over"]);
    const end = await (await shop.open(shop.clone(remote))).read();
    expect(end.inventory?.running).toBeUndefined();
    expect(namesIn(end.inventory)).toEqual(["b", "c"]);
  });

  test("of which one changes it by hand meanwhile: not while the other applies, unless forced", async () => {
    const clock = leaseClock();
    const { remote, other } = await two();
    const one = await shop.open(shop.clone(remote), clock);
    const lock = await take(one);
    await one.read();
    await one.begin(ours("a"));
    expect(await other.edit(() => ours("x"), "inventory: x")).toMatchObject({ is: "held" });
    expect(await other.edit(({ running: _cleared, ...rest }) => rest, "inventory: unlocked", true)).toMatchObject({
      kept: true,
    });
    expect((await other.read()).inventory?.running).toBeUndefined();
    // Who lives, and was unlocked from, finds out at its next renewal.
    clock.tick();
    expect(await lock.confirm()).toBe(false);
    const reason = "bob@laptop has cleared it (hostform inventory --unlock)";
    expect(lock.lost()).toEqual({ by: undefined, reason });
  });

  test("of which one lost the lease: it does not give that of the other back, and gives back its own when it was only late", async () => {
    for (const isTaken of [true, false]) {
      const clock = leaseClock();
      const { remote, other } = await two();
      const lock = await take(await shop.open(shop.clone(remote), clock));
      if (isTaken) await take(other, 90_000);
      clock.pass(61_000);
      expect(lock.mayWrite()).toBe(false);
      const before = shop.git(remote, "for-each-ref", "refs/hostform/lock");
      await lock.release();
      expect(shop.git(remote, "for-each-ref", "refs/hostform/lock") === before).toBe(isTaken);
      const third = await shop.open(shop.clone(remote), { runner: { ...bob, host: "third" } });
      expect((await third.lock({ timeout: 0 })).is).toBe(isTaken ? "held" : "ours");
    }
  });
});

describe("a remote", () => {
  test("that cannot be reached: the lock is local and says so, and what may be running elsewhere is not taken over", async () => {
    const remote = shop.makeRemote();
    const clone = shop.clone(remote);
    const elsewhere = await shop.open(shop.clone(remote), { runner: bob });
    await take(elsewhere);
    await elsewhere.read();
    await elsewhere.begin(ours("a"));
    await (await shop.open(clone)).read();
    renameSync(remote, `${remote}-gone`);
    const store = await shop.open(clone);
    const { notices } = await take(store);
    expect(notices).toMatchObject([
      { code: "lock_local", summary: expect.stringContaining("the remote cannot be reached") as string },
    ]);
    await store.read();
    expect(await store.begin(ours("b"))).toMatchObject({ is: "held", by: { by: "bob@laptop" } });
  });

  test("that cannot be reached is told of, and is brought up to date by the next run that can", async () => {
    const { remote, clone } = await afterApplies(shop, ["a"]);
    shop.git(clone, "remote", "set-url", "origin", `file://${remote}-gone`);
    const store = await shop.open(clone);
    const { inventory, notices } = await store.read();
    expect([namesIn(inventory), codes(notices)]).toEqual([["a"], ["inventory_offline"]]);
    expect(await store.begin(ours("a", "b"))).toMatchObject({ is: "written", kept: true });
    await store.finish({ ...ours("a", "b"), lastApply: appliedBy(store) }, "apply: offline");
    shop.git(clone, "remote", "set-url", "origin", remote);
    await applied(await shop.open(clone), "a", "b", "c");
    expect(shop.git(remote, "log", "--format=%s", ref).split("\n")).toEqual([
      "apply: a b c",
      "apply: offline",
      "apply: a",
    ]);
  });

  test("that has moved while a clone was without it: both changes are taken", async () => {
    const { remote, clone } = await afterApplies(shop, ["a", "b"]);
    shop.git(clone, "remote", "set-url", "origin", `${remote}-gone`);
    await applied(await shop.open(clone), "b", "offline");
    await applied(await shop.open(shop.clone(remote), { runner: bob }), "a", "online");
    shop.git(clone, "remote", "set-url", "origin", remote);
    const store = await shop.open(clone);
    const { inventory, notices } = await store.read();
    expect([namesIn(inventory), codes(notices)]).toEqual([["offline", "online"], ["inventory_joined"]]);
    expect(await store.begin(ours("offline", "online", "c"))).toMatchObject({ is: "written", kept: true });
    await store.finish(ours("offline", "online", "c"), "apply: joined");
    expect(namesIn((await (await shop.open(shop.clone(remote))).read()).inventory)).toEqual(["c", "offline", "online"]);
    expect(shop.git(remote, "log", "-1", "--format=%P", ref).split(" ")).toHaveLength(2);
  });

  test("that refuses the push is told of, and stops nothing", async () => {
    const remote = shop.makeRemote();
    shop.git(remote, "config", "receive.hideRefs", "refs/hostform");
    const clone = shop.clone(remote);
    const store = await shop.open(clone);
    await store.read();
    const begun = await store.begin(ours("a"));
    expect(begun).toMatchObject({ is: "written", kept: true, notices: [{ code: "inventory_not_pushed" }] });
    expect(await store.finish({ ...ours("a"), lastApply: appliedBy(store) }, "apply: kept here")).toEqual([]);
    expect(shop.git(clone, "log", "--format=%s", ref)).toBe("apply: kept here");
  });

  test("that is gone at the end of an apply: the next run brings it what was kept here, and the lock is told of", async () => {
    const remote = shop.makeRemote();
    const clone = shop.clone(remote);
    const store = await shop.open(clone);
    await store.read();
    await store.begin(ours("a", "failed"));
    renameSync(remote, `${remote}-away`);
    expect(codes(await store.finish(ours("a"), "apply: a"))).toEqual(["inventory_not_pushed", "inventory_lock_stays"]);
    renameSync(`${remote}-away`, remote);
    const other = await shop.open(shop.clone(remote), { runner: bob });
    expect((await other.read()).inventory?.running?.by).toBe("alice@desk");
    const { inventory } = await (await shop.open(clone)).read();
    expect([namesIn(inventory), inventory?.running]).toEqual([["a"], undefined]);
  });

  test("that takes no commit in another's place gets one after it", async () => {
    const remote = shop.makeRemote();
    shop.git(remote, "config", "receive.denyNonFastForwards", "true");
    await applied(await shop.open(shop.clone(remote)), "a");
    const { inventory } = await (await shop.open(shop.clone(remote))).read();
    expect(namesIn(inventory)).toEqual(["a"]);
    expect(inventory?.running).toBeUndefined();
  });

  test("of another name is used where it is the only one", async () => {
    const remote = shop.makeRemote();
    await applied(await shop.open(shop.clone(remote, "--origin", "upstream")), "a");
    expect(namesIn((await (await shop.open(shop.clone(remote))).read()).inventory)).toEqual(["a"]);
  });
});

describe("a ref at the remote that does not continue what was seen there", () => {
  const setUp = async () => {
    const { remote, clone } = await afterApplies(shop, ["a"], ["a", "b"]);
    const [last = "", first = ""] = shop.git(clone, "rev-list", ref).split("\n");
    return { remote, clone, first, last };
  };
  const blob = (remote: string) => shop.git(remote, "rev-parse", "HEAD:manifest.yaml");

  test.each<[string, (remote: string, first: string) => Promise<string> | string, string]>([
    ["an ancestor", (_remote, first) => first, "inventory_rewritten"],
    [
      "an apply after an ancestor",
      async (remote, first) => {
        shop.git(remote, "update-ref", ref, first);
        await applied(await shop.open(shop.clone(remote)), "a", "other");
        return shop.git(remote, "rev-parse", ref);
      },
      "inventory_rewritten",
    ],
    ["a blob", blob, "inventory_not_a_commit"],
    ["a tree", (remote) => shop.git(remote, "rev-parse", "HEAD^{tree}"), "inventory_not_a_commit"],
    [
      "a tag",
      (remote, first) => {
        shop.git(remote, "tag", "--annotate", "--message", "x", "inv", first);
        return shop.git(remote, "rev-parse", "refs/tags/inv");
      },
      "inventory_not_a_commit",
    ],
  ])("(%s) is told with both objects, is not taken, and is chosen by hand", async (_what, make, code) => {
    const { remote, clone, first, last } = await setUp();
    const object = await make(remote, first);
    shop.git(remote, "update-ref", ref, object);
    for (const _time of ["first", "again"]) {
      const read = await (await shop.open(clone)).read();
      expect(codes(read.notices)).toEqual([code]);
      expect(read.notices[0]?.summary).toContain(object);
      expect(read.notices[0]?.summary).toContain(last);
      expect([read.isUndecided, namesIn(read.inventory)]).toEqual([true, ["a", "b"]]);
    }
    await applied(await shop.open(clone), "a", "b", "c");
    expect(shop.git(remote, "rev-parse", ref)).toBe(object);
    const { inventory, isUndecided } = await (await shop.open(clone)).read();
    expect([isUndecided, namesIn(inventory)]).toEqual([true, ["a", "b", "c"]]);
    shop.git(clone, "push", "--quiet", "--force", "origin", `${ref}:${ref}`);
    const chosen = await (await shop.open(clone)).read();
    expect([chosen.isUndecided, chosen.notices, namesIn(chosen.inventory)]).toEqual([undefined, [], ["a", "b", "c"]]);
  });

  test.each(["restored", "begun anew"])(
    "that is gone is told, takes nothing away, and is %s by hand",
    async (choice) => {
      const { remote, clone, last } = await setUp();
      shop.git(remote, "update-ref", "-d", ref);
      let hint = "";
      for (const _time of ["first", "again"]) {
        const { notices, isUndecided, inventory } = await (await shop.open(clone)).read();
        expect(notices).toMatchObject([{ code: "inventory_gone", summary: expect.stringContaining(last) as string }]);
        expect([isUndecided, namesIn(inventory)]).toEqual([true, ["a", "b"]]);
        hint = notices[0]?.hint ?? "";
      }
      await applied(await shop.open(clone), "a", "b", "c");
      expect(shop.git(remote, "for-each-ref", ref)).toBe("");
      const chosen = /; (git update-ref .*) starts/u.exec(hint);
      const restore = `git push --quiet origin ${ref}:${ref}`;
      const commands = choice === "restored" ? restore : (chosen?.[1] ?? "");
      for (const command of commands.split(" && ")) shop.git(clone, ...command.split(" ").slice(1));
      const after = await (await shop.open(clone)).read();
      expect([after.isUndecided, after.notices, namesIn(after.inventory)]).toEqual([
        undefined,
        [],
        choice === "restored" ? ["a", "b", "c"] : undefined,
      ]);
    },
  );

  test("that has a history of its own is told to every clone that has seen another", async () => {
    const { remote, clone, last } = await setUp();
    shop.git(remote, "update-ref", "-d", ref);
    await applied(await shop.open(shop.clone(remote), { runner: bob }), "other");
    const read = await (await shop.open(clone)).read();
    expect(read.notices).toMatchObject([
      { code: "inventory_rewritten", summary: expect.stringContaining(last) as string },
    ]);
    expect([read.isUndecided, namesIn(read.inventory)]).toEqual([true, ["a", "b"]]);
  });

  test("is accepted by hand as well", async () => {
    const { remote, clone, first } = await setUp();
    shop.git(remote, "update-ref", ref, first);
    const { notices } = await (await shop.open(clone)).read();
    const [, commands = ""] = /; (git update-ref .*) accepts/u.exec(notices[0]?.hint ?? "") ?? [];
    for (const command of commands.split(" && ")) shop.git(clone, ...command.split(" ").slice(1));
    const read = await (await shop.open(clone)).read();
    expect([read.notices, namesIn(read.inventory)]).toEqual([[], ["a"]]);
  });

  test("that is a mark replaced at the end of its apply, or merely newer, is nothing to choose", async () => {
    const { remote, clone } = await setUp();
    const running = await shop.open(shop.clone(remote), { runner: bob });
    await take(running);
    await running.read();
    await running.begin(ours("a", "b", "c"));
    expect((await (await shop.open(clone)).read()).inventory?.running?.by).toBe("bob@laptop");
    await running.finish(ours("a", "c"), "apply: c");
    const { notices, inventory, isUndecided } = await (await shop.open(clone)).read();
    expect([notices, namesIn(inventory), isUndecided]).toEqual([[], ["a", "c"], undefined]);
  });
});

describe("an apply that was cut off", () => {
  test("counts for the question whether this commit is an older one, also where only its last push was rejected", async () => {
    for (const isKilled of [true, false]) {
      const { remote, clone } = await afterApplies(shop, ["a"]);
      const newer = shop.clone(remote);
      shop.commit(newer, "manifest.yaml", "two\n");
      const store = await shop.open(newer);
      await take(store);
      await store.read();
      await store.begin(ours("a", "new"), store.head);
      renameSync(remote, `${remote}-away`);
      if (!isKilled) await store.finish({ ...ours("a", "new"), lastApply: appliedBy(store) }, "apply: new");
      renameSync(`${remote}-away`, remote);
      const older = await shop.open(clone, { runner: bob });
      expect(await older.read()).toMatchObject({ headContainsLastApply: "no" });
      expect(await (await shop.open(newer)).read()).toMatchObject({ headContainsLastApply: "yes" });
    }
  });
});

describe("the commit of the last apply", () => {
  const afterTwo = async () => {
    const pair = await shop.copyOf("after a second commit", async () => {
      const remote = shop.makeRemote();
      const clone = shop.clone(remote);
      shop.commit(clone, "manifest.yaml", "two\n");
      shop.git(clone, "push", "--quiet", "origin", "HEAD");
      await applied(await shop.open(clone), "a");
      return { remote, clone };
    });
    return { ...pair, first: shop.git(pair.clone, "rev-parse", "HEAD^") };
  };
  const contains = async (clone: string) => {
    const { headContainsLastApply, notices } = await (await shop.open(clone)).read();
    return [headContainsLastApply, ...codes(notices)];
  };

  test("is contained in a later one", async () => {
    const { clone } = await afterTwo();
    shop.commit(clone, "manifest.yaml", "three\n");
    expect(await contains(clone)).toEqual(["yes"]);
  });

  test("is not in an earlier one, such as an old job run again", async () => {
    const { clone, first } = await afterTwo();
    shop.git(clone, "checkout", "--quiet", "--detach", first);
    expect(await contains(clone)).toEqual(["no"]);
  });

  test("is not in a branch that was force-pushed, though the commit is nowhere any more", async () => {
    const { remote, clone, first } = await afterTwo();
    shop.git(clone, "reset", "--quiet", "--hard", first);
    shop.commit(clone, "manifest.yaml", "other\n");
    shop.git(clone, "push", "--quiet", "--force", "origin", "HEAD");
    expect(await contains(shop.clone(remote))).toEqual(["no"]);
  });

  test("is looked for at the remote from a shallow clone, which stays shallow", async () => {
    const { remote, clone, first } = await afterTwo();
    shop.commit(clone, "manifest.yaml", "three\n");
    shop.git(clone, "push", "--quiet", "origin", "HEAD");
    const shallow = shop.clone(`file://${remote}`, "--depth=1");
    expect(await contains(shallow)).toEqual(["yes"]);
    expect(shop.git(shallow, "rev-list", "--count", "HEAD")).toBe("1");
    expect(shop.git(shallow, "fsck")).toBe("");
    shop.git(clone, "push", "--quiet", "--force", "origin", `${first}:main`);
    expect(await contains(shop.clone(`file://${remote}`, "--depth=1"))).toEqual(["no"]);
  });

  test("is unknown in a shallow clone without its remote", async () => {
    const { remote, clone } = await afterTwo();
    shop.commit(clone, "manifest.yaml", "three\n");
    shop.git(clone, "push", "--quiet", "origin", "HEAD");
    const shallow = shop.clone(`file://${remote}`, "--depth=1");
    await (await shop.open(shallow)).read();
    rmSync(remote, { recursive: true });
    expect(await contains(shallow)).toEqual(["unknown", "inventory_offline", "inventory_commit_unknown"]);
  });
});
