import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { openFront, type Front } from "../support/front.ts";
import { runInProcess } from "../support/in-process.ts";

/** `after:` of a contract: a request that makes an API use what was written, such as a refresh of a zone. */
let account: Account;
let front: Front;
const asked: string[] = [];
let status = 200;
beforeAll(async () => {
  account = await openAccount();
  front = await openFront(account);
  front.interfere((request, response) => {
    const { method = "", url = "" } = request;
    if (method !== "GET") asked.push(`${method} ${url}`);
    if (!url.endsWith("/refresh")) return false;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ message: "not now" }));
    return true;
  });
});
afterAll(async () => {
  await front.close();
  await account.close();
});

const zones = (values: readonly string[], address: string) =>
  `version: 1\nname: after\ndns:\n${values.map((zone) => `  ${zone}: { records: { a: { A: ${address} }, b: { A: ${address} }, c: { TXT: ${address} } } }\n`).join("")}`;

async function apply(text: string) {
  const contract = account.write(
    "after.yaml",
    'contract: 1\nextends: v2026\nname: after\nkinds: { dns_record: { after: { method: POST, path: "/dns/zones/{zone_id}/refresh", body: { /zone: "{zone_id}", /all: true } } } }',
  );
  const manifest = account.write("site.yaml", text);
  asked.splice(0);
  const target = { flags: [...front.flags, "--contract", contract], env: account.env };
  return runInProcess(target, ["apply", "-f", manifest, "--auto-approve"]);
}
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

test("a list in which nothing was written is not refreshed", async () => {
  const text = zones(["two.example"], "192.0.2.1") + zones(["one.example"], "192.0.2.2").split("dns:\n")[1];
  expect((await apply(text)).status).toBe(0);
  expect(refreshes()).toHaveLength(1);
});

test("a refresh that fails is told with what was written, and ends the apply as failed in part", async () => {
  status = 409;
  const { status: exit, stdout } = await apply(zones(["one.example"], "192.0.2.3"));
  expect(exit).toBe(5);
  expect(stdout).toContain("the changes were written, but the API may not use them until this request succeeds");
  status = 200;
});
