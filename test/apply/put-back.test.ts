import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { liveRecords, recordsPath } from "../support/live-records.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** A record that was deleted for a successor, which the service refuses: what is put back, and what is remembered of it. */
type Json = Record<string, unknown>;
const clock = virtualClock();
const account = accountForFile({}, clock.now);
const front = frontForFile(account);
let name: string;
let count = 0;

beforeEach(() => {
  name = `put${(count += 1)}.example`;
});
afterEach(async () => {
  front.interfere(() => false);
  rmSync(journal(), { force: true });
  await account.byHand("DELETE", "/_emulator/faults");
});

const journal = () => join(account.folder, "journal");
const inventory = () => join(account.folder, `${name}.inventory`);
const fileNamed = (end: string) => join(account.folder, `${name}.${end}`);
const write = (text: string) => account.write(`${name}.yaml`, `version: 1\nname: put-back\n${text}`);
const run = (args: readonly string[]): Promise<Ran> =>
  runInProcess(front, [...args, "--json", "--inventory", inventory()], {}, clock);
const apply = (...args: readonly string[]) => run(["apply", ...args, "--auto-approve", "--journal", journal()]);

async function done(ran: Promise<Ran>): Promise<Ran> {
  const ended = exits(0, await ran);
  return ended;
}

const zoneWith = (records: string) =>
  write(`dns: { ${name}: { records: { kept: { A: 192.0.2.9 }, www: ${records} } } }\n`);
const toCname = () =>
  write(
    `dns: { ${name}: { records: { kept: { A: 192.0.2.9 }, www: { CNAME: example.net. } } } }\nremoved: [{ address: dns_record/${name}/www/A, action: delete }]\n`,
  );

/** The zone with an A record at `www`, which a manifest then replaces by a CNAME record. */
async function prepareExchange(): Promise<string> {
  await done(apply("-f", zoneWith("{ A: 192.0.2.1 }")));
  return toCname();
}

async function refuse(path: string, status = 422): Promise<void> {
  const faults = [{ match: { method: "POST", path }, count: 1, fault: { status } }];
  const added = await account.byHand("POST", "/_emulator/faults", { faults });
  expect(added.status).toBe(201);
}
const refuseRecord = () => refuse("/v2026/dns/zones/{zone_id}/records");

const recordsAtWww = async () =>
  (await liveRecords(account, name)).flatMap((each) => (each.name === "www" ? `${each.type} ${each.content}` : []));
const putBacksIn = (ran: Ran) => eventsOf(ran).filter(({ type }) => type === "put_back");

test("keeps fields that no contract names, as they were read before the deletion", async () => {
  const manifest = await prepareExchange();
  await refuseRecord();
  let restored: Json | undefined;
  front.interfere(async (request, response, pass, body) => {
    const sent = body === "" ? {} : (JSON.parse(body) as Json);
    if (request.method === "POST" && sent["type"] === "A") {
      restored = sent;
      const { vendor_tag: _tag, vendor: _vendor, ...known } = sent;
      const made = await account.byHand("POST", request.url ?? "", known);
      return answerJson(response, made.status, made.body);
    }
    if (request.method !== "GET" || request.url?.includes("/records") !== true) return false;
    const { status, headers, text } = await pass();
    const answer = JSON.parse(text) as { data: Json | Json[] };
    for (const each of [answer.data].flat())
      if (each["type"] === "A") Object.assign(each, { vendor_tag: "gold", vendor: { pool: [1, null] } });
    response.writeHead(status, headers).end(JSON.stringify(answer));
    return true;
  });
  const ran = exits(5, await apply("-f", manifest));
  expect(putBacksIn(ran)).toMatchObject([{ outcome: "put_back", address: `dns_record/${name}/www/A` }]);
  expect(restored).toMatchObject({ content: "192.0.2.1", vendor_tag: "gold", vendor: { pool: [1, null] } });
  expect(Object.keys(restored ?? {})).not.toContain("id");
  expect(await recordsAtWww()).toEqual(["A 192.0.2.1"]);
});

test("names each field that it cannot put back, because the journal holds no secret", async () => {
  const secret = "curl https://user:hunter2hunter2@example.net/";
  const noUpdate = "contract: 1\nname: c\nextends: v2026\nkinds: { cron: { operations: { update: null } } }\n";
  const contract = ["--contract", account.write("c.yaml", noUpdate)];
  const service = `services: { ${name}: { plan: WEB-M, datacenter: MAD1 } }\n`;
  const cron = (schedule: string) =>
    write(`${service}crons: { ${name}: { jobs: { nightly: { schedule: ${schedule}, command: "${secret}" } } } }\n`);
  await done(apply("-f", cron("0 1 * * *"), ...contract));
  const changed = cron("0 2 * * *");
  let isCutOff = false;
  front.interfere(async (request, response, pass) => {
    if (isCutOff) {
      response.destroy();
      return true;
    }
    if (request.method !== "DELETE") return false;
    isCutOff = true;
    const { status, headers, text } = await pass();
    response.writeHead(status, headers).end(text);
    return true;
  });
  const allowed = ["--allow-delete", `cron/${name}/nightly`];
  const cut = await apply("-f", changed, ...contract, ...allowed);
  expect(cut.status, cut.stdout + cut.stderr).not.toBe(0);
  front.interfere(() => false);
  expect(existsSync(journal())).toBe(true);
  expect(readFileSync(journal(), "utf8")).not.toContain("hunter2");
  const ran = exits(5, await apply("-f", write(service), ...contract, ...allowed));
  const [put] = putBacksIn(ran);
  expect(put).toMatchObject({ outcome: "failed", record: { command: "(sensitive)", schedule: "0 1 * * *" } });
  expect(JSON.stringify(put?.["failure"])).toContain("command");
  expect(ran.stdout + ran.stderr).not.toContain("hunter2");
});

test.each([503, 401])("is left to the next apply where the server answers %i, and done then", async (status) => {
  const manifest = await prepareExchange();
  let isDown = true;
  front.interfere(async (request, response, _, body) => {
    if (request.method !== "POST" || !isDown) return false;
    const { type } = JSON.parse(body) as Json;
    response.writeHead(type === "A" ? status : 422, { "content-type": "application/json" }).end("{}");
    return true;
  });
  const down = exits(5, await apply("-f", manifest));
  expect(putBacksIn(down)).toMatchObject([{ outcome: "failed" }]);
  expect(await recordsAtWww()).toEqual([]);
  expect(existsSync(journal())).toBe(true);
  isDown = false;
  await refuseRecord();
  const ran = await apply("-f", manifest);
  expect(await recordsAtWww(), ran.stdout + ran.stderr).toEqual(["A 192.0.2.1"]);
});

test("stands in each form that a run writes which does not begin its plan, whenever it was done", async () => {
  const zone = (records: string, removed: readonly string[] = []) => {
    const all = removed.map((each) => `{ address: dns_record/${name}/${each}/A, action: delete }`);
    return write(`dns: { ${name}: { records: { ${records} } } }\nremoved: [${all.join(", ")}]\n`);
  };
  await done(apply("-f", zone("www: { A: 192.0.2.1 }, ftp: { A: 192.0.2.2 }")));
  let isDown = true;
  front.interfere(async (request, response, _, body) => {
    if (request.method !== "POST" || !isDown) return false;
    return answerJson(response, (JSON.parse(body) as Json)["type"] === "A" ? 503 : 422, {});
  });
  const www = "www: { CNAME: example.net. }";
  exits(5, await apply("-f", zone(`${www}, ftp: { CNAME: example.net. }`, ["www", "ftp"])));
  isDown = false;
  const [markdown, html] = [fileNamed("a.md"), fileNamed("a.html")];
  const other = ["--approve", `sha256:${"0".repeat(32)}`, "--markdown", markdown, "--html", html];
  // That of the successor that left the manifest comes before the plan, that of the other once it is not begun.
  const ran = exits(6, await run(["apply", "-f", zone(www, ["www"]), "--journal", journal(), ...other]));
  expect(putBacksIn(ran)).toMatchObject(["ftp", "www"].map((each) => ({ address: `dns_record/${name}/${each}/A` })));
  // Each was sent three times under its key.
  expect(eventsOf(ran).filter(({ type }) => type === "in_flight")).toHaveLength(2);
  for (const text of [markdown, html].map((path) => readFileSync(path, "utf8")))
    for (const each of ["ftp", "www"]) expect(text).toContain(`put back  dns_record/${name}/${each}/A`);
});

test("is not said to be done again where the server repeats its answer, and somebody has deleted the record since", async () => {
  const manifest = await prepareExchange();
  let isDown = false;
  front.interfere(async ({ method }, response, pass, body) => {
    const isPutBack = method === "POST" && (JSON.parse(body) as Json)["type"] === "A";
    if (isPutBack && !isDown) await pass();
    isDown ||= isPutBack;
    if (!isDown && method !== "POST") return false;
    response.writeHead(isDown ? 503 : 422, { "content-type": "application/json" }).end("{}");
    return true;
  });
  exits(5, await apply("-f", manifest));
  front.interfere(() => false);
  const [record] = (await liveRecords(account, name)).filter((each) => each.name === "www");
  await account.byHand("DELETE", `${await recordsPath(account, name)}/${record?.id}`);
  await refuseRecord();
  const ran = exits(5, await apply("-f", manifest));
  expect(putBacksIn(ran)).toMatchObject([{ outcome: "failed", record: { content: "192.0.2.1" } }]);
  await done(apply("-f", manifest));
});

test.each(["by the run before", "by a person"])(
  "is not done again by a refused apply, once it was done %s, and a person has deleted it since",
  async (by) => {
    const exchange = await prepareExchange();
    const refused = account.write(
      `${name}.refused.yaml`,
      `version: 1\nname: put-back\ndomains: { new-${name}: { register: true, period_years: 1 } }\ndns: { ${name}: { records: { kept: { A: 192.0.2.9 }, www: { CNAME: example.net. } } } }\nremoved: [{ address: dns_record/${name}/www/A, action: delete }]\n`,
    );
    front.interfere(async ({ method }, response, _, body) => {
      if (method !== "POST" || !body.includes("www")) return false;
      const isPutBack = (JSON.parse(body) as Json)["type"] === "A";
      response.writeHead(isPutBack ? 503 : 422, { "content-type": "application/json" }).end("{}");
      return true;
    });
    exits(5, await apply("-f", exchange));
    front.interfere(() => false);
    const path = await recordsPath(account, name);
    if (by === "by a person")
      await account.byHand("POST", path, { name: "www", type: "A", content: "192.0.2.1", ttl: 3600 });
    const first = exits(6, await apply("-f", refused));
    expect(putBacksIn(first).length).toBe(by === "by a person" ? 0 : 1);
    const [record] = (await liveRecords(account, name)).filter((each) => each.name === "www");
    expect(record?.type).toBe("A");
    await account.byHand("DELETE", `${path}/${record?.id}`);
    const ran = exits(6, await apply("-f", refused));
    expect(putBacksIn(ran)).toEqual([]);
    expect(await recordsAtWww()).toEqual([]);
  },
);

test("is done by a saved plan, too, and the same file covers what remains", async () => {
  const plan = fileNamed("plan.json");
  await done(run(["plan", "-f", await prepareExchange(), "--out", plan]));
  await refuseRecord();
  const refused = exits(5, await apply(plan));
  expect(putBacksIn(refused)).toMatchObject([{ outcome: "put_back" }]);
  expect(await recordsAtWww()).toEqual(["A 192.0.2.1"]);
  await done(apply(plan));
  expect(await recordsAtWww()).toEqual(["CNAME example.net."]);
});

test("leaves nothing to an undo", async () => {
  const undo = fileNamed("undo.json");
  const manifest = await prepareExchange();
  await done(run(["plan", "-f", manifest, "--undo-out", undo]));
  await refuseRecord();
  expect((await apply("-f", manifest)).status).toBe(5);
  await done(apply(undo));
  expect(await recordsAtWww()).toEqual(["A 192.0.2.1"]);
  await done(apply("-f", zoneWith("{ A: 192.0.2.1 }")));
});

test("leaves the address ours, and not that of the refused successor", async () => {
  const manifest = await prepareExchange();
  const ours = () => (JSON.parse(readFileSync(inventory(), "utf8")) as { addresses: string[] }).addresses.toSorted();
  const before = ours();
  expect(before).toContain(`dns_record/${name}/www/A`);
  await refuseRecord();
  expect((await apply("-f", manifest)).status).toBe(5);
  expect(ours()).toEqual(before);
  await done(apply("-f", manifest));
  expect(ours()).toEqual(before.map((address) => address.replace("www/A", "www/CNAME")).toSorted());
});

test.each([
  ["at once", 0],
  ["later", 3],
])("is done where a deletion was carried out, no answer said so, and lists show it %s", async (_, staleReads) => {
  const manifest = await prepareExchange();
  const before = await account.byHand("GET", await recordsPath(account, name));
  let [isDeleted, reads] = [false, 0];
  front.interfere(async (request, response, pass, body) => {
    if (isDeleted && request.method === "GET" && request.url?.includes("/records") && (reads += 1) <= staleReads)
      return answerJson(response, before.status, before.body);
    if (request.method === "DELETE") await pass();
    else if (!body.includes("CNAME")) return false;
    isDeleted = true;
    answerJson(response, request.method === "DELETE" ? 503 : 422, {});
    return true;
  });
  const ran = exits(5, await apply("-f", manifest));
  expect(await recordsAtWww(), ran.stdout).toEqual(["A 192.0.2.1"]);
});

test("sends nothing where the deletion itself is refused", async () => {
  const manifest = await prepareExchange();
  const sent: string[] = [];
  front.interfere((request, response) => {
    if (request.method !== "GET") sent.push(request.method ?? "");
    return request.method === "DELETE" && answerJson(response, 422, {});
  });
  const ran = exits(5, await apply("-f", manifest));
  expect(sent).toEqual(["DELETE"]);
  expect(putBacksIn(ran)).toEqual([]);
});

test.each([422, 503])(
  "is done by the next apply for one value of a set, whose creation has the answer %i",
  async (status) => {
    const noUpdate = "contract: 1\nname: c\nextends: v2026\nkinds: { dns_record: { operations: { update: null } } }\n";
    const contract = ["--contract", account.write("c.yaml", noUpdate)];
    const withTtl = (ttl: number) => zoneWith(`{ A: { ttl: ${ttl}, values: [192.0.2.1, 192.0.2.2] } }`);
    const live = async () =>
      (await liveRecords(account, name)).flatMap(({ name: of, content, ttl }) =>
        of === "www" ? `${content} ${ttl}` : [],
      );
    await done(apply("-f", withTtl(300), ...contract));
    let isDown = true;
    front.interfere(async (request, response, _, body) => {
      const { content, ttl } = (request.method === "POST" ? JSON.parse(body) : {}) as Json;
      if (content !== "192.0.2.2" || (ttl === 300 && !isDown)) return false;
      return answerJson(response, ttl === 300 ? 503 : status, {});
    });
    const down = exits(5, await apply("-f", withTtl(600), ...contract));
    expect(putBacksIn(down)).toMatchObject([{ outcome: "failed", record: { content: "192.0.2.2" } }]);
    isDown = false;
    const ran = exits(5, await apply("-f", withTtl(600), ...contract));
    expect(putBacksIn(ran)).toMatchObject([{ outcome: "put_back" }]);
    expect(await live()).toEqual(["192.0.2.1 600", "192.0.2.2 300"]);
    front.interfere(() => false);
    await done(apply("-f", withTtl(600), ...contract));
    expect(await live()).toEqual(["192.0.2.1 600", "192.0.2.2 600"]);
  },
);
