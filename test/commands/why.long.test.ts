import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

const manifest = (quota: string) => `version: 1
name: why
domains:
  example.com: {}
dns:
  example.com:
    exclusive: true
    records:
      www: { A: [192.0.2.1, 192.0.2.3] }
mail:
  example.com:
    mailboxes:
      info:
        quota: ${quota}
        password: "plain-and-secret"
`;

const account = accountForFile({
  seed: {
    domain: [{ name: "example.com" }, { name: "other.example" }],
    dns_zone: [{ name: "example.com" }],
    dns_record: [
      { zone: "example.com", name: "www", type: "A", content: "192.0.2.1" },
      { zone: "example.com", name: "www", type: "A", content: "192.0.2.2" },
      { zone: "example.com", name: "stray", type: "A", content: "192.0.2.9" },
    ],
    mailbox: [
      { address: "info@example.com", quota_mb: 1024 },
      { address: "hand@other.example", quota_mb: 1 },
    ],
  },
});
let folder: string;
const withGit = { PATH: process.env["PATH"] ?? "" };
const why = (address: string, ...more: string[]) =>
  runInProcess(account, ["why", address, "-f", join(folder, "site.yaml"), ...more], withGit);

beforeAll(async () => {
  folder = join(account.folder, "repository");
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args]);
  const commit = (author: string, message: string) =>
    git("-c", `user.name=${author}`, "-c", "user.email=a@b.example", "commit", "-q", "-a", "-m", message);
  git("init", "-q");
  writeFileSync(join(folder, "site.yaml"), manifest("1 GiB"));
  git("add", ".");
  commit("Ann", "Declare the site");
  writeFileSync(join(folder, "site.yaml"), manifest("2 GiB"));
  commit("Bob", "Double the quota");
});

describe("why", () => {
  test("shows the lines that declare it, secrets masked, and the commit that last changed them", async () => {
    const args = ["why", "mailbox/info@example.com", "-f", join(folder, "site.yaml")];
    const { stdout } = exits(0, await account.hostform(args, withGit));
    expect(stdout).toMatch(/site\.yaml:13:7, last changed in [0-9a-f]{12} \(Bob, \d{4}-\d\d-\d\d\): Double the quota/u);
    expect(stdout).toContain("14 |         quota: 2 GiB\n15 |         password: (sensitive)\n");
    expect(stdout).not.toContain("plain-and-secret");
    expect((await why("dns_record/example.com/www/A")).stdout).toContain("Declare the site");
  });

  test("says that a line is not committed yet, and says nothing of commits where there is no git", async () => {
    const path = account.write("apart.yaml", manifest("2 GiB"));
    const args = ["why", "mailbox/info@example.com", "-f"];
    expect((await runInProcess(account, [...args, path], withGit)).stdout).toContain("apart.yaml:13:7\n");
    const nodeAlone = { PATH: join(dirname(account.folder), "nothing-is-here") };
    expect((await runInProcess(account, [...args, join(folder, "site.yaml")], nodeAlone)).stdout).toContain(
      "site.yaml:13:7\n",
    );
    const site = join(folder, "site.yaml");
    writeFileSync(site, manifest("3 GiB"));
    const { stdout } = await why("mailbox/info@example.com");
    writeFileSync(site, manifest("2 GiB"));
    expect(stdout).toContain("site.yaml:13:7, not committed yet");
  });

  test("compares field by field, and shows the step and what it hangs on", async () => {
    const { stdout } = await why("mailbox/info@example.com");
    expect(stdout).toMatch(/^quota_mb .* 1024 +differs$/mu);
    expect(stdout).toMatch(/^sending_enabled .* not managed$/mu);
    expect(stdout).toMatch(/^password +\(sensitive\) .* write-only$/mu);
    expect(stdout).toContain("Needs domain/example.com: declared, live");
    expect(stdout).toMatch(/~ mailbox\/info@example\.com .*will be updated: quota_mb differs from the manifest/u);
    expect(stdout).not.toContain("dns_record");
  });

  test.each(size.every(6, [40, 80, 100]))("fits on %i columns, and no value is lost for it", async (width) => {
    const env = { ...withGit, COLUMNS: String(width) };
    const [address, wide] = ["mailbox/info@example.com", await why("mailbox/info@example.com")];
    const { stdout } = await runInProcess(account, ["why", address, "-f", join(folder, "site.yaml")], env);
    const longer = stdout.split("\n").filter((line) => line.length > width && line.trim().includes(" "));
    // A path that is longer than a line stands alone, and a line of the manifest is not broken.
    expect(longer.filter((line) => !line.includes(folder) && !/^\d+ \|/u.test(line))).toEqual([]);
    const words = (text: string) => new Set(text.split(/[\s:]+/u));
    const titles = ["FIELD", "WRITTEN", "NORMAL", "LIVE", "VERDICT", "-"];
    expect([...words(wide.stdout)].filter((word) => !words(stdout).has(word) && !titles.includes(word))).toEqual([]);
    expect(stdout).toMatch(
      width === 100 ? /^FIELD +WRITTEN +NORMAL +LIVE +VERDICT$/mu : /^quota_mb: differs   WRITTEN/mu,
    );
  });

  test("compares the values of an RRset one by one", async () => {
    const { stdout } = await why("dns_record/example.com/www/A");
    expect(stdout).toMatch(/Value 192\.0\.2\.1\n.*\ncontent .* same\n/u);
    expect(stdout).toMatch(/Value 192\.0\.2\.3\n.*\ncontent +192\.0\.2\.3 +192\.0\.2\.3 +192\.0\.2\.2 .* differs\n/u);
  });

  test("says why something that is not declared goes, or stays, also where the manifest does not look", async () => {
    const stray = (await why("dns_record/example.com/stray/A")).stdout;
    expect(stray).toMatch(/collection dns_record\/example\.com is exclusive \(.*site\.yaml:7\), so it is deleted/u);
    expect(stray).toMatch(/will be deleted: its collection is exclusive [^(]*site\.yaml:7\n/u);
    expect((await why("mailbox/hand@other.example")).stdout).toContain(
      "its collection mailbox/other.example is not exclusive, so it is left alone",
    );
  });

  test("is an event with --json", async () => {
    for (const address of ["mailbox/info@example.com", "dns_record/example.com/www/A", "mailbox/hand@other.example"]) {
      const ran = await why(address, "--json");
      const events = eventsOf(ran);
      expect(checkEvents(events)).toEqual([]);
      expect(events.at(-1)).toMatchObject({ type: "why", address, live: true });
      expect(ran.stdout).not.toContain("plain-and-secret");
    }
  });

  test.each([
    ["dns_record/example.com/wwww/A", "did you mean dns_record/example.com/www/A"],
    ["mailbox/inof@example.com", "did you mean mailbox/info@example.com"],
    ["mailbx/info@example.com", "did you mean mailbox/info@example.com?"],
    ["database/nowhere.example/x", "hostform status lists what is live"],
  ])("%s exits 3 and helps", async (address, help) => {
    expect(exits(3, await why(address)).stderr).toContain(help);
  });

  test("does not say of a resource that an error keeps from a step that it matches", async () => {
    const path = account.write(
      "error.yaml",
      `${manifest("2 GiB")}services: { example.com: }\ndatabases: { example.com: { databases: { shop: } } }\n`,
    );
    const args = ["why", "database/example.com/shop", "-f", path];
    const { status, stdout, stderr } = await runInProcess(account, args, withGit);
    expect([status, stderr]).toEqual([3, expect.stringContaining("missing_to_create")]);
    expect(stdout).toContain("No step: it cannot be planned");
    expect(stdout).not.toContain("match");
  });

  test.each([
    ["whose list cannot be read", "mailbox/info@example.com", "/v2026/mail/accounts", "VERDICT"],
    ["whose parent's list cannot be read", "dns_record/example.com/www/A", "/v2026/dns/zones", "declared, not found"],
  ])("does not say of a resource %s that it is not live", async (_what, address, path, words) => {
    await account.inject({ match: { method: "GET", path }, fault: { status: 403 } });
    const { stdout } = exits(6, await why(address));
    await account.endFaults();
    expect(stdout).toContain("\nIt is not known whether it is live.\nThe list of ");
    expect(stdout).toContain(words);
    expect(stdout).not.toContain("not live");
  });

  test("makes no writes", async () => {
    expect(await account.writes()).toEqual([]);
  });
});

test("changes that wait for each other in a circle are said of a resource in it, as plan says them", async () => {
  const file = account.write(
    "circle.yaml",
    `version: 1
name: circle
services: { circle.example: { plan: WEB-M, datacenter: MAD1 } }
certificates: { circle.example: [{ domains: [www.circle.example] }] }
dns: { circle.example: { records: { www: { CNAME: "\${ref:certificate/www.circle.example/managed.fingerprint}.example.net." } } } }
`,
  );
  const planned = exits(3, await runInProcess(account, ["plan", "-f", file]));
  const said = exits(3, await runInProcess(account, ["why", "dns_record/circle.example/www/CNAME", "-f", file]));
  const circle = "The changes depend on each other in a circle";
  expect([planned, said].map(({ stderr }) => stderr.includes(circle))).toEqual([true, true]);
  expect(said.stdout).toContain("No step: it cannot be planned with the error that is printed.");
});
