import { renameSync, rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { afterApplies, applied, appliedBy, bob, codes, ours, take, workshopForFile } from "./repositories.ts";
import { size } from "../proofs/size.ts";

const shop = workshopForFile();

describe("an apply that was cut off", () => {
  test.runIf(size.whole)(
    "counts for the question whether this commit is an older one, also where only its last push was rejected",
    async () => {
      for (const isKilled of size.every(6, [false, true])) {
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
    },
  );
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

  test.runIf(size.rareHistories)(
    "is not in a branch that was force-pushed, though the commit is nowhere any more",
    async () => {
      const { remote, clone, first } = await afterTwo();
      shop.git(clone, "reset", "--quiet", "--hard", first);
      shop.commit(clone, "manifest.yaml", "other\n");
      shop.git(clone, "push", "--quiet", "--force", "origin", "HEAD");
      expect(await contains(shop.clone(remote))).toEqual(["no"]);
    },
  );

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

  test.runIf(size.rareHistories)("is unknown in a shallow clone without its remote", async () => {
    const { remote, clone } = await afterTwo();
    shop.commit(clone, "manifest.yaml", "three\n");
    shop.git(clone, "push", "--quiet", "origin", "HEAD");
    const shallow = shop.clone(`file://${remote}`, "--depth=1");
    await (await shop.open(shallow)).read();
    rmSync(remote, { recursive: true });
    expect(await contains(shallow)).toEqual(["unknown", "inventory_offline", "inventory_commit_unknown"]);
  });
});
