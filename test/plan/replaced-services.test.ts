import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, service, type Lists } from "./build-input.ts";

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);

describe("a service that is replaced", () => {
  const lists: Lists = {
    "/services": [service],
    "/crons?service_id=s1": [
      { id: "c1", service_id: "s1", name: "x", schedule: "0 3 * * MON", command: "x", email: "ops@example.com" },
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

  test("takes what is declared below it along: deleted before, created again after, with the live values that are not written, as the server spells them", async () => {
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
        { pointer: "/schedule", field: "schedule", value: "0 3 * * MON" },
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

describe("a service in another datacenter", () => {
  const anew = "services: { example.com: { plan: WEB-M, datacenter: BCN1 } }";
  const domain = { id: "d1", name: "example.com", service_id: "s1", auto_renew: true };
  const settings = { domain: "example.com", catch_all: "a@b.test", dkim: { enabled: false } };
  const consent = { deletes: addresses("service/example.com") };

  test("is replaced because of the datacenter alone, whatever else changes with it", async () => {
    const text = "services: { example.com: { plan: WEB-L, datacenter: BCN1 } }";
    const made = plan(await buildInput(text, { "/services": [service] }, consent));
    expect(made.steps[1]?.reason).toMatchObject({ is: "cannot_update", fields: ["datacenter"] });
    const forcing = made.steps[1]?.changes.flatMap(({ path, forcesReplace }) => (forcesReplace ? [path] : []));
    expect(forcing).toEqual(["datacenter"]);
  });

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

  test("names its mail settings where they are managed, and left out of the run", async () => {
    const lists = { "/services": [service], "/mail/settings/example.com": [settings] };
    const text = `${anew}\nmail: { example.com: { settings: { dkim: { enabled: true } } } }`;
    const selection = { only: ["service/*"], except: [] };
    const made = plan(await buildInput(text, lists, consent, undefined, { selection }));
    expect(made.leftOut).toEqual(["mail_settings/example.com"]);
    expect(made.steps.map(({ id, takesAlong }) => [id, takesAlong])).toEqual([
      ["delete service/example.com", ["mail_settings/example.com"]],
      ["create service/example.com", ["mail_settings/example.com"]],
    ]);
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
