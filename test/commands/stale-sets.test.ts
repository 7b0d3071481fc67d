import { beforeAll, describe, expect, test } from "vitest";
import { frontForFile } from "../support/front.ts";
import { listed, recordsPath } from "../support/live-records.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { openShape } from "../support/shaped-scenario.ts";

const zone = "example.com";
const manifest = (www: string) => `version: 1
name: stamped
policy: { max_deletes: "100%" }
dns: { ${zone}: { records: { other: { A: 192.0.2.9 }${www === "" ? "" : `, www: { ${www} }`} } } }
${www === "" ? `removed: [{ address: dns_record/${zone}/www/A, action: delete }]` : ""}
`;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
}

const account = openedForFile(() => openShape("stamped"));
const front = frontForFile(account);
let records: string;

beforeAll(async () => {
  const file = account.write("m.yaml", manifest("A: 192.0.2.1"));
  exits(0, await runInProcess(account, ["apply", "--auto-approve", "-f", file]));
  records = await recordsPath(account);
});

async function rowsOf(name: string): Promise<Row[]> {
  return (await listed<Row>(account, records)).filter((row) => row.name === name);
}

/** Brings the addresses of www to others, each as a new record: also the same address is another version then. */
async function change(...contents: readonly string[]): Promise<void> {
  for (const { id } of await rowsOf("www")) await account.byHand("DELETE", `${records}/${id}`);
  for (const content of contents) await account.byHand("POST", records, { name: "www", type: "A", content, ttl: 3600 });
}

/** Applies a manifest; before its nth write of the set, someone else changes it. Returns the writes with their status. */
async function apply(www: string, changes: readonly (() => Promise<void>)[]) {
  const writes: string[] = [];
  front.interfere(async (request, response, pass) => {
    if (request.method === "GET") return false;
    await changes[writes.length]?.();
    const { status, headers, text } = await pass();
    writes.push(`${request.method} ${status}${request.headers["if-match"] === undefined ? "" : " If-Match"}`);
    response.writeHead(status, headers).end(text);
    return true;
  });
  const contract = account.flags.slice(account.flags.indexOf("--contract"));
  const args = ["apply", "--auto-approve", "-f", account.write("m.yaml", manifest(www))];
  const ran = await runInProcess({ ...account, flags: [...front.flags, ...contract] }, args);
  return { ...ran, writes, left: (await rowsOf("www")).map(({ content }) => content).toSorted() };
}

describe("a set that someone else changed since it was planned", () => {
  test("is not overwritten: the server refuses with 412, and it is not what the plan saw", async () => {
    await change("192.0.2.1");
    const { stdout, stderr, writes, left } = exits(5, await apply("A: 192.0.2.2", [() => change("192.0.2.66")]));
    expect(writes).toEqual(["PUT 412 If-Match"]);
    expect(left).toEqual(["192.0.2.66"]);
    expect(stdout + stderr).toContain("was changed by someone else since it was planned");
  });

  test("is written by its new ETag where it holds what the plan saw", async () => {
    await change("192.0.2.1");
    const { stdout, writes, left } = exits(0, await apply("A: 192.0.2.2", [() => change("192.0.2.1")]));
    expect(writes, stdout).toEqual(["PUT 412 If-Match", "PUT 200 If-Match"]);
    expect(left).toEqual(["192.0.2.2"]);
  });

  test("is left as it is where it holds exactly what is to be written", async () => {
    await change("192.0.2.1");
    const { stdout, writes, left } = exits(0, await apply("A: 192.0.2.2", [() => change("192.0.2.2")]));
    expect(writes, stdout).toEqual(["PUT 412 If-Match"]);
    expect(left).toEqual(["192.0.2.2"]);
  });

  test("is not overwritten where it is changed once more before the second request", async () => {
    await change("192.0.2.1");
    const twice = [() => change("192.0.2.1"), () => change("192.0.2.1", "192.0.2.67")];
    const { writes, left } = exits(5, await apply("A: 192.0.2.2", twice));
    expect(writes).toEqual(["PUT 412 If-Match", "PUT 412 If-Match"]);
    expect(left).toEqual(["192.0.2.1", "192.0.2.67"]);
  });

  test.each([
    ["not deleted where it holds something else", ["192.0.2.66"], ["DELETE 412 If-Match"], ["192.0.2.66"], 5],
    ["deleted where it holds what the plan saw", ["192.0.2.2"], ["DELETE 412 If-Match", "DELETE 204 If-Match"], [], 0],
    ["gone already, which is no failure", [], ["DELETE 404 If-Match"], [], 0],
  ] as const)("is %s", async (_, others, expected, there, exit) => {
    await change("192.0.2.2");
    const { status, stdout, stderr, writes, left } = await apply("", [() => change(...others)]);
    expect(writes, stdout + stderr).toEqual(expected);
    expect(left).toEqual(there);
    expect(status).toBe(exit);
  });

  test("is written by the next apply, which plans what is there", async () => {
    await change("192.0.2.66");
    const { writes, left } = exits(0, await apply("A: 192.0.2.2", []));
    expect(writes).toEqual(["PUT 200 If-Match"]);
    expect(left).toEqual(["192.0.2.2"]);
  });
});
