import { describe, expect, test } from "vitest";
import type { Fault } from "../../src/emulator/faults/rule.ts";
import { openAccount } from "../support/account.ts";
import { openedForTest } from "../support/opened-for-file.ts";
import { exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** One list of the API does not come whole: nothing is taken for absent there, and the rest is planned. */
const account = openedForTest(openAccount);

const manifest = `version: 1
name: incomplete
domains: { a.example: {} }
dns: { a.example: { records: { www: { A: 192.0.2.1 } } } }
mail: { a.example: { mailboxes: { info: { password: a-password-of-12 }, sales: { password: a-password-of-12 } } } }
`;

/** Applies the manifest, then plans while GETs of a path suffer a fault. */
async function planWith(path: string, fault: Fault): Promise<Ran> {
  const file = account.write("m.yaml", manifest);
  exits(0, await runInProcess(account, ["apply", "-f", file, "--auto-approve"]));
  const { status } = await account.byHand("POST", "/_emulator/faults", {
    faults: [{ match: { method: "GET", path }, fault }],
  });
  expect(status).toBeLessThan(300);
  return runInProcess(account, ["plan", "-f", file], {}, virtualClock());
}

describe("a list", () => {
  test.each<[string, Fault, RegExp]>([
    ["breaks off", { truncate: 10 }, /200 UND_ERR_\w+: the answer broke off: .* \(6 attempts, request req_\w+\)/u],
    ["fails", { status: 500 }, /500 internal_server_error: .* \(6 attempts, request req_\w+\)/u],
    ["may not be read", { status: 403 }, /403 forbidden: .* \(request req_\w+\)/u],
    ["is no JSON", { malformed_json: true }, /200: the answer is not JSON, .* \(6 attempts, request req_\w+\)/u],
    ["is longer than its count", { short_total: 1 }, /the server counts 1 object, its pages held 2/u],
  ])("that %s is incomplete, and its cause is named", async (_name, fault, cause) => {
    const { stdout } = exits(6, await planWith("/v2026/mail/accounts", fault));
    const line =
      stdout.split("\n").find((each) => each.startsWith("! The list of mailbox/a.example is incomplete")) ?? "";
    expect(line).toMatch(cause);
  });
});

describe("what stands in a list that may not be read", () => {
  const records = "/v2026/dns/zones/{zone_id}/records";

  test("is not said to be absent", async () => {
    const { stdout } = exits(6, await planWith(records, { status: 403 }));
    expect(stdout).toContain(
      "will be created: created only if it does not exist, which is unknown: its list is incomplete",
    );
    expect(stdout).not.toContain("declared, and does not exist");
    expect(stdout).toContain(
      "No plan: the changes to 1 resource are not known, because the list above is incomplete (",
    );
    expect(stdout).not.toMatch(/\d+ (?:to add|to change|to destroy|calls?\b)/u);
  });
});

test("lists that are absent below what is to be deleted do not make the base URL doubtful, since others were read", async () => {
  await account.create("/dns/zones", { name: "a.example" });
  const absent = ["records", "dnssec"].map((path) => ({
    match: { method: "GET", path: `/v2026/dns/zones/{zone_id}/${path}` },
    fault: { status: 404 },
  }));
  await account.inject(...absent);
  const removed = "version: 1\nname: absent\nremoved: [{ address: dns_zone/a.example, action: delete }]\n";
  const planned = await runInProcess(account, ["plan", "-f", account.write("removed.yaml", removed)]);
  expect(exits(6, planned).stdout).toContain("! The list of dns_record/a.example is incomplete: GET");
  expect(planned.stderr).not.toContain("base URL");
});
