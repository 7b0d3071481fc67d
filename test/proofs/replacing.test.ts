import fc from "fast-check";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandsOf, consentsTo } from "../support/account-commands.ts";
import { accountForFile } from "../support/account.ts";
import {
  account as drawnAccount,
  lasting,
  liveAt,
  manifestText,
  nameOf,
  type Sections,
} from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { accountRuns } from "./size.ts";

/**
 * What is created again because a field cannot be changed keeps the live value of every field that is not written, unless that follows the
 * changed one; it takes the fewest calls that this API allows, and leaves nothing to do.
 */
const prefix = "u9";
const [plain, prefixed] = [accountForFile(), accountForFile({ namePrefix: prefix })];
let account = plain;

const { run, done } = commandsOf(() => account, { PW: "some-password-1" });

const consentTo = async (manifest: string) => consentsTo(await run(["plan", "-f", manifest, "--json"]));

type Json = Record<string, unknown>;
const children = (sections: Sections, section: string, list: string) =>
  ((sections[section]?.["NAME"] as Json | undefined)?.[list] ?? {}) as Record<string, Json>;

interface Replacing {
  /** Whether the server puts a prefix before the names of databases and FTP accounts. */
  readonly isPrefixed: boolean;
  readonly before: Sections;
  /** Whether the service is created again, and which of its databases. */
  readonly moves: boolean;
  readonly engines: readonly string[];
  /** Whether the plan is saved in a file, and that is applied. */
  readonly saved: boolean;
  /** Which fields are written no more, by their order. */
  readonly unwritten: readonly boolean[];
}

const replacing: fc.Arbitrary<Replacing> = fc.record({
  isPrefixed: fc.boolean(),
  before: drawnAccount.filter((sections) => sections["services"] !== undefined),
  moves: fc.boolean(),
  engines: fc.subarray(["one", "two"]),
  saved: fc.boolean(),
  unwritten: fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
});

/** The same manifest with the immutable fields changed, and some of the others not written. */
function changed({ before, moves, engines, unwritten }: Replacing): Sections {
  const after = structuredClone(before) as Record<string, Json>;
  let leaf = 0;
  const strip = (body: Json, kept: readonly string[]) => {
    for (const [field, value] of Object.entries(body)) {
      if (isGroup(field, value)) strip(value as Json, kept);
      else if (!kept.includes(field) && unwritten[(leaf += 1) % unwritten.length] === true) delete body[field];
    }
  };
  const needed = moves ? ["password"] : [];
  for (const [section, list] of lists)
    for (const body of Object.values(children(after, section, list))) strip(body, [...needed, "engine"]);
  for (const section of ["services", "domains"]) strip((after[section]?.["NAME"] ?? {}) as Json, ["datacenter"]);
  strip((((after["mail"]?.["NAME"] ?? {}) as Json)["settings"] ?? {}) as Json, []);
  const service = after["services"]?.["NAME"] as Json;
  if (moves) service["datacenter"] = service["datacenter"] === "MAD1" ? "BCN1" : "MAD1";
  for (const [name, body] of Object.entries(children(after, "databases", "databases"))) {
    if (!engines.includes(name)) continue;
    body["engine"] = body["engine"] === "mariadb" ? "postgresql" : "mariadb";
    delete body["charset"];
    delete body["collation"];
  }
  return after;
}

const isGroup = (field: string, value: unknown) =>
  ["settings", "contacts", "autoresponder", "dkim"].includes(field) && typeof value === "object";

const lists = [
  ["databases", "databases"],
  ["databases", "users"],
  ["crons", "jobs"],
  ["ftp", "accounts"],
  ["mail", "mailboxes"],
  ["mail", "aliases"],
] as const;

/** The fewest writes that get from the one to the other where the API can neither change these fields nor delete what is referred to. */
function fewestWrites(after: Sections, { before, moves, engines }: Replacing): number {
  const count = (section: string, list: string) => Object.keys(children(after, section, list)).length;
  const domain = before["domains"]?.["NAME"] as Json | undefined;
  const changedEngines = Object.keys(children(after, "databases", "databases")).filter((name) =>
    engines.includes(name),
  );
  if (!moves) {
    const users = Object.values(children(before, "databases", "users"));
    const granted = users.filter(({ grants = {} }) => changedEngines.some((name) => name in (grants as Json)));
    return 2 * changedEngines.length + 2 * granted.length;
  }
  const inService = count("databases", "databases") + count("databases", "users") + count("crons", "jobs");
  const attached = domain?.["service"] === "NAME" ? 2 : 0;
  const hasSettings = ((after["mail"]?.["NAME"] ?? {}) as Json)["settings"] !== undefined;
  const mail = domain ? 0 : 2 * (count("mail", "mailboxes") + count("mail", "aliases")) + (hasSettings ? 1 : 0);
  return 3 + 2 * (inService + count("ftp", "accounts")) + attached + mail;
}

let number = 0;
test("a replacement carries over what is not written, in the fewest calls, and leaves nothing to do", () =>
  forDraws({ numRuns: accountRuns, endOnFailure: true }, replacing, async (trial) => {
    number += 1;
    account = trial.isPrefixed ? prefixed : plain;
    const path = account.write(`m${number}.yaml`, manifestText(trial.before, number));
    await done(["apply", "-f", path, "--auto-approve"]);
    const before = liveAt(account, number);
    const after = changed(trial);
    account.write(`m${number}.yaml`, manifestText(after, number));
    const consents = await consentTo(path);
    const planned = eventsOf(await done(["plan", "-f", path, "--json", ...consents])).filter(
      ({ type }) => type === "planned",
    );
    const first = (await account.operations()).length;
    const file = join(account.folder, `plan${number}.json`);
    if (trial.saved) await done(["plan", "-f", path, "--out", file, ...consents]);
    const what = trial.saved ? [file] : ["-f", path, ...consents];
    await done(["apply", ...what, "--auto-approve", "--parallelism", "1"]);
    const writes = (await account.operations()).slice(first).filter(({ method }) => method !== "GET");
    expect(writes.map(({ method, path: at }) => `${method} ${at}`)).toHaveLength(fewestWrites(after, trial));
    const live = liveAt(account, number);
    expect(lasting(live)).toEqual(expected(trial, lasting(before), planned));
    expect(eventsOf(await run(["plan", "-f", path, "--json"])).filter(({ type }) => type === "planned")).toEqual([]);
    for (const kind of ["domain", "database_user"])
      for (const [key, { id }] of before)
        if (key.startsWith(`${kind} `) && !(trial.moves && kind === "database_user"))
          expect(live.get(key)?.["id"], key).toBe(id);
  }));

/** What was live, with the changed fields; what follows them, and what goes along with the service, is as the server makes it. */
function expected(
  { before, moves, engines, isPrefixed }: Replacing,
  live: Record<string, unknown>,
  planned: readonly Json[],
): unknown {
  const name = nameOf(number);
  const all = structuredClone(live) as Record<string, Json>;
  if (moves) {
    const service = all[`service ${name}`] as Json;
    service["datacenter"] = service["datacenter"] === "MAD1" ? "BCN1" : "MAD1";
    const along = planned.flatMap(({ takesAlong = [] }) => takesAlong as string[]);
    if (along.includes(`mail_settings/${name}`)) all[`mail_settings ${name}`] = expect.anything();
    const declaresSettings = ((before["mail"]?.["NAME"] ?? {}) as Json)["settings"] !== undefined;
    expect(along.includes(`mail_settings/${name}`)).toBe(before["domains"] === undefined && !declaresSettings);
    expect(along.some((address) => address.startsWith(`ftp_account/${name}/`))).toBe(true);
  }
  for (const [database] of Object.entries(children(before, "databases", "databases"))) {
    if (!engines.includes(database)) continue;
    const record = all[`database ${isPrefixed ? `${prefix}_` : ""}${database}`] as Json;
    const engine = record["engine"] === "mariadb" ? "postgresql" : "mariadb";
    const fresh = { charset: expect.any(String), collation: expect.any(String), version: expect.any(String) };
    Object.assign(record, { engine, host: expect.any(String), port: expect.any(Number), ...fresh });
    const change = planned.find(
      ({ address, action }) => address === `database/${name}/${database}` && action === "create",
    );
    expect(change?.["changes"]).toContainEqual(
      expect.objectContaining({ path: "charset", notCarried: "depends on engine" }),
    );
  }
  return all;
}

test.each([
  ["under its own name", plain],
  ["under a longer name", prefixed],
])(
  "what was detached from a database %s for a replacement that the server refuses is attached again",
  async (_, on) => {
    number += 1;
    account = on;
    const sections = {
      services: { NAME: { plan: "WEB-M", datacenter: "MAD1" } },
      domains: { NAME: { service: "NAME" } },
      databases: {
        NAME: {
          databases: { one: { engine: "mysql" }, two: { engine: "mysql" } },
          users: { shop: { password: "${env:PW}", grants: { one: "all", two: "all" } } },
        },
      },
    };
    const path = account.write(`m${number}.yaml`, manifestText(sections, number));
    await done(["apply", "-f", path, "--auto-approve"]);
    const before = liveAt(account, number);
    const engines = { one: { engine: "mariadb" }, two: { engine: "mariadb" } };
    // Neither says what it refers to any more: only what is live can tell.
    const without = { domains: { NAME: {} }, databases: { NAME: { databases: engines, users: { shop: {} } } } };
    account.write(`m${number}.yaml`, manifestText({ ...sections, ...without }, number));
    await account.byHand("POST", "/_emulator/faults", {
      faults: [{ match: { method: "DELETE", path: "/v2026/databases/*" }, count: 2, fault: { status: 422 } }],
    });
    exits(5, await run(["apply", "-f", path, "--auto-approve", ...(await consentTo(path))]));
    expect(lasting(liveAt(account, number))).toEqual(lasting(before));
  },
);
