import { expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { addresses, buildInput, inZone, record, service } from "./build-input.ts";

/** Examples of what the proofs of vanishing and of undoing draw: each was found there. */
const shop = { id: "b1", etag: "e", service_id: "s1", name: "shop", engine: "mariadb", host: "db1.host.test" };
const inService = { "/services": [service], "/databases?service_id=s1": [shop] };

test("the record of a DKIM that is switched off is named by the change that lets it go", async () => {
  const settings = { dkim: { enabled: true, selector: "sel", record: "k" } };
  const input = await buildInput(
    "domains: { example.com: }\nmail: { example.com: { settings: { dkim: { enabled: false } } } }",
    {
      "/domains": [{ id: "d1", name: "example.com", status: "active" }],
      ...inZone(record("sel._domainkey", "TXT", '"k"', { managed: true })),
      "/mail/settings/example.com": [settings],
    },
  );
  expect(plan(input).steps.map(({ id, takesAlong }) => [id, takesAlong])).toEqual([
    ["update mail_settings/example.com", ["dns_record/example.com/sel._domainkey/TXT"]],
  ]);
});

test("the mail settings of a name stay with a domain that comes while its service goes, and are not named as deleted with it", async () => {
  const settings = { catch_all: "a@b.test", dkim: { enabled: false, selector: "sel", record: "k" } };
  const live = { "/services": [service], "/mail/settings/example.com": [settings] };
  const going = "removed: [{ address: service/example.com, action: delete }]";
  const consent = { deletes: addresses("service/example.com") };
  const takenFrom = async (manifest: string) => {
    const { steps } = plan(await buildInput(manifest, live, consent));
    return steps.map(({ id, takesAlong }) => [id, takesAlong]);
  };
  expect(await takenFrom(`domains: { example.com: {} }\n${going}`)).toEqual([
    ["create domain/example.com", undefined],
    ["delete service/example.com", undefined],
  ]);
  expect(await takenFrom(going)).toEqual([["delete service/example.com", ["mail_settings/example.com"]]]);
  // A service is created again before a domain comes, and the settings are reset before both.
  const moved = "services: { example.com: { plan: WEB-M, datacenter: BCN1 } }";
  for (const domain of ["{ service: example.com }", "{}"])
    expect(await takenFrom(`domains: { example.com: ${domain} }\n${moved}`)).toContainEqual([
      "delete service/example.com",
      ["mail_settings/example.com"],
    ]);
});

test("a user that is made anew with its service gets no grant on a database that goes for good", async () => {
  const user = { id: "u1", etag: "e", service_id: "s1", username: "blog", host: "localhost" };
  const grants = ["other", "shop"].map((database) => ({ database, privileges: "all" }));
  const input = await buildInput(
    `services: { example.com: { plan: WEB-M, datacenter: BCN1 } }
databases: { example.com: { databases: { other: { engine: mariadb } }, users: { blog: { password: "\${env:SECRET}" } } } }
removed: [{ address: database/example.com/shop, action: delete }]`,
    {
      ...inService,
      "/databases?service_id=s1": [shop, { ...shop, id: "b2", name: "other" }],
      "/database-users?service_id=s1": [{ ...user, grants }],
    },
    {
      deletes: addresses(
        "service/example.com",
        "database/example.com/other",
        "database/example.com/shop",
        "database_user/example.com/blog@localhost",
      ),
    },
  );
  const made = plan(input);
  const creation = made.steps.find(({ id }) => id === "create database_user/example.com/blog@localhost");
  const sent = creation?.calls.flatMap((call) => (call.operation === "create" ? call.values : []));
  expect(sent?.find(({ field }) => field === "grants")).toMatchObject({ value: grants.slice(0, 1) });
  const change = creation?.changes.find(({ path }) => path === "grants");
  expect(change).toMatchObject({ before: { value: grants }, after: { value: grants.slice(0, 1) } });
  const options = { holdsSecret: () => false, filePath: (path: string) => path };
  const { saved } = savePlan(input, made, options);
  const fields = saved.resources.find(({ address }) => address === creation?.address)?.fields;
  expect(fields).toMatchObject({ grants: grants.slice(0, 1) });
});
