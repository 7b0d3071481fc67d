import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

const zones = Array.from({ length: 10 }, (_, index) => `zone-${index}.example`);
const names = Array.from({ length: 100 }, (_, index) => `name-${index}`);

let account: Account;

beforeAll(async () => {
  const records = zones.flatMap((zone) =>
    [...names, "by-hand-1", "by-hand-2", "by-hand-3", "by-hand-4"].map((name) => ({
      zone,
      name,
      type: "A",
      content: "192.0.2.1",
    })),
  );
  account = await openAccount({ seed: { dns_zone: zones.map((name) => ({ name })), dns_record: records } });
});
afterAll(() => account.close());

function manifestOf(addressOf: (zone: string, name: string) => string): string {
  const zoneText = (zone: string) =>
    `  ${zone}:\n    records:\n${names.map((name) => `      ${name}: { A: ${addressOf(zone, name)} }\n`).join("")}`;
  return account.write("m.yaml", `version: 1\nname: long\ndns:\n${zones.map(zoneText).join("")}`);
}

test.runIf(size.whole)(
  "one changed field among a thousand resources prints less than a kilobyte in whole",
  async () => {
    const manifest = manifestOf((zone, name) => (zone === zones[4] && name === "name-7" ? "192.0.2.2" : "192.0.2.1"));
    const { stdout, stderr } = await runInProcess(account, ["plan", "-f", manifest]);
    expect(stdout).toContain("1 ~ dns_record/zone-4.example/name-7/A   192.0.2.1 -> 192.0.2.2   ");
    expect(stdout).toContain("and 20 more in 5 other collections");
    expect(Buffer.byteLength(stdout + stderr)).toBeLessThan(1024);
  },
);

test("a plan of a thousand steps begins with its sums and shows no control characters", async () => {
  const manifest = manifestOf(() => "192.0.2.2");
  const { stdout } = await runInProcess(account, ["plan", "-f", manifest]);
  expect(stdout).toMatch(/^Target: .*\n\n1000 steps, .*\n +dns_record +1000 to change\n\n/u);
  expect(stdout.match(/^ {2}zone-\d\.example +100 to change$/gmu)).toHaveLength(10);
  expect(stdout).toMatch(/Plan: 0 to add, 1000 to change, 0 to destroy\.\n.*\n\nPlan hash: .*\n$/u);
  expect(stdout.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("--full lists each step of it, also of the saved plan", async () => {
  const manifest = manifestOf(() => "192.0.2.2");
  const path = join(account.folder, "long.json");
  const planned = await runInProcess(account, ["plan", "-f", manifest, "--full", "--out", path]);
  const shown = await runInProcess({ flags: [], env: account.env }, ["show", path, "--full"], { COLUMNS: "60" });
  for (const { stdout } of [planned, shown]) expect(stdout.match(/192\.0\.2\.1 -> 192\.0\.2\.2/gu)).toHaveLength(1000);
  expect(Math.max(...shown.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
});

test.runIf(size.whole)("--show-ignored is a flag of plan and apply, and its count is in the events", async () => {
  const manifest = manifestOf(() => "192.0.2.1");
  const events = eventsOf(await runInProcess(account, ["plan", "--show-ignored", "--json", "-f", manifest]));
  expect(checkEvents(events)).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: "plan", ignored_spellings: 0 });
  exits(0, await runInProcess(account, ["apply", "--auto-approve", "--show-ignored", "-f", manifest]));
});

test("provider.ca_file and provider.contract are beside the manifest, wherever hostform is run", async () => {
  const elsewhere = join(account.folder, "elsewhere");
  mkdirSync(elsewhere);
  account.write("mine.yaml", "contract: 1\nname: mine\nextends: v2026\n");
  const provider = `{ base_url: "${account.baseUrl}", ca_file: ca.pem, contract: ./mine.yaml }`;
  account.write("with.yaml", `version: 1\nname: t\nprovider: ${provider}\ndns: { ${zones[0]}: }\n`);
  const { env } = account;
  const ran = exits(0, await runInProcess({ flags: [], env, cwd: elsewhere }, ["plan", "-f", "../with.yaml"]));
  expect(ran.printed).toContain("(contract mine)");
});

test("provider.contract may name the built-in one", async () => {
  const path = account.write(
    "named.yaml",
    `version: 1\nname: t\nprovider: { contract: v2026 }\ndns: { ${zones[0]}: }\n`,
  );
  const { stdout, stderr } = await runInProcess(account, ["plan", "-f", path]);
  expect(stdout + stderr).toContain("(contract v2026)");
});
