import { join } from "node:path";
import { expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { listed } from "../support/live-records.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { ownedRepository } from "./owned-repository.ts";

/** Two manifests of one name, each applied by itself: they share one inventory. */
const { account, repository, commit, git } = ownedRepository();

const mail = (domain: string, ...mailboxes: readonly string[]) =>
  `version: 1\nname: shop\ndomains: { ${domain}: }\nmail: { ${domain}: { mailboxes: { ${mailboxes.map((each) => `${each}: {}`).join(", ")} } } }\n`;

const run = async (command: string, file: string, ...flags: readonly string[]) => {
  const args = [command, "-f", join(repository.folder, file), ...flags];
  return exits(0, await runInProcess(account, args)).printed;
};
const apply = (file: string) => run("apply", file, "--auto-approve", "--settle", "0");
/** The addresses that a plan or an apply says stay behind. */
const staying = (printed: string) =>
  [...printed.matchAll(/warning\[no_longer_declared\]: (\S+) /gu)].map(([, address]) => address);

test.runIf(size.whole)(
  "a mailbox that leaves a manifest is said at each plan and apply of that file until it is removed, and one that moves is not",
  async () => {
    await account.create("/domains", { name: "b.example", period_years: 1 });
    for (const name of ["info", "jo", "late", "moves"])
      await account.create("/mail/accounts", { address: `${name}@b.example`, password: "correct horse battery" });
    commit("version: 1\nname: shop\ndomains: { b.example: }\n", "a.yaml");
    commit(mail("b.example", "info", "jo", "moves"), "b.yaml");
    for (const file of ["a.yaml", "b.yaml"]) await apply(file);
    commit(mail("b.example", "info", "jo", "moves", "late"), "b.yaml");
    await apply("b.yaml");
    commit(mail("b.example", "moves"), "a.yaml");
    commit(mail("b.example", "info"), "b.yaml");
    const [jo, late] = ["mailbox/jo@b.example", "mailbox/late@b.example"];
    expect(staying(await run("plan", "b.yaml"))).toEqual([jo, late]);
    expect(staying(await run("plan", "a.yaml"))).toEqual([]);
    expect(staying(await run("plan", "a.yaml", "--only", "mailbox/*"))).toEqual([]);
    expect(staying(await apply("b.yaml"))).toEqual([jo, late]);
    const planned = await run("plan", "b.yaml");
    expect(staying(planned)).toContain(jo);
    const [line = ""] = /removed: \[\{ address: mailbox\/jo@b.example, action: delete \}\]/u.exec(planned) ?? [];
    commit(`${mail("b.example", "info")}${line}\n`, "b.yaml");
    await apply("b.yaml");
    const boxes = await listed<{ address: string }>(account, "/v2026/mail/accounts?domain=b.example");
    expect(boxes.map(({ address }) => address).toSorted()).toEqual(
      ["info", "late", "moves"].map((name) => `${name}@b.example`),
    );
    git("rm", "--quiet", "b.yaml");
    git("commit", "--quiet", "--message", "change");
    expect(staying(await run("plan", "a.yaml"))).toContain("mailbox/info@b.example");
  },
);
