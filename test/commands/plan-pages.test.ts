import { mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

const secret = "correct</pre><b>horse";
const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    domain: [{ name: "a.example", status: "active", expires_at: null }],
    dns_zone: [{ name: "a.example" }],
    dns_record: [{ zone: "a.example", name: "www", type: "TXT", content: '"```</pre><script>alert(1)</script> @all"' }],
  },
});
const write = (file: string, text: string) => account.write(file, `version: 1\nname: pages\n${text}`);
let manifest: string;
let page: string;
beforeAll(async () => {
  manifest = write(
    "m.yaml",
    "dns: { a.example: { records: { www: { TXT: new } } } }\n" +
      'domains: { a.example: {} }\nmail: { a.example: { mailboxes: { info: { password: "${env:PW}" } } } }\n',
  );
  page = join(account.folder, "plan.html");
});

const run = (...args: string[]) => runInProcess(account, args, { PW: secret });

test("plan --format markdown prints a heading with the sums, and the plan in blocks of code", async () => {
  const { stdout } = exits(0, await run("plan", "-f", manifest, "--format", "markdown"));
  expect(stdout).toMatch(/^### Hostform: 1 to add, 1 to change, 0 to destroy\n\n````text\nTarget: /u);
  expect(stdout).toMatch(/\nPlan: 1 to add[\s\S]*\n````\n$/u);
  expect(stdout).toContain("```</pre>");
  expect(stdout).not.toContain("horse");
});

test("plan --html writes a page beside the text, which its owner alone can read", async () => {
  expect(exits(0, await run("plan", "-f", manifest, "--html", page)).stdout).toContain("Plan: 1 to add");
  const html = readFileSync(page, "utf8");
  expect(html).toContain("<title>Hostform: 1 to add, 1 to change, 0 to destroy</title>");
  expect(html).toContain("&lt;/pre&gt;&lt;script&gt;alert(1)");
  expect(html).not.toMatch(/<script>alert|horse/u);
  expect(statSync(page).mode & 0o777).toBe(0o600);
});

test("apply --html writes a page with what became of each step, and drift --html one with what differs", async () => {
  const inventory = join(account.folder, "inventory.json");
  const shop = write("shop.yaml", "dns: { a.example: { records: { shop: { A: 192.0.2.1 } } } }\n");
  exits(0, await run("apply", "-f", shop, "--auto-approve", "--inventory", inventory, "--html", page));
  const applied = readFileSync(page, "utf8");
  expect(applied).toMatch(/<title>Hostform: Applied: 1 added, 0 changed, 0 destroyed in /u);
  expect(applied).toMatch(/data-outcome="created">\s*<summary>.*dns_record\/a.example\/shop\/A/u);
  exits(2, await run("drift", "-f", shop, "--unmanaged", "--inventory", inventory, "--html", page));
  expect(readFileSync(page, "utf8")).toMatch(/data-action="appeared"[\s\S]*dns_record\/a.example\/www\/TXT/u);
});

test("an apply ends as it did though its page cannot be written", async () => {
  const last = write("last.yaml", "dns: { a.example: { records: { last: { A: 192.0.2.2 } } } }\n");
  const place = account.write("held.html", "");
  // Something takes the place of the file while the apply runs.
  const ask = async () => {
    rmSync(place);
    mkdirSync(place);
    return "yes";
  };
  const args = ["apply", "-f", last, "--html", place];
  const { status, stderr } = await runInProcess(account, args, { PW: secret }, { interactive: true, ask });
  expect([status, stderr]).toEqual([0, expect.stringContaining(`The page cannot be written to ${place}`)]);
});

test("a page of the mistakes takes the place of an older one where no plan is made", async () => {
  const wrong = write("wrong.yaml", "dns: { a.example: { recordz: {} } }\n");
  expect((await run("plan", "-f", wrong, "--html", page)).status).toBe(3);
  expect(readFileSync(page, "utf8")).toMatch(/<h1>No plan was made<\/h1>[\s\S]*recordz/u);
});

test("show prints a saved plan in the same forms", async () => {
  const saved = join(account.folder, "plan.json");
  expect((await run("plan", "-f", manifest, "--out", saved)).status).toBe(0);
  const args = ["show", saved, "--format", "markdown", "--html", page];
  const { status, stdout, stderr } = await runInProcess({ flags: [], env: account.env }, args);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("### Hostform: 1 to add, 1 to change, 0 to destroy\n");
  expect(readFileSync(page, "utf8")).toContain("mailbox/info@a.example");
});

test("a plan that is refused has the same exit status as without --format, and its heading says so", async () => {
  const removal = write("removal.yaml", "removed: [{ address: dns_zone/a.example, action: delete }]\n");
  const { status, stdout } = await run("plan", "-f", removal, "--format", "markdown");
  expect([status, stdout]).toEqual([6, expect.stringMatching(/^### Hostform: 0 to add.* refused\n/u)]);
});
