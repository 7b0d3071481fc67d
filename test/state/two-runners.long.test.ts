import { renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { OpenInventory, LeaseHolder } from "../../src/model/inventory.ts";
import {
  afterApplies,
  applied,
  appliedBy,
  bob,
  codes,
  leaseClock,
  namesIn,
  noon,
  ours,
  take,
  workshopForFile,
} from "./repositories.ts";
import { size } from "../proofs/size.ts";

const shop = workshopForFile();

const minute = 60_000;

describe("two runners", () => {
  const two = async (more = {}) => {
    const { remote } = await afterApplies(shop, ["a"]);
    return {
      remote,
      one: await shop.open(shop.clone(remote)),
      other: await shop.open(shop.clone(remote), { runner: bob, ...leaseClock(5), ...more }),
    };
  };

  const bothTake = async (one: OpenInventory, other: OpenInventory) => {
    const taken = await Promise.all([one.lock({ timeout: 0 }), other.lock({ timeout: 0 })]);
    return taken.toSorted((a, b) => a.is.localeCompare(b.is));
  };
  const since = "2026-06-01T12:00:00.000Z";
  const oneOfTwo = [
    { is: "held", by: { by: expect.stringMatching(/^(alice|bob)@/u) as string, since } },
    { is: "ours" },
  ];

  test("that begin at once: the second reports who holds the lock, and since when", async () => {
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

  test.runIf(size.whole)(
    "of which one takes its time: the other waits, reports for whom, and goes on when that one has ended",
    async () => {
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
    },
  );

  test("of which one looks between any two writes of the other: it has nothing to choose, and the last value is there", async () => {
    const sent = [
      { address: "domain/b.example" as Address, operation: "create" as const, at: "2026-06-01T12:00:00.000Z" },
    ];
    const done = { ...ours("a", "b"), unconfirmed: sent };
    for (const last of size.every(4, [2, 0, 1, 3])) {
      const { one, other } = await two();
      await take(one);
      await one.read();
      const writes = [
        () => one.begin(ours("a", "b")),
        () => one.countOnce(sent),
        () => one.finish({ ...done, lastApply: appliedBy(one) }, "apply: b"),
        () => one.confirm([]),
      ];
      for (const [index, write] of writes.entries()) {
        await write();
        if (index === last) expect(await other.read()).toMatchObject({ notices: [] });
      }
      const { notices, isUndecided, inventory } = await other.read();
      expect([notices, isUndecided, namesIn(inventory), inventory?.unconfirmed ?? []]).toEqual([
        [],
        undefined,
        ["a", "b"],
        [],
      ]);
    }
  });

  test("of which one is gone: the other takes over once it has watched a whole lease, whatever the clocks say", async () => {
    for (const offset of size.every(6, [-minute * 10_000, minute * 10_000])) {
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

  test.runIf(size.whole)("of which one renews: the other does not take over, however long that goes on", async () => {
    const [clock, others] = [leaseClock(), leaseClock()];
    const { remote } = await two();
    const lock = await take(await shop.open(shop.clone(remote), clock));
    const sleep = async () => {
      for (const each of [clock, others]) each.pass(14_000);
      clock.tick();
      await lock.confirm();
    };
    const other = await shop.open(shop.clone(remote), { runner: bob, ...others, sleep });
    expect(await other.lock({ timeout: 75_000 })).toMatchObject({ is: "held", unwatched: false });
    expect(lock.mayWrite()).toBe(true);
  });

  test.runIf(size.whole)("of which one sleeps with its machine: once awake, it starts no write", async () => {
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

  test.runIf(size.rareHistories)(
    "of which one takes over from the other and sends nothing: the lock that it found is put back",
    async () => {
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
    },
  );

  test.runIf(size.whole)(
    "of which the one that was overtaken ends late: both changes are there, and the lock stays with the other",
    async () => {
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
      expect(codes(await other.finish({ ...ours("a", "b", "c") }, "apply: other"))).toEqual([
        "inventory_was_taken_over",
      ]);
      const end = await (await shop.open(shop.clone(remote))).read();
      expect(end.inventory?.running).toBeUndefined();
      expect(namesIn(end.inventory)).toEqual(["b", "c"]);
    },
  );

  test.runIf(size.rareHistories)(
    "of which one changes it by hand meanwhile: not while the other applies, unless forced",
    async () => {
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
      const reason = "bob@laptop has cleared it with --unlock";
      expect(lock.lost()).toEqual({ by: undefined, reason });
    },
  );

  test.runIf(size.whole)(
    "of which one lost the lease: it does not give that of the other back, and gives back its own when it was only late",
    async () => {
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
    },
  );
});
