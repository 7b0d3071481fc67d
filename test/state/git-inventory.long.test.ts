import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { afterApplies, applied, appliedBy, bob, namesIn, ours, ref, target, workshopForFile } from "./repositories.ts";
import { size } from "../proofs/size.ts";

const shop = workshopForFile();

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
    const { clone } = await afterApplies(shop, ["a"], ["a", "b"]);
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

  test.runIf(size.rareHistories)("keeps two targets of one repository apart", async () => {
    const clone = shop.clone(shop.makeRemote());
    const staging = { ...target, place: "https://staging.test/" };
    await applied(await shop.open(clone), "a");
    await applied(await shop.open(clone, { target: staging }), "b");
    expect(namesIn((await (await shop.open(clone)).read()).inventory)).toEqual(["a"]);
    expect(namesIn((await (await shop.open(clone, { target: staging })).read()).inventory)).toEqual(["b"]);
  });

  test.runIf(size.rareHistories)(
    "stays the same where the manifests move, and is found from below and over a link",
    async () => {
      const { clone } = await afterApplies(shop, ["a"]);
      shop.commit(clone, "deep/down/other.yaml", "version: 1\nname: agency\n");
      const store = await shop.open(clone, { manifest: "deep/down/other.yaml" });
      expect(namesIn((await store.read()).inventory)).toEqual(["a"]);
      expect(await store.pathsInRepository([join(clone, "deep/down/other.yaml"), "/etc/hostname"])).toEqual([
        "deep/down/other.yaml",
      ]);
    },
  );

  test.runIf(size.whole)("is shared by work trees, and found in one that is detached", async () => {
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

  test.each(["HEAD:manifest.yaml", "HEAD^{tree}"])(
    "is unreadable, and not empty, where its ref is %s and no commit; an apply leaves that as it is",
    async (object) => {
      const { clone } = await afterApplies(shop, ["a"]);
      shop.git(clone, "remote", "remove", "origin");
      shop.git(clone, "update-ref", ref, object);
      const { inventory, notices } = await (await shop.open(clone)).read();
      expect([inventory, notices.map(({ code }) => code)]).toEqual([undefined, ["inventory_unreadable"]]);
      const store = await shop.open(clone);
      await store.read();
      expect(await store.begin(ours("b"))).toMatchObject({ is: "written", kept: false });
      expect(shop.git(clone, "rev-parse", ref)).toBe(shop.git(clone, "rev-parse", object));
    },
  );

  test("shows the manifests as they were at a commit", async () => {
    const clone = shop.clone(shop.makeRemote());
    const store = await shop.open(clone);
    shop.commit(clone, "manifest.yaml", "changed\n");
    expect(await store.manifestsAt(store.head ?? "", ["manifest.yaml", "absent.yaml"])).toEqual([
      { file: "manifest.yaml", text: "version: 1\nname: agency\n" },
    ]);
    expect(await store.manifestsAt("0".repeat(40), ["manifest.yaml"])).toBeUndefined();
  });

  test("knows a change whose commit has a time beyond those that JavaScript counts", async () => {
    const { clone } = await afterApplies(shop, ["a"]);
    const env = { ...shop.env, GIT_COMMITTER_DATE: "@9999999999999 +0000" };
    const amend = ["-C", clone, "commit-tree", "-m", "apply: late", `${ref}^{tree}`];
    shop.git(clone, "update-ref", ref, execFileSync("git", amend, { env, encoding: "utf8" }).trim());
    const store = await shop.open(clone);
    expect(await store.history("domain/a.example" as Address)).toMatchObject([
      { change: "entered", subject: "apply: late", time: "+275760-09-13T00:00:00.000Z" },
    ]);
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
