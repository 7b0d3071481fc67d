import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { rmSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { type Answered, frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** Answers that tell of another object than was asked for: what is not in the plan must stay as it is. */
type Json = Record<string, unknown>;
const account = accountForFile();
const front = frontForFile(account);
let before: unknown;
let other: { readonly service: Json; readonly zone: Json; readonly mailbox: Json };
let count = 0;
let domain: string;

const listed = async (path: string) => (await account.byHand("GET", `${path}per_page=100`)).body["data"] as Json[];
/** All that belongs to other.example. */
const look = async () => {
  const named = (items: readonly Json[]) => items.find((item) => Object.values(item).includes("other.example")) ?? {};
  const [service, zone] = [named(await listed("/v2026/services?")), named(await listed("/v2026/dns/zones?"))];
  const [mailbox = {}] = await listed("/v2026/mail/accounts?domain=other.example&");
  return { service, zone, mailbox, records: await listed(`/v2026/dns/zones/${String(zone["id"])}/records?`) };
};

beforeAll(async () => {
  const made = await apply(
    `services: { other.example: { plan: WEB-S, datacenter: MAD1 } }\ndns: { other.example: { records: { www: { A: 192.0.2.9 } } } }\n` +
      mailboxes("other.example", "boss"),
  );
  if (made.status !== 0) throw new Error(made.said);
  before = other = await look();
});
beforeEach(() => {
  domain = `name-${(count += 1)}.example`;
});
afterEach(() => {
  front.interfere(() => false);
  rmSync(journal(), { force: true });
});

const journal = () => join(account.folder, "wrong.journal");
const mailboxes = (name: string, local: string, quota = "1 GiB") =>
  `mail: { ${name}: { mailboxes: { ${local}: { quota: ${quota}, password: "\${env:PASSWORD}" } } } }\n`;
const service = (more = "") => `services: { ${domain}: { plan: WEB-M, datacenter: MAD1${more} } }\n`;
const zone = (ttl = 3600) => `dns: { ${domain}: { ttl: ${ttl}, records: { www: { A: 192.0.2.1 } } } }\n`;
const apply = async (manifest: string, ...flags: readonly string[]) => {
  const file = account.write("m.yaml", `version: 1\nname: wrong\n${manifest}`);
  const ran = await runInProcess(
    front,
    ["apply", "-f", file, "--auto-approve", "--journal", journal(), "--wait-timeout", "20", ...flags],
    { PASSWORD: "correct horse battery" },
    virtualClock(),
  );
  return { ...ran, said: ran.stdout + ran.stderr };
};

type Matches = (method: string, path: string) => boolean;
const post =
  (path: string): Matches =>
  (method, asked) =>
    method === "POST" && asked === path;
/** Lets the service do what is asked, and answers in its stead. */
function answerTo(matches: Matches, how: (response: ServerResponse, answered: Answered) => void) {
  front.interfere(async (request: IncomingMessage, response, pass) => {
    if (!matches(request.method ?? "", (request.url ?? "").split("?")[0] ?? "")) return false;
    how(response, await pass());
    return true;
  });
}

describe("a creation that is answered with another's object is looked up by its name", () => {
  const settings = ", settings: { backups: true }";
  const withRecord = (status: number, record: () => Json) => (response: ServerResponse) =>
    answerJson(response, status, { data: record() });

  test("so that what is written next goes to ours", async () => {
    answerTo(
      post("/v2026/services"),
      withRecord(201, () => other.service),
    );
    exits(0, await apply(service(settings)));
    expect(await look()).toEqual(before);
  });

  test("and what is made next is made in ours", async () => {
    answerTo(
      post("/v2026/dns/zones"),
      withRecord(201, () => other.zone),
    );
    exits(0, await apply(zone()));
    expect(await look()).toEqual(before);
  });

  test("also where the other is in no list that was read", async () => {
    answerTo(
      post("/v2026/mail/accounts"),
      withRecord(201, () => other.mailbox),
    );
    exits(0, await apply(`${service()}${mailboxes(domain, "info")}`));
    expect(await look()).toEqual(before);
  });

  test.each([
    ["known", () => other.service["id"]],
    ["unknown", () => other.mailbox["id"]],
  ])("also where only its id is told, which is %s", async (_name, id) => {
    answerTo(
      post("/v2026/services"),
      withRecord(201, () => ({ id: id() })),
    );
    exits(0, await apply(service(settings)));
    expect(await look()).toEqual(before);
  });

  test("also where a job names it", async () => {
    front.interfere(async (request, response, pass) => {
      if (request.url === "/v2026/jobs/j1")
        answerJson(response, 200, { data: { status: "done", resource: { id: other.service["id"] } } });
      else if (post("/v2026/services")(request.method ?? "", request.url ?? "")) {
        await pass();
        answerJson(response, 202, undefined, { location: "/v2026/jobs/j1" });
      } else return false;
      return true;
    });
    exits(0, await apply(service(settings)));
    expect(await look()).toEqual(before);
  });

  test("and one that tells nothing but a new id is read by it", async () => {
    answerTo(post("/v2026/services"), (response, { text }) => {
      const { id } = (JSON.parse(text) as { data: Json }).data;
      answerJson(response, 201, { data: { id } });
    });
    const ran = exits(0, await apply(service(settings)));
    expect(ran.stdout).toContain("2 writes; 2 reads.");
  });
});

describe("a read that is answered with another's object", () => {
  const readsOne: Matches = (method, path) => method === "GET" && /\/services\/[^/]+$/u.test(path);

  test("before an update: nothing is sent, and both identities are reported", async () => {
    answerTo(readsOne, (response) => answerJson(response, 200, { data: other.service }));
    const ran = exits(5, await apply(service(", settings: { backups: true }")));
    const puts = (await account.operations()).filter(({ method }) => method === "PUT");
    expect(ran.said).toContain(`the server answered with service/other.example (${String(other.service["id"])})`);
    expect(ran.said).toContain("in place of it (svc_");
    expect(puts.filter(({ path }) => path.endsWith(String(other.service["id"])))).toEqual([]);
    expect(await look()).toEqual(before);
  });
});

test("an update that is answered with another's object does not send what follows there", async () => {
  expect((await apply(`dns: { ${domain}: { ttl: 3600, records: {} } }\n`)).status).toBe(0);
  answerTo(
    (method) => method === "PUT",
    (response) => answerJson(response, 200, { data: other.zone }),
  );
  exits(0, await apply(zone(7200), "--parallelism", "1"));
  expect(await look()).toEqual(before);
});
