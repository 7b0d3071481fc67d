import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** `after:` of a contract: a request that makes an API use what was written, such as a refresh of a zone. */
const account = accountForFile();
const front = frontForFile(account);
const asked: string[] = [];
const inventories: string[] = [];
let status = 200;
let makesZones = true;
/** The job that the service starts for a refresh: the answers to its reads, in order, of which the last stays. */
let job: readonly object[] | undefined;
let jobReads = 0;
beforeAll(async () => {
  front.interfere((request, response) => {
    const { method = "", url = "" } = request;
    if (method !== "GET") asked.push(`${method} ${url}`);
    if (job && url.startsWith("/v2026/jobs/refresh")) {
      const data = job[Math.min(jobReads, job.length - 1)];
      jobReads += 1;
      return answerJson(response, 200, { data });
    }
    if (!makesZones && method === "POST" && url === "/v2026/dns/zones") return answerJson(response, 422, {});
    if (!url.endsWith("/refresh")) return false;
    if (job) {
      jobReads = 0;
      response.writeHead(202, { location: "/v2026/jobs/refresh-1" }).end(JSON.stringify({ message: "accepted" }));
      return true;
    }
    if (existsSync(inventory())) inventories.push(readFileSync(inventory(), "utf8"));
    return answerJson(response, status, { message: "not now" });
  });
});

const inventory = () => join(account.folder, "inventory.json");
const file = () => join(account.folder, "due.json");
const due = () => (JSON.parse(readFileSync(inventory(), "utf8")) as { after_due?: string[] }).after_due ?? [];

const zones = (values: readonly string[], address: string) =>
  `version: 1\nname: after\ndns:\n${values.map((zone) => `  ${zone}: { records: { a: { A: ${address} }, b: { A: ${address} }, c: { TXT: ${address} } } }\n`).join("")}`;

async function run(command: string, text: string, ...flags: string[]) {
  const contract = account.write(
    "after.yaml",
    'contract: 1\nextends: v2026\nname: after\nkinds: { dns_record: { after: { method: POST, path: "/dns/zones/{zone_id}/refresh", body: { /zone: "{zone_id}", /all: true } } } }',
  );
  const manifest = account.write("site.yaml", text);
  asked.splice(0);
  const target = { flags: [...front.flags, "--contract", contract], env: account.env };
  const input = text === "" ? [] : ["-f", manifest];
  return runInProcess(target, [command, ...input, ...flags], {}, virtualClock());
}
const apply = (text: string, ...flags: string[]) => run("apply", text, "--auto-approve", ...flags);
const refreshes = () => asked.filter((each) => each.endsWith("/refresh"));

test("each list that was written is refreshed once, after its last write", async () => {
  const { status: exit, stdout } = await apply(zones(["one.example", "two.example"], "192.0.2.1"));
  expect(exit, stdout).toBe(0);
  expect(new Set(refreshes()).size).toBe(2);
  expect(refreshes()).toHaveLength(2);
  const last = asked.findLastIndex((each) => each.includes("/records"));
  expect(asked.findIndex((each) => each.endsWith("/refresh"))).toBeGreaterThan(last);
  expect((await apply(zones(["one.example", "two.example"], "192.0.2.1"))).status).toBe(0);
  expect(asked).toEqual([]);
});

test.each([
  ["and was refreshed before", 200, 0],
  ["and whose refresh is due from an earlier apply", 500, 5],
])(
  "a list that goes with its zone, %s, is not refreshed: nothing is there that would take it",
  async (_, first, ends) => {
    const kept = ["--inventory", join(account.folder, `gone-${first}.json`)];
    status = first;
    exits(ends, await apply(zones(["gone.example"], "192.0.2.1"), ...kept));
    status = 200;
    exits(0, await apply("version: 1\nname: after\n", ...kept, "--allow-delete", "dns_zone/gone.example"));
    expect(asked.filter((each) => each.startsWith("DELETE"))).toHaveLength(4);
    expect(refreshes()).toEqual([]);
  },
);

test("a list in which nothing was written is not refreshed", async () => {
  const text = zones(["two.example"], "192.0.2.1") + zones(["one.example"], "192.0.2.2").split("dns:\n")[1];
  expect((await apply(text)).status).toBe(0);
  expect(refreshes()).toHaveLength(1);
});

test("a refresh that fails is reported with the writes before it, and the apply ends as failed in part", async () => {
  status = 409;
  const { status: exit, stdout } = await apply(zones(["one.example"], "192.0.2.3"));
  expect(exit).toBe(5);
  expect(stdout).toContain("the changes were written, but the API may not use them until this request succeeds");
  status = 200;
});

test("a refresh that failed, or was never sent, is sent by the next apply, also if nothing else changes, and plan says so", async () => {
  const text = zones(["one.example", "two.example"], "192.0.2.4");
  const kept = ["--inventory", inventory()];
  status = 409;
  const first = exits(5, await apply(text, ...kept));
  expect(first.stdout).toContain("apply again, which sends it again");
  expect(due()).toEqual(["dns_record/one.example", "dns_record/two.example"]);
  // An apply that is killed here leaves the same.
  expect(inventories.length).toBeGreaterThan(0);
  for (const each of inventories) expect(JSON.parse(each)).toMatchObject({ after_due: due() });
  const planned = exits(2, await run("plan", text, ...kept, "--detailed-exitcode"));
  expect(planned.stderr).toContain("An earlier apply changed dns_record/one.example, but POST /v2026");
  expect(planned.stdout).toContain("2 requests that an earlier apply has left will be sent");
  expect(asked).toEqual([]);
  const again = await apply(text, ...kept);
  expect([again.status, refreshes().length, asked.length, due().length]).toEqual([5, 2, 2, 2]);
  status = 200;
  const part = await apply(text, ...kept, "--only", "dns_record/two.example/*");
  expect([part.status, asked.length, due()], part.stdout).toEqual([0, 1, ["dns_record/one.example"]]);
  const last = await apply(text, ...kept);
  expect([last.status, asked.length, due()], last.stdout).toEqual([0, 1, []]);
  expect((await run("plan", text, ...kept, "--detailed-exitcode")).status).toBe(0);
});

/** The end of a job, and what the report says of it; undefined where it is done. */
const ends = {
  done: [{ status: "done" }, undefined],
  failed: [{ status: "failed", error: { message: "the zone does not load" } }, "the zone does not load"],
  "failed without a reason": [{ status: "failed" }, "the job ended as failed"],
  "never done": [{ status: "running" }, "the job is still running after"],
} as const;

test.runIf(size.whole)(
  "a refresh that the server accepts as a job is done when that job is, and else fails, stays due and is sent again",
  async () => {
    const kept = ["--inventory", inventory(), "--wait-timeout", "20"];
    const both = ["dns_record/one.example", "dns_record/two.example"];
    let draws = 0;
    await forDraws(
      24,
      fc.constantFrom(...Object.values(ends)),
      fc.integer({ min: 0, max: 3 }),
      async ([last, said], waits) => {
        const text = zones(["one.example", "two.example"], `198.51.${(draws += 1)}.1`);
        job = [...Array.from({ length: waits }, () => ({ status: "running" })), last];
        const first = await apply(text, ...kept);
        expect(refreshes(), first.stdout + first.stderr).toHaveLength(2);
        expect([first.status, due()], first.stdout).toEqual(said === undefined ? [0, []] : [5, both]);
        expect(first.stdout.includes("the API may not use them until this request succeeds")).toBe(said !== undefined);
        if (said !== undefined) expect(first.stdout).toContain(said);
        job = [{ status: "done" }];
        const next = await apply(text, ...kept);
        expect([next.status, asked.length, due()], next.stdout).toEqual([0, said === undefined ? 0 : 2, []]);
        job = undefined;
      },
    );
  },
);

test.each(
  size.every(6, [
    ["changes nothing", "192.0.2.20", "192.0.2.20"],
    ["changes another list", "192.0.2.21", "192.0.2.22"],
  ]),
)("a saved plan that %s sends the refreshes that are due, and says so", async (_what, before, after) => {
  const kept = ["--inventory", inventory()];
  status = 409;
  const text = zones(["one.example", "two.example"], before);
  expect((await apply(text, ...kept)).status).toBe(5);
  const [, two = ""] = text.split("  two.example");
  exits(0, await run("plan", text.replace(two, two.replaceAll(before, after)), ...kept, "--out", file()));
  const failed = await run("apply", "", file(), ...kept);
  expect([failed.status, refreshes().length, due().length], failed.stdout).toEqual([5, 2, 2]);
  status = 200;
  const ran = await run("apply", "", file(), ...kept);
  expect([ran.status, refreshes().length, due()], ran.stdout + ran.stderr).toEqual([0, 2, []]);
  expect(ran.stdout).toContain("2 requests that an earlier apply has left will be sent");
});

test("a refresh that is due is sent once with later changes, and is skipped without an error if its zone is gone", async () => {
  const both = ["one.example", "two.example"];
  const kept = ["--inventory", inventory()];
  status = 409;
  expect((await apply(zones(both, "192.0.2.5"), ...kept)).status).toBe(5);
  status = 200;
  const changed = await apply(zones(both, "192.0.2.6"), ...kept);
  expect([refreshes().length, due()], changed.stdout + changed.stderr).toEqual([2, []]);
  const text = JSON.parse(readFileSync(inventory(), "utf8")) as object;
  account.write(
    "inventory.json",
    JSON.stringify({ ...text, after_due: ["dns_record/gone.example", "nonsense/x", "cron/a"] }),
  );
  exits(0, await run("plan", zones(both, "192.0.2.6"), ...kept, "--detailed-exitcode"));
});

test("a refresh that a killed apply has noted for a zone it did not make is not due, also where the next one cannot make the zone", async () => {
  const place = join(account.folder, "never.json");
  const kept = ["--inventory", place];
  const read = () => JSON.parse(readFileSync(place, "utf8")) as { readonly after_due?: readonly string[] };
  exits(0, await apply(zones(["one.example"], "192.0.2.30"), ...kept));
  writeFileSync(place, JSON.stringify({ ...read(), after_due: ["dns_record/never.example"] }));
  const text = zones(["one.example", "never.example"], "192.0.2.30");
  makesZones = false;
  expect((await run("plan", text, ...kept)).stderr).not.toContain("An earlier apply changed");
  const refused = exits(5, await apply(text, ...kept));
  expect(refused.stdout).toContain("dns_zone/never.example");
  expect(refreshes()).toEqual([]);
  makesZones = true;
  exits(0, await apply(text, ...kept));
  expect([refreshes().length, read().after_due]).toEqual([1, undefined]);
});
