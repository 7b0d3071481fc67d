import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { openReader } from "../proofs/read-account.ts";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountAsNew } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf } from "../support/run-hostform.ts";

/**
 * Of a saved plan that deletes, a list that cannot be read whole shows nothing: what it would hold is not called deleted, stays ours, and
 * is deleted by the same file once the list can be read.
 */
const account = accountAsNew({ perPageMax: 2 });

const { run, done } = commandsOf(() => account, { PW: "some-password-1" });

const head = `version: 1
name: unread
policy: { max_deletes: "100%" }
services: { a.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { a.example: {} }
`;
const all = `${head}dns: { a.example: { records: { one: { A: 192.0.2.1 }, two: { TXT: two }, six: { A: 192.0.2.6 } } } }
mail: { a.example: { mailboxes: { info: { password: "\${env:PW}" } }, aliases: { sales: { destinations: [x@b.test] } } } }
crons: { a.example: { jobs: { nightly: { schedule: "0 3 * * *", command: run } } } }
databases: { a.example: { databases: { shop: { engine: mariadb } } } }
`;

const lists = ["dns/zones", "dns/zones/{zone_id}/records", "mail/accounts", "mail/aliases", "crons", "databases"];
const broken = fc.record({
  lists: fc.subarray(lists, { minLength: 1 }),
  fault: fc.constantFrom({ status: 403 }, { status: 404 }, { short_total: 1 }),
});

test("what a broken list does not show is not deleted already", () =>
  forDraws({ numRuns: size.draws(8), endOnFailure: true }, broken, holds));

async function holds({ lists: unread, fault }: { lists: readonly string[]; fault: object }): Promise<void> {
  account.putBack();
  const [file, inventory] = [join(account.folder, "plan.json"), join(account.folder, "ours.json")];
  for (const each of [file, inventory]) rmSync(each, { force: true });
  const flags = ["-f", account.write("m.yaml", all), "--inventory", inventory];
  await done(["apply", "--auto-approve", ...flags]);
  account.write("m.yaml", head);
  const consents = consentsTo(await run(["plan", "--json", ...flags]));
  await done(["plan", "--out", file, ...flags, ...consents]);
  const before = ours(inventory);

  const faults = unread.map((path) => ({ match: { method: "GET", path: `/v2026/${path}` }, fault }));
  await account.inject(...faults);
  const apply = ["apply", file, "--auto-approve", "--json", "--inventory", inventory, "--settle", "0"];
  const ran = await run(apply);
  await account.endFaults();
  const live = names();
  const said = eventsOf(ran).flatMap(({ type, step }) => (type === "satisfied" ? [String(step)] : []));
  expect(said, ran.stdout).toEqual([]);
  expect(
    live.filter((name) => before.some((each) => each.includes(name)) && !ours(inventory).join().includes(name)),
  ).toEqual([]);
  expect((await run(apply)).stdout).toContain('"type":"plan","add":0,"change":0,"destroy":0');
  expect(names()).toEqual([]);
}

const ours = (path: string) => (JSON.parse(readFileSync(path, "utf8")) as { addresses: string[] }).addresses;

/** What is there of what the plan deletes. */
function names(): string[] {
  const reader = openReader(account);
  const items = Object.values(reader.read()).flat();
  reader.close();
  const text = items.map(({ name, address }) => String(name ?? address));
  return ["one", "two", "six", "info@a.example", "sales@a.example", "nightly", "shop"].filter((name) =>
    text.includes(name),
  );
}
