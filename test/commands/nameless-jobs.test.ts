import { rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { answerJson, type HttpsServer, startHttpsServer } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** How a made-up vendor, whose jobs have ids and no names, takes a change of a job. */
interface Vendor {
  /** How it changes the time of a job; "replace": by a deletion and a creation. */
  readonly change: "PATCH" | "PUT" | "replace";
  readonly reads: boolean;
  readonly answer: "nothing" | "a message" | "the id" | "the job";
  /** What becomes of the change: the first request, or with 503 all that are not creations. */
  readonly met: "answered" | "done, then cut off" | "refused with 503";
}

const vendors: fc.Arbitrary<Vendor> = fc.record({
  change: fc.constantFrom("PATCH", "PUT", "replace"),
  reads: fc.boolean(),
  answer: fc.constantFrom("nothing", "a message", "the id", "the job"),
  met: fc.constantFrom("answered", "done, then cut off", "refused with 503"),
});

const contractOf = ({ change, reads }: Vendor) => `contract: 1
name: nameless
request: { auth: { header: X-Key, scheme: "" }, headers: { Accept: application/json, Content-Type: application/json } }
answer: { record: "", list: "", error: { message: /error } }
paging: { style: none }
kinds:
  service:
    id: /id
    fields: { domain: { at: /site } }
    operations: { list: { method: GET, path: /projects } }
  cron:
    id: /uid
    named_by: command
    params: { project: { id_of: service, key: { domain: service } } }
    fields: { schedule: { at: /time }, command: { at: /run } }
    operations:
      list: { method: GET, path: "/projects/{project}/crons" }
      create: { method: POST, path: "/projects/{project}/crons" }
      ${reads ? 'read: { method: GET, path: "/crons/{id}" }' : ""}
      ${change === "replace" ? "" : `update: { method: ${change}, path: "/crons/{id}" }`}
      delete: { method: DELETE, path: "/crons/{id}" }
`;

interface Job {
  uid: string;
  time: string;
  run: string;
}

let vendor: Vendor;
let jobs: Job[] = [];
let made = 0;
/** Whether writes meet what is drawn for them. */
let isMet = false;
const folder = folderForFile();
let server: HttpsServer;

beforeAll(async () => {
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "" } = request;
    const reply = (status: number, value?: unknown) => answerJson(response, status, value);
    const job = jobs.find(({ uid }) => url === `/crons/${uid}`);
    if (method === "GET") {
      if (url === "/projects") return reply(200, [{ id: 1, site: "one.example" }]);
      if (url === "/projects/1/crons") return reply(200, jobs);
      return job ? reply(200, job) : reply(404, { error: "no such job" });
    }
    const body = method === "DELETE" ? {} : ((await json(request)) as Partial<Job>);
    const { met } = isMet ? vendor : { met: "answered" };
    if (met === "refused with 503" && method !== "POST") return reply(503, { error: "later" });
    isMet = false;
    if (method !== "POST" && !job) return reply(404, { error: "no such job" });
    const uid = job?.uid ?? `j${(made += 1)}`;
    if (method === "DELETE") jobs = jobs.filter((each) => each !== job);
    else if (job) Object.assign(job, body);
    else jobs.push({ time: "", run: "", ...body, uid });
    if (met === "done, then cut off") return response.destroy();
    if (method === "DELETE" || vendor.answer === "nothing") return reply(204);
    if (vendor.answer === "a message") return reply(200, { done: true });
    return reply(200, vendor.answer === "the id" ? { uid } : jobs.find((each) => each.uid === uid));
  };
  server = await startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(() => server.close());

const inventory = () => join(folder, "inventory.json");

async function run(command: string, times: Readonly<Record<string, string>>, flags: readonly string[] = []) {
  const text = Object.entries(times).map(([name, time]) => `${name}: { schedule: "${time}", command: /bin/${name} }`);
  const file = join(folder, "site.yaml");
  writeFileSync(
    file,
    `version: 1\nname: nameless\nservices: { one.example: {} }\ncrons: { one.example: { jobs: { ${text.join(", ")} } } }`,
  );
  const contract = join(folder, "contract.yaml");
  writeFileSync(contract, contractOf(vendor));
  const account = {
    flags: ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", contract],
    env: { HOSTFORM_API_KEY: "key-of-nameless" },
  };
  return runInProcess(account, [command, "-f", file, "--inventory", inventory(), ...flags], {}, virtualClock());
}

async function apply(times: Readonly<Record<string, string>>, expected = 0) {
  const consent = ["--auto-approve", "--allow-delete", "cron/one.example/nightly"];
  const { status, stdout, stderr } = await run("apply", times, consent);
  expect(status, stdout + stderr).toBe(expected);
}

test("however an API answers a change of a job without a name, the job is changed once and found again", () =>
  forDraws(16, vendors, async (drawn) => {
    vendor = drawn;
    jobs = [];
    rmSync(inventory(), { force: true });
    await apply({ nightly: "0 3 * * *", weekly: "0 5 * * 1" });
    isMet = true;
    const isRefused = vendor.met === "refused with 503";
    await apply({ nightly: "0 4 * * *", weekly: "0 5 * * 1" }, isRefused ? 5 : 0);
    isMet = false;
    if (isRefused) await apply({ nightly: "0 4 * * *", weekly: "0 5 * * 1" });
    expect(jobs.map(({ run: command, time }) => `${command} ${time}`).toSorted()).toEqual([
      "/bin/nightly 0 4 * * *",
      "/bin/weekly 0 5 * * 1",
    ]);
    exits(0, await run("plan", { nightly: "0 4 * * *", weekly: "0 5 * * 1" }, ["--detailed-exitcode"]));
  }));
