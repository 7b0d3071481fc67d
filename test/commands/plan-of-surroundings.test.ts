import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openWorkshop, type Workshop } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** What a plan says of an apply that its surroundings refuse: the environment, the remote, files, an earlier apply. */
let account: Account;
let shop: Workshop;
let folder: string;
let count = 0;
beforeAll(async () => {
  account = await openAccount();
  shop = openWorkshop();
});
afterAll(async () => {
  await shop.close();
  await account.close();
});

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
    fc.assert(
      fc.asyncProperty(drawn, async (values) => {
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
      }),
      { numRuns: size.draws(6), endOnFailure: true },
    ));
});
