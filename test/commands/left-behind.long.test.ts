import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { manifest, ownedRepository } from "./owned-repository.ts";
import { listed } from "../support/live-records.ts";
import { exits } from "../support/run-hostform.ts";

const { account, repository, git, commit, run, applied } = ownedRepository();

const withMailbox = `${manifest("a")}domains: { example.com: }
mail: { example.com: { mailboxes: { jo: {} } } }
`;
const line = "removed: [{ address: mailbox/jo@example.com, action: delete }]";

beforeEach(async () => {
  await account.create("/domains", { name: "example.com", period_years: 1 });
  const mailbox = { address: "jo@example.com", password: "correct horse battery", quota_mb: 500 };
  await account.create("/mail/accounts", mailbox);
});

describe("a mailbox that a manifest declared without values", () => {
  const flagsOf = { git: [], file: ["--inventory", "inventory.json"] } as const;

  test.each(["git", "file"] as const)("is said where it leaves the manifest, with an inventory in %s", async (kind) => {
    const flags = flagsOf[kind].map((flag) => (flag.startsWith("--") ? flag : join(account.folder, flag)));
    commit(withMailbox);
    await applied(...flags);
    commit(manifest("a"));
    const planned = exits(0, await run("plan", ...flags));
    expect(planned.stdout + planned.stderr).toContain(line);
    commit(`${manifest("a")}${line}\n`);
    await applied(...flags);
    expect(await listed(account, "/v2026/mail/accounts?domain=example.com")).toEqual([]);
  });

  test.runIf(size.rareHistories)("is said in another clone, and after an apply that left it out", async () => {
    commit(withMailbox);
    await applied();
    commit(manifest("a", "b"));
    await applied("--only", "dns_record/*");
    const clone = join(account.folder, "clone");
    mkdirSync(clone);
    git("clone", "--quiet", ".", clone);
    repository.folder = clone;
    git("fetch", "--quiet", "origin", "+refs/hostform/*:refs/hostform/*");
    const planned = await run("plan");
    expect(planned.stdout + planned.stderr).toContain(line);
    const other = await run("plan", "--only", "dns_record/*");
    expect(other.stdout + other.stderr).not.toContain(line);
  });

  test.runIf(size.whole)("is not said any more once it is forgotten by hand", async () => {
    const printed = async () => Object.values(await run("plan")).join("\n");
    commit(withMailbox);
    await applied();
    for (const names of [["a"], ["a", "b"]]) {
      commit(manifest(...names));
      await applied();
    }
    expect(await printed()).toContain(line);
    exits(0, await run("inventory", "--forget", "mailbox/jo@example.com"));
    expect(await printed()).not.toContain("mailbox/jo@example.com");
  });

  test("is not said on a branch behind the last apply", async () => {
    commit(manifest("a"));
    git("branch", "behind");
    commit(withMailbox);
    await applied();
    git("checkout", "--quiet", "behind");
    const planned = await run("plan");
    expect(planned.stdout + planned.stderr).not.toContain("no_longer_declared");
  });
});
