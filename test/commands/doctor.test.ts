import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { answerJson, startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const key = "the-key-of-the-doctors-account";
const zones = [
  { uuid: "z-1", name: "a.example", soa: { ttl: 3600 }, state: "live" },
  { uuid: "z-2", name: "b.example", soa: { ttl: 300 }, state: "live" },
  { uuid: "z-3", name: "c.example", soa: { ttl: 600 }, state: "live" },
];
const server = openedForFile(() =>
  startHttpsServer((request, response) => {
    const url = new URL(request.url ?? "", "https://x.invalid");
    methods.push(request.method ?? "");
    const reply = (status: number, body: unknown, headers = {}) => answerJson(response, status, body, headers);
    if (request.headers.authorization !== `Token ${key}`)
      return reply(401, {}, { "www-authenticate": "Token realm=x" });
    if (failing !== undefined) return reply(failing, { error: { message: "not now" } });
    if (url.pathname !== "/v1/zones") return reply(404, { error: { message: "no such path" } });
    const from = Number(url.searchParams.get("start") ?? 0);
    const result = zones.slice(from, from + Number(url.searchParams.get("limit") ?? 100));
    return reply(200, { result, info: { total_count: 3, start: from, limit: 100 } });
  }),
);
const folder = folderForFile();
const methods: string[] = [];
/** The status of every answer, instead of the right one. */
let failing: number | undefined;

beforeAll(() => writeFileSync(join(folder, "ca.pem"), server.ca));

const right = `# Our host, by its page of 2026-03
contract: 1
name: my-host
base_path: /v1
request:
  auth: { header: Authorization, scheme: Token }
  headers: { Accept: application/json }
answer:
  record: /data
  list: /result
  error: { message: /error/message }
  rate_limit: { statuses: [429] }
paging: { style: offset, page: start, size: limit, max_size: 100, total: /info/total_count }
kinds:
  dns_zone:
    id: /uuid
    fields:
      name: { at: /name }
      ttl: { at: /soa/ttl }
      status: { at: /state, map: { active: live } }
    operations:
      list: { method: GET, path: /zones }
      delete: { method: DELETE, path: "/zones/{id}" }
`;

function doctor(text: string, ...args: readonly string[]) {
  const file = join(folder, "contract.yaml");
  writeFileSync(file, text);
  const flags = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem"), "--contract", file];
  return runInProcess({ flags, env: { HOSTFORM_API_KEY: key } }, ["doctor", ...args], {}, virtualClock());
}

const refutedIn = (stdout: string) => [...stdout.matchAll(/^refuted: (\S+)$/gmu)].map(([, entry]) => entry);

describe("hostform doctor", () => {
  test("refutes nothing of a right contract, sends GETs alone, and names what it did not see with the reason", async () => {
    methods.length = 0;
    const { stdout, stderr } = exits(0, await doctor(right));
    expect(refutedIn(stdout)).toEqual([]);
    expect(stdout).toContain("unseen: operations.delete: only GETs are sent");
    expect(stdout).toMatch(/Contract my-host: 0 refuted, \d+ seen, \d+ unseen, by 2 GETs\./u);
    expect(stdout + stderr).not.toContain(key);
    expect(new Set(methods)).toEqual(new Set(["GET"]));
    const events = eventsOf(await doctor(right, "--json"));
    expect(checkEvents(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "doctor", refuted: 0, requests: 2 });
  });

  test.each([
    ["kinds.dns_zone.operations.list", "answer.list", "/result", "/data/items"],
    ["kinds.dns_zone.operations.list", "paging.total", "/info/total_count", "/meta/total"],
    ["kinds.dns_zone.operations.list", "kinds.dns_zone.fields.name", "at: /name", "at: /title"],
    ["kinds.dns_zone.operations.list", "kinds.dns_zone.operations.list", "/zones }", "/dns/zones }"],
    ["kinds.dns_zone.id", "kinds.dns_zone.id", "id: /uuid", "id: /id"],
    ["kinds.dns_zone.fields.ttl", "kinds.dns_zone.fields.ttl", "at: /soa/ttl", "at: /soa"],
    ["kinds.dns_zone.fields.status", "kinds.dns_zone.fields.status", "{ active: live }", "{ active: lively }"],
  ] as const)("refutes %s where %s is wrong, and sees nothing of it", async (refuted, wrong, before, after) => {
    const ran = exits(2, await doctor(right.replace(before, after), "--json"));
    const entries = eventsOf(ran).filter(({ type }) => type === "doctor_entry");
    const outcomeOf = (path: string) =>
      entries.find(({ entry }) => (entry as string[]).join(".") === path)?.["outcome"];
    expect(outcomeOf(refuted), ran.stdout).toBe("refuted");
    expect(outcomeOf(wrong)).not.toBe("seen");
  });

  test.each([403, 500])("ends with 6 where a list answers %i, and names it", async (status) => {
    failing = status;
    const ran = await doctor(right).finally(() => (failing = undefined));
    expect(exits(6, ran).stdout).toContain(`operations.list: GET /v1/zones?start=0&limit=100: ${status}`);
  });

  test("ends with 4 where the key is refused or the server is not there, and with 3 for a broken file", async () => {
    const file = join(folder, "contract.yaml");
    writeFileSync(file, right);
    const flags = ["--ca-file", join(folder, "ca.pem"), "--contract", file];
    const withKey = (flags: readonly string[], other: string) =>
      runInProcess({ flags, env: { HOSTFORM_API_KEY: other } }, ["doctor"], {}, virtualClock());
    const refused = exits(4, await withKey([...flags, "--base-url", server.baseUrl.href], "another-key"));
    expect(refused.stderr).toContain("in the header Authorization after Token. request.auth of the contract");
    const gone = exits(4, await withKey([...flags, "--base-url", "https://127.0.0.1:1"], key));
    const untrusted = exits(4, await withKey(["--base-url", server.baseUrl.href, "--contract", file], key));
    for (const { printed, stdout } of [refused, gone, untrusted]) {
      expect(stdout).not.toContain("unseen");
      expect(printed.trimEnd().split("\n").length, printed).toBeLessThan(8);
    }
    expect(await doctor(`${right}other: 1\n`)).toMatchObject({ status: 3 });
  });
});
