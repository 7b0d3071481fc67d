import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Json } from "../../src/model/json.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, ours, service } from "./build-input.ts";
import { forDraws } from "../support/for-draws.ts";

const address = {
  jo: "mailbox/jo@example.com",
  ann: "mailbox/ann@example.com",
  sales: "mail_alias/sales@example.com",
  nightly: "cron/example.com/nightly",
  shop: "database/example.com/shop",
  upload: "ftp_account/example.com/upload",
  domain: "domain/other.example",
} as const;
type Name = keyof typeof address;
const names = Object.keys(address) as Name[];

/** A value that the live object has, so that a plan of it changes nothing. */
const values: Readonly<Record<Name, Json>> = {
  jo: { quota: 500 },
  ann: { quota: 500 },
  sales: { destinations: ["x@y.test"] },
  nightly: { command: "run" },
  shop: { engine: "mariadb" },
  upload: { home: "/" },
  domain: { auto_renew: true },
};

/** How a manifest names a resource: not at all, by an empty block, or with a value. */
const form = fc.constantFrom("absent", "empty", "valued");
const forms = fc.record(Object.fromEntries(names.map((name) => [name, form])) as Record<Name, typeof form>);
type Forms = typeof forms extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function manifestOf(drawn: Forms, removed: Readonly<Record<string, Json>>): string {
  const blocks = (...among: Name[]) =>
    Object.fromEntries(
      among.flatMap((name) => (drawn[name] === "absent" ? [] : [[name, drawn[name] === "empty" ? {} : values[name]]])),
    );
  const { domain } = blocks("domain");
  const sections = {
    services: { "example.com": {} },
    domains: { "example.com": {}, ...(domain !== undefined && { "other.example": domain }) },
    mail: { "example.com": { mailboxes: blocks("jo", "ann"), aliases: blocks("sales") } },
    crons: { "example.com": { jobs: blocks("nightly") } },
    databases: { "example.com": { databases: blocks("shop") } },
    ftp: { "example.com": { accounts: blocks("upload") } },
    removed: Object.entries(removed).map(([name, action]) => ({ address: address[name as Name], action })),
  };
  return Object.entries(sections)
    .map(([section, content]) => `${section}: ${JSON.stringify(content)}\n`)
    .join("");
}

function listsOf(live: ReadonlySet<Name>) {
  const own = { service_id: "s1" };
  const list = (name: Name, record: Record<string, Json>) => (live.has(name) ? [{ id: name, ...record }] : []);
  const mailbox = { quota_mb: 500, domain: "example.com" };
  return {
    "/services": [service],
    "/domains": [{ id: "d", name: "example.com" }, ...list("domain", { name: "other.example", auto_renew: true })],
    "/mail/accounts?domain=example.com": [
      ...list("jo", { ...mailbox, address: "jo@example.com" }),
      ...list("ann", { ...mailbox, address: "ann@example.com" }),
    ],
    "/mail/aliases?domain=example.com": list("sales", { address: "sales@example.com", destinations: ["x@y.test"] }),
    "/crons?service_id=s1": list("nightly", { ...own, name: "nightly", command: "run", schedule: "0 3 * * *" }),
    "/databases?service_id=s1": list("shop", { ...own, name: "shop", engine: "mariadb" }),
    "/ftp/accounts?service_id=s1": list("upload", { ...own, username: "upload", home: "/" }),
  };
}

test("each resource that leaves the manifest and stays on the server is said, with the entry that deletes it", async () => {
  const removals = fc.dictionary(fc.constantFrom(...names), fc.constantFrom("delete", "forget"));
  await forDraws(100, forms, forms, removals, fc.subarray(names), async (then, now, wanted, live) => {
    const before = await buildInput(manifestOf(then, {}), listsOf(new Set(live)));
    const held = names.filter((name) => then[name] === "valued").map((name) => address[name]);
    const ownership = {
      ...ours(held).ownership,
      declaredThen: before.desired,
      declaredLast: new Set(before.desired.resources.keys()),
    };
    const removed = Object.fromEntries(Object.entries(wanted).filter(([name]) => now[name as Name] === "absent"));
    const planned = async (entries: typeof removed) => {
      // In place of what the engine reads beside what the manifest declares.
      const all = (name: Name) => (entries[name] === undefined && now[name] === "absent" ? "empty" : now[name]);
      const whole = manifestOf(Object.fromEntries(names.map((name) => [name, all(name)])) as Forms, entries);
      const consent = { deletes: addresses(...Object.values(address)) };
      const input = await buildInput(whole, listsOf(new Set(live)), consent, undefined, { ownership });
      const { desired } = await buildInput(manifestOf(now, entries), listsOf(new Set(live)));
      return plan({ ...input, desired });
    };
    const made = await planned(removed);
    const said = made.diagnostics.filter(
      ({ code, severity }) => code === "no_longer_declared" && severity === "warning",
    );
    const stays = live.filter(
      (name) => then[name] === "empty" && now[name] === "absent" && removed[name] === undefined,
    );
    expect(said.map(({ summary }) => summary.split(" ")[0] ?? "").sort()).toEqual(
      stays.map((name) => address[name]).sort(),
    );
    const pasted = said.map(
      ({ hint = "" }) => /address: (?<address>\S+), action: delete/u.exec(hint)?.groups?.["address"],
    );
    const entries = stays.filter((name) => pasted.includes(address[name])).map((name) => [name, "delete"]);
    const { steps } = await planned({ ...removed, ...Object.fromEntries(entries) });
    const deleted = new Set<Address>(steps.flatMap(({ action, address }) => (action === "delete" ? [address] : [])));
    expect(stays.filter((name) => !deleted.has(address[name] as Address))).toEqual([]);
  });
});
