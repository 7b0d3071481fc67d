import fc from "fast-check";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { kinds } from "../../src/kinds/index.ts";
import { kindOf, type Address } from "../../src/model/address.ts";
import { ownedRepository } from "./owned-repository.ts";

/** Drift of every kind. What others change is done by a manifest of theirs, with an inventory of its own. */
const { account, repository, commit, git } = ownedRepository();

const manifest = `version: 1
name: shop
policy: { max_deletes: 100% }
services:
  shop.example: { plan: WEB-M, datacenter: MAD1, settings: { php_version: "8.3", https_redirect: true } }
domains:
  shop.example: { auto_renew: true, transfer_lock: true } # ours
dns:
  shop.example:
    ttl: 3600
    dnssec: { enabled: true }
    records:
      www: { A: [192.0.2.1, 192.0.2.2] }
      mail:
        # the relay
        MX: { priority: 10, value: mx1.host.example. }
        TXT: v=spf1 mx -all # not more
      sip: { A: { ttl: 60, values: [192.0.2.3] } }
mail:
  shop.example:
    mailboxes:
      info: { quota: 2 GiB, password: "\${env:PW}" }
      jo:
        quota: 1 GiB # little
        password: "\${env:PW}"
    aliases:
      sales: { destinations: [info@shop.example, jo@shop.example] }
      hello: { destinations: [jo@shop.example] }
    settings:
      catch_all: info@shop.example
ftp:
  shop.example:
    accounts:
      deploy: { home: /www, password: "\${env:PW}" }
databases:
  shop.example:
    databases:
      shop: { engine: mariadb, charset: utf8mb4 }
    users:
      shop: { password: "\${env:PW}", grants: { shop: all } }
crons:
  shop.example:
    jobs:
      nightly: { schedule: "0 3 * * *", command: php nightly.php }
      hourly: { schedule: "0 * * * *", command: php hourly.php }
`;

/** What others do: the text of the manifest that says it, and the text in its place. */
const changes: readonly (readonly [address: string, was: string, is: string])[] = [
  ["service/shop.example", 'php_version: "8.3"', 'php_version: "8.2"'],
  ["domain/shop.example", "transfer_lock: true", "transfer_lock: false"],
  ["dnssec/shop.example", "dnssec: { enabled: true }", "dnssec: { enabled: false }"],
  ["dns_record/shop.example/www/A", "192.0.2.2]", "192.0.2.9]"],
  ["dns_record/shop.example/mail/MX", "priority: 10,", "priority: 20,"],
  ["dns_record/shop.example/mail/TXT", "v=spf1 mx -all", "v=spf1 ~all"],
  ["dns_record/shop.example/sip/A", "ttl: 60", "ttl: 120"],
  ["mailbox/info@shop.example", "quota: 2 GiB", "quota: unlimited"],
  ["mailbox/jo@shop.example", "quota: 1 GiB", "quota: 512 MiB"],
  ["mail_alias/sales@shop.example", "info@shop.example, jo@", "jo@"],
  ["mail_alias/hello@shop.example", "      hello: { destinations: [jo@shop.example] }\n", ""],
  ["mail_settings/shop.example", "catch_all: info@", "catch_all: jo@"],
  ["ftp_account/shop.example/deploy", "home: /www", "home: /other"],
  ["database_user/shop.example/shop@localhost", "shop: all", "shop: read_only"],
  ["cron/shop.example/nightly", "0 3 * * *", "0 4 * * *"],
  ["cron/shop.example/hourly", '      hourly: { schedule: "0 * * * *", command: php hourly.php }\n', ""],
];

/** These kinds have no field that others can change and a manifest can take back, or are drawn as a part of another. */
const withoutChange = ["dns_zone", "database", "certificate"];

test("a change of each kind is drawn", () => {
  const drawn = new Set(changes.map(([address]) => kindOf(address as Address)));
  expect(
    [...drawn, ...withoutChange].toSorted(),
    "declare one of the kind in `manifest` of this test, and write what others do to it into `changes`",
  ).toEqual(kinds.map(({ name }) => name).toSorted());
});

const env = { PW: "only-for-the-test-1" };
const run = (...args: string[]) => runInProcess(account, args, env);
const ours = () => join(repository.folder, "hosting.yaml");
const done = async (...args: string[]) => {
  exits(0, await run(...args));
};
const applied = ["--auto-approve", "--settle", "0"];

/** Applies a manifest that is not ours, and owns what we own. */
async function byOthers(text: string, round: number): Promise<void> {
  const folder = join(account.folder, `others-${round}`);
  mkdirSync(folder);
  const file = join(folder, "hosting.yaml");
  const inventory = ["--inventory", join(folder, "inventory.json")];
  writeFileSync(file, manifest.replace("name: shop", `name: others-${round}`));
  await done("apply", "-f", file, ...inventory, ...applied);
  writeFileSync(file, text.replace("name: shop", `name: others-${round}`));
  await done("apply", "-f", file, ...inventory, ...applied, "--allow-delete", "dnssec/shop.example");
}

async function drifted(): Promise<unknown[]> {
  const ran = await run("drift", "-f", ours(), "--json");
  const found = eventsOf(ran).filter(({ type }) => type === "drifted");
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ status: found.length > 0 ? 2 : 0 });
  return found.map(({ address }) => address);
}

const draws = fc.record({
  changed: fc.subarray([...changes], { minLength: 1 }),
  waits: fc.boolean(),
  takenBack: fc.boolean(),
});

test("drift lists what others have changed and nothing else, and is gone once it is taken back or accepted", async () => {
  commit(manifest);
  await done("apply", "-f", ours(), ...applied);
  let round = 0;
  const property = fc.asyncProperty(draws, async ({ changed, waits, takenBack }) => {
    round += 1;
    const theirs = changed.reduce((text, [, was, is]) => text.replace(was, is), manifest);
    commit(manifest);
    await done("apply", "-f", ours(), ...applied);
    await byOthers(theirs, round);
    if (waits) commit(`${manifest}lint: { disable: [alias_circle] }\n`.replace("php nightly.php", "php other.php"));
    const addresses = changed.map(([address]) => address).toSorted();
    expect(await drifted()).toEqual(addresses);
    if (takenBack) await done("apply", "-f", ours(), "--only-drift", ...applied);
    else for (const address of addresses) await done("drift", "-f", ours(), "--accept", address);
    git("commit", "--quiet", "--all", "--allow-empty", "--message", "after");
    expect(await drifted()).toEqual([]);
    const planned = await run("plan", "-f", ours(), "--detailed-exitcode");
    expect(planned, planned.stdout + planned.stderr).toMatchObject({ status: waits ? 2 : 0 });
    if (waits) expect(planned.stdout).toMatch(/^Plan: 0 to add, 1 to change/mu);
  });
  const examples = [true, false].map(
    (takenBack) => [{ changed: [...changes], waits: !takenBack, takenBack }] as [never],
  );
  await fc.assert(property, { numRuns: size.draws(8), examples });
});

test.runIf(size.whole)("a field is tolerated by its name in a plan, and by its name in the manifest", async () => {
  commit(manifest);
  await done("apply", "-f", ours(), ...applied);
  await byOthers(manifest.replace("quota: 2 GiB", "quota: 3 GiB"), 0);
  for (const [field, status] of [
    ["quota_mb", 0],
    ["quota", 0],
    ["sending_enabled", 2],
  ] as const) {
    const ran = await run("drift", "-f", ours(), "--tolerate", `mailbox/info@shop.example.${field}`);
    expect(ran, field + ran.stdout + ran.stderr).toMatchObject({ status });
  }
});
