import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileRegister } from "../../src/state/lease/file-register.ts";
import { takeLease } from "../../src/state/lease/hold-lease.ts";
import {
  alice,
  applied,
  appliedBy,
  bob,
  codes,
  leaseClock,
  namesIn,
  ours,
  take,
  target,
  workshopForFile,
} from "./repositories.ts";

const shop = workshopForFile();

let made = 0;
const newFile = () => {
  made += 1;
  const folder = join(shop.folder, `files${made}`);
  mkdirSync(folder);
  return join(folder, "inv.json");
};
const open = (file: string, more = {}) => shop.open(shop.folder, { file, now: Date.now, ...more });

describe("an inventory in a file", () => {
  test("is absent, then what the last apply left", async () => {
    const file = newFile();
    expect(await (await open(file)).read()).toEqual({
      inventory: undefined,
      notices: [],
      headContainsLastApply: "yes",
    });
    await applied(await open(file), "b", "a");
    const store = await open(file);
    const { inventory, notices } = await store.read();
    expect([namesIn(inventory), notices, store.where]).toEqual([["a", "b"], [], `file ${file}`]);
    expect(inventory?.running).toBeUndefined();
    expect(readdirSync(join(file, ".."))).toEqual(["inv.json", "inv.json.lease"]);
  });

  test("records the commit where the manifest is in a repository", async () => {
    const file = newFile();
    const clone = shop.clone(shop.makeRemote());
    const first = shop.git(clone, "rev-parse", "HEAD");
    shop.commit(clone, "manifest.yaml", "two\n");
    const store = await shop.open(clone, { file });
    await applied(store, "a");
    expect(await store.read()).toMatchObject({
      inventory: { lastApply: { commit: store.head } },
      headContainsLastApply: "yes",
    });
    shop.git(clone, "checkout", "--quiet", first);
    expect((await (await shop.open(clone, { file })).read()).headContainsLastApply).toBe("no");
    expect((await (await open(file)).read()).headContainsLastApply).toBe("unknown");
  });

  test("lets one of many that begin at once go on", async () => {
    const file = newFile();
    const stores = await Promise.all([alice, bob, bob, bob].map((runner) => open(file, { runner })));
    for (let round = 0; round < 20; round += 1) {
      const taken = await Promise.all(stores.map((store) => store.lock({ timeout: 0 })));
      expect(taken.map(({ is }) => is).sort()).toEqual(["held", "held", "held", "ours"]);
      for (const each of taken) if (each.is === "ours") await each.lock.release();
    }
  });

  test("is taken over from an apply that was killed, and gets both changes where that one ends after all", async () => {
    const file = newFile();
    await applied(await open(file), "a");
    const one = await open(file);
    const other = await open(file, { runner: bob });
    const lock = await take(one);
    await one.read();
    await one.begin(ours("a", "b"));
    await take(other, 90_000);
    await other.read();
    expect(await other.begin(ours("a", "b", "c"))).toMatchObject({
      kept: true,
      notices: [{ code: "inventory_taken_over" }],
    });
    expect(codes(await one.finish({ ...ours("b"), lastApply: appliedBy(one) }, "late"))).toEqual([
      "inventory_was_taken_over",
    ]);
    await lock.release();
    expect(await one.lock({ timeout: 0 })).toMatchObject({ is: "held", by: { by: "bob@laptop" } });
    await other.finish(ours("a", "b", "c"), "other");
    expect(namesIn((await one.read()).inventory)).toEqual(["b", "c"]);
  });

  test.each([
    ["its process has ended", { processMark: (pid: number) => (pid === 200 ? "boot:ns/9" : undefined) }, 0, true],
    [
      "another process has its number",
      { processMark: (pid: number) => (pid === 200 ? "boot:ns/9" : "boot:ns/8") },
      0,
      true,
    ],
    ["its process runs", { processMark: (pid: number) => (pid === 200 ? "boot:ns/9" : "boot:ns/1") }, 0, false],
    ["it is of another container", { processMark: () => "boot:other/9" }, 0, false],
    ["it is of another host", { host: "laptop" }, 0, false],
    ["it is of another host, and an hour ago by its clock", { host: "laptop" }, 61, false],
  ])("is kept from others while an apply has it, unless that was killed: %s", async (_why, more, minutes, free) => {
    const file = newFile();
    const one = await open(file);
    const other = await open(file, {
      runner: { ...bob, host: "desk", ...more },
      now: () => Date.now() + minutes * 60_000,
    });
    await take(one);
    await one.read();
    await one.begin(ours("a", "half-made"));
    expect(namesIn((await other.read()).inventory)).toEqual(["a", "half-made"]);
    const taken = await other.lock({ timeout: 0 });
    if (!free) expect(taken).toMatchObject({ is: "held", by: { by: "alice@desk" } });
    else expect(taken).toMatchObject({ is: "ours" });
    const begun = free && (await other.begin(ours("a", "half-made", "b")));
    if (begun) expect(begun).toMatchObject({ is: "written", kept: true, notices: [{ code: "inventory_taken_over" }] });
  });

  test("of another target is not taken for this one's, and not written over", async () => {
    const file = newFile();
    await applied(await open(file), "a");
    const before = readFileSync(file, "utf8");
    const store = await open(file, { target: { ...target, place: "https://staging.test/" } });
    expect(await store.read()).toMatchObject({ inventory: undefined, notices: [{ code: "inventory_unreadable" }] });
    expect(await store.begin(ours("b"))).toMatchObject({ is: "written", kept: false });
    await store.finish(ours("b"), "apply: b");
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("that is something else is not written over", async () => {
    const file = newFile();
    writeFileSync(file, "version: 1\nname: a-manifest\n");
    const store = await open(file);
    expect(await store.read()).toMatchObject({ inventory: undefined, notices: [{ code: "inventory_unreadable" }] });
    expect(await store.begin(ours("b"))).toMatchObject({ kept: false });
    expect(await store.edit(() => ours("b"), "edit")).toMatchObject({ kept: false });
    expect(readFileSync(file, "utf8")).toBe("version: 1\nname: a-manifest\n");
  });

  test("that cannot be written stops nothing, and is reported", async () => {
    const store = await open(join(shop.folder, "no", "such", "inv.json"));
    expect(await store.read()).toMatchObject({ inventory: undefined, notices: [] });
    expect(await store.begin(ours("b"))).toMatchObject({
      is: "written",
      kept: false,
      notices: [{ code: "inventory_not_kept" }],
    });
  });

  test.each([
    ["of a process of this machine that has ended", alice.host, 0],
    ["of another machine, once it was watched for a whole lease, whatever the clocks say", "elsewhere", 60_000],
  ])("is written past a swap that was cut off in its middle: %s", async (_whose, host, atLeast) => {
    for (const offset of [-86_400_000, 0, 86_400_000]) {
      const file = newFile();
      await applied(await open(file), "a");
      const clock = leaseClock();
      const gone = { ...alice, host, pid: 4711, processMark: () => "boot:ns/5" };
      const swap = fileRegister(`${file}.lease.swap`, randomUUID);
      const left = await takeLease(
        swap,
        "gone",
        { timeout: 0 },
        { ...leaseClock(), now: () => offset, newId: randomUUID, runner: gone },
      );
      expect(left.is).toBe("ours");
      const store = await open(file, {
        ...clock,
        runner: { ...alice, processMark: (pid: number) => (pid === 100 ? "boot:ns/1" : undefined) },
      });
      const before = clock.awake();
      await applied(store, "a", "b");
      expect(namesIn((await store.read()).inventory)).toEqual(["a", "b"]);
      const waited = clock.awake() - before;
      expect(waited).toBeGreaterThanOrEqual(atLeast);
      expect(waited).toBeLessThanOrEqual(atLeast + 2000);
    }
  });

  test("is written through a link", async () => {
    const file = newFile();
    const link = `${file}-link`;
    symlinkSync(file, link);
    writeFileSync(file, readFileSync(await filled(), "utf8"));
    await applied(await open(link), "a", "b");
    expect(namesIn((await (await open(file)).read()).inventory)).toEqual(["a", "b"]);
  });
});

async function filled(): Promise<string> {
  const file = newFile();
  await applied(await open(file), "a");
  return file;
}
