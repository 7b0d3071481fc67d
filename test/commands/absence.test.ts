import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/** A vendor with mailboxes that cannot be changed, and DNS records without zones; its contract stands alone. */
const contract = `contract: 1
name: small
base_path: /v1
request: { auth: { header: X-Key, scheme: "" }, headers: { Accept: application/json, Content-Type: application/json } }
answer:
  record: /item
  list: /items
  error: { message: /problem, code: /number, codes: { 1409: conflict } }
  rate_limit: { statuses: [429] }
paging: { page: page, size: limit, max_size: 50, total: /count }
kinds:
  mailbox:
    id: /id
    params: { domain: { key: domain } }
    fields: { address: { at: /login }, password: { at: /password }, quota_mb: { at: /mb } }
    operations:
      list: { method: GET, path: "/mail/{domain}" }
      create: { method: POST, path: "/mail/{domain}" }
      delete: { method: DELETE, path: "/mail/{domain}/{id}" }
  dns_zone: null
  dns_record:
    id: /id
    params: { zone: { key: zone } }
    fields:
      name: { at: /host }
      type: { at: /type, values: [A, AAAA, MX, NS, TXT] }
      content: { at: /data }
      ttl: { at: /ttl }
      priority: { absent: true }
    operations:
      list: { method: GET, path: "/dns/{zone}" }
      create: { method: POST, path: "/dns/{zone}" }
      delete: { method: DELETE, path: "/dns/{zone}/{id}" }
`;

type Item = Record<string, unknown> & { readonly id: number };

/** What the vendor holds, by the path of a list, and what it was asked. */
const held = new Map<string, Item[]>();
const asked: string[] = [];
let lastId = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "", "https://vendor.test");
  const { method = "" } = request;
  asked.push(`${method} ${pathname}`);
  const reply = (status: number, body?: object) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body && JSON.stringify(body));
  };
  const parts = pathname.split("/").slice(1);
  const list = `/${parts.slice(0, 3).join("/")}`;
  const items = held.get(list) ?? [];
  if (parts[0] !== "v1" || !["mail", "dns"].includes(parts[1] ?? ""))
    return reply(404, { problem: "no such path", number: 404 });
  if (method === "GET") return reply(200, { items, count: items.length });
  if (method === "DELETE") {
    held.set(
      list,
      items.filter(({ id }) => String(id) !== parts[3]),
    );
    return reply(204);
  }
  let text = "";
  for await (const chunk of request) text += String(chunk);
  const { password: _password, ...body } = JSON.parse(text) as Record<string, unknown>;
  const isSame = (item: Item) =>
    Object.entries(body).every(([name, value]) => name === "mb" || name === "ttl" || item[name] === value);
  if (items.some(isSame)) return reply(400, { problem: "it exists", number: 1409 });
  lastId += 1;
  const item = { id: lastId, ...body };
  held.set(list, [...items, item]);
  return reply(201, { item });
}

const server = openedForFile(() =>
  startHttpsServer((request, response) => {
    void answer(request, response);
  }),
);
const folder = folderForFile();
const write = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const own = write("small.yaml", contract);

beforeAll(() => write("ca.pem", server.ca));
beforeEach(() => {
  held.clear();
  asked.length = 0;
});

async function run(command: string, manifest: string, ...args: string[]) {
  const file = write("m.yaml", `version: 1\nname: small\npolicy: { max_deletes: 100% }\n${manifest}`);
  const isOffline = command === "validate";
  const target = isOffline ? [] : ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem")];
  const inventory = ["plan", "apply"].includes(command) ? ["--inventory", join(folder, "inventory.json")] : [];
  const all = [
    command,
    "-f",
    file,
    ...(args.includes("--contract") ? [] : ["--contract", own]),
    ...target,
    ...inventory,
    ...args,
  ];
  const words = all.filter((each) => each !== "");
  const env = { HOSTFORM_API_KEY: "a-key", MAIL_PASSWORD: "long enough" };
  const ran = await runInProcess(noAccount, words, env);
  return { ...ran, text: `${ran.stdout}${ran.stderr}` };
}

async function runWell(...args: Parameters<typeof run>) {
  const { status, text } = await run(...args);
  expect([status, text]).toEqual([0, text]);
}

const mailbox = (quota: string) =>
  `mail: { shop.example: { mailboxes: { info: { password: "\${env:MAIL_PASSWORD}", quota: ${quota} } } } }\n`;
const zone = (records: string) => `dns:\n  shop.example:\n    ttl: 300\n    records: ${records}\n`;

describe("a vendor that lacks most kinds", () => {
  test("refuses what it lacks where it is declared, all at once", async () => {
    const manifest = `domains:
  shop.example: { auto_renew: true }
mail:
  shop.example:
    mailboxes:
      info: { password: "\${env:MAIL_PASSWORD}", quota: 1 GiB, sending_enabled: true }
    aliases: { sales: { destinations: [info@shop.example] } }
dns:
  shop.example:
    ttl: 300
    dnssec: { enabled: true }
    records: { "@": { A: { values: [{ value: 192.0.2.1, comment: mine }] }, MX: [{ priority: 10, value: mx.shop.example. }] } }
removed: [{ address: cron/shop.example/nightly, action: delete }]
`;
    const { text } = exits(3, await run("validate", manifest));
    for (const [line, words] of [
      [5, "domain/shop.example cannot be declared: the contract small has no domain"],
      [9, "sending_enabled of mailbox/info@shop.example cannot be written"],
      [10, "mail_alias/sales@shop.example cannot be declared"],
      [14, "dnssec/shop.example cannot be declared"],
      [15, "comment of dns_record/shop.example/@/A cannot be written"],
      [15, "priority of dns_record/shop.example/@/MX cannot be written"],
      [16, "cron/shop.example/nightly cannot be deleted"],
    ] as const) {
      expect(text).toContain(words);
      expect(text).toContain(`m.yaml:${line}:`);
    }
    expect(text).not.toContain("dns_zone");
    expect(await run("plan", manifest)).toMatchObject({ status: 3, text: expect.stringContaining("not_offered") });
    expect(asked).toEqual([]);
  });

  test("refuses fields of a zone that is none, but for its TTL", async () => {
    const { text, status } = await run(
      "validate",
      "dns: { shop.example: { lifecycle: { prevent_destroy: true }, records: {} } }\n",
    );
    expect(status).toBe(3);
    expect(text).toContain("lifecycle of dns_zone/shop.example cannot be written");
  });

  test("is planned for, applied to and read without a request for what it lacks", async () => {
    const manifest = `${mailbox("1 GiB")}${zone('{ "@": { A: [192.0.2.1, 192.0.2.2], TXT: v=spf1 -all }, www: { A: 192.0.2.3 } }')}`;
    await runWell("apply", manifest, "--auto-approve");
    expect(held.get("/v1/dns/shop.example")).toMatchObject([{ ttl: 300 }, { ttl: 300 }, { ttl: 300 }, { ttl: 300 }]);
    expect(held.get("/v1/mail/shop.example")).toMatchObject([{ login: "info@shop.example", mb: 1024 }]);
    await runWell("plan", manifest, "--detailed-exitcode");
    for (const command of [
      ["status"],
      ["snapshot", "--out", join(folder, "live.json")],
      ["why", "dns_record/shop.example/www/A"],
    ]) {
      const [name = "", ...args] = command;
      await runWell(name, manifest, ...args);
    }
    expect(asked.filter((each) => !/^\w+ \/v1\/(mail|dns)\/shop\.example(\/\d+)?$/u.test(each))).toEqual([]);
  });

  test("has a record's change made by a deletion and a creation, in an order that it takes", async () => {
    await runWell("apply", zone("{ www: { A: [192.0.2.1, 192.0.2.2] } }"), "--auto-approve");
    asked.length = 0;
    const changed = zone("{ www: { A: { ttl: 60, values: [192.0.2.1, 192.0.2.3] } } }");
    await runWell("apply", changed, "--auto-approve");
    expect(
      held
        .get("/v1/dns/shop.example")
        ?.map(({ data, ttl }) => [data, ttl])
        .toSorted(),
    ).toEqual([
      ["192.0.2.1", 60],
      ["192.0.2.3", 60],
    ]);
    await runWell("plan", changed, "--detailed-exitcode");
  });

  test("has a mailbox's change refused for its data, and made anew by consent", async () => {
    await runWell("apply", mailbox("1 GiB"), "--auto-approve");
    expect(await run("plan", mailbox("2 GiB"))).toMatchObject({
      status: 6,
      text: expect.stringContaining("--allow-delete"),
    });
    const args = ["--auto-approve", "--allow-delete", "mailbox/info@shop.example"];
    await runWell("apply", mailbox("2 GiB"), ...args);
    expect(held.get("/v1/mail/shop.example")).toMatchObject([{ mb: 2048 }]);
  });

  test("without a creation says where to make what is not there", async () => {
    write("no-create.yaml", contract.replaceAll(/ +create: .*\n/gu, ""));
    const manifest = `${mailbox("1 GiB")}${zone("{ www: { A: 192.0.2.1 } }")}`;
    const { text } = exits(3, await run("plan", manifest, "--contract", join(folder, "no-create.yaml")));
    for (const address of ["mailbox/info@shop.example", "dns_record/shop.example/www/A"])
      expect(text).toContain(`${address} does not exist, and the API offers no creation of a`);
    expect(text).toContain("make it in the vendor's panel, then plan again");
    expect(text).toMatch(/m\.yaml:4:\d+/u);
  });

  test("is rehearsed, the missing parents taken to be there", async () => {
    const manifest = `${mailbox("1 GiB")}${zone("{ www: { A: 192.0.2.1 } }")}`;
    const { text } = exits(0, await run("rehearse", manifest));
    expect(text).toContain("dns_zone/shop.example");
  });
});
