import { describe, expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, record, service } from "./build-input.ts";
import { ids, only } from "./plan-results.ts";

describe("a plan has no steps", () => {
  test("when only fields that are not written differ", async () => {
    const manifest = "services: { example.com: { plan: WEB-M } }";
    const live = { "/services": [{ ...service, datacenter: "OTHER", settings: { php_version: "7.4" } }] };
    expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
  });

  test("for write-only fields of what exists, set or unset", async () => {
    const manifest =
      'domains: { example.com: }\nmail: { example.com: { mailboxes: { a: { password: "${env:UNSET}" }, b: { password: "${env:SECRET}" } } } }';
    const box = (address: string) => ({ id: address, etag: "e", address, quota_mb: null, status: "active" });
    const live = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/mail/accounts?domain=example.com": [box("a@example.com"), box("b@example.com")],
    };
    expect(plan(await buildInput(manifest, live)).steps).toEqual([]);
  });
});

describe("an update", () => {
  test("sends the record as listed, unknown fields too, less what is read-only, with the managed fields laid over it", async () => {
    const live = {
      "/services": [{ ...service, settings: { php_version: "8.2", backups: true }, brand_new: { x: 1 } }],
    };
    const [call] = only(
      plan(await buildInput("services: { example.com: { settings: { php_version: 8.3 } } }", live)),
    ).calls;
    if (call?.operation !== "update") throw new Error("Expected an update");
    expect(call.base).toMatchObject({ brand_new: { x: 1 }, settings: { backups: true } });
    expect(call.omit).toEqual(expect.arrayContaining(["/id", "/etag", "/status", "/type"]));
    expect(call.values).toEqual([{ pointer: "/settings/php_version", field: "settings.php_version", value: "8.3" }]);
    expect(call).toMatchObject({ method: "PUT", path: "/v2026/services/{id}", params: { id: "s1" }, etag: "es1" });
  });

  test("says which field changed, from what to what, and where it is written", async () => {
    const step = only(plan(await buildInput("services:\n  example.com: { plan: WEB-L }", { "/services": [service] })));
    expect(step.changes).toEqual([
      { path: "plan", before: { is: "value", value: "WEB-M" }, after: { is: "value", value: "WEB-L" } },
    ]);
    expect(step.at).toMatchObject({ file: "m.yaml", line: 4, col: 3 });
  });

  test("masks both sides of a value that comes from the environment", async () => {
    const manifest =
      'services: { example.com: }\ncrons: { example.com: { jobs: { x: { command: "run ${env:SECRET}" } } } }';
    const live = {
      "/services": [service],
      "/crons?service_id=s1": [
        { id: "c1", service_id: "s1", name: "x", command: "run old-secret", schedule: "0 0 * * *" },
      ],
    };
    const made = plan(await buildInput(manifest, live));
    expect(only(made).changes).toEqual([{ path: "command", before: { is: "sensitive" }, after: { is: "sensitive" } }]);
    expect(JSON.stringify(made.steps.map((step) => step.changes))).not.toContain("secret");
    expect(JSON.stringify(only(made).calls)).not.toContain("a secret value");
  });
});

describe("the order", () => {
  test("creates parents before what refers to them, and passes their ids on", async () => {
    const manifest =
      "services: { example.com: { plan: P, datacenter: D } }\ndomains: { example.com: { service: example.com } }\ncrons: { example.com: { jobs: { x: { schedule: '* * * * *', command: x } } } }";
    const made = plan(await buildInput(manifest, {}));
    expect(ids(made)).toEqual(["create service/example.com", "create domain/example.com", "create cron/example.com/x"]);
    const [, domain, cron] = made.steps;
    expect(cron?.after).toEqual(["create service/example.com"]);
    expect(domain?.calls[0]).toMatchObject({
      values: expect.arrayContaining([{ pointer: "/service_id", field: "service", idOf: "service/example.com" }]),
    });
  });

  test("deletes children before their parent", async () => {
    const manifest =
      "removed: [{ address: dns_zone/example.com, action: delete }, { address: dns_record/example.com/www/A, action: delete }]";
    const input = await buildInput(manifest, inZone(record("www", "A", "192.0.2.1")), {
      deletes: addresses("dns_zone/example.com"),
    });
    expect(ids(plan(input))).toEqual(["delete dns_record/example.com/www/A", "delete dns_zone/example.com"]);
  });
});

test("a resource that cannot be updated is created anew beside the old one where the API cannot delete it", async () => {
  const input = await buildInput("services: { example.com: { datacenter: BCN1 } }", { "/services": [service] });
  const entry = input.contract.kinds["service"];
  if (!entry) throw new Error("no entry for service");
  const { delete: removal, ...operations } = entry.operations;
  const contract = { ...input.contract, kinds: { ...input.contract.kinds, service: { ...entry, operations } } };
  expect(only(plan({ ...input, contract }))).toMatchObject({
    action: "create",
    replaces: false,
    reason: { is: "cannot_update", fields: ["datacenter"], keepsOld: true },
  });
  const { steps } = plan(input);
  expect(removal).toBeDefined();
  expect(steps.map(({ action, replaces }) => [action, replaces])).toEqual([
    ["delete", true],
    ["create", true],
  ]);
});
