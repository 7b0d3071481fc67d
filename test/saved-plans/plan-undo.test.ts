import { expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { planUndo } from "../../src/saved-plans/plan-undo.ts";
import { addresses, buildInput, inZone, record, service } from "../plan/build-input.ts";
import { options, parsed, planRest } from "../proofs/saved-cases.ts";

/** Examples of what test/proofs/undoing and drifted-plans draw: each was found there. */
const shop = { id: "b1", etag: "e", service_id: "s1", name: "shop", engine: "mariadb", host: "db1.host.test" };
const inService = { "/services": [service], "/databases?service_id=s1": [shop] };

test("an undo makes the members of a deleted set again beside the platform's own, which stayed", async () => {
  const platforms = record("www", "A", "192.0.2.9", { managed: true });
  const manifest = "dns: { example.com: }\nremoved: [{ address: dns_record/example.com/www/A, action: delete }]";
  const input = await buildInput(manifest, inZone(record("www", "A", "192.0.2.1"), platforms));
  const undo = parsed(planUndo(input, plan(input), options).saved);
  expect(undo.live).toContainEqual(expect.objectContaining({ address: "dns_record/example.com/www/A" }));
  const after = await buildInput("dns: { example.com: }", inZone(platforms));
  const { remaining, differences } = planRest(after, undo);
  expect(differences).toEqual([]);
  expect(remaining.steps.flatMap(({ calls }) => calls.map(({ method }) => method))).toEqual(["POST"]);
});

test("an undo leaves a record whose value the plan does not know yet, and says so", async () => {
  const input = await buildInput(
    `services: { example.com: }
databases: { example.com: { databases: { shop: { engine: postgresql } } } }
dns: { example.com: { records: { x: { TXT: "\${ref:database/example.com/shop.host}" } } } }`,
    { ...inService, ...inZone() },
    { deletes: addresses("database/example.com/shop") },
  );
  const { saved } = planUndo(input, plan(input), options);
  expect(saved.removals).toEqual([]);
  expect(saved.cannot_undo).toContainEqual({
    address: "dns_record/example.com/x/TXT",
    reason: "it stays as the plan leaves it, because the plan does not know its values yet",
  });
});

test("an undo writes a limit that was not there where the plan makes the object anew with one", async () => {
  const account = { id: "f1", etag: "e", service_id: "s1", username: "up", home: "/", quota_mb: null, primary: false };
  const input = await buildInput(
    `services: { example.com: { plan: WEB-M, datacenter: BCN1 } }
ftp: { example.com: { accounts: { up: { password: "\${env:SECRET}", quota: 1 GiB } } } }`,
    { "/services": [service], "/ftp/accounts?service_id=s1": [account] },
    { deletes: addresses("service/example.com", "ftp_account/example.com/up") },
  );
  const { saved } = planUndo(input, plan(input), options);
  const fields = saved.resources.find(({ address }) => address === "ftp_account/example.com/up")?.fields;
  expect(fields).toMatchObject({ quota_mb: null });
});

test("an undo gives back the grants that the server takes from a user with a database", async () => {
  const user = { id: "u1", etag: "e", service_id: "s1", username: "blog", host: "localhost" };
  const grants = ["shop", "other"].map((database) => ({ database, privileges: "all" }));
  const lists = {
    ...inService,
    "/databases?service_id=s1": [shop, { ...shop, id: "b2", name: "other" }],
    "/database-users?service_id=s1": [{ ...user, grants }],
  };
  const manifest =
    "services: { example.com: }\ndatabases: { example.com: { databases: { other: }, users: { blog: } } }";
  const input = await buildInput(
    `${manifest}\nremoved: [{ address: database/example.com/shop, action: delete }]`,
    lists,
    { deletes: addresses("database/example.com/shop") },
  );
  const undo = parsed(planUndo(input, plan(input), options).saved);
  const after = await buildInput(manifest, {
    ...lists,
    "/databases?service_id=s1": lists["/databases?service_id=s1"].slice(1),
    "/database-users?service_id=s1": [{ ...user, grants: grants.slice(1) }],
  });
  const { remaining, differences } = planRest(after, undo);
  expect(differences).toEqual([]);
  expect(remaining.steps.map(({ id }) => id)).toEqual([
    "create database/example.com/shop",
    "update database_user/example.com/blog@localhost",
  ]);
});
