import { describe, expect, test } from "vitest";
import { kinds } from "../../src/kinds/index.ts";
import type { Address } from "../../src/model/address.ts";
import type { Plan } from "../../src/model/plan.ts";
import { nearAddresses } from "../../src/plan/explain.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, ours, service, zone, type Lists } from "./build-input.ts";

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);

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

  test("is found again, also in grants, and the final name is reported", async () => {
    const made = plan(await buildInput(manifest, lists));
    expect(made.steps).toEqual([]);
    expect(made.diagnostics).toMatchObject([
      { code: "renamed_by_server", summary: expect.stringContaining("u123_shop") },
    ]);
  });

  test("is ours or not by the inventory of each plan, though the live state is the same object", async () => {
    const input = await buildInput(manifest, lists);
    expect(plan(input).refusals).toEqual([]);
    expect(plan({ ...input, ...ours([]) }).refusals).toMatchObject([{ address: "database/example.com/shop" }]);
    expect(plan(input).refusals).toEqual([]);
  });

  test("is proposed by its declared name to whoever asks for the final one", async () => {
    const asked = "database/example.com/u123_shop" as Address;
    expect(nearAddresses(await buildInput(manifest, lists), asked)).toEqual(["database/example.com/shop"]);
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

  test.each([
    ["ftp_account", "deploy"],
    ["database", "shop"],
  ])("of a %s is left alone in an exclusive collection once it is forgotten", async (kind, name) => {
    const isDatabase = kind === "database";
    const section = isDatabase
      ? "databases: { example.com: { exclusive: true } }"
      : "ftp: { example.com: { exclusive: true } }";
    const text = `services: { example.com: {} }\n${section}\nremoved: [{ address: ${kind}/example.com/${name}, action: forget }]`;
    const list = isDatabase ? "/databases" : "/ftp/accounts";
    const found = { id: "o1", service_id: "s1", name: `u123_${name}`, username: `u123_${name}`, engine: "mariadb" };
    for (const held of [[`${kind}/example.com/${name}`], []]) {
      const input = await buildInput(
        text,
        { "/services": [service], [`${list}?service_id=s1`]: [found] },
        {},
        0,
        ours(held),
      );
      expect(ids(plan(input))).toEqual([]);
    }
  });

  test.each([
    ["shop", "ours"],
    ["u123_*", "ours"],
    ["sh*", "nobody's"],
  ])("is left alone where ignore: names it as %s, and it is %s", async (pattern, whose) => {
    const text = `services: { example.com: {} }\ndatabases: { example.com: { exclusive: true, ignore: ["${pattern}"] } }`;
    const held = whose === "ours" ? ["database/example.com/shop"] : [];
    const input = await buildInput(text, { ...lists, "/database-users?service_id=s1": [] }, {}, 0, ours(held));
    expect(plan(input)).toMatchObject({ steps: [], unmanaged: [] });
    expect(plan(input).diagnostics.map(({ code }) => code)).not.toContain("ignores_nothing");
  });

  test("may be the declared one, and is not deleted from an exclusive collection while nobody knows", async () => {
    const text =
      "services: { example.com: {} }\ndatabases: { example.com: { exclusive: true, databases: { shop: { engine: mariadb } } } }";
    const alone = { ...lists, "/database-users?service_id=s1": [] };
    const input = await buildInput(text, alone, {}, 0, ours(["service/example.com"]));
    const made = plan({ ...input, selection: { only: [], except: ["database/example.com/shop"] } });
    expect(ids(made).filter((id) => id.startsWith("delete"))).toEqual([]);
    expect(plan(input).refusals.map(({ code }) => code)).toContain("in_the_way");
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

  test("is sent and looked for as it is on the server, in a grant that changes, and shown as it is declared", async () => {
    const grants = (database: string, privileges: string) => [{ database, privileges }];
    const made = plan(await buildInput(manifest.replace("shop: all", "shop: read_only"), lists));
    expect(made.steps[0]?.calls).toMatchObject([
      {
        values: [{ pointer: "/grants", value: grants("u123_shop", "read_only") }],
        before: [{ pointer: "/grants", value: grants("u123_shop", "all") }],
      },
    ]);
    expect(made.steps[0]?.changes).toMatchObject([
      {
        before: { is: "value", value: grants("shop", "all") },
        after: { is: "value", value: grants("shop", "read_only") },
      },
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

  test.each(kinds.map((kind) => [kind.name, kind] as const))(
    "to no field of a %s says which fields it has",
    async (name, { fields }) => {
      const readable = Object.keys(fields).filter((field) => fields[field]?.access === "read_only");
      const expected =
        readable.length === 0 ? "it has none, so nothing can refer to it" : `with one of ${readable.join(", ")}`;
      await expect(buildInput(manifest(`${name}/example.com/shop.nothing`), {})).rejects.toThrow(expected);
    },
  );

  test("in a circle is a mistake that shows the path", async () => {
    const owner = (name: string) => `{ contacts: { owner: "\${ref:domain/${name}.status}" } }`;
    const circle = `domains: { a.example: ${owner("b.example")}, b.example: ${owner("a.example")} }`;
    await expect(buildInput(circle, {})).rejects.toThrow("domain/a.example → domain/b.example → domain/a.example");
  });
});
