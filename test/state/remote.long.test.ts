import { renameSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  afterApplies,
  applied,
  appliedBy,
  bob,
  codes,
  namesIn,
  ours,
  ref,
  take,
  workshopForFile,
} from "./repositories.ts";
import { size } from "../proofs/size.ts";

const shop = workshopForFile();

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

  test("that cannot be reached is reported, and is brought up to date by the next run that can reach it", async () => {
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

  test("that refuses the push lets no apply begin, and nothing is kept of it", async () => {
    const remote = shop.makeRemote();
    shop.git(remote, "config", "receive.hideRefs", "refs/hostform");
    const clone = shop.clone(remote);
    const store = await shop.open(clone);
    await store.read();
    const begun = await store.begin(ours("a"));
    expect(begun).toMatchObject({ is: "not_shared", notices: [{ severity: "error", code: "inventory_not_pushed" }] });
    expect(await store.finish({ ...ours("a"), lastApply: appliedBy(store) }, "apply: never begun")).toEqual([]);
    expect(shop.git(clone, "for-each-ref", ref)).toBe("");
  });

  test("that is unreachable at the end of an apply: the next run pushes the inventory that was kept here, and the lock is reported", async () => {
    const remote = shop.makeRemote();
    const clone = shop.clone(remote);
    const store = await shop.open(clone);
    await store.read();
    await store.begin(ours("a", "failed"));
    renameSync(remote, `${remote}-away`);
    expect(codes(await store.finish(ours("a"), "apply: a"))).toEqual(["inventory_not_pushed"]);
    expect(store.staying()).toMatchObject({ by: "alice@desk" });
    renameSync(`${remote}-away`, remote);
    const other = await shop.open(shop.clone(remote), { runner: bob });
    // What is about to be made is there as soon as an apply has begun, whatever becomes of it.
    const there = (await other.read()).inventory;
    expect(namesIn(there)).toEqual(["a", "failed"]);
    expect(there?.running).toMatchObject({ by: "alice@desk", host: "desk", pid: 100 });
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

  test.runIf(size.rareHistories)("of another name is used where it is the only one", async () => {
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

  test.each<[string, (remote: string, first: string) => Promise<string> | string, string]>(
    size.every(9, [
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
    ]),
  )("(%s) is told with both objects, is not taken, and is chosen by hand", async (_what, make, code) => {
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

  test.each(size.every(6, ["restored", "begun anew"]))(
    "that is gone is reported, takes nothing away, and is %s by hand",
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

  test.runIf(size.rareHistories)(
    "that has a history of its own is reported to every clone that has seen another",
    async () => {
      const { remote, clone, last } = await setUp();
      shop.git(remote, "update-ref", "-d", ref);
      await applied(await shop.open(shop.clone(remote), { runner: bob }), "other");
      const read = await (await shop.open(clone)).read();
      expect(read.notices).toMatchObject([
        { code: "inventory_rewritten", summary: expect.stringContaining(last) as string },
      ]);
      expect([read.isUndecided, namesIn(read.inventory)]).toEqual([true, ["a", "b"]]);
    },
  );

  test.runIf(size.rareHistories)("is accepted by hand as well", async () => {
    const { remote, clone, first } = await setUp();
    shop.git(remote, "update-ref", ref, first);
    const { notices } = await (await shop.open(clone)).read();
    const [, commands = ""] = /; (git update-ref .*) accepts/u.exec(notices[0]?.hint ?? "") ?? [];
    for (const command of commands.split(" && ")) shop.git(clone, ...command.split(" ").slice(1));
    const read = await (await shop.open(clone)).read();
    expect([read.notices, namesIn(read.inventory)]).toEqual([[], ["a"]]);
  });

  test.runIf(size.whole)(
    "that is a mark replaced at the end of its apply, or merely newer, is nothing to choose",
    async () => {
      const { remote, clone } = await setUp();
      const running = await shop.open(shop.clone(remote), { runner: bob });
      await take(running);
      await running.read();
      await running.begin(ours("a", "b", "c"));
      expect((await (await shop.open(clone)).read()).inventory?.running?.by).toBe("bob@laptop");
      await running.finish(ours("a", "c"), "apply: c");
      const { notices, inventory, isUndecided } = await (await shop.open(clone)).read();
      expect([notices, namesIn(inventory), isUndecided]).toEqual([[], ["a", "c"], undefined]);
    },
  );
});
