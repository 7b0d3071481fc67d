import { describe, expect, test } from "vitest";
import { kindNamed, kinds } from "../../src/kinds/index.ts";
import { knownValue, openFields } from "../../src/model/body.ts";
import type { LiveResource, RemoteId, Resource } from "../../src/model/resource.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, service } from "./build-input.ts";
import { builtIn } from "../support/built-in-contract.ts";

/** What a resource of each kind needs, and the resource with every field that an update can set, at two values. */
const written: Readonly<Record<string, { parents?: string; at: (body: string) => string; values: [string, string] }>> =
  {
    service: {
      at: (body) => `services: { example.com: ${body} }`,
      values: [
        "{ plan: A, settings: { php_version: 8.2, https_redirect: true, backups: true } }",
        "{ plan: B, settings: { php_version: 8.3, https_redirect: false, backups: false } }",
      ],
    },
    domain: {
      parents: "services: { a.test: {}, b.test: {} }",
      at: (body) => `domains: { example.com: ${body} }`,
      values: [
        "{ service: a.test, auto_renew: true, nameservers: [ns1.a.test, ns2.a.test], transfer_lock: true, privacy: true, contacts: { owner: a, admin: a, tech: a, billing: a } }",
        "{ service: b.test, auto_renew: false, nameservers: [ns1.b.test, ns2.b.test], transfer_lock: false, privacy: false, contacts: { owner: b, admin: b, tech: b, billing: b } }",
      ],
    },
    dns_zone: { at: (body) => `dns: { example.com: ${body} }`, values: ["{ ttl: 300 }", "{ ttl: 600 }"] },
    dnssec: {
      at: (body) => `dns: { example.com: { dnssec: ${body} } }`,
      values: ["{ enabled: true }", "{ enabled: false }"],
    },
    mailbox: {
      parents: "domains: { example.com: {} }",
      at: (body) => `mail: { example.com: { mailboxes: { info: ${body} } } }`,
      values: ["{ quota: 1 GiB, sending_enabled: true }", "{ quota: unlimited, sending_enabled: false }"],
    },
    mail_alias: {
      parents: "domains: { example.com: {} }",
      at: (body) => `mail: { example.com: { aliases: { sales: ${body} } } }`,
      values: [
        "{ destinations: [a@a.test, b@a.test, c@a.test], keep_copy: true }",
        "{ destinations: [c@a.test, d@a.test, e@a.test, f@a.test], keep_copy: false }",
      ],
    },
    mail_settings: {
      parents: "domains: { example.com: {} }",
      at: (body) => `mail: { example.com: { settings: ${body} } }`,
      values: [
        '{ catch_all: a@a.test, dkim: { enabled: true }, autoresponder: { enabled: true, subject: A, message: A, starts_at: "2026-01-01T00:00:00Z", ends_at: "2026-02-01T00:00:00Z" } }',
        "{ catch_all: null, dkim: { enabled: false }, autoresponder: { enabled: false, subject: B, message: B, starts_at: null, ends_at: null } }",
      ],
    },
    ftp_account: {
      parents: "services: { example.com: {} }",
      at: (body) => `ftp: { example.com: { accounts: { deploy: ${body} } } }`,
      values: [
        "{ home: /a, quota: 1 GiB, permissions: [read, write], enabled: true }",
        "{ home: /b, quota: 2 GiB, permissions: [read], enabled: false }",
      ],
    },
    database: {
      parents: "services: { example.com: {} }",
      at: (body) => `databases: { example.com: { databases: { shop: ${body} } } }`,
      values: [
        "{ charset: utf8mb4, collation: utf8mb4_unicode_ci }",
        "{ charset: latin1, collation: latin1_swedish_ci }",
      ],
    },
    database_user: {
      parents: "services: { example.com: {} }",
      at: (body) => `databases: { example.com: { databases: { a: {}, b: {}, c: {} }, users: { shop: ${body} } } }`,
      values: ["{ grants: { a: all, b: read_only } }", "{ grants: { a: [SELECT, INSERT], b: all, c: read_only } }"],
    },
    cron: {
      parents: "services: { example.com: {} }",
      at: (body) => `crons: { example.com: { jobs: { nightly: ${body} } } }`,
      values: [
        "{ schedule: 0 1 * * *, command: a, enabled: true, timezone: UTC, email: a@a.test, timeout_s: 60 }",
        "{ schedule: 0 2 * * *, command: b, enabled: false, timezone: Europe/Madrid, email: null, timeout_s: 90 }",
      ],
    },
  };

describe.each(Object.entries(written))("%s", (kind, { parents = "", at, values }) => {
  test("any choice of its mutable fields is changed by one PUT, and none by none", async () => {
    const declare = (value: string) => buildInput(`${parents}\n${at(value)}`, {});
    const input = allLive(await declare(values[0]));
    const [before, after] = [theOne(kind, input), theOne(kind, await declare(values[1]))];
    const fields = Object.keys(before.fields);
    expect(fields.sort()).toEqual(mutableFields(kind));
    for (const changed of subsets(fields)) {
      const more = Object.fromEntries(changed.map((name) => [name, after.fields[name] ?? knownValue(null)]));
      const desired = { ...before, fields: { ...before.fields, ...more } };
      expect(methods(withDesired(input, desired)), changed.join()).toEqual(changed.length === 0 ? [] : ["PUT"]);
    }
  });
});

test("every kind with an update and an object of its own is among them", async () => {
  const updated = kinds.filter(
    ({ name, members }) => !members && builtIn.kinds[name]?.operations.update && mutableFields(name).length > 0,
  );
  expect(Object.keys(written).sort(), "write two values of the kind into `written` of this test").toEqual(
    updated.map(({ name }) => name).sort(),
  );
});

describe("a service is made by one POST", () => {
  const creation = async (settings: string) =>
    methods(await buildInput(`services: { example.com: { plan: A, datacenter: MAD1${settings} } }`, {}));

  test("where that can set all that is written", async () => {
    expect(await creation("")).toEqual(["POST"]);
  });

  test.each(["php_version: 8.3", "php_version: 8.3, https_redirect: true, backups: true"])(
    "and one PUT for all that it cannot: %s",
    async (settings) => {
      expect(await creation(`, settings: { ${settings} }`)).toEqual(["POST", "PUT"]);
    },
  );
});

describe("a replace is one DELETE and what creation takes", () => {
  test.each([
    ["services: { example.com: { datacenter: BCN1, plan: WEB-XL } }", ["DELETE", "POST"]],
    ["services: { example.com: { datacenter: BCN1, settings: { backups: true } } }", ["DELETE", "POST", "PUT"]],
  ])("%s", async (manifest, expected) => {
    expect(methods(await buildInput(manifest, { "/services": [service] }))).toEqual(expected);
  });
});

const methods = (input: PlanInput) => plan(input).steps.flatMap(({ calls }) => calls.map(({ method }) => method));

/** The fields that an update can set and that are no part of the key. */
const mutableFields = (kind: string) =>
  Object.entries(kindNamed(kind).fields)
    .flatMap(([name, { access }]) => (access === "mutable" && !(kind === "cron" && name === "name") ? [name] : []))
    .sort();

function theOne(kind: string, { desired }: PlanInput): Resource {
  const found = [...desired.resources.values()].filter((each) => each.kind === kind).at(-1);
  if (!found) throw new Error(`No ${kind} is declared`);
  return found;
}

const withDesired = (input: PlanInput, resource: Resource): PlanInput => ({
  ...input,
  desired: { ...input.desired, resources: new Map([...input.desired.resources, [resource.address, resource]]) },
});

/** What is declared is live. */
function allLive(input: PlanInput): PlanInput {
  const live = [...input.desired.resources.values()].map(({ address, kind, key, fields }): LiveResource => ({
    address,
    kind,
    key,
    remotes: [{ id: address as string as RemoteId, etag: "e", raw: {}, fields: openFields(fields) }],
  }));
  return { ...input, live: { ...input.live, resources: new Map(live.map((each) => [each.address, each])) } };
}

function subsets<T>([first, ...rest]: readonly T[]): T[][] {
  if (first === undefined) return [[]];
  const without = subsets(rest);
  return [...without, ...without.map((chosen) => [first, ...chosen])];
}
