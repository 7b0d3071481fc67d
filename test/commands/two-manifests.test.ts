import { join } from "node:path";
import { expect, test } from "vitest";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { ownedRepository } from "./owned-repository.ts";

/** Two manifests in one repository, each planned and applied by itself. */
const { account, repository, commit } = ownedRepository();

const declare = (name: string, domain: string, ...mailboxes: readonly string[]) =>
  `version: 1\nname: ${name}\ndomains: { ${domain}: }\nmail: { ${domain}: { mailboxes: { ${mailboxes.map((each) => `${each}: {}`).join(", ")} } } }\n`;

test("a mailbox that leaves one manifest is said at the plan of that one, and nothing of the other", async () => {
  const run = async (command: string, file: string, ...flags: readonly string[]) => {
    const args = [command, "-f", join(repository.folder, file), ...flags];
    return exits(0, await runInProcess(account, args)).printed;
  };
  for (const domain of ["a.example", "b.example"]) {
    await account.create("/domains", { name: domain, period_years: 1 });
    for (const name of ["jo", "info"])
      await account.create("/mail/accounts", { address: `${name}@${domain}`, password: "correct horse battery" });
  }
  commit(declare("first", "a.example", "jo", "info"), "a.yaml");
  commit(declare("second", "b.example", "jo", "info"), "b.yaml");
  for (const file of ["a.yaml", "b.yaml"]) await run("apply", file, "--auto-approve", "--settle", "0");
  commit(declare("second", "b.example", "info"), "b.yaml");
  const planned = await run("plan", "b.yaml");
  expect(planned).toContain("removed: [{ address: mailbox/jo@b.example, action: delete }]");
  expect(planned).not.toContain("@a.example");
  expect(await run("plan", "a.yaml")).not.toMatch(/no_longer_declared|removed:/u);
  await run("apply", "a.yaml", "--auto-approve", "--settle", "0");
  expect(await run("plan", "b.yaml")).toContain("mailbox/jo@b.example, action: delete");
});
