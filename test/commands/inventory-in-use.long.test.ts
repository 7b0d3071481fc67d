import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { exits, runHostform, type Ran } from "../support/run-hostform.ts";
import { manifest, ownedRepository } from "./owned-repository.ts";

const { account, repository, git, commit, run, applied, records } = ownedRepository();

describe("an inventory that cannot be had", () => {
  test("deletes nothing and breaks no run where it is unreadable", async () => {
    commit(manifest("a", "b"));
    await applied();
    const ref = git("for-each-ref", "--format=%(refname)", "refs/hostform/").trim();
    git("update-ref", ref, git("rev-parse", "HEAD").trim());
    commit(manifest("a"));
    const ran = await applied();
    expect(ran.stderr).toContain("cannot be read");
    expect(await records()).toEqual(["a", "b"]);
  });

  test("deletes nothing outside a repository, and says so", async () => {
    rmSync(join(repository.folder, ".git"), { recursive: true });
    writeFileSync(join(repository.folder, "hosting.yaml"), manifest("a", "b"));
    await applied();
    writeFileSync(join(repository.folder, "hosting.yaml"), manifest("a"));
    const ran = await applied();
    expect(ran.stderr).toContain("No inventory is kept");
    expect(await records()).toEqual(["a", "b"]);
  });

  describe.each([
    ["its file is unreadable", () => ["--inventory", account.write("inventory.json", "{}")]],
    [
      "a clone without a copy does not reach the remote",
      () => {
        git("remote", "add", "origin", join(repository.folder, "gone"));
        return [];
      },
    ],
  ] as const)("where %s", (_why, flags) => {
    test.each([[[]], [["--why", "dns_record/example.com/a/TXT"]], [["--adopt", "dns_record/example.com/a/TXT"]]])(
      "is not shown as an empty one, nor changed: %j",
      async (asked) => {
        commit(manifest("a"));
        const ran = exits(6, await run("inventory", ...flags(), ...asked));
        expect(ran.stderr).toMatch(/^warning\[inventory_unreadable\]/mu);
        expect(ran.stdout).toBe("");
      },
    );

    test("does not show that nothing was applied so far", async () => {
      commit(manifest("a"));
      const ran = exits(6, await run("drift", ...flags()));
      expect(ran.stderr).toContain("The inventory is not known, nor what was applied");
    });
  });

  test("is not that of a new account where the remote has something else in its place", async () => {
    commit(manifest("a"));
    await applied();
    const ref = git("for-each-ref", "--format=%(refname)", "refs/hostform/").trim();
    const bare = join(account.folder, "remote.git");
    git("init", "--quiet", "--bare", bare);
    git("remote", "add", "origin", bare);
    git("push", "--quiet", "origin", `${git("rev-parse", "HEAD:hosting.yaml").trim()}:${ref}`);
    git("update-ref", "-d", ref);
    const ran = exits(6, await run("drift"));
    expect(ran.stderr).toContain("inventory_not_a_commit");
    expect(ran.stderr).toContain("The inventory is not known, nor what was applied");
  });

  test("is kept in a file where one is named", async () => {
    rmSync(join(repository.folder, ".git"), { recursive: true });
    const file = join(account.folder, "inventory.json");
    writeFileSync(join(repository.folder, "hosting.yaml"), manifest("a", "b"));
    await applied("--inventory", file);
    writeFileSync(join(repository.folder, "hosting.yaml"), manifest("a"));
    await applied("--inventory", file);
    expect(await records()).toEqual(["a"]);
  });
});

test("a second apply is refused while one runs, with the holder of the lock and the time since when", async () => {
  commit(manifest(...Array.from({ length: 20 }, (_, index) => `r${index}`)));
  let second: Promise<Ran> | undefined;
  const args = [
    "apply",
    "-f",
    join(repository.folder, "hosting.yaml"),
    "--auto-approve",
    "--parallelism",
    "1",
    "--json",
  ];
  const first = await runHostform([...args, ...account.flags], {
    env: { ...account.env },
    onOutput: (stdout, kill) => {
      if (second || !stdout.includes("step_end")) return;
      kill("SIGSTOP");
      second = account.hostform(args).finally(() => kill("SIGCONT"));
    },
  });
  const refused = await second;
  expect(first.status).toBe(0);
  expect(refused?.status).toBe(6);
  expect(refused?.stdout).toMatch(/Another apply is running since .*, by /u);
});

test.runIf(size.whole)("two clones of one remote keep one inventory", async () => {
  const bare = join(account.folder, "remote.git");
  git("init", "--quiet", "--bare", bare);
  git("remote", "add", "origin", bare);
  commit(manifest("a", "b"));
  git("push", "--quiet", "origin", "main");
  await applied();
  repository.folder = join(account.folder, "clone");
  execFileSync("git", ["clone", "--quiet", "--depth", "1", "--branch", "main", `file://${bare}`, repository.folder]);
  commit(manifest("a"));
  await applied();
  expect(await records()).toEqual(["a"]);
});
