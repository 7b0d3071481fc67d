import { describe, expect, test } from "vitest";
import { describeReason } from "../../src/model/step-reason.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { addresses, buildInput, service, zone, type Lists } from "./build-input.ts";
import { declareJobs, liveJobs, whole } from "./crons.ts";
import { plainPage } from "../support/plain-page.ts";

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);
const now = Date.parse("2026-01-01T00:00:00Z");

describe("what expires", () => {
  const domain = (expires_at: string): Lists => ({
    "/domains": [{ id: "d1", name: "example.com", status: "active", expires_at }],
  });
  const manifest = "domains: { example.com: { renew_before: 30d, period_years: 2 } }";

  test("is renewed by one POST that costs money, once it is near and named", async () => {
    const soon = domain("2026-01-20T00:00:00Z");
    const refused = plan(await buildInput(manifest, soon, {}, now));
    expect(ids(refused)).toEqual(["renew domain/example.com"]);
    expect(refused.refusals).toMatchObject([{ code: "purchase", hint: "--allow-purchase domain/example.com" }]);
    const allowed = plan(await buildInput(manifest, soon, { purchases: addresses("domain/example.com") }, now));
    expect(allowed.refusals).toEqual([]);
    expect(allowed.steps[0]?.calls).toMatchObject([
      {
        method: "POST",
        path: "/v2026/domains/{id}/renewals",
        params: { id: "d1" },
        values: [{ pointer: "/period_years", value: 2 }],
      },
    ]);
  });

  test("is left alone while it is far, or where nothing is written", async () => {
    expect(plan(await buildInput(manifest, domain("2026-03-01T00:00:00Z"), {}, now)).steps).toEqual([]);
    expect(
      plan(await buildInput("domains: { example.com: {} }", domain("2026-01-02T00:00:00Z"), {}, now)).steps,
    ).toEqual([]);
  });
});

describe("a domain", () => {
  const live: Lists = {
    "/services": [],
    "/domains": [{ id: "d1", name: "example.com", status: "active", service_id: null }],
  };
  const manifest =
    "services: { example.com: { plan: WEB-M, datacenter: MAD1 } }\ndomains: { example.com: { service: example.com } }";

  test("is attached to a service once that is made, by its id", async () => {
    const { steps } = plan(await buildInput(manifest, live));
    expect(steps.map(({ id }) => id)).toEqual(["create service/example.com", "update domain/example.com"]);
    expect(steps[1]?.after).toEqual(["create service/example.com"]);
  });

  test("needs no request after its changes where the API makes use of them by itself", async () => {
    expect(plan(await buildInput(manifest, live)).afterRequests ?? []).toEqual([]);
  });
});

describe("a certificate", () => {
  const manifest =
    "services: { example.com: {} }\ncertificates: { example.com: [{ domains: [www.example.com, example.com], renew_before: 30d }] }";
  const live = (...certificates: JsonObject[]): Lists => ({
    "/services": [service],
    "/ssl/certificates": certificates,
  });
  const certificate = (more: JsonObject): JsonObject => ({
    id: "c1",
    service_id: "s1",
    domains: ["example.com", "www.example.com"],
    type: "managed",
    status: "issued",
    created_at: "2025-10-01T00:00:00Z",
    not_after: "2026-03-01T00:00:00Z",
    ...more,
  });

  test("is found again whatever the order of its domains", async () => {
    expect(plan(await buildInput(manifest, live(certificate({})), {}, now)).steps).toEqual([]);
  });

  test("that expires soon is requested anew, and superseded ones are passed over", async () => {
    const old = certificate({ id: "c0", created_at: "2025-01-01T00:00:00Z", not_after: "2025-04-01T00:00:00Z" });
    const due = certificate({ not_after: "2026-01-10T00:00:00Z" });
    expect(plan(await buildInput(manifest, live(certificate({}), old), {}, now)).steps).toEqual([]);
    const made = plan(await buildInput(manifest, live(old, due), {}, now));
    expect(made.steps.map((step) => [step.calls.map(({ method }) => method), describeReason(step)])).toEqual([
      [["POST"], expect.stringContaining("2026-01-10")],
    ]);
  });

  test("that failed is asked for again only by name, and its reason is told", async () => {
    const failed = live(
      certificate({ status: "failed", error: { code: "dns_mismatch", message: "www points elsewhere" } }),
    );
    const left = plan(await buildInput(manifest, failed, {}, now));
    expect(left.steps).toEqual([]);
    expect(left.diagnostics).toMatchObject([
      {
        severity: "warning",
        summary: expect.stringContaining("dns_mismatch www points elsewhere"),
        hint: expect.stringContaining("--retry certificate/"),
      },
    ]);
    const retried = plan(
      await buildInput(
        manifest,
        failed,
        { retries: addresses("certificate/example.com+www.example.com/managed") },
        now,
      ),
    );
    expect(ids(retried)).toEqual(["create certificate/example.com+www.example.com/managed"]);
  });

  test("that is not declared stays; where removed: names it, the plan says that the API cannot", async () => {
    const input = await buildInput(
      "removed: [{ address: certificate/example.com+www.example.com/managed, action: delete }]",
      live(certificate({})),
      {},
      now,
    );
    expect(plan(input).refusals).toMatchObject([
      { code: "managed_by_platform", summary: expect.stringContaining("no such operation") },
    ]);
    const undeclared = plan(
      await buildInput(manifest.replace("www.example.com, ", ""), live(certificate({})), {}, now),
    );
    expect(ids(undeclared)).toEqual(["create certificate/example.com/managed"]);
    expect(undeclared.unmanaged).toMatchObject([
      { collection: "certificate", addresses: ["certificate/example.com+www.example.com/managed"] },
    ]);
  });
});

describe("dnssec", () => {
  const live = (dnssec: JsonObject): Lists => ({ "/dns/zones": [zone], "/dns/zones/z1/dnssec": [dnssec] });
  const signed = { enabled: true, algorithm: 13, status: "active" };
  const declare = (text: string) => `dns: { example.com: { dnssec: ${text} } }`;

  test("is not switched off without naming it, with a warning of the parent's DS records", async () => {
    const refused = plan(await buildInput(declare("{ enabled: false }"), live(signed)));
    expect(refused.refusals).toMatchObject([
      { code: "protected", summary: expect.stringContaining("DS records"), hint: "--allow-delete dnssec/example.com" },
    ]);
    const allowed = plan(
      await buildInput(declare("{ enabled: false }"), live(signed), { deletes: addresses("dnssec/example.com") }),
    );
    expect(allowed.refusals).toEqual([]);
    expect(ids(allowed)).toEqual(["update dnssec/example.com"]);
  });

  test("keeps its algorithm: no flag changes it, the steps to take by hand are told", async () => {
    const input = await buildInput(declare("{ enabled: true, algorithm: 15 }"), live(signed), {
      deletes: addresses("dnssec/example.com"),
    });
    expect(plan(input).refusals).toMatchObject([
      { code: "refused_by_kind", summary: expect.stringMatching(/algorithm.*by hand/u) },
    ]);
  });

  test("that is declared off and was never on is nothing to do", async () => {
    expect(plan(await buildInput(declare("{ enabled: false }"), { "/dns/zones": [zone] })).steps).toEqual([]);
  });

  test("goes with its zone only where both are named", async () => {
    const removed = "removed: [{ address: dns_zone/example.com, action: delete }]";
    const input = await buildInput(removed, live(signed), { deletes: addresses("dns_zone/example.com") });
    expect(plan(input).refusals).toMatchObject([
      { code: "has_children", summary: expect.stringContaining("dnssec/example.com") },
    ]);
  });
});

describe("a name that the server has prefixed", () => {
  const lists: Lists = {
    "/services": [service],
    "/databases?service_id=s1": [
      { id: "b1", service_id: "s1", name: "u123_shop", engine: "mariadb", status: "active" },
    ],
    "/database-users?service_id=s1": [
      {
        id: "u1",
        service_id: "s1",
        username: "shop",
        host: "localhost",
        grants: [{ database: "u123_shop", privileges: "all" }],
      },
    ],
  };
  const manifest =
    "services: { example.com: {} }\ndatabases: { example.com: { databases: { shop: { engine: mariadb } }, users: { shop: { grants: { shop: all } } } } }";

  test("is found again, also in grants, and the final name is told", async () => {
    const made = plan(await buildInput(manifest, lists));
    expect(made.steps).toEqual([]);
    expect(made.diagnostics).toMatchObject([
      { code: "renamed_by_server", summary: expect.stringContaining("u123_shop") },
    ]);
  });

  test.each(["old_shop", "shop_old", "xshop"])("is not seen in %s, which is another one", async (name) => {
    const other = { ...lists, "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name, engine: "mariadb" }] };
    const made = plan(await buildInput(manifest, other));
    expect(ids(made)).toContain("create database/example.com/shop");
    expect(made.unmanaged.flatMap((each) => each.addresses)).toEqual([`database/example.com/${name}`]);
  });

  test("is not seen in one that the manifest removes", async () => {
    const text = `${manifest}\nremoved: [{ address: database/example.com/u123_shop, action: delete }]`;
    const made = plan(await buildInput(text, lists, { deletes: addresses("database/example.com/u123_shop") }));
    expect(ids(made)).toEqual(
      expect.arrayContaining(["create database/example.com/shop", "delete database/example.com/u123_shop"]),
    );
  });

  test("is not guessed where two could be meant", async () => {
    const two = {
      ...lists,
      "/databases?service_id=s1": ["u1_shop", "u2_shop"].map((name) => ({
        id: name,
        service_id: "s1",
        name,
        engine: "mariadb",
      })),
    };
    expect(ids(plan(await buildInput(manifest, two)))).toContain("create database/example.com/shop");
  });

  test("is sent as it is on the server, in a grant that changes", async () => {
    const made = plan(await buildInput(manifest.replace("shop: all", "shop: read_only"), lists));
    expect(made.steps[0]?.calls).toMatchObject([
      { values: [{ pointer: "/grants", value: [{ database: "u123_shop", privileges: "read_only" }] }] },
    ]);
  });
});

describe("a reference to a read-only field", () => {
  const manifest = (reference: string) =>
    `services: { example.com: {} }\ndatabases: { example.com: { databases: { shop: { engine: mariadb } } } }\ncrons: { example.com: { jobs: { x: { schedule: '* * * * *', command: "run \${ref:${reference}}" } } } }`;
  const database = {
    id: "b1",
    service_id: "s1",
    name: "shop",
    engine: "mariadb",
    status: "active",
    host: "db1.host.test",
  };
  const cron = { id: "c1", service_id: "s1", name: "x", schedule: "* * * * *", command: "run db1.host.test" };

  test("is compared by its live value", async () => {
    const lists = { "/services": [service], "/databases?service_id=s1": [database], "/crons?service_id=s1": [cron] };
    expect(plan(await buildInput(manifest("database/example.com/shop.host"), lists)).steps).toEqual([]);
  });

  test("is known after apply, and waited for, while what it refers to is still to be made", async () => {
    const made = plan(
      await buildInput(manifest("database/example.com/shop.host"), {
        "/services": [service],
        "/crons?service_id=s1": [cron],
      }),
    );
    expect(ids(made)).toEqual(["create database/example.com/shop", "update cron/example.com/x"]);
    expect(made.steps[1]).toMatchObject({
      after: ["create database/example.com/shop"],
      changes: [{ path: "command", after: { is: "known_after_apply" } }],
    });
  });

  test("waits also for an update that may bring the value", async () => {
    const text =
      'domains: { example.com: {} }\nmail: { example.com: { settings: { dkim: { enabled: true } } } }\ndns: { example.com: { records: { s1: { TXT: "${ref:mail_settings/example.com.dkim.record}" } } } }';
    const lists: Lists = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/dns/zones": [zone],
      "/mail/settings/example.com": [{ dkim: { enabled: false, record: null } }],
    };
    const made = plan(await buildInput(text, lists));
    expect(made.steps.find(({ address }) => address.startsWith("dns_record/"))?.after).toContain(
      "update mail_settings/example.com",
    );
  });

  test.each([
    ["to a field that is no read-only one", "database/example.com/shop.engine", "does not end in a read-only field"],
    ["to what is not declared", "database/example.com/shp.host", "which no manifest declares"],
    ["to an unknown kind", "db/example.com/shop.host", "does not name a kind"],
  ])("%s is a mistake", async (_name, reference, expected) => {
    await expect(buildInput(manifest(reference), {})).rejects.toThrow(expected);
  });

  test("in a circle is a mistake that shows the path", async () => {
    const owner = (name: string) => `{ contacts: { owner: "\${ref:domain/${name}.status}" } }`;
    const circle = `domains: { a.example: ${owner("b.example")}, b.example: ${owner("a.example")} }`;
    await expect(buildInput(circle, {})).rejects.toThrow("domain/a.example → domain/b.example → domain/a.example");
  });
});

test("a service that registers its domain brings it along: the plan updates that one instead of making a second", async () => {
  const manifest =
    "services: { example.com: { plan: P, datacenter: D, register: true } }\ndomains: { example.com: { auto_renew: false } }";
  const made = plan(await buildInput(manifest, {}, { purchases: addresses("service/example.com") }));
  expect(ids(made)).toEqual(["create service/example.com", "update domain/example.com"]);
  expect(made.steps[1]).toMatchObject({
    after: ["create service/example.com"],
    reason: { is: "made_by_server", parent: "service/example.com" },
  });
});

describe("a service that is replaced", () => {
  const lists: Lists = {
    "/services": [service],
    "/crons?service_id=s1": [
      { id: "c1", service_id: "s1", name: "x", schedule: "* * * * *", command: "x", email: "ops@example.com" },
    ],
  };
  const manifest = "services: { example.com: { datacenter: BCN1 } }";
  const declared = `${manifest}\ncrons: { example.com: { jobs: { x: { command: x } } } }`;
  const consent = { deletes: addresses("service/example.com") };

  test("is refused while something below it is not declared, which is read for that and named", async () => {
    expect(plan(await buildInput(manifest, lists, consent)).refusals).toMatchObject([
      {
        code: "has_children",
        summary: expect.stringContaining("cron/example.com/x"),
        hint: expect.stringContaining("move it elsewhere"),
      },
    ]);
  });

  test("takes what is declared below it along: deleted before, created again after, with the live values that are not written", async () => {
    const made = plan(await buildInput(declared, lists, consent));
    expect(made.refusals).toEqual([]);
    expect(ids(made)).toEqual([
      "delete cron/example.com/x",
      "delete service/example.com",
      "create service/example.com",
      "create cron/example.com/x",
    ]);
    expect(made.steps[2]?.calls[0]).toMatchObject({
      values: expect.arrayContaining([{ pointer: "/hosting/id_service_type", field: "plan", value: "WEB-M" }]),
    });
    expect(made.steps[3]?.calls[0]).toMatchObject({
      values: expect.arrayContaining([
        { pointer: "/email", field: "email", value: "ops@example.com" },
        { pointer: "/service_id", field: "service", idOf: "service/example.com" },
      ]),
    });
  });

  test("is created again while what stays with it is changed: no circle", async () => {
    const mail = {
      "/mail/aliases?domain=example.com": [{ id: "a1", address: "x@example.com", destinations: ["y@example.com"] }],
    };
    const text = `${manifest}\nmail: { example.com: { aliases: { x: { destinations: [z@example.com] } } } }`;
    expect(
      plan(await buildInput(text, { ...lists, "/crons?service_id=s1": [], ...mail }, consent)).diagnostics,
    ).toEqual([]);
  });

  test("needs each protected one below it named, too", async () => {
    const databases = {
      ...lists,
      "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name: "shop", engine: "mariadb" }],
    };
    const text = `${declared}\ndatabases: { example.com: { databases: { shop: {} } } }`;
    expect(plan(await buildInput(text, databases, consent)).refusals).toMatchObject([
      { code: "protected", hint: "--allow-delete database/example.com/shop" },
    ]);
  });
});

describe("a database of another engine", () => {
  const grant = (database: string) => ({ database, privileges: "all" });
  const lists = (...granted: string[]): Lists => ({
    "/services": [service],
    "/databases?service_id=s1": [
      { id: "b1", service_id: "s1", name: "shop", engine: "mysql", charset: "latin1", collation: "latin1_bin" },
      { id: "b2", service_id: "s1", name: "blog", engine: "mysql" },
    ],
    "/database-users?service_id=s1": [
      { id: "u1", service_id: "s1", username: "shop", host: "localhost", grants: granted.map(grant) },
    ],
  });
  const manifest = (user: string) =>
    `services: { example.com: {} }\ndatabases: { example.com: { databases: { shop: { engine: mariadb }, blog: {} }, users: { shop: ${user} } } }`;
  const consent = { deletes: addresses("database/example.com/shop") };
  const user = "database_user/example.com/shop@localhost";
  const written = (value: unknown) => [expect.objectContaining({ pointer: "/grants", value })];

  test.each([
    ["with its grants written", "{ grants: { shop: all, blog: all } }"],
    ["without", "{}"],
  ])(
    "leaves the user whom two are granted to: it lets go of the grant, and takes it back (%s)",
    async (_, declared) => {
      const made = plan(await buildInput(manifest(declared), lists("shop", "blog"), consent));
      expect(made.refusals).toEqual([]);
      expect(ids(made)).toEqual([
        `detach ${user}`,
        "delete database/example.com/shop",
        "create database/example.com/shop",
        `update ${user}`,
      ]);
      expect(made.steps.flatMap(({ calls }) => calls)).toMatchObject([
        { method: "PUT", values: written([grant("blog")]) },
        { method: "DELETE" },
        { method: "POST" },
        { method: "PUT", values: written([grant("blog"), grant("shop")]) },
      ]);
    },
  );

  test("makes one call of a user whose grant is new, or goes", async () => {
    const newGrant = plan(await buildInput(manifest("{ grants: { shop: all } }"), lists("blog"), consent));
    expect(ids(newGrant).filter((id) => id.includes(user))).toEqual([`update ${user}`]);
    const gone = plan(await buildInput(manifest("{ grants: { blog: all } }"), lists("shop"), consent));
    expect(ids(gone)).toEqual([
      `update ${user}`,
      "delete database/example.com/shop",
      "create database/example.com/shop",
    ]);
  });

  test("does not keep what follows the engine, and says so", async () => {
    const made = plan(await buildInput(manifest("{}"), lists(), consent));
    const creation = made.steps.find(({ action }) => action === "create");
    expect(creation?.changes).toMatchObject([
      { path: "engine", forcesReplace: true },
      { path: "charset", before: { value: "latin1" }, notCarried: "depends on engine" },
      { path: "collation", before: { value: "latin1_bin" }, notCarried: "depends on engine" },
    ]);
    expect(creation?.calls).toMatchObject([{ values: [{ field: "service" }, { field: "name" }, { field: "engine" }] }]);
  });
});

describe("a service in another datacenter", () => {
  const anew = "services: { example.com: { plan: WEB-M, datacenter: BCN1 } }";
  const domain = { id: "d1", name: "example.com", service_id: "s1", auto_renew: true };
  const settings = { domain: "example.com", catch_all: "a@b.test", dkim: { enabled: false } };
  const consent = { deletes: addresses("service/example.com") };

  test("is replaced between two updates of its domain", async () => {
    const lists = { "/services": [service], "/domains": [domain] };
    const made = plan(await buildInput(`${anew}\ndomains: { example.com: {} }`, lists, consent));
    expect(made.refusals).toEqual([]);
    expect(ids(made)).toEqual([
      "detach domain/example.com",
      "delete service/example.com",
      "create service/example.com",
      "update domain/example.com",
    ]);
    const changing = { "/services": [service], "/domains": [{ ...domain, auto_renew: false }] };
    const both = plan(await buildInput(`${anew}\ndomains: { example.com: { auto_renew: true } }`, changing, consent));
    expect(both.steps.at(-1)?.changes).toMatchObject([
      { path: "auto_renew", before: { value: false }, after: { value: true } },
      { path: "service", before: { value: null }, after: { value: "example.com" } },
    ]);
  });

  test("leaves the mail settings if its domain stays", async () => {
    const lists = { "/services": [service], "/domains": [domain], "/mail/settings/example.com": [settings] };
    const made = plan(await buildInput(`${anew}\ndomains: { example.com: {} }`, lists, consent));
    expect(made.steps.flatMap(({ takesAlong = [] }) => takesAlong)).toEqual([]);
  });

  test("names what goes along with it and is not managed", async () => {
    const lists = { "/services": [service], "/mail/settings/example.com": [settings] };
    const made = plan(await buildInput(anew, lists, consent));
    expect(made.refusals).toEqual([]);
    expect(made.steps.map(({ takesAlong }) => takesAlong)).toEqual([
      ["mail_settings/example.com"],
      ["mail_settings/example.com"],
    ]);
    expect(made.unmanaged, "is not said to be left alone as well").toEqual([]);
  });

  test("has its mail settings written again where they are managed, with their live values", async () => {
    const lists = { "/services": [service], "/mail/settings/example.com": [settings] };
    const text = `${anew}\nmail: { example.com: { settings: { dkim: { enabled: true } } } }`;
    const made = plan(await buildInput(text, lists, consent));
    expect(ids(made).at(-1)).toBe("update mail_settings/example.com");
    expect(made.steps.at(-1)?.after).toContain("create service/example.com");
    expect(made.steps.at(-1)?.changes).toMatchObject([
      { path: "catch_all", after: { value: "a@b.test" }, carried: true },
      { path: "dkim.enabled", after: { value: true } },
    ]);
    expect(made.steps.every(({ takesAlong }) => takesAlong === undefined)).toBe(true);
  });

  test("cannot be where it has a certificate, and the first message says only that", async () => {
    const certificate = { id: "c1", service_id: "s1", domains: ["example.com"], type: "managed", status: "issued" };
    const lists = {
      "/services": [service],
      "/ssl/certificates": [certificate],
      "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name: "shop", engine: "mysql" }],
    };
    const text = `${anew}\ndatabases: { example.com: { databases: { shop: {} } } }`;
    const { refusals } = plan(await buildInput(text, lists));
    expect(refusals).toMatchObject([{ address: "service/example.com", code: "has_children" }]);
    expect(refusals[0]?.flag).toBeUndefined();
    expect(refusals[0]?.summary).toContain(
      "certificate/example.com/managed belongs to it, and this API deletes no certificate",
    );
  });

  test("does not register its domain once more", async () => {
    const lists = { "/services": [service], "/domains": [domain] };
    const text =
      "services: { example.com: { plan: WEB-M, datacenter: BCN1, register: true } }\ndomains: { example.com: {} }";
    const made = plan(await buildInput(text, lists, consent));
    expect(made.refusals).toEqual([]);
    expect(made.steps.some(({ purchase }) => purchase)).toBe(false);
  });

  test("says which of its users' passwords it cannot keep", async () => {
    const lists = {
      "/services": [service],
      "/ftp/accounts?service_id=s1": [{ id: "f1", service_id: "s1", username: "deploy", home: "/" }],
    };
    const made = plan(await buildInput(`${anew}\nftp: { example.com: { accounts: { deploy: {} } } }`, lists));
    expect(made.diagnostics.map(({ summary }) => summary)).toEqual([
      "ftp_account/example.com/deploy must be replaced (its parent service/example.com is replaced), and its password cannot be carried over: the API does not return it",
    ]);
  });
});

test("a certificate is asked for after the records of its names are made", async () => {
  const manifest =
    "services: { example.com: {} }\ncertificates: { example.com: [{ domains: [www.example.com] }] }\ndns: { example.com: { records: { www: { A: 192.0.2.1 } } } }";
  const made = plan(await buildInput(manifest, { "/services": [service] }));
  expect(made.steps.find(({ address }) => address.startsWith("certificate/"))?.after).toContain(
    "create dns_record/example.com/www/A",
  );
});

test("the same registration in two blocks is a mistake", async () => {
  const manifest = "services: { example.com: { register: true } }\ndomains: { example.com: { register: true } }";
  await expect(buildInput(manifest, {})).rejects.toThrow("registered twice");
});

test.each([
  ["mailbox/info@example.com", "its mails are deleted for good"],
  ["cron/example.com/x", ""],
])("the deletion of %s shows the content that is lost with it: %s", async (address, shown) => {
  const lists = {
    "/domains": [{ id: "d1", name: "example.com" }],
    "/mail/accounts?domain=example.com": [{ id: "m1", address: "info@example.com" }],
    ...liveJobs("x"),
  };
  const made = plan(await buildInput(`removed: [{ address: ${address}, action: delete }]`, lists));
  expect(ids(made)).toEqual([`delete ${address}`]);
  const text = renderPlan(made, { ...plainPage, showIgnored: false, now: 0 });
  expect(/! (.* deleted for good)/u.exec(text)?.[1] ?? "").toBe(shown);
});

test("what is not there and the API does not create is a mistake", async () => {
  const input = await buildInput(declareJobs(`x: ${whole}`), liveJobs());
  const { cron } = input.contract.kinds;
  const { create: _, ...operations } = cron?.operations ?? {};
  const kinds = { ...input.contract.kinds, cron: { ...cron, operations } as Contract["kinds"][string] };
  const made = plan({ ...input, contract: { ...input.contract, kinds } });
  expect(made.steps).toEqual([]);
  expect(made.diagnostics).toMatchObject([
    {
      code: "not_offered",
      summary: "cron/example.com/x does not exist, and the API offers no creation of a cron",
    },
  ]);
});

test("a field that no creation takes is a mistake where the API offers no update", async () => {
  const input = await buildInput(declareJobs(`x: ${whole}`), liveJobs());
  const { cron } = input.contract.kinds;
  if (!cron) throw new Error("The built-in contract is wrong");
  const { update: _, ...operations } = cron.operations;
  const fields = { ...cron.fields, command: { ...cron.fields["command"], create: false } };
  const kinds = { ...input.contract.kinds, cron: { ...cron, fields, operations } } as Contract["kinds"];
  const made = plan({ ...input, contract: { ...input.contract, kinds } });
  expect(made.steps).toEqual([]);
  expect(made.diagnostics).toMatchObject([
    {
      code: "not_offered",
      summary:
        "cron/example.com/x does not exist, a creation does not take its command, and the API offers no update of a cron",
    },
  ]);
});
