import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

const shop = workshopForFile();
const account = accountForFile();

const manifest = (name: string, records: string) => `version: 1
name: ${name}
dns: { ${name}.example: { records: { ${records} } } }
`;

const run = (clone: string, command: string, ...flags: string[]) =>
  runInProcess(account, [command, "-f", join(clone, "manifest.yaml"), ...flags], {
    HOME: join(shop.folder, "home"),
    GIT_CONFIG_NOSYSTEM: "1",
    PATH: process.env["PATH"] ?? "",
  });
const apply = (clone: string, ...flags: string[]) => run(clone, "apply", "--auto-approve", ...flags);
const said = ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr;
const write = (clone: string, text: string) => writeFileSync(join(clone, "manifest.yaml"), text);

describe("uncommitted changes of the manifest", () => {
  test("are a notice, are recorded by apply, and leave no step with an origin until a clean apply", async () => {
    const clone = join(shop.folder, "dirty");
    shop.git(shop.folder, "init", "--quiet", clone);
    const commit = shop.commit(clone, "manifest.yaml", manifest("dirty", "a: { TXT: one }"));
    const clean = await apply(clone);
    expect(said(clean)).not.toContain("uncommitted");
    write(clone, manifest("dirty", "a: { TXT: two }"));
    const planned = await run(clone, "plan");
    expect(said(planned)).toContain("manifest.yaml has changes that are not committed");
    expect(planned.stdout).toContain("[this change]");
    expect(said(await apply(clone))).toContain("manifest.yaml has changes that are not committed");
    expect((await run(clone, "inventory")).stdout).toMatch(
      new RegExp(`at commit ${commit.slice(0, 12)}, with changes that it does not declare`, "u"),
    );
    // By the commit alone this would be called drift: the manifest is the commit's, and the live state is not.
    shop.git(clone, "checkout", "--quiet", "manifest.yaml");
    const back = await run(clone, "plan");
    expect(back.stdout).toContain('"two" -> "one"');
    expect(back.stdout).not.toMatch(/\[(drift|both|this change|not made)/u);
    expect(said(back)).toMatch(/The last apply \(.*\) at [0-9a-f]{7} made changes that its commit does not declare/u);
    expect((await apply(clone)).status).toBe(0);
    expect((await run(clone, "inventory")).stdout).not.toContain("uncommitted");
    write(clone, manifest("dirty", "a: { TXT: three }"));
    expect((await run(clone, "plan")).stdout).toContain("[this change]");
  });

  test.runIf(size.whole)("are the whole manifest before the first commit", async () => {
    const clone = join(shop.folder, "unborn");
    shop.git(shop.folder, "init", "--quiet", clone);
    write(clone, manifest("unborn", "a: { TXT: one }"));
    expect(said(await apply(clone))).toContain("manifest.yaml has changes that are not committed");
    expect((await run(clone, "inventory")).stdout).toContain(", with changes that it does not declare");
    const refs = () => shop.git(clone, "for-each-ref", "--format=%(objectname)", "refs/hostform/*");
    const first = refs();
    expect((await apply(clone)).stdout).toContain("No changes.");
    expect(refs()).toBe(first);
    shop.commit(clone, "manifest.yaml", manifest("unborn", "a: { TXT: one }"));
    expect(said(await apply(clone))).not.toContain("manifest.yaml has changes");
    expect((await run(clone, "inventory")).stdout).not.toContain("uncommitted");
  });

  test.runIf(size.rareHistories)(
    "are recorded though they change nothing, and by a saved plan that was made of them",
    async () => {
      const clone = shop.clone(shop.makeRemote());
      shop.commit(clone, "manifest.yaml", manifest("same", "a: { TXT: one }"));
      expect((await apply(clone)).status).toBe(0);
      write(clone, `${manifest("same", "a: { TXT: one }")}# a comment\n`);
      expect((await apply(clone)).stdout).toContain("No changes.");
      expect((await run(clone, "inventory")).stdout).toContain("with changes that it does not declare");
      write(clone, manifest("same", "a: { TXT: two }"));
      const plan = join(clone, "plan.json");
      expect((await run(clone, "plan", "--out", plan)).status).toBe(0);
      shop.commit(clone, "manifest.yaml", manifest("same", "a: { TXT: two }"));
      const applied = await runInProcess(account, ["apply", plan], {
        HOME: join(shop.folder, "home"),
        PATH: process.env["PATH"] ?? "",
      });
      expect(applied.status, said(applied)).toBe(0);
      expect((await run(clone, "inventory")).stdout).toContain("with changes that it does not declare");
      const why = await run(clone, "inventory", "--why", "dns_record/same.example/a/TXT");
      expect(why.stdout).toContain("entered");
    },
  );

  test.runIf(size.rareHistories)(
    "of the last apply are reported on a branch that does not contain its commit, and every difference counts as reverting them",
    async () => {
      const remote = shop.makeRemote();
      const clone = shop.clone(remote);
      shop.commit(clone, "manifest.yaml", manifest("behind", "a: { TXT: one }"));
      shop.git(clone, "push", "--quiet", "origin", "HEAD");
      expect((await apply(clone)).status).toBe(0);
      const branch = shop.clone(remote);
      shop.commit(clone, "manifest.yaml", manifest("behind", "a: { TXT: one }, b: { TXT: one }"));
      shop.git(clone, "push", "--quiet", "origin", "HEAD");
      write(clone, manifest("behind", "a: { TXT: by hand }, b: { TXT: one }"));
      expect((await apply(clone)).status).toBe(0);
      shop.commit(branch, "manifest.yaml", manifest("behind", "a: { TXT: one }, c: { TXT: mine }"));
      const refused = exits(6, await apply(branch));
      expect(said(refused)).toMatch(/was applied at [0-9a-f]{7} \([^)]*, with changes that it does not declare\)/u);
      expect(said(refused)).toContain("dns_record/behind.example/a/TXT");
    },
  );
});

describe("an inventory that began before the repository had a remote", () => {
  const begin = async (name: string) => {
    const clone = join(shop.folder, name);
    shop.git(shop.folder, "init", "--quiet", clone);
    shop.commit(clone, "manifest.yaml", manifest(name, "a: { TXT: one }"));
    expect((await apply(clone)).status).toBe(0);
    return clone;
  };
  const bare = (name: string) => {
    const remote = join(shop.folder, `${name}.git`);
    shop.git(shop.folder, "init", "--quiet", "--bare", remote);
    return remote;
  };
  const refs = (folder: string) => shop.git(folder, "for-each-ref", "--format=%(objectname)", "refs/hostform/*");

  test.runIf(size.whole)(
    "is pushed by the next apply, though that changes nothing, and another clone has it",
    async () => {
      const [clone, remote] = [await begin("late"), bare("late")];
      const before = refs(clone);
      shop.git(clone, "remote", "add", "origin", remote);
      shop.git(clone, "push", "--quiet", "origin", "HEAD:main");
      shop.git(remote, "symbolic-ref", "HEAD", "refs/heads/main");
      await run(clone, "plan");
      expect(refs(remote)).toBe("");
      const applied = await apply(clone);
      expect(applied.stdout).toContain("No changes.");
      expect(refs(remote)).toBe(refs(clone));
      shop.git(remote, "merge-base", "--is-ancestor", before, refs(remote));
      const other = shop.clone(remote);
      expect((await run(other, "inventory")).stdout).toContain("dns_record/late.example/a/TXT");
      const pushed = refs(remote);
      expect((await apply(clone)).status).toBe(0);
      expect(refs(remote), "is not written again").toBe(pushed);
    },
  );

  test.runIf(size.rareHistories)(
    "is joined with the inventory that the remote has, and neither history is lost",
    async () => {
      const [clone, remote] = [await begin("both"), bare("both")];
      const other = join(shop.folder, "both-other");
      shop.git(shop.folder, "clone", "--quiet", clone, other);
      for (const each of [clone, other]) {
        if (each === other) shop.git(each, "remote", "remove", "origin");
        shop.git(each, "remote", "add", "origin", remote);
      }
      shop.commit(other, "manifest.yaml", manifest("both", "a: { TXT: one }, b: { TXT: two }"));
      shop.git(other, "push", "--quiet", "origin", "HEAD:main");
      expect((await apply(other)).status).toBe(0);
      const [here, there] = [refs(clone), refs(remote)];
      shop.git(clone, "pull", "--quiet", "origin", "main");
      const applied = exits(0, await apply(clone));
      expect(said(applied)).toContain("both sets of changes were merged");
      for (const each of [here, there]) shop.git(remote, "merge-base", "--is-ancestor", each, refs(remote));
      const { stdout } = await run(clone, "inventory");
      for (const name of ["a", "b"]) expect(stdout).toContain(`dns_record/both.example/${name}/TXT`);
    },
  );

  test.runIf(size.rareHistories)(
    "stays here if the remote refuses it, and each apply is refused and says so",
    async () => {
      const [clone, remote] = [await begin("refused"), bare("refused")];
      mkdirSync(join(remote, "hooks"), { recursive: true });
      writeFileSync(join(remote, "hooks", "pre-receive"), "#!/bin/sh\necho not here >&2\nexit 1\n", { mode: 0o755 });
      shop.git(clone, "remote", "add", "origin", remote);
      for (const applied of [await apply(clone), await apply(clone)])
        expect(said(exits(6, applied))).toContain("The inventory cannot be pushed to origin");
      expect(refs(remote)).toBe("");
      expect((await run(clone, "inventory")).stdout).toContain("dns_record/refused.example/a/TXT");
      rmSync(join(remote, "hooks", "pre-receive"));
      expect((await apply(clone)).status).toBe(0);
      expect(refs(remote)).toBe(refs(clone));
    },
  );
});

describe("at the end of an apply", () => {
  const records = manifest("taken", "{}").replace("{ {} }", "{ a: { TXT: one } }");

  test.runIf(size.whole)(
    "the resources that were taken over are counted, with the place of the inventory",
    async () => {
      const remote = shop.makeRemote();
      const clone = shop.clone(remote);
      shop.commit(clone, "manifest.yaml", records);
      const first = exits(0, await apply(clone));
      expect(said(first)).toContain("No branch of the remote that this clone knows contains the commit ");
      expect(said(first)).not.toContain("ours now");
      shop.git(clone, "push", "--quiet", "origin", "HEAD");
      shop.git(clone, "push", "--quiet", "origin", "--delete", ...refsOf(clone));
      shop
        .git(clone, "for-each-ref", "--format=delete %(refname)", "refs/hostform", "refs/hostform-remote")
        .split("\n")
        .forEach((line) => line && shop.git(clone, "update-ref", "-d", line.replace("delete ", "")));
      const planned = await run(clone, "plan");
      expect(planned.stdout).toContain("Once this is applied, Hostform manages these 2 existing resources, too: d");
      const again = await apply(clone);
      expect(again.stdout).toMatch(
        /^2 resources are ours now\. The inventory is in refs\/hostform\/taken-\w+, pushed to origin\.$/mu,
      );
      expect(said(again)).not.toContain("No branch of the remote");
      expect((await apply(clone)).stdout).not.toContain("ours now");
      const inFile = await apply(clone, "--inventory", join(clone, "inv.json"), "--json");
      const events = inFile.stdout
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line));
      expect(events).toContainEqual(expect.objectContaining({ type: "taken_over", count: 2, kept: "file" }));
      const alone = shop.clone(remote);
      shop.git(alone, "remote", "remove", "origin");
      const local = await apply(alone);
      expect(local.stdout).toMatch(/^2 resources are ours now\. .*, in this clone only\.$/mu);
    },
  );

  const refsOf = (clone: string) =>
    shop.git(clone, "for-each-ref", "--format=%(refname)", "refs/hostform").trim().split("\n");
});
