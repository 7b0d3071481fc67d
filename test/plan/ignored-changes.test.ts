import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, inZone, record, service } from "./build-input.ts";

const calls = ({ steps }: Plan) => steps.flatMap((step) => step.calls);
const methods = (made: Plan) => calls(made).map(({ method }) => method);

describe("a field that ignore_changes names", () => {
  const manifest = (more = "") =>
    `services: { example.com: { plan: WEB-M, datacenter: MAD1, ${more} settings: { php_version: "8.3", backups: true }, lifecycle: { ignore_changes: [settings.php_version, datacenter] } } }`;
  const live = { ...service, datacenter: "BCN1", settings: { php_version: "7.4", backups: true } };

  test("is not compared", async () => {
    expect(plan(await buildInput(manifest(), { "/services": [live] })).steps).toEqual([]);
  });

  test("keeps its live value when another one is sent", async () => {
    const changed = { ...live, settings: { php_version: "7.4", backups: false } };
    const [call] = calls(plan(await buildInput(manifest(), { "/services": [changed] })));
    if (call?.operation !== "update") throw new Error("Expected an update");
    expect(call.values.map(({ field }) => field)).toEqual(["plan", "settings.backups"]);
  });

  test("is sent at creation", async () => {
    const [call] = calls(plan(await buildInput(manifest(), {})));
    expect(call?.operation === "create" && call.values).toContainEqual(
      expect.objectContaining({ field: "datacenter", value: "MAD1" }),
    );
  });

  test("keeps its live value in a replace that another field forces", async () => {
    const text =
      "services: { example.com: }\ndatabases: { example.com: { databases: { shop: { engine: postgresql, charset: UTF8, lifecycle: { ignore_changes: [charset] } } } } }";
    const lists = {
      "/services": [service],
      "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name: "shop", engine: "mariadb", charset: "latin1" }],
    };
    const consent = { deletes: addresses("database/example.com/shop") };
    const made = plan(await buildInput(text, lists, consent));
    expect(methods(made)).toEqual(["DELETE", "POST"]);
    const create = calls(made)[1];
    expect(create?.operation === "create" && create.values).not.toContainEqual(
      expect.objectContaining({ value: "UTF8" }),
    );
  });
});

describe("in an RRset, ignore_changes", () => {
  const rrset = (values: string, ignored: string) =>
    `dns: { example.com: { records: { www: { A: { ttl: 60, values: ${values}, lifecycle: { ignore_changes: [${ignored}] } } } } } }`;
  test.each([
    ["of the TTL leaves even a mixture of them", "ttl", { ttl: 600 }],
    ["of disabled leaves what is switched off by hand", "ttl, disabled", { disabled: true }],
    ["of the comment leaves the live one", "ttl, comment", { comment: "by hand" }],
  ])("%s", async (_, ignored, live) => {
    const values = "[{ value: 192.0.2.1, comment: ours }, { value: 192.0.2.2, comment: ours }]";
    const plain = { comment: "ours" };
    const lists = inZone(
      record("www", "A", "192.0.2.1", plain),
      record("www", "A", "192.0.2.2", { ...plain, ...live }),
    );
    expect(plan(await buildInput(rrset(values, ignored), lists)).steps).toEqual([]);
  });

  test("of the values leaves them all, and still manages the TTL", async () => {
    const lists = inZone(record("www", "A", "192.0.2.8"), record("www", "A", "192.0.2.9"));
    const made = plan(await buildInput(rrset("192.0.2.1", "values"), lists));
    expect(methods(made)).toEqual(["PUT", "PUT"]);
    expect(made.steps[0]?.changes).toMatchObject([{ path: "ttl" }]);
    expect(methods(plan(await buildInput(rrset("192.0.2.1", "values"), inZone())))).toEqual(["POST"]);
  });
});
