import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { accountAsNew } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { recordNames } from "../support/live-records.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

/** Applies whose inventory the remote does not take, from some push on. */
const shop = workshopForFile();
const account = accountAsNew({ seed: { dns_zone: [{ name: "a.example" }] } });
let remote: string;
beforeEach(() => {
  remote = shop.makeRemote();
});

const manifest = (names: readonly string[]) =>
  `version: 1\nname: shop\ndns: { a.example: { records: { ${names.map((name) => `${name}: { TXT: here }`).join(", ")} } } }\n`;

let commits = 0;
function commit(clone: string, ...names: string[]) {
  shop.commit(clone, "manifest.yaml", `# ${(commits += 1)}\n${manifest(names)}`);
  shop.git(clone, "push", "--quiet", "origin", "HEAD");
}

const apply = (clone: string) => {
  const args = ["apply", "-f", join(clone, "manifest.yaml"), "--auto-approve", "--settle", "0", "--lock-timeout", "0"];
  return runInProcess(account, args, shop.env);
};

/** Lets the remote reject the inventory from one of its pushes on: 1 for the first. The lock is another ref. */
function rejectFrom(push: number): void {
  const hooks = join(remote, "hooks");
  mkdirSync(hooks, { recursive: true });
  const count = join(remote, "pushes");
  writeFileSync(count, "");
  const script = `#!/bin/sh
case "$1" in refs/hostform/lock/*) exit 0 ;; refs/hostform/*) ;; *) exit 0 ;; esac
echo x >> '${count}'
[ "$(wc -l < '${count}')" -lt ${push} ] || { echo "not today"; exit 1; }
`;
  writeFileSync(join(hooks, "update"), script);
  chmodSync(join(hooks, "update"), 0o755);
}

/** Applies what takes one record out, in a clone of its own, and returns the records that are left. */
async function takeOutElsewhere(...names: string[]) {
  const clone = shop.clone(remote);
  commit(clone, ...names);
  exits(0, await apply(clone));
  return recordNames(account);
}

const commandIn = (printed: string) => /share it from this clone: (git .*)$/mu.exec(printed)?.[1] ?? "";
const share = (printed: string) =>
  execFileSync("sh", ["-c", commandIn(printed)], { env: shop.env, encoding: "utf8", stdio: "pipe" });

describe("a remote that takes no push", () => {
  test.each<[string, (clone: string) => void]>(
    size.every(9, [
      ["hides the refs of inventories", () => void shop.git(remote, "config", "receive.hideRefs", "refs/hostform")],
      ["hides them, and not those of locks", () => rejectFrom(1)],
      [
        "is read from another place than it is written to",
        (clone) => void shop.git(clone, "remote", "set-url", "--push", "origin", `${remote}-none`),
      ],
    ]),
  )("and %s is found out before the first write", async (_what, close) => {
    const clone = shop.clone(remote);
    commit(clone, "a");
    close(clone);
    const ran = exits(6, await apply(clone));
    expect(ran.printed).toMatch(
      /error\[inventory_not_pushed\]: The inventory cannot be pushed to origin \(.*\): .*\. Nothing was changed/u,
    );
    expect(ran.printed).toContain("allow this runner to push refs/hostform/*");
    expect(await recordNames(account)).toEqual([]);
    expect(shop.git(clone, "for-each-ref", "refs/hostform")).toBe("");
  });

  test.runIf(size.whole)(
    "and cannot be reached ends with 5 what was applied, names it, and the command that it prints shares it",
    async () => {
      const clone = shop.clone(remote);
      commit(clone, "a", "b");
      shop.git(clone, "remote", "set-url", "origin", `${remote}-none`);
      const ran = exits(5, await apply(clone));
      expect(ran.printed).toContain(
        "Others do not know yet that dns_record/a.example/a/TXT, dns_record/a.example/b/TXT, dns_zone/a.example are ours",
      );
      // Another apply without the remote does not make it known: neither one that changes nothing, nor one that changes something else.
      const again = exits(5, await apply(clone));
      expect(again.printed).toContain(
        "Others do not know yet that dns_record/a.example/a/TXT, dns_record/a.example/b/TXT, dns_zone/a.example are ours",
      );
      shop.commit(clone, "manifest.yaml", manifest(["b", "c"]));
      const changed = exits(5, await apply(clone));
      expect(changed.printed).toContain(
        "Others do not know yet that dns_record/a.example/b/TXT, dns_record/a.example/c/TXT, dns_zone/a.example are ours",
      );
      shop.git(clone, "remote", "set-url", "origin", remote);
      shop.git(clone, "push", "--quiet", "origin", "HEAD");
      share(changed.printed);
      expect(await takeOutElsewhere("c")).toEqual(["c"]);
    },
  );
});

test.runIf(size.whole).each<[string, (ref: string) => void]>(
  size.every(9, [
    ["is gone", (ref) => void shop.git(remote, "update-ref", "-d", ref)],
    ["is an earlier one", (ref) => void shop.git(remote, "update-ref", ref, `${ref}~1`)],
    ["is not a commit", (ref) => void shop.git(remote, "update-ref", ref, "HEAD:manifest.yaml")],
  ]),
)(
  "an apply without changes ends with 5 while the inventory at the remote %s, and with 0 after it is restored as printed",
  async (_what, damage) => {
    const clone = shop.clone(remote);
    for (const names of [["a"], ["a", "b"]]) {
      commit(clone, ...names);
      expect((await apply(clone)).status).toBe(0);
    }
    const ref = shop.git(clone, "for-each-ref", "--format=%(refname)", "refs/hostform/").trim();
    damage(ref);
    for (const _time of [1, 2]) {
      const ran = exits(5, await apply(clone));
      expect(ran.printed).toContain("someone has to choose first");
    }
    shop.git(clone, "push", "--quiet", "--force", "origin", `${ref}:${ref}`);
    exits(0, await apply(clone));
  },
);

test.runIf(size.whole)(
  "an apply ends with 0 only if the remote has its inventory, and what a 5 tells to run brings it there",
  async () => {
    const names = fc.subarray(["a", "b", "c", "d"], { minLength: 1 });
    const drawn = fc.record({ before: names, after: names, push: fc.integer({ min: 1, max: 5 }) });
    await forDraws(
      {
        numRuns: size.draws(12),
        examples: [
          [{ before: ["a", "b"], after: ["a", "c"], push: 2 }],
          [{ before: ["a"], after: ["a", "b"], push: 1 }],
        ],
      },
      drawn,
      async ({ before, after, push }) => {
        account.putBack();
        remote = shop.makeRemote();
        const clone = shop.clone(remote);
        commit(clone, ...before);
        expect((await apply(clone)).status).toBe(0);
        commit(clone, ...after);
        rejectFrom(push);
        const ran = await apply(clone);
        rmSync(join(remote, "hooks"), { recursive: true });
        const wanted = after.toSorted();
        expect(await recordNames(account), ran.printed).toEqual(ran.status === 6 ? before.toSorted() : wanted);
        expect([0, 5, 6], ran.printed).toContain(ran.status);
        expect(ran.status === 0, ran.printed).toBe(!ran.printed.includes("inventory_not_pushed"));
        if (ran.status === 6) return;
        if (ran.status === 5) share(ran.printed);
        const [, ...rest] = wanted;
        expect(await takeOutElsewhere(...rest, "z")).toEqual([...rest, "z"]);
      },
    );
  },
);
