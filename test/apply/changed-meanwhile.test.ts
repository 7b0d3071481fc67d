import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { listed } from "../support/live-records.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

/** Writes to what someone else has changed since the plan was made: between the reading of the account and the write. */
const account = accountForFile();
const front = frontForFile(account);
let putBack: () => void;

beforeAll(async () => {
  await account.byHand("POST", "/v2026/domains", { name: "example.com" });
  await account.byHand("POST", aliases, { address: "all@example.com", destinations: ["a@example.net"] });
  await account.byHand("POST", mailboxes, { address: "info@example.com", password: "correct horse", quota_mb: 1024 });
  putBack = account.mirror.keep();
});
afterEach(() => {
  front.interfere(() => false);
  putBack();
  rmSync(inventory(), { force: true });
});

const inventory = () => join(account.folder, "inventory");
const aliases = "/v2026/mail/aliases";
const mailboxes = "/v2026/mail/accounts";
type Fields = Readonly<Record<string, unknown>>;

const read = async (path: string) => (await listed<Fields & { id: string }>(account, path))[0];

/** Changes the one object of a list by hand, or deletes it. */
async function byHand(path: string, change: Fields | undefined): Promise<void> {
  const there = await read(path);
  const method = change ? "PUT" : "DELETE";
  const { status, body } = await account.byHand(method, `${path}/${there?.id}`, change && { ...there, ...change });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
}

const write = (text: string) => account.write("m.yaml", `version: 1\nname: overtaken\n${text}\n`);

/** Applies a manifest, and lets someone else be faster than the first write. */
async function overtaken(method: string, mail: string, path: string, change: Fields | undefined) {
  let isFirst = true;
  front.interfere(async (request) => {
    if (request.method === method && isFirst) {
      isFirst = false;
      await byHand(path, change);
    }
    return false;
  });
  const file = write(`domains: { example.com: {} }\n${mail}`);
  const args = ["apply", "-f", file, "--auto-approve", "--inventory", inventory()];
  const ran = await runInProcess(front, args);
  return { ...ran, said: ran.stdout + ran.stderr };
}

/** Applies a manifest in a terminal, and lets someone else be faster than the answer to the question. */
const applyAsked = (file: string, meanwhile: () => Promise<unknown>, ...flags: readonly string[]) => {
  const ask = async () => {
    await meanwhile();
    return "yes";
  };
  return runInProcess(
    front,
    ["apply", "-f", file, "--inventory", inventory(), ...flags],
    {},
    { interactive: true, ask },
  );
};

/** The same on an API without ETags. */
async function overtakenUnseen(_method: string, mail: string, path: string, change: Fields | undefined) {
  const kinds = "kinds: { mail_alias: { etag: null }, mailbox: { etag: null } }";
  const contract = account.write("contract.yaml", `contract: 1\nextends: v2026\nname: without-etags\n${kinds}\n`);
  const file = write(`domains: { example.com: {} }\n${mail}`);
  const ran = await applyAsked(file, () => byHand(path, change), "--contract", contract);
  return { ...ran, said: ran.stdout + ran.stderr };
}

const newExample = { domain: { name: "new.example" }, datacenter: "MAD1", hosting: { id_service_type: "WEB-M" } };

test("no list is read for each update where the API has neither ETags nor a read of one object", async () => {
  const kinds = "kinds: { mail_alias: { etag: null, operations: { read: null } } }";
  const contract = account.write("contract.yaml", `contract: 1\nextends: v2026\nname: lists-alone\n${kinds}\n`);
  const declared = (to: string) => {
    const names = Array.from({ length: 20 }, (_, index) => `a${index}: { destinations: [${to}@example.net] }`);
    return write(`domains: { example.com: {} }\nmail: { example.com: { aliases: { ${names.join(", ")} } } }`);
  };
  exits(0, await applyAsked(declared("a"), async () => undefined, "--contract", contract));
  const read: string[] = [];
  front.interfere(async ({ method, url = "" }) => {
    if (method === "GET" && url.startsWith(aliases)) read.push(url);
    return false;
  });
  exits(0, await applyAsked(declared("b"), async () => undefined, "--contract", contract));
  // Before the plan, and to see that it is done.
  expect(read).toHaveLength(2);
});

describe.each([
  ["a change", overtaken],
  ["a change by an API without ETags", overtakenUnseen],
])("%s", (_api, overtaken) => {
  const alias = "mail: { example.com: { aliases: { all: { destinations: [c@example.net] } } } }";
  const mailbox = "mail: { example.com: { mailboxes: { info: { quota: 2 GiB } } } }";

  test("is not made where the field has become another meanwhile, and both values are shown", async () => {
    const ran = exits(5, await overtaken("PUT", alias, aliases, { destinations: ["b@example.net"] }));
    expect(ran.said).toContain(
      'it was changed by someone else: destinations was ["a@example.net"] when planned and is ["b@example.net"] now; plan again',
    );
    expect(await read(aliases)).toMatchObject({ destinations: ["b@example.net"] });
  });

  test("is done where someone else has made it", async () => {
    exits(0, await overtaken("PUT", alias, aliases, { destinations: ["c@example.net"] }));
    expect(await read(aliases)).toMatchObject({ destinations: ["c@example.net"] });
  });

  test("is made where only another field has changed, which it keeps", async () => {
    exits(0, await overtaken("PUT", mailbox, mailboxes, { sending_enabled: false }));
    expect(await read(mailboxes)).toMatchObject({ quota_mb: 2048, sending_enabled: false });
  });

  test("fails where the object is gone, and makes no other", async () => {
    const ran = exits(5, await overtaken("PUT", mailbox, mailboxes, undefined));
    expect(ran.said).toContain("the server no longer has it");
    expect(await read(mailboxes)).toBeUndefined();
  });
});

test.each([
  ["with ETags", ""],
  ["without ETags", "etag: null, "],
  ["without a read of one object, too", "etag: null, operations: { read: null }, "],
])(
  "a field with a request of its own counts as unchanged in the request for the others, and keeps its value (%s)",
  async (_is, without) => {
    const update = "update_of: { quota_mb: { method: PATCH, path: '/mail/accounts/{id}' } }";
    const contract = account.write(
      "contract.yaml",
      `contract: 1\nextends: v2026\nname: quota-alone\nkinds: { mailbox: { ${without}${update} } }\n`,
    );
    front.interfere(async ({ method }, response, _pass, body) => {
      if (method !== "PATCH") return false;
      await byHand(mailboxes, JSON.parse(body) as Fields);
      response.writeHead(204).end();
      return true;
    });
    const file = write(
      "domains: { example.com: {} }\nmail: { example.com: { mailboxes: { info: { quota: 2 GiB, sending_enabled: false } } } }",
    );
    exits(0, await applyAsked(file, async () => undefined, "--contract", contract));
    expect(await read(mailboxes)).toMatchObject({ quota_mb: 2048, sending_enabled: false });
  },
);

test("settings that the API gives alone as a list of one keep what has changed in them meanwhile", async () => {
  const kinds = "kinds: { mail_settings: { etag: null, operations: { read: null } } }";
  const contract = account.write("contract.yaml", `contract: 1\nextends: v2026\nname: settings\n${kinds}\n`);
  const path = "/v2026/mail/settings/example.com";
  const settings = async () => (await account.byHand("GET", path)).body["data"] as Fields;
  const meanwhile = async () =>
    account.byHand("PUT", path, { ...(await settings()), autoresponder: { enabled: true, subject: "away" } });
  const file = write(
    'domains: { example.com: {} }\nmail: { example.com: { settings: { catch_all: "info@example.com" } } }',
  );
  exits(0, await applyAsked(file, meanwhile, "--contract", contract));
  expect(await settings()).toMatchObject({ catch_all: "info@example.com", autoresponder: { subject: "away" } });
});

test("an object in a record, which a PATCH puts in the place of the server's own, keeps what has changed in it meanwhile", async () => {
  const update = "operations: { update: { method: PATCH, path: '/services/{id}' } }";
  const contract = account.write(
    "contract.yaml",
    `contract: 1\nextends: v2026\nname: objects\nkinds: { service: { etag: null, ${update} } }\n`,
  );
  const services = "/v2026/services";
  const settings = { php_version: "8.3", https_redirect: true, backups: true };
  await account.create("/services", newExample);
  front.interfere(async ({ method }, response, _pass, body) => {
    if (method !== "PATCH") return false;
    await byHand(services, JSON.parse(body) as Fields);
    response.writeHead(204).end();
    return true;
  });
  const file = write('services: { new.example: { plan: WEB-M, datacenter: MAD1, settings: { php_version: "8.2" } } }');
  const meanwhile = () => byHand(services, { settings: { ...settings, backups: false } });
  exits(0, await applyAsked(file, meanwhile, "--contract", contract));
  expect(await read(services)).toMatchObject({ settings: { ...settings, php_version: "8.2", backups: false } });
});

test("a TTL that the first record of a set has given to all of them counts as unchanged in the second", async () => {
  const kinds = "kinds: { dns_record: { etag: null } }";
  const contract = account.write("contract.yaml", `contract: 1\nextends: v2026\nname: no-etags\n${kinds}\n`);
  const { id } = await account.create("/dns/zones", { name: "ttl.example" });
  const path = `/dns/zones/${id}/records`;
  for (const content of ["192.0.2.1", "192.0.2.2"])
    await account.create(path, { name: "www", type: "A", content, ttl: 3600 });
  front.interfere(async ({ method }, response, pass, body) => {
    if (method !== "PUT") return false;
    const { status, headers, text } = await pass();
    const { ttl } = JSON.parse(body) as Fields;
    for (const each of await listed<Fields & { id: string }>(account, `/v2026${path}`))
      if (each["type"] === "A") await account.byHand("PUT", `/v2026${path}/${each.id}`, { ...each, ttl });
    response.writeHead(status, headers).end(text);
    return true;
  });
  const records = "records: { www: { A: { ttl: 60, values: [192.0.2.3, 192.0.2.4] } } }";
  const file = write(`dns: { ttl.example: { ${records} } }`);
  const { stdout } = exits(0, await applyAsked(file, async () => undefined, "--contract", contract));
  expect(stdout).toContain("1 changed");
});

describe("a deletion", () => {
  const gone = "removed: [{ address: mail_alias/all@example.com, action: delete }]";

  test("is not made where the object has changed meanwhile, and the field is named", async () => {
    const ran = exits(5, await overtaken("DELETE", gone, aliases, { destinations: ["b@example.net"] }));
    expect(ran.said).toContain(
      "it was changed by someone else: destinations has changed since the plan was made; plan again",
    );
    expect(await read(aliases)).toMatchObject({ destinations: ["b@example.net"] });
  });

  test("is done where the object is gone", async () => {
    exits(0, await overtaken("DELETE", gone, aliases, undefined));
    expect(await read(aliases)).toBeUndefined();
  });

  describe("of a zone or a service", () => {
    type Ids = Readonly<Record<"service" | "zone", string>>;

    /** Applies the deletion of something empty, in a terminal, where somebody is faster than the answer to the question. */
    async function deleted(
      parent: string,
      meanwhile: (ids: Ids) => Promise<unknown>,
      before: (ids: Ids) => Promise<unknown> = async () => undefined,
    ) {
      const { id: service } = await account.create("/services", newExample);
      const { id: zone } = await account.create("/dns/zones", { name: "new.example" });
      await before({ service, zone });
      const sent: string[] = [];
      front.interfere(async ({ method, url = "" }) => {
        if (method === "DELETE") sent.push(url);
        return false;
      });
      const removed = `removed: [{ address: ${parent}, action: delete }]`;
      const ran = await applyAsked(write(removed), () => meanwhile({ service, zone }), "--allow-delete", parent);
      return { ran, sent };
    }

    // Many servers delete what it contains along with it.
    test.each([
      [
        "dns_zone/new.example",
        "dns_record/new.example/by-hand/A",
        ({ zone }: Record<"zone", string>) =>
          account.create(`/dns/zones/${zone}/records`, { name: "by-hand", type: "A", content: "192.0.2.9" }),
      ],
      [
        "service/new.example",
        "cron/new.example/by-hand",
        ({ service }: Record<"service", string>) =>
          account.create("/crons", { service_id: service, name: "by-hand", schedule: "0 3 * * *", command: "x" }),
      ],
    ])("is not sent where somebody has added something to it meanwhile (%s)", async (parent, added, add) => {
      const { ran, sent } = await deleted(parent, add);
      expect(exits(5, ran).printed).toContain(`${added} was added to it since it was planned; plan again`);
      expect(sent).toEqual([]);
    });

    // A user of databases without a grant to this one, and a mailbox of a domain whose service stays, are not below what goes.
    test.each([
      [
        "database/new.example/old",
        ({ service }: Ids) =>
          account.create("/database-users", {
            service_id: service,
            username: "other",
            host: "localhost",
            password: "correct horse",
          }),
      ],
      [
        "domain/new.example",
        () => account.create("/mail/accounts", { address: "by-hand@new.example", password: "correct horse" }),
      ],
    ])("is sent where somebody has added something meanwhile that stays without it (%s)", async (address, add) => {
      const { ran, sent } = await deleted(address, add, async ({ service }) => {
        await account.create("/databases", { service_id: service, name: "old", engine: "mariadb" });
        await account.create("/domains", { name: "new.example" });
      });
      exits(0, ran);
      expect(sent).toHaveLength(1);
    });

    test("is sent where the API gives its own records other ids, and does not tell that they are its own", async () => {
      const fields = "kinds: { dns_record: { fields: { managed: { absent: true } } } }";
      const contract = account.write("contract.yaml", `contract: 1\nextends: v2026\nname: no-owners\n${fields}\n`);
      await account.create("/dns/zones", { name: "new.example" });
      let reads = 0;
      front.interfere(async ({ method, url = "" }, response, pass) => {
        if (method !== "GET" || !url.includes("/records")) return false;
        const { status, headers, text } = await pass();
        reads += 1;
        response.writeHead(status, headers).end(text.replaceAll(/"id":"(\w+)"/gu, `"id":"$1-${reads}"`));
        return true;
      });
      const file = write("removed: [{ address: dns_zone/new.example, action: delete }]");
      const flags = ["--allow-delete", "dns_zone/new.example", "--contract", contract];
      exits(0, await applyAsked(file, async () => undefined, ...flags));
      expect(reads).toBeGreaterThan(1);
    });

    const nothing = "{ lookup: { path: /services, query: { domain: none.example }, at: /id } }";
    const inPath = 'path: "/services/{service}/mailboxes"';

    test.each([
      ["named by what is not there", "{ id_of: service, key: { domain: domain } }", inPath],
      ["found by a lookup that finds nothing", nothing, inPath],
      ["selected by a lookup that finds nothing", nothing, 'path: /mail/accounts, query: { of: "{service}" }'],
    ])("is sent where what it could contain has no list, which is %s", async (_is, param, of) => {
      await account.create("/mail/accounts", { address: "other@example.com", password: "correct horse" });
      front.interfere(async ({ method, url = "" }, response, pass) => {
        if (method !== "GET" || !url.includes("of=")) return false;
        const { status, headers, text } = await pass(mailboxes);
        response.writeHead(status, headers).end(text);
        return true;
      });
      const list = `list: { method: GET, ${of} }`;
      const contract = account.write(
        "contract.yaml",
        `contract: 1\nextends: v2026\nname: below\nkinds: { mailbox: { params: { service: ${param} }, operations: { ${list} } } }\n`,
      );
      await account.create("/domains", { name: "new.example" });
      const file = write("removed: [{ address: domain/new.example, action: delete }]");
      const flags = ["--allow-delete", "domain/new.example", "--contract", contract];
      const { stdout } = exits(0, await applyAsked(file, async () => undefined, ...flags));
      expect(stdout).toContain("1 destroyed");
    });

    test("is sent where the list of what it contains is that of the whole account", async () => {
      const list = "list: { method: GET, path: /crons, query: null, scope: mixed }";
      const contract = account.write(
        "contract.yaml",
        `contract: 1\nextends: v2026\nname: mixed\nkinds: { cron: { operations: { ${list} } } }\n`,
      );
      await account.create("/services", newExample);
      const { id: other } = await account.create("/services", { ...newExample, domain: { name: "other.example" } });
      await account.create("/crons", { service_id: other, name: "nightly", schedule: "0 3 * * *", command: "x" });
      const file = write("removed: [{ address: service/new.example, action: delete }]");
      const flags = ["--allow-delete", "service/new.example", "--contract", contract];
      const { stdout } = exits(0, await applyAsked(file, async () => undefined, ...flags));
      expect(stdout).toContain("1 destroyed");
    });

    test("is sent where the key may not read what it contains", async () => {
      await account.create("/services", newExample);
      const rest = { services: "write", domains: "write", mail: "read", ftp: "read", database: "read", dns: "read" };
      const env = { HOSTFORM_API_KEY: await account.keyFor(rest) };
      const file = write("removed: [{ address: service/new.example, action: delete }]");
      const args = [
        "apply",
        "-f",
        file,
        "--inventory",
        inventory(),
        "--auto-approve",
        "--allow-delete",
        "service/new.example",
      ];
      expect(exits(0, await runInProcess(front, args, env)).stdout).toContain(
        "The list of cron/new.example is incomplete",
      );
    });

    test("of a domain and the service of its name keeps a mailbox that was added meanwhile", async () => {
      await account.create("/services", newExample);
      await account.create("/domains", { name: "new.example" });
      const both = ["service/new.example", "domain/new.example"];
      const file = write(`removed: [${both.map((address) => `{ address: ${address}, action: delete }`).join(", ")}]`);
      const add = () => account.create("/mail/accounts", { address: "by-hand@new.example", password: "correct horse" });
      const ran = await applyAsked(file, add, ...both.flatMap((address) => ["--allow-delete", address]));
      expect(exits(5, ran).printed).toContain("mailbox/by-hand@new.example was added to it since it was planned");
    });

    test("is done where somebody has deleted it meanwhile", async () => {
      const { ran } = await deleted("dns_zone/new.example", async ({ zone }) => {
        const { status } = await account.byHand("DELETE", `/v2026/dns/zones/${zone}`);
        expect(status).toBe(204);
      });
      exits(0, ran);
    });
  });
});
