import { existsSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { type Answered, frontForFile } from "../support/front.ts";
import { eventsOf, exits, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { recordsIn } from "../support/sealed-lines.ts";

/** Applies that are stopped while they wait for the server. Time stands still here: what is not ended by the stop never ends. */
const start = Date.now();
const account = accountForFile({ asyncMs: 1 }, () => start);
const front = frontForFile(account);
let count = 0;
let isStopped = false;
let sentSince: string[] = [];

afterEach(() => {
  front.interfere(() => false);
  rmSync(journal(), { force: true });
});

const fresh = () => `name-${(count += 1)}.example`;
const journal = () => join(account.folder, "journal.ndjson");
/** Writes whose outcome the journal does not know. It stays for what was made, too, until a list shows that. */
function inFlight(): unknown[] {
  const records = existsSync(journal()) ? recordsIn(readFileSync(journal(), "utf8")) : [];
  const known = records.filter(({ type, is }) => type === "outcome" && is !== "unknown").map(({ n }) => n);
  return records.filter(({ type, n }) => type === "intent" && !known.includes(n));
}
const argsFor = (manifest: string) => {
  const file = account.write("m.yaml", `version: 1\nname: interrupt\n${manifest}`);
  return ["apply", "-f", file, "--auto-approve", "--json", "--parallelism", "4", "--journal", journal()];
};
const records = (domain: string, names: readonly string[]) =>
  `dns: { ${domain}: { records: { ${names.map((name) => `${name}: { A: 192.0.2.1 }`).join(", ")} } } }\n`;
const mailbox = (domain: string) =>
  `domains: { ${domain}: {} }\nmail: { ${domain}: { mailboxes: { info: { password: "\${env:PASSWORD}" } } } }\n`;

/** Applies, and interrupts as soon as it sleeps and `when` holds. */
async function applyStoppedIn(manifest: string, when: () => boolean = () => true): Promise<Ran> {
  [isStopped, sentSince] = [false, []];
  let interrupt: () => void = () => undefined;
  const sleep = async (_milliseconds: number, stop?: AbortSignal) => {
    do await setImmediate();
    while (!when());
    isStopped = true;
    interrupt();
    if (!stop?.aborted) await new Promise(() => undefined);
  };
  return runInProcess(
    front,
    argsFor(manifest),
    { PASSWORD: "correct horse battery" },
    { now: () => start, sleep, onInterrupt: (handler) => (interrupt = handler) },
  );
}

const applyAgain = (manifest: string) =>
  runInProcess(
    front,
    argsFor(manifest),
    { PASSWORD: "correct horse battery" },
    { now: () => start + 60_000, sleep: () => setImmediate() },
  );

type Handle = (request: IncomingMessage, response: ServerResponse, pass: () => Promise<Answered>) => Promise<boolean>;
const interfere = (handle: Handle) =>
  front.interfere((request, response, pass) => {
    if (isStopped) sentSince.push(request.method ?? "");
    return handle(request, response, pass);
  });
const isPost = ({ method, url }: IncomingMessage, path: string) => method === "POST" && url?.includes(path) === true;

type Ended = Readonly<Record<"outcome" | "external" | "failure", unknown>>;
const outcomesOf = (ran: Ran): Readonly<Record<string, Ended>> =>
  Object.fromEntries(
    eventsOf(ran)
      .filter(({ type }) => type === "step_end")
      .map(({ address, outcome, external, failure }) => [String(address), { outcome, external, failure }]),
  );
const reportOf = (ran: Ran) => eventsOf(ran).find(({ type }) => type === "report");

test("what the rate limit holds back is not attempted, and what it refused is not sent again", async () => {
  const domain = fresh();
  expect((await applyAgain(records(domain, []))).status).toBe(0);
  let refused = 0;
  interfere(async (request, response) => {
    if (!isPost(request, "/records")) return false;
    refused += 1;
    response.writeHead(429, { "retry-after": "20" }).end('{"message":"slow down."}');
    return true;
  });
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const ran = exits(130, await applyStoppedIn(records(domain, names), () => refused === 4));
  expect(sentSince).toEqual([]);
  expect(reportOf(ran)).toMatchObject({ interrupted: true, done: 0, failed: 4, not_attempted: 4, mismatches: [] });
  expect(reportOf(ran)).toMatchObject({ requests: { writes: 4, repeated: 0 } });
  expect(outcomesOf(ran)[`dns_record/${domain}/a/A`]).toMatchObject({
    outcome: "failed",
    failure: {
      status: 429,
      message: "slow down; it was not done, and the run was stopped before it was sent again",
    },
  });
  expect(inFlight()).toEqual([]);
});

test("what waited in the limiter and was never sent is not attempted, though its step had begun", async () => {
  const domain = fresh();
  expect((await applyAgain(records(domain, []))).status).toBe(0);
  let posts = 0;
  interfere(async (request, response, pass) => {
    if (!isPost(request, "/records")) return false;
    posts += 1;
    const { text } = await pass();
    response.writeHead(201, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" }).end(text);
    return true;
  });
  const ran = exits(130, await applyStoppedIn(records(domain, ["a", "b", "c", "d", "e", "f", "g", "h"])));
  expect(sentSince).toEqual([]);
  expect(reportOf(ran)).toMatchObject({ done: posts, failed: 0, not_attempted: 8 - posts, mismatches: [] });
  expect(Object.values(outcomesOf(ran)).map(({ outcome }) => outcome)).toContain("not_attempted");
  expect(inFlight()).toEqual([]);
});

test("a set of which one value was held back is not attempted whole, and blocks nothing", async () => {
  const domain = fresh();
  expect((await applyAgain(records(domain, []))).status).toBe(0);
  let posts = 0;
  interfere(async (request, response, pass) => {
    if (!isPost(request, "/records")) return false;
    posts += 1;
    const { status, text } = await pass();
    response.writeHead(status, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" }).end(text);
    return true;
  });
  const manifest = `dns: { ${domain}: { records: { b: { A: [192.0.2.1, 192.0.2.2] } } } }\n`;
  const ran = exits(130, await applyStoppedIn(manifest));
  expect(posts).toBe(1);
  expect(reportOf(ran)).toMatchObject({ done: 0, failed: 0, blocked: 0, not_attempted: 1, mismatches: [] });
  expect(eventsOf(ran).find(({ type }) => type === "step_end")).toMatchObject({
    outcome: "not_attempted",
    calls_done: 1,
  });
  expect(inFlight()).toEqual([]);
});

test.each([
  ["before", "failed"],
  ["after", "done"],
])("a lost answer is looked for and not sent again: it was broken %s it was done", async (when, outcome) => {
  const domain = fresh();
  let broken = false;
  interfere(async (request, response, pass) => {
    if (!isPost(request, "/mail/accounts") || broken) return false;
    broken = true;
    if (when === "after") await pass();
    response.socket?.destroy();
    return true;
  });
  const ran = exits(130, await applyStoppedIn(mailbox(domain), () => broken));
  expect(new Set(sentSince)).toEqual(new Set(["GET"]));
  expect(outcomesOf(ran)[`mailbox/info@${domain}`]?.outcome).toBe(outcome);
  expect(reportOf(ran)).toMatchObject({ interrupted: true, mismatches: [] });
  expect(inFlight(), "in flight is only what was not found").toHaveLength(when === "before" ? 1 : 0);
  if (when === "before") expect(ran.stdout).toContain("found nothing so far; the run was stopped");
  exits(0, await applyAgain(mailbox(domain)));
});

test("an object that is pending at an interrupt is reported as created and not yet ready, is not requested again, and its dependents do not start", async () => {
  const domain = fresh();
  interfere(async () => false);
  const manifest = `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\ncertificates: { ${domain}: [{ domains: [${domain}] }] }\n`;
  const ran = exits(130, await applyStoppedIn(manifest));
  expect(sentSince).toEqual([]);
  expect(outcomesOf(ran)).toEqual({
    [`service/${domain}`]: { outcome: "done", external: "it was still pending when the run was stopped" },
  });
  expect(reportOf(ran)).toMatchObject({ done: 1, failed: 0, not_attempted: 1, mismatches: [] });
  expect(inFlight()).toEqual([]);
});

test("a job that runs at an interrupt is reported as accepted, and looked up by the next apply", async () => {
  const domain = fresh();
  let posted = false;
  interfere(async (request) => {
    posted ||= isPost(request, "/databases");
    return false;
  });
  const service = `services: { ${domain}: { plan: WEB-M, datacenter: MAD1 } }\n`;
  await account.byHand("POST", "/v2026/services", {
    domain: { name: domain, register: false },
    hosting: { id_service_type: "WEB-M" },
    datacenter: "MAD1",
  });
  const ran = await applyStoppedIn(
    `${service}databases: { ${domain}: { databases: { shop: { engine: mariadb } } } }\n`,
    () => posted,
  );
  expect(sentSince).toEqual([]);
  expect(outcomesOf(ran)[`database/${domain}/shop`]).toMatchObject({
    outcome: "failed",
    failure: { message: "the server has accepted it, and the run was stopped before its job was done" },
  });
  expect(readFileSync(journal(), "utf8")).toContain('"status":202');
  expect(ran.status).toBe(130);
});

test("the process ends at once, whatever pause the server has asked for", async () => {
  const domain = fresh();
  interfere(async (request, response) => {
    if (!isPost(request, "/dns/zones")) return false;
    response.writeHead(429, { "retry-after": "3600" }).end('{"message":"slow down"}');
    return true;
  });
  let signalled = false;
  const ran = await runHostform([...argsFor(records(domain, ["a"])), ...front.flags], {
    env: { ...account.env },
    onOutput: (stdout, kill) => {
      if (signalled || !stdout.includes('"type":"waiting"')) return;
      signalled = true;
      kill("SIGINT");
    },
  });
  // If it waited for the pause to be over, it would outlast the test.
  expect([signalled, ran.status]).toEqual([true, 130]);
});
