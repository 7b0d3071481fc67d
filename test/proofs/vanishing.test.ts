import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openDatabase, prepareStatement } from "../../src/emulator/store/database.ts";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { kindOf, type Address } from "../../src/model/address.ts";
import { wholeAccount } from "../kinds/samples.ts";
import { accountForFile } from "../support/account.ts";
import { account as drawnAccount, manifestText, nameOf, type Sections } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { openReader } from "./read-account.ts";
import { accountRuns } from "./size.ts";

/**
 * Whatever a plan deletes or creates again: each object that vanishes from the service meanwhile is a step of the plan, or named by the step
 * that takes it along; and each object that is named does vanish.
 */
const account = accountForFile();

const { run, done } = commandsOf(() => account, { PW: "some-password-1", FIRST_PASSWORD: "some-password-2" });

const whole = wholeAccount();
const otherSections = Object.keys(whole).filter((section) => section !== "services");

interface Trial {
  readonly first: Sections;
  /** DKIM is switched on by hand, in a zone that holds its record; and whether another record is put beside that. */
  readonly dkim: "as drawn" | "on" | "beside";
  readonly service: "stays" | "moves" | "goes";
  /** Sections that are declared no more. */
  readonly dropped: readonly string[];
}

const trial: fc.Arbitrary<Trial> = fc.record({
  first: drawnAccount.filter((sections) => Object.keys(sections).length > 0),
  dkim: fc.constantFrom("as drawn", "on", "on", "beside"),
  service: fc.constantFrom("stays", "moves", "moves", "goes", "goes"),
  dropped: fc.subarray(otherSections),
});

type Json = Record<string, unknown>;

const firstManifest = ({ first, dkim }: Trial): Sections =>
  dkim === "as drawn" ? first : { ...first, dns: first["dns"] ?? { NAME: {} } };

/** The manifest after it, without what would need something that is not declared any more. */
function secondManifest(drawn: Trial): Sections {
  const sections = structuredClone(firstManifest(drawn)) as Record<string, Json>;
  const inService = ["services", "ftp", "databases", "crons"];
  for (const section of [...drawn.dropped, ...(drawn.service === "goes" ? inService : [])]) delete sections[section];
  const service = sections["services"]?.["NAME"] as Json | undefined;
  if (service && drawn.service === "moves") service["datacenter"] = service["datacenter"] === "MAD1" ? "BCN1" : "MAD1";
  const domain = sections["domains"]?.["NAME"] as Json | undefined;
  if (domain && !service && domain["service"] === "NAME") domain["service"] = null;
  if (!service && !domain) delete sections["mail"];
  return sections;
}

async function switchDkimOn({ dkim }: Trial, name: string): Promise<void> {
  if (dkim === "as drawn") return;
  const path = `/v2026/mail/settings/${name}`;
  const { status, body } = await account.byHand("GET", path);
  if (status === 200) await account.byHand("PUT", path, { ...(body["data"] as Json), dkim: { enabled: true } });
  if (dkim !== "beside") return;
  const reader = openReader(account);
  const id = reader.read()["dns_zone"]?.find((zone) => zone["name"] === name)?.["id"];
  reader.close();
  const record = { name: "sel._domainkey", type: "TXT", content: '"own"', ttl: 3600 };
  await account.byHand("POST", `/v2026/dns/zones/${String(id)}/records`, record);
}

/** The address of each object of the account, by the number of its row: no other object has that, as long as the last row stays. */
function addressesByRow(): Map<number, string> {
  const database = openDatabase(account.dataFile);
  const rows = prepareStatement(database, "SELECT seq, id, kind, scope, record FROM objects").all();
  database.close();
  const all = rows.map(([seq, id, kind, scope, text]) => ({
    seq: Number(seq),
    id: String(id),
    kind: String(kind),
    scope: String(scope),
    record: JSON.parse(String(text)) as Json,
  }));
  const names = new Map(all.map(({ id, record }) => [id, String(record["domain"] ?? record["name"])]));
  const found = all.flatMap(({ seq, kind, scope, record }): [number, string][] => {
    const parts = partsOf[kind]?.(record, names.get((record["service_id"] ?? scope) as string) ?? "");
    return parts ? [[seq, [kind, ...parts].join("/")]] : [];
  });
  return new Map(found);
}

/** The parts of an address, from a record and the name of what it belongs to. */
const partsOf: Readonly<Record<string, (record: Json, parent: string) => unknown[]>> = {
  service: ({ domain }) => [domain],
  domain: ({ name }) => [name],
  dns_zone: ({ name }) => [name],
  dns_record: ({ name, type }, zone) => [zone, name, type],
  dnssec: (_, zone) => [zone],
  mailbox: ({ address }) => [address],
  mail_alias: ({ address }) => [address],
  mail_settings: ({ domain }) => [domain],
  ftp_account: ({ username }, service) => [service, username],
  database: ({ name }, service) => [service, name],
  database_user: ({ username, host }, service) => [service, `${String(username)}@${String(host)}`],
  cron: ({ name }, service) => [service, name],
};

/** A service without a domain holds mail: its DKIM record goes with it, whether the settings are declared or not. */
const withDkim: Sections = {
  services: { NAME: { plan: "WEB-M", datacenter: "MAD1" } },
  dns: { NAME: {} },
  mail: { NAME: { settings: { dkim: { enabled: true } } } },
};
const examples: [Trial][] = [
  [{ first: withDkim, dkim: "beside", service: "moves", dropped: [] }],
  [{ first: withDkim, dkim: "on", service: "goes", dropped: ["mail", "dns"] }],
  [{ first: whole, dkim: "as drawn", service: "goes", dropped: otherSections }],
];

let number = 0;
test("what vanishes is a step of the plan or named by it, and what is named vanishes; each kind does", async () => {
  const seen = new Set<string>();
  await forDraws(
    { numRuns: Math.max(accountRuns, examples.length), endOnFailure: true, examples },
    trial,
    async (drawn) => {
      number += 1;
      const path = account.write(`m${number}.yaml`, manifestText(firstManifest(drawn), number));
      const inventory = ["--inventory", join(account.folder, `inventory${number}.json`)];
      await done(["apply", "-f", path, "--auto-approve", ...inventory]);
      await switchDkimOn(drawn, nameOf(number));
      await account.byHand("POST", "/v2026/domains", { name: `last-row-${number}.example` });
      account.write(`m${number}.yaml`, manifestText(secondManifest(drawn), number));
      const consents = consentsTo(await run(["plan", "-f", path, "--json", ...inventory]));
      const planned = await run(["plan", "-f", path, "--json", ...inventory, ...consents]);
      // Something that nobody declared belongs to what would go.
      if (planned.status !== 0) return;
      const steps = eventsOf(planned).filter(({ type }) => type === "planned");
      const before = addressesByRow();
      await done(["apply", "-f", path, "--auto-approve", ...inventory, ...consents]);
      const after = addressesByRow();
      const vanished = new Set([...before].flatMap(([row, address]) => (after.has(row) ? [] : [address])));
      const own = new Set(steps.map(({ address }) => address as string));
      const along = new Set(steps.flatMap(({ takesAlong = [] }) => takesAlong as string[]));
      const said = planned.stdout;
      expect(
        [...vanished].filter((address) => !own.has(address) && !along.has(address)),
        said,
      ).toEqual([]);
      expect(
        [...along].filter((address) => !vanished.has(address)),
        said,
      ).toEqual([]);
      for (const address of vanished) seen.add(kindOf(address as Address));
    },
  );
  expect([...seen].toSorted(), "an example must let an object of each kind go").toEqual(
    Object.keys(partsOf).toSorted(),
  );
});
