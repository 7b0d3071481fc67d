import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileName } from "../../src/state/inventory/git-commit.ts";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { workshopForFile } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { checkEvents, eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** What a plan says of an apply that its surroundings refuse: the environment, the remote, files, an earlier apply. */
const account = accountForFile();
const shop = workshopForFile();
let folder: string;
let count = 0;

const run = (command: string, file: string, ...more: readonly string[]) =>
  runInProcess(account, [command, "-f", file, "--json", ...more], shop.env, virtualClock());
const apply = (file: string, ...more: readonly string[]) =>
  run("apply", file, "--auto-approve", "--lock-timeout", "0", ...more);
const saidOf = (ran: Ran, severities: readonly string[]) =>
  eventsOf(ran)
    .filter(({ severity }) => severities.includes(String(severity)))
    .map(({ code, summary, detail, hint }) => ({ code, summary, detail, hint }));
const planOf = (ran: Ran) => eventsOf(ran).find(({ type }) => type === "plan");

function newFile(manifest: object): string {
  folder = join(account.folder, `around${(count += 1)}`);
  mkdirSync(folder);
  const file = join(folder, "m.yaml");
  writeFileSync(file, JSON.stringify({ version: 1, name: `around${count}`, ...manifest }));
  return file;
}

describe("values that are not set", () => {
  const service = { plan: "WEB-M", datacenter: "MAD1" };
  const places: Readonly<Record<string, (name: string, value: string) => object>> = {
    mailbox: (name, value) => ({ mail: { [name]: { mailboxes: { info: { password: value } } } } }),
    ftp_account: (name, value) => ({
      ftp: { [name]: { accounts: { deploy: { home: "/www", permissions: ["read"], password: value } } } },
    }),
    dns_record: (name, value) => ({ dns: { [name]: { records: { t: { TXT: [value] } } } } }),
  };
  const source = fc.constantFrom("${env:NOT_SET}", "${env:NOT_SET_EITHER}", "${file:none.txt}", "a ${env:NOT_SET} b");
  const drawn = fc.dictionary(fc.constantFrom(...Object.keys(places)), source, { minKeys: 1 });

  test("a plan says that an apply would refuse it, and names each value with the words of the apply", () =>
    forDraws({ numRuns: size.draws(6), endOnFailure: true }, drawn, async (values) => {
      const name = `unset${count}.example`;
      const parts = Object.entries(values).map(([kind, value]) => places[kind]?.(name, value));
      const file = newFile(
        Object.assign({ services: { [name]: service }, domains: { [name]: { service: name } } }, ...parts) as object,
      );
      const out = join(folder, "plan.json");
      // A plan file names no file outside the working folder.
      const isSaved = !Object.values(values).some((each) => each.startsWith("${file:"));
      const planned = await run("plan", file, ...(isSaved ? ["--out", out] : []));
      const applied = await apply(file);
      const said = planned.printed + applied.printed;
      expect([planned.status, applied.status], said).toEqual([0, 3]);
      expect(checkEvents(eventsOf(planned))).toEqual([]);
      const missing = saidOf(applied, ["error"]);
      expect(missing.length, said).toBeGreaterThan(0);
      expect(saidOf(planned, ["warning"]).filter(({ code }) => code === "unset")).toEqual(missing);
      const unset = (planOf(planned) as { unset?: string[] }).unset ?? [];
      expect(unset.length).toBe(new Set(Object.values(values).map((each) => /\$\{.*\}/u.exec(each)?.[0])).size);
      const text = await runInProcess(account, ["plan", "-f", file], shop.env, virtualClock());
      expect(text.stdout).toMatch(/^! Not applicable here: apply sends nothing and exits with 3 until/mu);
      for (const each of unset) expect(text.stdout.split("Not applicable here")[1]).toContain(each);
      expect(planned.stdout).not.toContain("To apply it");
    }));
});

describe("an apply of another machine that has not ended, while the remote cannot be reached", () => {
  const running = {
    by: "ann@desk",
    host: "desk",
    pid: 7,
    since: "2026-01-01T00:00:00Z",
    until: "2026-01-01T01:00:00Z",
  };
  test.each(
    size.every(2, [
      ["changes something", true, true],
      ["changes nothing", false, true],
      ["changes nothing, and others do not have the inventory", false, false],
    ] as const),
  )("a plan that %s ends as an apply does, with its words", async (_what, changes, isShared) => {
    const clone = shop.clone(shop.makeRemote());
    const name = `gone${(count += 1)}`;
    const text = (records: object) => JSON.stringify({ version: 1, name, dns: { [`${name}.example`]: { records } } });
    const commit = (records: object) => {
      shop.commit(clone, "m.yaml", text(records));
      shop.git(clone, "push", "--quiet", "origin", "HEAD");
    };
    const file = join(clone, "m.yaml");
    const journal = ["--journal", join(account.folder, `${name}.journal`)];
    commit({ a: { A: "192.0.2.1" } });
    exits(0, await apply(file, ...journal));
    if (changes) commit({ b: { A: "192.0.2.1" } });
    const key = targetKey({ name, place: `${account.baseUrl}/`, contract: "v2026" });
    const ref = `refs/hostform/${key}`;
    const now = JSON.parse(shop.git(clone, "cat-file", "blob", `${ref}:${fileName}`)) as object;
    const marked = join(account.folder, `${name}.json`);
    writeFileSync(marked, JSON.stringify({ ...now, running }));
    const blob = shop.git(clone, "hash-object", "-w", marked).trim();
    shop.git(clone, "update-index", "--add", "--cacheinfo", `100644,${blob},${fileName}`);
    const tree = shop.git(clone, "write-tree").trim();
    shop.git(clone, "reset", "--quiet");
    const all = shop.git(clone, "ls-tree", tree, fileName);
    expect(all).toContain(blob);
    const id = shop.git(clone, "commit-tree", "-p", ref, "-m", "apply: begun", tree).trim();
    shop.git(clone, "update-ref", ref, id);
    if (isShared) shop.git(clone, "update-ref", `refs/hostform-remote/${key}`, id);
    shop.git(clone, "remote", "set-url", "origin", `${clone}-none`);
    const planned = await run("plan", file, ...journal);
    const applied = await apply(file, ...journal);
    expect(planned.status, planned.printed + applied.printed).toBe(applied.status);
    expect(applied.status).toBe(changes || !isShared ? 6 : 0);
    expect(saidOf(planned, ["error"])).toEqual(saidOf(applied, ["error"]));
    if (applied.status === 6) expect(planned.stdout).toContain("This clone has not seen the apply by");
  });
});

describe("a request whose outcome is unknown", () => {
  test("is refused by a rehearsal as by a plan, and named by why", async () => {
    const name = `left${count + 1}.example`;
    const file = newFile({ domains: { [name]: { register: true } } });
    const address = `domain/${name}`;
    const who = { by: "ann@desk", host: "desk", pid: 7, since: "2026-01-01T00:00:00Z" };
    const target = targetKey({ name: `around${count}`, place: `${account.baseUrl}/`, contract: "v2026" });
    const intent = { type: "intent", n: 1, at: who.since, step: "s", method: "POST", path: "/x", operation: "create" };
    const journal = join(folder, "j");
    writeFileSync(
      journal,
      sealedLines([
        { type: "begin", version: 1, target, ...who },
        { ...intent, address, once: true },
      ]),
    );
    const flags = ["--journal", journal, "--inventory", join(folder, "ours.json")];
    const allowed = [...flags, "--allow-purchase", address];
    const [planned, rehearsed, applied] = [
      await run("plan", file, ...allowed),
      await run("rehearse", file, ...allowed),
      await apply(file, ...allowed),
    ];
    expect([planned.status, rehearsed.status, applied.status]).toEqual([6, 6, 6]);
    expect(saidOf(rehearsed, ["error"])).toEqual(saidOf(planned, ["error"]));
    expect(saidOf(applied, ["error"])).toEqual(saidOf(planned, ["error"]));
    const why = await run("why", file, ...flags, address);
    expect(checkEvents(eventsOf(why))).toEqual([]);
    expect(why.stdout).toContain(`it is undecided whether its requests for ${address} were carried out`);
    rmSync(journal);
    expect((await run("why", file, ...flags, address)).stdout).not.toContain("undecided");
  });
});
