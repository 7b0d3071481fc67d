import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** Applies that are stopped before they have sent anything. */
const account = accountForFile();
const front = frontForFile(account);
const shop = workshopForFile();

afterEach(() => front.interfere(() => false));

const text = "version: 1\nname: early\ndns: { early.example: { records: { www: { A: 192.0.2.1 } } } }\n";
const writes = async () => (await account.operations()).filter(({ method }) => method !== "GET");

test.each(
  size.every(2, [
    ["inventory", "refs/hostform/early-*"],
    ["lock", "refs/hostform/lock/*"],
  ] as const),
)("while the first push of the %s waits: nothing is sent, and the lock is given back", async (which, pattern) => {
  const remote = shop.makeRemote();
  const clone = shop.clone(remote);
  shop.commit(clone, "manifest.yaml", text);
  const journal = join(shop.folder, "early.journal");
  mkdirSync(join(remote, "hooks"));
  // Signals the apply that pushes, once; the lock beside the journal tells which process that is.
  writeFileSync(
    join(remote, "hooks", "pre-receive"),
    `#!/bin/sh
read -r old new ref
case $ref in ${pattern}) rm -- "$0"; kill -TERM $(sed 's/.*"pid":\\([0-9]*\\).*/\\1/' '${journal}.lock'/*/*.json) ;; esac
`,
    { mode: 0o755 },
  );
  const args = ["apply", "-f", "manifest.yaml", "--auto-approve", "--journal", journal, ...account.flags];
  const ran = exits(130, await runHostform(args, { env: { ...shop.env, ...account.env }, cwd: clone }));
  expect(ran.stdout).toContain("Nothing was changed.");
  expect(await writes()).toEqual([]);
  expect(existsSync(journal)).toBe(false);
  const refs = shop.git(remote, "for-each-ref", "--format=%(refname)", "refs/hostform").split("\n");
  const lock = refs.find((ref) => ref.startsWith("refs/hostform/lock/")) ?? "";
  expect(JSON.parse(shop.git(remote, "cat-file", "blob", lock))).toMatchObject({ free: true });
  expect(refs).toHaveLength(which === "lock" ? 1 : 2);
  const kept = refs
    .filter((ref) => ref !== lock)
    .map((ref) => JSON.parse(shop.git(remote, "show", `${ref}:inventory.json`)) as Record<string, unknown>);
  for (const each of kept) {
    expect(each).toMatchObject({ addresses: [] });
    expect(Object.keys(each)).not.toContain("running");
    expect(Object.keys(each), "nothing was applied").not.toContain("lastApply");
  }
});

test("while it plans: it ends at once, and gives its lock back", async () => {
  const file = account.write("planning.yaml", text);
  let kill: (signal: NodeJS.Signals) => void = () => undefined;
  // Never answered.
  front.interfere(() => {
    kill("SIGTERM");
    return true;
  });
  const ran = await runHostform(["apply", "-f", file, "--auto-approve", ...front.flags], {
    env: { ...account.env },
    cwd: account.folder,
    onStart: (signal) => (kill = signal),
  });
  expect(ran.status).toBe(130);
  expect(ran.stdout).toContain("Interrupted. Nothing was changed.");
  expect(ran.stderr).toContain("No inventory is kept");
  expect(ran.stderr).not.toContain("cannot be used");
  expect(readdirSync(join(account.folder, ".hostform")).filter((name) => !name.startsWith("."))).toEqual([]);
});

test("an interrupt while apply asks for approval does not count as approval", async () => {
  const file = account.write("asking.yaml", text);
  let interrupt: () => void = () => undefined;
  const ran = await runInProcess(
    account,
    ["apply", "-f", file, "--journal", join(account.folder, "asking.journal")],
    {},
    {
      interactive: true,
      onInterrupt: (handler) => (interrupt = handler),
      ask: async (_question, stop) => {
        interrupt();
        return stop.aborted ? undefined : "yes";
      },
    },
  );
  expect(ran.status, ran.stderr).toBe(130);
  expect(ran.stdout).toContain("Cancelled. Nothing was changed.");
  expect(await writes()).toEqual([]);
});
