import { describe, expect, test } from "vitest";
import { describeReason } from "../../src/messages/step-reasons.ts";
import type { Plan } from "../../src/model/plan.ts";
import { nothingOwned } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, inZone, type Lists, ours, record, service } from "./build-input.ts";

/** The plan for `now` where `then` was applied last and `lists` is live. */
async function planAfter(then: string, now: string, lists: Lists): Promise<Plan> {
  const { desired: declaredThen } = await buildInput(then, {});
  const ownership = { ...nothingOwned, declaredThen };
  return plan(await buildInput(now, lists, {}, undefined, { ownership }));
}

const origins = ({ steps }: Plan) => steps.map(({ id, origin }) => `${id}: ${origin}`);

const www = (values: string) => `dns: { example.com: { records: { www: { A: ${values} } } } }`;
describe("a set is changed because", () => {
  test.each([
    ["the manifest is", "[192.0.2.1]", "[192.0.2.2]", ["192.0.2.1"], "this_change"],
    ["the live state is", "[192.0.2.1]", "[192.0.2.1]", ["192.0.2.9"], "drift"],
    ["both are", "[192.0.2.1]", "[192.0.2.2]", ["192.0.2.9"], "both"],
    ["someone added a value", "[192.0.2.1]", "[192.0.2.1]", ["192.0.2.1", "192.0.2.9"], "drift"],
    ["someone took all of it away", "[192.0.2.1]", "[192.0.2.1]", [], "drift"],
  ])("%s", async (_, then, now, live, origin) => {
    const made = await planAfter(www(then), www(now), inZone(...live.map((value) => record("www", "A", value))));
    expect(made.steps.map((step) => step.origin)).toEqual([origin]);
  });
});

test("a grant on a database that the server has renamed is changed because someone changed it, or the manifest did", async () => {
  const database = { id: "b1", etag: "e", service_id: "s1", name: "u123_shop", engine: "mariadb" };
  const user = { id: "u1", etag: "e", service_id: "s1", username: "web", host: "localhost" };
  const granted = (privileges: string) =>
    `services: { example.com: }\ndatabases: { example.com: { databases: { shop: { engine: mariadb } }, users: { web: { password: "\${env:SECRET}", grants: { shop: ${privileges} } } } } }`;
  const live = (privileges: string) => ({
    "/services": [service],
    "/databases?service_id=s1": [database],
    "/database-users?service_id=s1": [{ ...user, grants: [{ database: "u123_shop", privileges }] }],
  });
  const originAfter = async (then: string, now: string, is: string) =>
    origins(await planAfter(granted(then), granted(now), live(is)));
  const id = "update database_user/example.com/web@localhost";
  expect(await originAfter("all", "all", "read_only")).toEqual([`${id}: drift`]);
  expect(await originAfter("all", "read_only", "all")).toEqual([`${id}: this_change`]);
  expect(await originAfter("all", "read_only", "[SELECT]")).toEqual([`${id}: both`]);
});

const php = (version: string) => `services: { example.com: { plan: WEB-M, settings: { php_version: "${version}" } } }`;
const livePhp = (version: string) => ({ "/services": [{ ...service, settings: { php_version: version } }] });

describe("a field is changed because", () => {
  test.each([
    ["8.2", "8.3", "8.2", "this_change"],
    ["8.3", "8.3", "8.1", "drift"],
    ["8.2", "8.3", "8.1", "both"],
  ])("it was declared as %s, is declared as %s, and is live as %s", async (then, now, live, origin) => {
    expect(origins(await planAfter(php(then), php(now), livePhp(live)))).toEqual([
      `update service/example.com: ${origin}`,
    ]);
  });
});

test("what was not declared then is made by this change", async () => {
  const made = await planAfter("dns: { example.com: {} }", www("[192.0.2.1]"), inZone());
  expect(origins(made)).toEqual(["create dns_record/example.com/www/A: this_change"]);
});

describe("what was declared then and is not there", () => {
  const address = "dns_record/example.com/www/A";
  test.each<[string, string[], string, string]>([
    ["has drifted where it was ours", [address], "[192.0.2.1]", "drift"],
    ["was not made by that apply where it never was ours", [], "[192.0.2.1]", "not_made"],
    ["is made by this change where it is declared otherwise now", [], "[192.0.2.2]", "this_change"],
  ])("%s", async (_, held, now, origin) => {
    const { desired: declaredThen } = await buildInput(www("[192.0.2.1]"), {});
    const ownership = { ...ours(held).ownership, declaredThen };
    const made = plan(await buildInput(www(now), inZone(), {}, undefined, { ownership }));
    expect(origins(made)).toEqual([`create ${address}: ${origin}`]);
  });
});

test("what an exclusive collection has too much is drift", async () => {
  const exclusive = "dns: { example.com: { exclusive: true, records: { www: { A: 192.0.2.1 } } } }";
  const lists = inZone(record("www", "A", "192.0.2.1"), record("extra", "A", "192.0.2.9"));
  expect(origins(await planAfter(exclusive, exclusive, lists))).toEqual([
    "delete dns_record/example.com/extra/A: drift",
  ]);
});

test("what a list that was not read whole may hold has no label", async () => {
  const { desired: declaredThen } = await buildInput(www("192.0.2.1"), {});
  const ownership = { ...nothingOwned, declaredThen };
  const input = await buildInput(www("192.0.2.1"), inZone(), {}, undefined, { ownership });
  const collections = new Map(
    [...input.live.collections].map(([id, each]) => [id, { ...each, incomplete: "403 forbidden" }] as const),
  );
  const { steps } = plan({ ...input, live: { ...input.live, collections } });
  expect(steps.map((step) => [describeReason(step), step.origin])).toEqual([
    ["created only if it does not exist, which is unknown: its list is incomplete", undefined],
  ]);
});

test("without the manifest of the last apply there is no label", async () => {
  const { steps } = plan(await buildInput(php("8.3"), livePhp("8.1")));
  expect(steps.map((step) => step.origin)).toEqual([undefined]);
});

test("a field that is no longer declared is reported with the value that it keeps", async () => {
  const made = await planAfter(php("8.3"), "services: { example.com: { plan: WEB-M } }", livePhp("8.3"));
  expect(made.steps).toEqual([]);
  expect(made.diagnostics.map(({ code, summary }) => [code, summary])).toEqual([
    [
      "no_longer_declared",
      'service/example.com: settings.php_version is not declared any more and stays as it is: "8.3"',
    ],
  ]);
});

test("a field that is no longer declared is reported without the value that came from the environment", async () => {
  const contacts = { owner: "a secret value" };
  const made = await planAfter(
    'domains: { example.com: { contacts: { owner: "${env:SECRET}" }, auto_renew: true } }',
    "domains: { example.com: { auto_renew: true } }",
    { "/domains": [{ id: "d1", name: "example.com", contacts, auto_renew: true }] },
  );
  expect(made.diagnostics.map(({ summary }) => summary)).toEqual([
    "domain/example.com: contacts.owner is not declared any more and stays as it is: (sensitive)",
  ]);
});
