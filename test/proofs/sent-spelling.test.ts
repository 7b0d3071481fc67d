import { randomBytes } from "node:crypto";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import { kinds } from "../../src/kinds/index.ts";
import { setPointer } from "../../src/model/json-pointer.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { fileOf } from "../../src/saved-plans/plan-hash.ts";
import { parseSavedPlan } from "../../src/saved-plans/parse-saved-plan.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { byItself, desiredOf } from "../../src/saved-plans/portable-desired.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { buildInput, type Lists } from "../plan/build-input.ts";
import { forDraws } from "../support/for-draws.ts";
import * as respell from "../support/respell.ts";
import { size } from "./size.ts";

/** A field whose values the API takes in several spellings. */
interface Case {
  /** Spellings that the API takes, each other than the normal form. */
  readonly ways: Arbitrary<Json>;
  readonly other: Json;
  /** The resource's body in a manifest. */
  readonly manifest: (value: Json) => Readonly<Record<string, unknown>>;
  /** The list that has the resource, and its record without the field. Undefined: no update writes it. */
  readonly list?: string;
  readonly record?: JsonObject;
  readonly at: string;
}

const service = { id: "s1", domain: "example.com", plan: "WEB-M", datacenter: "MAD1" };
const base: Lists = {
  "/services": [service],
  "/domains": [{ id: "d1", name: "example.com", service_id: "s1" }],
  "/dns/zones": [{ id: "z1", name: "example.com", status: "active" }],
  "/databases?service_id=s1": [
    { id: "b1", service_id: "s1", name: "shop", engine: "mariadb" },
    { id: "b2", service_id: "s1", name: "log", engine: "mariadb" },
  ],
};
const digest = "0123456789abcdef".repeat(4);
const two = (first: Arbitrary<string>, second: Arbitrary<string>) =>
  fc.tuple(first, second).chain((pair) => fc.shuffledSubarray(pair, { minLength: 2, maxLength: 2 }));
const letters = respell.respellCase;
const recordSet = (rest: JsonObject, value: Json): Json => (Object.keys(rest).length > 0 ? { ...rest, value } : value);
const record = (type: string, ways: Arbitrary<Json>, other: string, rest: JsonObject = {}): Case => ({
  ways,
  other,
  manifest: (value) => ({ dns: { "example.com": { records: { name: { [type]: recordSet(rest, value) } } } } }),
  list: "/dns/zones/z1/records",
  record: { id: "r1", name: "name", type, ttl: 300, priority: null, disabled: false, comment: null, ...rest },
  at: "/content",
});
const job = (field: string) => ({
  manifest: (value: Json) => ({
    crons: { "example.com": { jobs: { a: { schedule: "0 3 * * *", command: "php a", [field]: value } } } },
  }),
  list: "/crons?service_id=s1",
  record: { id: "c1", service_id: "s1", name: "a", schedule: "0 3 * * *", command: "php a" },
  at: `/${field}`,
});
const settings = (path: readonly [string] | readonly [string, string]) => ({
  manifest: (value: Json) => {
    const [first, second] = path;
    return {
      mail: { "example.com": { settings: { [first]: second === undefined ? value : { [second]: value } } } },
    };
  },
  list: "/mail/settings/example.com",
  record: { domain: "example.com", autoresponder: { enabled: true }, dkim: { enabled: false } },
  at: `/${path.join("/")}`,
});
const time = fc.constantFrom<Json>(
  "2026-01-01T02:00:00+02:00",
  "2025-12-31T23:30:00.000-00:30",
  "2026-01-01T00:00:00.5Z",
);
const certificate = (name: string) => ({
  manifest: (value: Json) => ({
    certificates: {
      "example.com": [
        {
          domains: ["example.com"],
          type: "uploaded",
          certificate: identity.cert,
          private_key: "${env:PRIVATE_KEY}",
          [name]: value,
        },
      ],
    },
  }),
  at: `/${name}`,
});
const identity = makeServerIdentity(["example.com", "www.example.com"], Date.now(), randomBytes);
const pem = fc.constantFrom(identity.cert, identity.cert.trim().replaceAll("\n", "\r\n"));

const cases: Readonly<Record<string, Case>> = {
  "cron.schedule": {
    ...job("schedule"),
    ways: fc.oneof(
      respell
        .respellSchedule(["30 8 * jan-mar mon,fri", "30 8 * 01-03/1 1,5,1", "0 0 1,1 * 7", "00 00 */1 */1 *"])
        .filter((schedule) => !/\d{3}/u.test(schedule)),
      fc.constantFrom("30,0 4 * dec *", "0 4 * * SUN"),
    ),
    other: "1 2 3 4 5",
  },
  "cron.email": { ...job("email"), ways: letters("ops@example.com"), other: "other@example.com" },
  "mail_settings.catch_all": {
    ...settings(["catch_all"]),
    ways: letters("info@example.com"),
    other: "other@example.com",
  },
  "mail_settings.autoresponder.starts_at": {
    ...settings(["autoresponder", "starts_at"]),
    ways: time,
    other: "2020-01-01T00:00:00Z",
  },
  "mail_settings.autoresponder.ends_at": {
    ...settings(["autoresponder", "ends_at"]),
    ways: time,
    other: "2020-01-01T00:00:00Z",
  },
  "mail_alias.destinations": {
    ways: two(letters("b@example.com"), letters("a@example.com")),
    other: ["c@example.com"],
    manifest: (value) => ({ mail: { "example.com": { aliases: { sales: { destinations: value } } } } }),
    list: "/mail/aliases?domain=example.com",
    record: { id: "a1", address: "sales@example.com", status: "active" },
    at: "/destinations",
  },
  "domain.nameservers": {
    ways: two(letters("ns2.host.test"), letters("ns1.host.test")),
    other: ["ns3.host.test", "ns4.host.test"],
    manifest: (value) => ({ domains: { "example.com": { nameservers: value } } }),
    list: "/domains",
    record: { id: "d1", name: "example.com", service_id: "s1" },
    at: "/nameservers",
  },
  "ftp_account.permissions": {
    ways: fc.constantFrom<Json>(["write", "read"]),
    other: ["read"],
    manifest: (value) => ({
      ftp: { "example.com": { accounts: { a: { permissions: value, password: "${env:SECRET}" } } } },
    }),
    list: "/ftp/accounts?service_id=s1",
    record: { id: "f1", service_id: "s1", username: "a", primary: false },
    at: "/permissions",
  },
  "database_user.grants": {
    ways: fc.constantFrom<Json>(
      [
        { database: "shop", privileges: "all" },
        { database: "log", privileges: ["Select", "insert"] },
      ],
      [{ database: "shop", privileges: ["UPDATE", "INSERT"] }],
    ),
    other: [],
    manifest: (value) => ({
      databases: {
        "example.com": {
          users: {
            a: {
              password: "${env:SECRET}",
              grants: Object.fromEntries(
                (value as { database: string; privileges: Json }[]).map((each) => [each.database, each.privileges]),
              ),
            },
          },
        },
      },
    }),
    list: "/database-users?service_id=s1",
    record: { id: "u1", service_id: "s1", username: "a", host: "localhost" },
    at: "/grants",
  },
  "certificate.domains": {
    ...certificate("domains"),
    ways: two(letters("www.example.com"), letters("example.com")),
    other: [],
  },
  "certificate.certificate": { ...certificate("certificate"), ways: pem, other: "" },
  "certificate.chain": { ...certificate("chain"), ways: pem, other: "" },
  "dns_record.content AAAA": record("AAAA", letters("2001:db8::abcd"), "2001:db8::2"),
  "dns_record.content CNAME": record("CNAME", letters("www.example.net."), "other.example.net."),
  "dns_record.content DNAME": record("DNAME", letters("www.example.net."), "other.example.net."),
  "dns_record.content ALIAS": record("ALIAS", letters("www.example.net."), "other.example.net."),
  "dns_record.content NS": record("NS", letters("ns1.example.net."), "other.example.net."),
  "dns_record.content PTR": record("PTR", letters("host.example.net."), "other.example.net."),
  "dns_record.content MX": record("MX", letters("mx.example.net."), "other.example.net.", { priority: 10 }),
  "dns_record.content RP": record("RP", letters("info.example.net. text.example.net."), "a.example.net. ."),
  "dns_record.content DS": record("DS", letters(`12345 13 2 ${digest}`), `1 13 2 ${digest}`),
  "dns_record.content SSHFP": record("SSHFP", letters(`4 2 ${digest}`), `3 2 ${digest}`),
  "dns_record.content TLSA": record("TLSA", letters(`3 1 1 ${digest}`), `3 0 1 ${digest}`),
  "dns_record.content SMIMEA": record("SMIMEA", letters(`3 1 1 ${digest}`), `3 0 1 ${digest}`),
  "dns_record.content NAPTR": record(
    "NAPTR",
    letters('100 10 "u" "e2u+sip" "!^.*$!sip:info@example.com!" .'),
    '1 10 "u" "e2u+sip" "!^.*$!sip:info@example.com!" .',
  ),
  "dns_record.content CAA": record(
    "CAA",
    letters("issue").map((tag) => `0 ${tag} "ca.example"`),
    '0 iodef "mailto:a@b.example"',
  ),
  "dns_record.content TXT": record("TXT", fc.constantFrom('"v=spf1 " "-all"', '"a\\098c"', '"" "a"'), '"b"'),
  "dns_record.content URI": record("URI", fc.constant('10 1 "https://example.com/"'), '1 1 "https://a.example/"'),
  "dns_record.content LOC": record(
    "LOC",
    fc.constantFrom("52 22 23 N 4 53 32 E -2m", "1 S 2 W 0", "52 22 23.000 N 4 53 32.000 E -2.00m 1.00m 10000m 10m"),
    "1 N 2 W 0m",
  ),
  "dns_record.content HTTPS": record(
    "HTTPS",
    letters("svc.example.net.").map((target) => `1 ${target} alpn=h2 port=443`),
    "2 . port=443",
  ),
};

/** Fields of which the API takes one spelling only (numbers, booleans, its own words, ids), or none at all. */
const oneSpelling =
  /^(database\.(engine|charset)|mailbox\.(address|rotate_after)|mail_alias\.address|domain\.(service|transfer)|.*(quota_mb|enabled|ttl|priority|timeout_s|algorithm|disabled|comment|auto_renew|transfer_lock|privacy|keep_copy|https_redirect|backups))$/u;

const sentBy = ({ steps }: Plan, at: string): Json[] =>
  steps.flatMap(({ calls }) =>
    calls.flatMap((call) =>
      call.operation === "delete" || call.operation === "renew"
        ? []
        : call.values.flatMap((each) => (each.pointer === at && "value" in each ? [each.sent ?? each.value] : [])),
    ),
  );

const saveOptions = { now: 0, holdsSecret: () => false, filePath: (path: string) => path };

/** Plans again from the text of a saved plan, as whoever applies it does. */
function planAgain(saved: SavedPlan, input: PlanInput): Plan {
  const parsed = parseSavedPlan(JSON.stringify(fileOf(saved)));
  if ("wrong" in parsed) throw new Error(parsed.wrong);
  const desired = desiredOf(parsed.plan, () => ({ value: "a secret value" }));
  return plan({ ...input, ...byItself(desired, undefined), desired });
}

/** The manifest with all that the resource needs. */
const manifestOf = (each: Case, value: Json) => {
  const { databases, ...sections } = each.manifest(value) as { databases?: { "example.com": object } };
  const parents = { services: { "example.com": {} }, domains: { "example.com": {} } };
  const all = { databases: { shop: {}, log: {} }, ...databases?.["example.com"] };
  return stringify({ ...parents, ...(databases && { databases: { "example.com": all } }), ...sections });
};

const liveWith = ({ list, record: fields, at }: Case, value: Json): Lists =>
  list === undefined || !fields ? base : { ...base, [list]: [setPointer(fields, at, value)] };

describe.each(size.every(6, Object.entries(cases)))("%s", (_, each) => {
  test("is sent as it is written, by a saved plan too", () =>
    forDraws(12, each.ways, fc.boolean(), async (written, isLive) => {
      const lists = isLive ? liveWith(each, each.other) : base;
      const input = await buildInput(manifestOf(each, written), lists, { purchases: new Set() });
      const made = plan(input);
      expect(sentBy(made, each.at)).toEqual([written]);
      expect(sentBy(planAgain(savePlan(input, made, saveOptions).saved, input), each.at)).toEqual([written]);
    }));

  test.skipIf(each.list === undefined)("is brought back by an undo as it was live", () =>
    forDraws(12, each.ways, async (written) => {
      const input = await buildInput(manifestOf(each, each.other), liveWith(each, written));
      const made = plan(input);
      const { saved } = planUndo(input, made, saveOptions);
      const now = await buildInput(manifestOf(each, each.other), liveWith(each, each.other));
      expect(sentBy(planAgain(saved, now), each.at)).toEqual([written]);
    }),
  );
});

test("every field with a normal form is among these cases, or has one spelling only", () => {
  const fields = kinds.flatMap((kind) =>
    Object.entries(kind.fields).flatMap(([name, { normalise, access }]) =>
      normalise && access !== "read_only" ? [`${kind.name}.${name}`] : [],
    ),
  );
  const drawn = new Set(Object.keys(cases).map((name) => name.split(" ")[0]));
  const missing = fields.filter((name) => !drawn.has(name) && !oneSpelling.test(name));
  expect(
    missing,
    "write the spellings of these fields into `cases` of this test, or, of those with one spelling, their names into `oneSpelling`",
  ).toEqual([]);
});
