import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { kinds } from "../../src/kinds/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import { statusRows } from "../../src/live/status-rows.ts";
import { everyCollection } from "../../src/live/wanted-collections.ts";
import { toSnapshot } from "../../src/live/write-snapshot.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { setPointer } from "../../src/model/json-pointer.ts";
import type { Live } from "../../src/model/resource.ts";
import { explain } from "../../src/plan/explain.ts";
import { plan } from "../../src/plan/plan.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { buildInput } from "../plan/build-input.ts";
import { plainPage } from "../support/plain-page.ts";
import { anyCharacter } from "../support/any-character.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

/** Whatever a server puts into its lists is read, planned, shown and recorded, or told of: it breaks nothing. */
const now = Date.parse("2026-01-01T00:00:00Z");

/** All that an account holds, by kind: the first object of each list is as the manifest has it. */
const account: Readonly<Record<string, readonly JsonObject[]>> = {
  service: [
    { id: "s1", domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" },
    { id: "s2", domain: "b.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" },
  ],
  domain: [
    { id: "d1", name: "a.example", service_id: "s1", auto_renew: true, status: "active", expires_at: "2026-09-01" },
    { id: "d2", name: "b.example", service_id: "s2", auto_renew: true, status: "active", expires_at: "2026-09-01" },
  ],
  dns_zone: [
    { id: "z1", name: "a.example", ttl: 3600, status: "active" },
    { id: "z2", name: "b.example", ttl: 3600, status: "active" },
  ],
  dns_record: [
    { id: "r1", name: "www", type: "A", content: "192.0.2.1", ttl: 3600 },
    { id: "r2", name: "@", type: "MX", content: "mx.a.example.", priority: 10, ttl: 3600 },
    { id: "r3", name: "x", type: "TXT", content: "text", ttl: 3600 },
  ],
  dnssec: [{ enabled: true, algorithm: 13, status: "active", ds_records: ["1 13 2 AA"] }],
  mailbox: [
    { id: "m1", address: "info@a.example", quota_mb: 2048, usage_mb: 1, password_updated_at: "2025-01-01T00:00:00Z" },
    { id: "m2", address: "other@a.example", quota_mb: null, usage_mb: 1, status: "active" },
  ],
  mail_alias: [
    { id: "l1", address: "sales@a.example", destinations: ["info@a.example"], status: "active" },
    { id: "l2", address: "more@a.example", destinations: ["info@a.example"], status: "pending" },
  ],
  mail_settings: [{ catch_all: "info@a.example", dkim: { enabled: true, selector: "s", record: "v=DKIM1" } }],
  ftp_account: [
    { id: "f1", service_id: "s1", username: "u1_deploy", home: "/www", permissions: ["read", "write"] },
    { id: "f2", service_id: "s1", username: "main", home: "/", permissions: ["read"], primary: true },
  ],
  database: [
    { id: "b1", service_id: "s1", name: "shop", engine: "mariadb", size_mb: 1, status: "active" },
    { id: "b2", service_id: "s1", name: "old", engine: "mariadb", size_mb: 1, status: "active" },
  ],
  database_user: [
    {
      id: "u1",
      service_id: "s1",
      username: "shop",
      host: "localhost",
      grants: [{ database: "shop", privileges: ["all"] }],
    },
    { id: "u2", service_id: "s1", username: "old", host: "%", grants: [{ database: "old", privileges: ["all"] }] },
  ],
  cron: [
    { id: "c1", service_id: "s1", name: "job", schedule: "0 3 * * *", command: "run", email: null },
    { id: "c2", service_id: "s1", name: "old", schedule: "@daily", command: "run old", timeout_s: 60 },
  ],
  certificate: [
    { id: "t1", service_id: "s1", domains: ["a.example"], type: "managed", status: "issued", created_at: "2025-01-01" },
    { id: "t2", service_id: "s1", domains: ["old.a.example"], type: "managed", status: "failed", error: { code: "x" } },
  ],
};

const manifest = `
services: { a.example: { plan: WEB-M, datacenter: MAD1 }, exclusive: true }
domains: { a.example: { service: a.example, auto_renew: true, renew_before: 30d }, exclusive: true }
dns:
  exclusive: true
  a.example:
    exclusive: true
    dnssec: { enabled: true }
    records:
      www: { A: 192.0.2.1 }
      "@": { MX: [{ priority: 10, value: mx.a.example. }] }
      key: { TXT: "\${ref:mail_settings/a.example.dkim.record}" }
mail:
  a.example:
    exclusive: true
    mailboxes: { info: { quota: 2 GiB, password: "\${env:SECRET}", rotate_after: "2025-06-01T00:00:00Z" } }
    aliases: { sales: { destinations: [info@a.example] } }
    settings: { catch_all: info@a.example, dkim: { enabled: true } }
ftp: { a.example: { exclusive: true, accounts: { deploy: { home: /www, permissions: [read, write], password: "\${env:SECRET}" } } } }
databases:
  a.example:
    exclusive: true
    databases: { shop: { engine: mariadb } }
    users: { shop: { grants: { shop: all }, password: "\${env:SECRET}" } }
crons: { a.example: { exclusive: true, jobs: { job: { schedule: "0 3 * * *", command: run } } } }
certificates: { a.example: [{ domains: [a.example], type: managed, renew_before: 30d }] }
`;

/** Answers any list of a kind with the same objects, whatever id or name it is asked below; nothing is below the second ones. */
function readerOf(lists: typeof account): Reader {
  const patterns = kinds.map(({ name }) => {
    const { path, single = false } = builtIn.kinds[name]?.operations.list ?? { path: "" };
    const segments = path.replaceAll(/\{\w+\}/gu, "[^/]+");
    return { pattern: new RegExp(`^/v2026${segments}$`, "u"), objects: lists[name] ?? [], single };
  });
  return {
    get: async ({ path, query }) => {
      const { objects = [], single = false } = patterns.find(({ pattern }) => pattern.test(path)) ?? {};
      const listed = /s2|z2|b\.example/u.test(path + JSON.stringify(query)) ? [] : objects;
      const body = { data: single ? (objects[0] ?? null) : listed, meta: { total: listed.length } };
      return { ok: true, value: { status: 200, body, location: undefined, requestId: undefined, attempts: 1 } };
    },
  };
}

/** Reads the whole account below what was found, as a snapshot without a manifest does. */
async function readAccount(lists: typeof account): Promise<Live> {
  let live = await readLive(readerOf(lists), builtIn, []);
  for (;;) {
    if (!live.ok) throw new Error(live.error.message);
    const { collections } = live.value;
    const unread = everyCollection(builtIn, live.value).filter(({ id }) => !collections.has(id));
    if (unread.length === 0) return live.value;
    live = await readLive(readerOf(lists), builtIn, unread, live.value);
  }
}

/** Everything that a plan, `status`, `snapshot` and `why` make of these lists, as text. */
async function tellAll(lists: typeof account): Promise<string> {
  const input = await buildInput(manifest, readerOf(lists), {}, now);
  const made = plan(input);
  const whole = await readAccount(lists);
  const recorded = [input.live, whole].map((live) =>
    toSnapshot({ ...input, live, mask: (text) => text, hostform: "0", now }),
  );
  const addresses = new Set([...input.desired.resources.keys(), ...input.live.resources.keys()]);
  const explained = [...addresses].map((address) => explain(input, made, address));
  const rows = [input.live, whole].flatMap((live) => statusRows(live, now));
  const shown = renderPlan(made, { ...plainPage, showIgnored: true, now });
  const { saved } = savePlan(input, made, { holdsSecret: () => false, filePath: (path) => path });
  return shown + JSON.stringify([recorded, explained, rows, saved]);
}

test("an account that is as it should be is read whole", async () => {
  expect(await tellAll(account)).not.toContain('"incomplete"');
});

const texts = ["", " ", "..", ".", "a/../b", "x/y", "?q#f", "\n\r", "\u001b[2J\u202e", "%", "%zz", "\ud800", "a\udc00"];
const words = ["__proto__", "constructor", "*", "@", "a@", "@a", "xn--a", "\u0000", "${env:SECRET}", "{id}"];
const long = ["A".repeat(100_000), `${"a".repeat(300)}.example`, "2026-13-45T99:99:99Z", "1e999"];
const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...texts, ...words, ...long, null, 0, -1, 1e308, 1.5, true, [], [[]], {}, [null, 1, {}, ["x"]]),
  fc.constantFrom<Json>({ toString: 1 }, JSON.parse('{"__proto__":{"a":1}}') as Json, { a: { b: [{}] } }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
);

/** One object of a kind, by its place in the list, and what stands at one of its pointers. */
const change = fc
  .constantFrom(...kinds.map(({ name }) => name))
  .chain((kind) => fc.record({ kind: fc.constant(kind), index: fc.nat(2), pointer: fc.nat(), value: hostile }));

test("no value in any field of any kind breaks anything", () =>
  forDraws(100, fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
    const lists: Record<string, readonly JsonObject[]> = { ...account };
    for (const { kind, index, pointer, value } of changes) {
      const { id, etag, fields } = builtIn.kinds[kind] ?? { fields: {} };
      const pointers = [id, etag, ...Object.values(fields).map(({ at }) => at)].filter((at) => at !== undefined);
      const at = pointers[pointer % pointers.length] ?? "";
      lists[kind] = (lists[kind] ?? []).map((raw, place) => (place === index ? setPointer(raw, at, value) : raw));
    }
    expect(typeof (await tellAll(lists))).toBe("string");
  }));

const withValue = (kind: string, at: string, value: Json) => ({
  ...account,
  [kind]: (account[kind] ?? []).map((raw, index) => (index === 1 ? setPointer(raw, at, value) : raw)),
});

describe("a list with an object that cannot be named or reached is incomplete, and says so", () => {
  test.each([
    ["cron", "/name", "", "cron/a.example"],
    ["service", "/domain", "", "service"],
    ["service", "/domain", "\ud800", "service"],
    ["service", "/domain", "..", "service"],
    ["dns_zone", "/name", "", "dns_zone"],
    ["dns_zone", "/name", "a\udc00.example", "dns_zone"],
    ["mailbox", "/address", "", "mailbox/a.example"],
  ])("%s%s %j", async (kind, at, value, collection) => {
    const live = await readAccount(withValue(kind, at, value));
    expect(Object.fromEntries([...live.collections].map(([id, { incomplete }]) => [id, incomplete]))).toMatchObject({
      [collection]: `an object of ${kind} came without a usable name`,
    });
    expect([...live.resources.values()].filter((each) => each.kind === kind)).toHaveLength(
      (account[kind] ?? []).length - 1,
    );
  });

  const nameFields = kinds.flatMap(({ name, naming: { toFields, optional = [] }, scope }) =>
    Object.keys(toFields({}))
      .filter((field) => ![...scope, ...optional].includes(field))
      .map((field) => [name, builtIn.kinds[name]?.fields[field]?.at ?? ""] as const),
  );
  test.each(nameFields)("%s with something else than a text at %s", async (kind, at) => {
    expect(account[kind], `write a ${kind} into \`account\` of this test`).toBeDefined();
    for (const value of [null, true, {}, { x: 1 }, [], [{}], [null]] as Json[]) {
      const live = await readAccount(withValue(kind, at, value));
      const told = [...live.collections.values()].filter((each) => each.kind === kind).map((each) => each.incomplete);
      expect(told, JSON.stringify(value)).toContain(`an object of ${kind} came without a usable name`);
      expect([...live.resources.values()].filter((each) => each.kind === kind)).toHaveLength(
        (account[kind] ?? []).length - 1,
      );
    }
  });

  test.each(["", "..", "a/../b", "\ud800", null])("a zone with the id %j, and the lists below it", async (id) => {
    const live = await readAccount(withValue("dns_zone", "/id", id));
    const cause = "an object of dns_zone/b.example came without a usable id";
    expect(live.collections.get("dns_zone" as never)?.incomplete).toBe(cause);
    expect(live.collections.get("dns_record/b.example" as never)?.incomplete).toContain(cause);
    expect(live.collections.get("dns_record/a.example" as never)?.incomplete).toBeUndefined();
  });
});
