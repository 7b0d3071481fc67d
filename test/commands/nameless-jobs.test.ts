import { rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { forDraws } from "../support/for-draws.ts";
import { answerJson, type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** How a made-up vendor, whose jobs have ids and no names, takes a change of a job. */
interface Vendor {
  /** How it changes the time of a job; "replace": by a deletion and a creation; "each field": with a PATCH for each. */
  readonly change: "PATCH" | "PUT" | "replace" | "each field";
  readonly reads: boolean;
  readonly answer: "nothing" | "a message" | "the id" | "the job" | "another job";
  /** The fate of the first creation, or of the first other request; with 503 of all that are not creations. */
  readonly met: "answered" | "done, then cut off" | "cut off" | "refused with 503";
  readonly isMet: "a creation" | "a change";
  /** Whether each website has a list of its own, or all of an account have one. */
  readonly lists: "of a website" | "of an account";
  /** The command of a job that somebody else makes at the same time, which the list shows first. A job gets its time by a change then. */
  readonly overtakenBy?: string;
}

const vendors: fc.Arbitrary<Vendor> = fc.record({
  change: fc.constantFrom("PATCH", "PUT", "replace"),
  reads: fc.boolean(),
  answer: fc.constantFrom("nothing", "a message", "the id", "the job"),
  met: fc.constantFrom("answered", "done, then cut off", "cut off", "refused with 503"),
  isMet: fc.constantFrom("a creation", "a change"),
  lists: fc.constantFrom("of a website", "of an account"),
});

const patch = '{ method: PATCH, path: "/crons/{id}" }';

const contractOf = ({ change, reads, lists, overtakenBy }: Vendor) => `contract: 1
name: nameless
request: { auth: { header: X-Key, scheme: "" }, headers: { Accept: application/json, Content-Type: application/json } }
answer: { record: "", list: "", error: { message: /error } }
paging: { style: none }
kinds:
  service:
    id: /id
    fields: { domain: { at: /site } }
    operations: { list: { method: GET, path: /projects }, delete: { method: DELETE, path: "/projects/{id}" } }
  cron:
    id: /uid
    named_by: command
    params: { project: { id_of: service, key: { domain: service }, at: ${lists === "of an account" ? "/account" : "/id"} } }
    fields: { schedule: { at: /time, create: ${overtakenBy === undefined ? "/time" : "false"} }, command: { at: /run }, timezone: { at: /zone, create: false } }
    ${change === "each field" ? `update_of: { schedule: ${patch}, timezone: ${patch} }` : ""}
    operations:
      list: { method: GET, path: "/projects/{project}/crons" }
      create: { method: POST, path: "/projects/{project}/crons" }
      ${reads ? 'read: { method: GET, path: "/crons/{id}" }' : ""}
      ${change === "replace" || change === "each field" ? "" : `update: { method: ${change}, path: "/crons/{id}" }`}
      delete: { method: DELETE, path: "/crons/{id}" }
`;

interface Job {
  uid: string;
  project: string;
  time: string;
  run: string;
  zone?: string;
}

const allSites = [
  { id: 1, site: "one.example", account: 7 },
  { id: 2, site: "two.example", account: 7 },
];

let vendor: Vendor;
let sites = allSites;
let jobs: Job[] = [];
/** Later jobs have lower ids. */
let made = 900;
/** Whether writes still meet what is drawn for them. */
let isMet = false;
/** A job that the next lists do not show yet, and how many of them. */
let late: Job | undefined;
let lag = 1;
const folder = folderForFile();
let server: HttpsServer;

beforeAll(async () => {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "" } = request;
    const reply = (status: number, value?: unknown) => answerJson(response, status, value);
    const job = jobs.find(({ uid }) => url === `/crons/${uid}`);
    if (method === "GET") {
      if (url === "/projects") return reply(200, sites);
      if (url.endsWith("/crons")) {
        const listed = jobs.filter((each) => url === `/projects/${each.project}/crons` && each !== late);
        if ((lag -= 1) <= 0) late = undefined;
        return reply(200, listed);
      }
      return job ? reply(200, job) : reply(404, { error: "no such job" });
    }
    const body = method === "DELETE" ? {} : ((await json(request)) as Partial<Job>);
    if (isMet && vendor.met === "refused with 503" && method !== "POST") return reply(503, { error: "later" });
    const isCutOff = isMet && vendor.met.endsWith("cut off") && (method === "POST") === (vendor.isMet === "a creation");
    if (isCutOff) isMet = false;
    if (isCutOff && vendor.met === "cut off") return response.destroy();
    const others = sites.filter(({ id }) => url !== `/projects/${id}`);
    if (method === "DELETE" && others.length < sites.length) {
      sites = others;
      return reply(204);
    }
    if (method !== "POST" && !job) return reply(404, { error: "no such job" });
    const uid = job?.uid ?? `j${(made -= 1)}`;
    if (method === "DELETE") jobs = jobs.filter((each) => each !== job);
    else if (job) Object.assign(job, body);
    else {
      const own = { time: "", run: "", ...body, project: url.split("/")[2] ?? "", uid };
      const { overtakenBy } = vendor;
      if (overtakenBy !== undefined) jobs.push({ ...own, run: overtakenBy, uid: "other" });
      if (overtakenBy !== undefined && overtakenBy !== own.run) late = own;
      jobs.push(own);
    }
    if (isCutOff) return response.destroy();
    if (method === "DELETE" || vendor.answer === "nothing") return reply(204);
    if (vendor.answer === "a message") return reply(200, { done: true });
    const shown = vendor.answer === "another job" ? "other" : uid;
    return reply(200, vendor.answer === "the id" ? { uid } : jobs.find((each) => each.uid === shown));
  };
  server = await startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(() => server.close());
beforeEach(() => {
  sites = allSites;
  jobs = [];
  lag = 1;
  rmSync(inventory(), { force: true });
});

const inventory = () => join(folder, "inventory.json");

/** The times of jobs by website and name; the command of each is the part of its name before the dash. */
type Times = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** @param kept the websites that are declared; all others are removed. */
async function run(
  command: string,
  times: Times,
  flags: readonly string[] = [],
  kept: readonly string[] = sites.map(({ site }) => site),
) {
  const zone = vendor.change === "each field" ? ", timezone: Europe/Madrid" : "";
  const crons = Object.entries(times).map(([site, jobs]) => {
    const all = Object.entries(jobs).map(
      ([name, time]) => `${name}: { schedule: "${time}", command: /bin/${name.replace(/-.*/u, "")}${zone} }`,
    );
    return `${site}: { jobs: { ${all.join(", ")} } }`;
  });
  const file = join(folder, "site.yaml");
  const services = kept.map((site) => `${site}: {}`).join(", ");
  const removed = sites.flatMap(({ site }) =>
    kept.includes(site) ? [] : [`{ address: service/${site}, action: delete }`],
  );
  writeFileSync(
    file,
    `version: 1\nname: nameless\nservices: { ${services} }\ncrons: { ${crons.join(", ")} }\nremoved: [${removed.join(", ")}]`,
  );
  const contract = join(folder, "contract.yaml");
  writeFileSync(contract, contractOf(vendor));
  const account = {
    flags: ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", contract],
    env: { HOSTFORM_API_KEY: "key-of-nameless" },
  };
  return runInProcess(account, [command, "-f", file, "--inventory", inventory(), ...flags], {}, virtualClock());
}

async function apply(times: Times, expected = 0) {
  const consent = ["--auto-approve", "--allow-delete", "cron/one.example/nightly"];
  const { status, stdout, stderr } = await run("apply", times, consent);
  expect(status, stdout + stderr).toBe(expected);
}

const found = () => jobs.map(({ run: command, time }) => `${command} ${time}`).toSorted();

test("however an API answers a change of a job without a name, the job is changed once and found again", () =>
  forDraws(24, vendors, async (drawn) => {
    vendor = drawn;
    jobs = [];
    rmSync(inventory(), { force: true });
    const more = { "nightly-b": "0 8 * * *", weekly: "0 5 * * 1" };
    const before: Times = { "one.example": { nightly: "0 3 * * *", ...more } };
    const after: Times = {
      "one.example": { nightly: "0 4 * * *", ...more },
      "two.example": { "nightly-c": "0 8 * * *" },
    };
    await apply(before);
    expect(found()).toEqual(["/bin/nightly 0 3 * * *", "/bin/nightly 0 8 * * *", "/bin/weekly 0 5 * * 1"]);
    isMet = true;
    // A creation without an answer is not repeated: it may have been done.
    const isOpen = vendor.met === "refused with 503" || (vendor.met === "cut off" && vendor.isMet === "a creation");
    await apply(after, isOpen ? 5 : 0);
    isMet = false;
    if (isOpen) await apply(after);
    expect(found()).toEqual([
      "/bin/nightly 0 4 * * *",
      "/bin/nightly 0 8 * * *",
      "/bin/nightly 0 8 * * *",
      "/bin/weekly 0 5 * * 1",
    ]);
    exits(0, await run("plan", after, ["--detailed-exitcode"]));
  }));

test("a job that left the manifest after its exchange was killed is not put back, and no later plan speaks of it", async () => {
  const [answer, lists] = ["the job", "of a website"] as const;
  vendor = { change: "replace", reads: true, answer, met: "answered", isMet: "a change", lists };
  await apply({ "one.example": { nightly: "0 3 * * *" } });
  const [job] = jobs.splice(0);
  const { uid: id, ...record } = job as Job;
  const [address, at] = ["cron/one.example/nightly", "2026-01-01T00:00:00Z"];
  const target = targetKey({ name: "nameless", place: server.baseUrl.href, contract: "nameless" });
  const begin = { type: "begin", version: 1, target, by: "ann", host: "h", pid: 1, since: at };
  const again = { method: "POST", path: "/projects/1/crons", query: {}, key: "k", record, withheld: [], ours: true };
  const hold = { type: "hold", address, successor: address, id, ...again };
  const values = { fields: { command: "/bin/nightly" }, withheld: [], beside: {}, of: { address, id } };
  const journal = join(folder, "journal");
  writeFileSync(journal, sealedLines([begin, { type: "carry", address, ...values }, hold]));
  const without: Times = { "one.example": {} };
  const { status, stdout } = await run("apply", without, ["--auto-approve", "--journal", journal]);
  expect([status, found()]).toEqual([0, []]);
  expect(stdout).toContain("It is not put back: it has left the manifest since.");
  expect(stdout).not.toContain("is taken from the journal");
  expect(exits(0, await run("plan", without, ["--journal", journal])).stdout).not.toContain(address);
});

test("a website goes though the list that it shares with another holds a job that the run has made for that", async () => {
  const [change, answer, lists] = ["PUT", "the job", "of an account"] as const;
  vendor = { change, reads: true, answer, met: "answered", isMet: "a change", lists };
  const consent = ["--auto-approve", "--parallelism", "1", "--allow-delete", "service/two.example"];
  exits(0, await run("apply", { "one.example": { nightly: "0 3 * * *" } }, consent, ["one.example"]));
  expect([sites.map(({ site }) => site), found()]).toEqual([["one.example"], ["/bin/nightly 0 3 * * *"]]);
});

test.each([
  ["another command, where the answer tells no id", ["nothing", "a message"], "/bin/other"],
  ["another command, where the answer holds that one", ["another job"], "/bin/other"],
  ["the same command, where the answer tells the id", ["the id", "the job"], "/bin/nightly"],
] as const)(
  "a job that somebody else makes meanwhile is not taken for that which the run makes: %s",
  async (_with, answers, overtakenBy) => {
    const [change, met, isMet, lists] = ["PATCH", "answered", "a change", "of a website"] as const;
    for (const answer of answers)
      for (const reads of [true, false]) {
        jobs = [];
        vendor = { change, reads, answer, met, isMet, lists, overtakenBy };
        await apply({ "one.example": { nightly: "0 3 * * *" } });
        expect(found()).toEqual([`/bin/nightly 0 3 * * *`, `${overtakenBy} `].toSorted());
        expect(jobs).toContainEqual(expect.objectContaining({ uid: "other", time: "" }));
      }
  },
);

test("every request of a change goes to the same job, though the first is answered with one that somebody else has made meanwhile", async () => {
  const [change, answer, met, isMet] = ["each field", "another job", "answered", "a change"] as const;
  for (const reads of [true, false]) {
    jobs = [];
    vendor = { change, reads, answer, met, isMet, lists: "of a website", overtakenBy: "/bin/other" };
    await apply({ "one.example": { nightly: "0 3 * * *" } });
    expect(jobs.map(({ run: command, time, zone }) => [command, time, zone])).toEqual([
      ["/bin/other", "", undefined],
      ["/bin/nightly", "0 3 * * *", "Europe/Madrid"],
    ]);
  }
});

test("a job is not made twice though its creation was answered with somebody else's, and no list shows it until the next apply", async () => {
  const [change, answer, met, isMet] = ["PATCH", "another job", "answered", "a change"] as const;
  vendor = { change, reads: true, answer, met, isMet, lists: "of a website", overtakenBy: "/bin/other" };
  lag = 1000;
  const times: Times = { "one.example": { nightly: "0 3 * * *" } };
  const journal = ["--auto-approve", "--journal", join(folder, "not-shown")];
  exits(5, await run("apply", times, [...journal, "--wait-timeout", "1"]));
  lag = 3;
  exits(0, await run("apply", times, journal));
  expect(found()).toEqual(["/bin/nightly 0 3 * * *", "/bin/other "]);
});
