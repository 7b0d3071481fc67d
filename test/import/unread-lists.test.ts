import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Fault } from "../../src/emulator/faults/rule.ts";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { eventsOf, exits, runInProcess, type Ran } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const name = "a.example";
const service = name;
const seed = {
  service: [{ domain: name, hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
  domain: [{ name, service }],
  dns_zone: [{ name }],
  dns_record: [{ zone: name, name: "www", type: "A", content: "192.0.2.1" }],
  dnssec: [{ zone: name, algorithm: 15 }],
  mailbox: [{ address: `info@${name}`, quota_mb: 1024 }],
  mail_alias: [{ address: `sales@${name}`, destinations: [`info@${name}`] }],
  mail_settings: [{ domain: name, catch_all: `info@${name}` }],
  ftp_account: [{ service, username: "deploy" }],
  database: [{ service, name: "shop", engine: "mariadb" }],
  database_user: [{ service, username: "shop", grants: [{ database: "shop", privileges: "all" }] }],
  cron: [{ service, name: "nightly", schedule: "0 3 * * *", command: "backup" }],
  certificate: [{ service, domains: [name] }],
};
const ofService = ["ftp_account", "database", "database_user", "cron", "certificate"];

// A domain names its service, and mail needs a domain or a service that is declared.
const ofDomain = ["mailbox", "mail_alias", "mail_settings"];

/** The lists of the API, and the kinds of which nothing can be declared without them: their own first. */
const lists: readonly (readonly [string, readonly string[]])[] = [
  ["/v2026/services", ["service", "domain", ...ofService, ...ofDomain]],
  ["/v2026/domains", ["domain"]],
  ["/v2026/dns/zones", ["dns_zone", "dns_record", "dnssec"]],
  ["/v2026/dns/zones/{zone_id}/records", ["dns_record"]],
  ["/v2026/dns/zones/{zone_id}/dnssec", ["dnssec"]],
  ["/v2026/mail/accounts", ["mailbox"]],
  ["/v2026/mail/aliases", ["mail_alias"]],
  ["/v2026/mail/settings/{domain}", ["mail_settings"]],
  ["/v2026/ftp/accounts", ["ftp_account"]],
  ["/v2026/databases", ["database", "database_user"]],
  ["/v2026/database-users", ["database_user"]],
  ["/v2026/crons", ["cron"]],
  ["/v2026/ssl/certificates", ["certificate"]],
];

const account = accountForFile({ seed });
afterEach(async () => {
  await account.endFaults();
  rmSync(folder(), { recursive: true, force: true });
});

test("the lists of all kinds are among them", () => {
  const read = Object.values(builtIn.kinds).map((entry) => `${builtIn.base_path}${entry?.operations.list.path}`);
  expect(
    lists.map(([path]) => path).toSorted(),
    "write the list of a new kind into `lists` of this test, an object of it into `seed`, and what nothing is declared without into `ofService` or `ofDomain`",
  ).toEqual(read.toSorted());
});

const run = (...args: string[]) => runInProcess(account, [...args, "--json"], {}, virtualClock());
const folder = () => join(account.folder, "hosting");

/** Returns the kinds of the live resources that the manifest does not declare. */
async function unmanagedKinds(): Promise<string[]> {
  const events = eventsOf(await run("plan", "-f", folder(), "--show-unmanaged"));
  const all = events.filter(({ type }) => type === "unmanaged_resource").map(({ address }) => String(address));
  return [...new Set(all.map((address) => address.split("/")[0] ?? ""))].toSorted();
}

test("an import that could read no list says so, and names as the next step what adds them", async () => {
  await account.inject({ match: { method: "GET", path: "/**" }, fault: { status: 500 } });
  const { status, stdout } = await runInProcess(account, ["import", folder()], {}, virtualClock());
  expect([status, stdout]).toEqual([
    6,
    expect.stringMatching(/Imported 0 resources to .* \d+ lists not read: hostform import --into/u),
  ]);
  expect(stdout).not.toMatch(/Next:|Nothing to import/u);
  await account.endFaults();
  const later = await runInProcess(account, ["import", "--into", folder()], {}, virtualClock());
  expect([later.status, later.stdout]).toEqual([0, expect.stringMatching(/Imported \d+ resources/u)]);
});

test.each<[string, () => readonly string[]]>([
  ["import", () => [folder()]],
  ["status", () => []],
  ["snapshot", () => ["--out", join(account.folder, "live.json")]],
  ["plan", () => ["--show-unmanaged", "-f", account.write("m.yaml", `version: 1\nname: a\ndns: { ${name}: }\n`)]],
])("%s names the lists together that one answer keeps from being read", async (command, args) => {
  await account.inject({ match: { method: "GET", path: "/v2026/services" }, fault: { status: 500 } });
  const ran = exits(6, await run(command, ...args()));
  const said = eventsOf(ran).filter(({ type, code }) => type === "incomplete_read" || code === "not_imported");
  const reasons = said.flatMap(({ summary, message }) => /GET .*/u.exec(String(summary ?? message)) ?? []);
  expect(reasons).toEqual([expect.stringMatching(/^GET \/v2026\/services\?.*: 500 /u)]);
});

const faults: readonly Fault[] = [{ status: 500 }, { short_total: 1 }];
const isSingle = (path: string) => path.endsWith("}") || path.endsWith("/dnssec");
const cases = lists.flatMap(([path, kinds], index) =>
  faults
    .filter((fault, other) => !(isSingle(path) && fault.short_total) && (size.everyPlace === 1 || index % 2 === other))
    .map((fault) => ({ path, kinds, fault, says: Object.keys(fault)[0] ?? "" })),
);

describe.each(cases.filter((_, index) => index % size.everyPlace === 0))("while $path has the fault $says", (tried) => {
  const { path, kinds, fault } = tried;

  test("the list is named, nothing of it is imported, all else is, and the next import adds it", async () => {
    const armed = { faults: [{ match: { method: "GET", path }, fault }] };
    expect((await account.byHand("POST", "/_emulator/faults", armed)).status).toBe(201);
    const imported = await run("import", folder());
    await account.byHand("DELETE", "/_emulator/faults");
    expect(imported.status).toBe(6);
    const named = eventsOf(imported).filter(({ code }) => code === "not_imported");
    expect(named.map(({ summary }) => String(summary))).toContainEqual(
      expect.stringMatching(new RegExp(`^${kinds[0]}\\b.* (?:was|were) left out: the list could not be read`, "u")),
    );
    expect(await unmanagedKinds()).toEqual(kinds.toSorted());
    expect((await run("import", "--into", folder())).status).toBe(0);
    expect(await unmanagedKinds()).toEqual([]);
  });
});

describe("an import into a manifest ends with the plan of that manifest", () => {
  const planOf = (ran: Ran) => ({
    status: ran.status,
    events: eventsOf(ran)
      .filter(({ type, code }) => ["step", "refused"].includes(String(type)) || code === "missing_to_create")
      .map(({ type, address, action, summary }) => ({ type, address, action, summary })),
  });

  test.each(size.every(4, Object.keys(seed)))("where only the kind %s is imported", async (kind) => {
    exits(0, await run("import", folder()));
    const ran = await run("import", "--into", folder(), "--kind", kind);
    expect(planOf(ran)).toEqual({ status: 0, events: [] });
  });

  test("where a list cannot be read below which others stand", async () => {
    exits(0, await run("import", folder()));
    await account.inject({ match: { method: "GET", path: "/v2026/services" }, fault: { status: 403 } });
    const [imported, planned] = [await run("import", "--into", folder()), await run("plan", "-f", folder())];
    expect(planOf(imported)).toEqual(planOf(planned));
    expect(planned.status).toBe(6);
  });
});
