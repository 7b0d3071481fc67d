import { join } from "node:path";
import { expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** A branch that does not contain the commit of the last apply. */
const shop = workshopForFile();
const account = accountForFile();

const manifest = (records: string) => `version: 1
name: shop
dns: { behind.example: { records: { ${records} } } }
`;

const run = (clone: string, command: string, ...flags: string[]) =>
  runInProcess(account, [command, "-f", join(clone, "manifest.yaml"), ...flags], shop.env);
const apply = (clone: string) => run(clone, "apply", "--auto-approve");

test("is refused by plan and apply where it would delete or revert something, and else is applied with a notice", async () => {
  const remote = shop.makeRemote();
  const clone = shop.clone(remote);
  shop.commit(clone, "manifest.yaml", manifest("a: { TXT: old }"));
  shop.git(clone, "push", "--quiet", "origin", "HEAD");
  expect((await apply(clone)).status).toBe(0);
  const branch = shop.clone(remote);
  const commit = shop.commit(clone, "manifest.yaml", manifest("a: { TXT: new }"));
  shop.git(clone, "push", "--quiet", "origin", "HEAD");
  expect((await apply(clone)).status).toBe(0);
  shop.commit(branch, "manifest.yaml", manifest("a: { TXT: old }, b: { TXT: mine }"));
  const said = new RegExp(
    `main was applied at ${commit.slice(0, 7)} \\(.+, .+\\), and this branch does not contain it: git fetch && git merge ${commit.slice(0, 7)} \\(if git does not know that commit, it has not been pushed yet\\)\\. Only if you mean to go back: --rollback`,
    "u",
  );
  const planned = exits(6, await run(branch, "plan"));
  expect(planned.stdout).toMatch(said);
  expect(planned.stdout + planned.stderr).toContain("would delete or revert dns_record/behind.example/a/TXT");
  // A hash stands for consent, and this plan needs more of it.
  expect(planned.stdout).not.toContain("Plan hash");
  expect(exits(6, await apply(branch)).stdout).toMatch(said);
  shop.commit(branch, "manifest.yaml", manifest("a: { TXT: new }, b: { TXT: mine }"));
  const added = exits(0, await apply(branch));
  expect(added.stdout + added.stderr).toMatch(said);
});

const boxes = (...names: string[]) => `version: 1
name: mail
domains: { behind.example: {} }
mail: { behind.example: { mailboxes: { ${names.map((name) => `${name}: { password: "\${env:PW_${name}}" }`).join(", ")} } } }
`;

test.runIf(size.whole)("says that it is behind before it says what is missing, in every command and form", async () => {
  const remote = shop.makeRemote();
  const clone = shop.clone(remote);
  const env = { ...shop.env, PW_info: "correct horse battery", PW_main: "correct horse battery" };
  await account.create("/domains", { name: "behind.example" });
  const go = (at: string, command: string, given: Record<string, string>, ...flags: string[]) =>
    runInProcess(account, [command, "-f", join(at, "manifest.yaml"), ...flags], given);
  const push = (text: string) => {
    shop.commit(clone, "manifest.yaml", text);
    shop.git(clone, "push", "--quiet", "origin", "HEAD");
    return go(clone, "apply", env, "--auto-approve", "--settle", "0");
  };
  expect(await push(boxes("info"))).toMatchObject({ status: 0 });
  const branch = shop.clone(remote);
  expect(await push(boxes("info", "main"))).toMatchObject({ status: 0 });
  shop.commit(branch, "manifest.yaml", boxes("info", "a", "b", "c", "d"));
  const runs = ["plan", "apply --auto-approve", "rehearse"].flatMap((command) =>
    ["", "--json", "--all-diagnostics", ...(command === "plan" ? ["--format markdown"] : [])].map(
      (form) => `${command} ${form}`,
    ),
  );
  for (const words of size.every(15, runs)) {
    const [command = "", ...flags] = words.split(" ").filter(Boolean);
    const { printed } = exits(6, await go(branch, command, shop.env, ...flags));
    expect(printed, words).toContain("this branch does not contain it");
    if (command !== "rehearse") expect(printed, words).toContain("PW_a");
    expect(printed.indexOf("does not contain it"), printed).toBeLessThan((printed.indexOf("PW_") + 1 || Infinity) - 1);
  }
});
