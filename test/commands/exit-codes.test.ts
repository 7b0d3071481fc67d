import { virtualClock } from "../support/virtual-clock.ts";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { cli, eventsOf, exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { accountWithManifests } from "./account-with-manifests.ts";
import { size } from "../proofs/size.ts";

/** Every exit status of DESIGN.md section 4: once from the built binary, and its other causes in this process. */
const { account, hostform, manifest, zone } = accountWithManifests();

const yes = "--auto-approve";

describe("0: done", () => {
  test("after an apply, and after a plan with nothing to do", async () => {
    const file = zone("zero.example");
    const inventory = ["--inventory", join(account.folder, "inventory.json")];
    const applied = await account.hostform(["apply", "-f", file, yes, ...inventory]);
    expect(applied).toMatchObject({ status: 0, stderr: "" });
    expect(applied.stdout).toContain("Applied: 2 added");
    expect(applied.stdout).toContain("No changes.");
    const planned = await hostform(["plan", "-f", file, "--detailed-exitcode", ...inventory]);
    expect(planned).toMatchObject({ status: 0, stderr: "" });
    expect(planned.stdout).toContain("No changes.");
  });
});

test("2: plan --detailed-exitcode, and there are changes", async () => {
  expect((await account.hostform(["plan", "-f", zone("two.example"), "--detailed-exitcode"])).status).toBe(2);
});

describe.concurrent("4: the API cannot be used", () => {
  test("because nothing listens there", async () => {
    const closed = await openAccount();
    await closed.close();
    const target = { flags: ["--base-url", closed.baseUrl], env: { HOSTFORM_API_KEY: "k" } };
    const { stderr } = exits(4, await runInProcess(target, ["plan", "-f", zone("four.example")], {}, virtualClock()));
    expect(stderr.match(/ECONNREFUSED/gu)).toHaveLength(1);
    expect(stderr).toContain("Is the server running? Check the base URL");
  });

  test("because it does not know the key, which is not shown", async () => {
    const { status, stdout, stderr } = await hostform(["plan", "-f", zone("four.example")], {
      HOSTFORM_API_KEY: "wrong-key-wrong-key",
    });
    expect(stderr).toMatch(/401 invalid_key.*request /u);
    expect(stdout + stderr).not.toContain("wrong-key");
    expect(status).toBe(4);
  });
});

test("4: the API has gone after an apply, which is not confirmed", async () => {
  const gone = await openAccount();
  const file = gone.write("m.yaml", "version: 1\nname: gone\ndns: { gone.example: }");
  await gone.inject({ match: { method: "GET" }, after: 1, fault: { reset: "before" } });
  const ran = exits(4, await runInProcess(gone, ["apply", "-f", file, yes], {}, virtualClock()));
  await gone.close();
  expect(ran.stdout).toMatch(/Applied: 1 added.*Applied, but not confirmed: /su);
});

test("5: apply fails in part; what does not depend on it is done, what does is blocked, and the report says so", async () => {
  const key = await account.keyFor({ dns: "write", services: "read", crons: "write" });
  const file = manifest(
    "services: { five.example: { plan: P, datacenter: D } }\ncrons: { five.example: { jobs: { x: { schedule: '* * * * *', command: x } } } }\ndns: { five.example: { records: { www: { A: 192.0.2.1 } } } }",
  );
  const { stdout } = exits(5, await account.hostform(["apply", "-f", file, yes], { HOSTFORM_API_KEY: key }));
  expect(stdout).toMatch(
    /failed {2}service\/five\.example \(.*m\d+\.yaml:3\)\n.*POST \/v2026\/services: 403 forbidden: .*request /u,
  );
  expect(stdout).toMatch(/blocked {2}cron\/five\.example\/x \(.*m\d+\.yaml:4\) by create service\/five\.example\n/u);
  expect(stdout).toContain("Applied in part: 2 added, 0 changed, 0 destroyed");
  expect(exits(0, await hostform(["apply", "-f", file, yes])).stdout).toContain("Applied: 2 added");
});

test.runIf(size.whole)("an apply goes on, and exits as it ends, when the reader of its output has gone", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `n${index}: { A: 192.0.2.1 }`);
  const file = manifest(`dns: { gone.example: { records: { ${names.join(", ")} } } }`);
  const child = spawn(process.execPath, [cli, "apply", "-f", file, yes, ...account.flags], {
    env: { PATH: process.env["PATH"] ?? "", ...account.env },
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const status = await new Promise((resolve) => {
    child.on("close", resolve);
  });
  expect(status).toBe(0);
  expect((await hostform(["plan", "-f", file, "--detailed-exitcode"])).status).toBe(0);
});

describe("6: refused", () => {
  test("because a list may not be read: nothing is created in it", async () => {
    const key = await account.keyFor({ dns: "write" });
    const file = manifest(
      "services: { six.example: { plan: P, datacenter: D } }\ndns: { six.example: { records: { www: { A: 192.0.2.1 } } } }",
    );
    for (const command of [
      ["plan", "--detailed-exitcode"],
      ["apply", yes],
    ]) {
      const { stdout } = exits(6, await hostform([...command, "-f", file], { HOSTFORM_API_KEY: key }));
      expect(stdout).toContain("The list of service is incomplete: GET /v2026/services");
    }
  });

  test("because a list was not read whole, though what was to be changed in it is changed", async () => {
    const mailboxes = (quota: string) =>
      manifest(
        `domains: { partly.example: }\nmail: { partly.example: { mailboxes: { a: { quota: ${quota}, password: "\${env:PW}" }, b: { password: "\${env:PW}" } } } }`,
      );
    const apply = (file: string) => hostform(["apply", "-f", file, yes], { PW: "correct horse battery" });
    expect((await apply(mailboxes("1 GiB"))).status).toBe(0);
    await account.inject({ match: { method: "GET", path: "/v2026/mail/accounts" }, fault: { short_total: 1 } });
    const { stdout } = exits(6, await apply(mailboxes("2 GiB")));
    const pages = ["--markdown", join(account.folder, "p.md"), "--html", join(account.folder, "p.html")];
    const again = exits(6, await hostform(["plan", "-f", mailboxes("2 GiB"), ...pages]));
    await account.endFaults();
    expect(stdout).toContain("Applied: 0 added, 1 changed");
    expect(stdout).toContain("The list of mailbox/partly.example is incomplete");
    expect(again.stdout).toContain("No changes known. ");
    const [, markdown = "", , html = ""] = pages.map((path) =>
      path.startsWith("--") ? "" : readFileSync(path, "utf8"),
    );
    const title = "Hostform: no changes known, 1 list incomplete";
    expect(markdown).toContain(`### ${title}\n`);
    expect(html).toContain(`<title>${title}</title>`);
    expect((await apply(mailboxes("2 GiB"))).status).toBe(0);
  });

  test.each([403, 500])(
    "because the lists answer %i after an apply: it is not confirmed, and nothing is said to differ",
    async (status) => {
      const file = zone(`unread${status}.example`);
      const page = join(account.folder, "unread.md");
      await account.inject({ match: { method: "GET", path: "/v2026/dns/zones" }, after: 1, fault: { status } });
      const args = ["apply", "-f", file, yes, "--markdown", page];
      const { stdout } = exits(6, await runInProcess(account, args, {}, virtualClock()));
      await account.endFaults();
      const [, after = ""] = stdout.split("Applied: 2 added");
      expect(after).toContain("Applied, but not confirmed: ");
      expect(after).toContain(`The lists of dns_record/unread${status}.example, dns_zone are incomplete: GET `);
      expect(after + readFileSync(page, "utf8")).not.toMatch(/does not match|differs|will be created|Refused/u);
      exits(0, await hostform(["apply", "-f", file, yes]));
    },
  );

  test("because a record refers to what cannot be read after an apply: it is not said to differ", async () => {
    const records = (more: string) => `services: { refers.example: { plan: WEB-M, datacenter: MAD1 } }
dns: { refers.example: { records: { ${more} since: { TXT: "\${ref:service/refers.example.created_at}" } } } }`;
    exits(0, await hostform(["apply", "-f", manifest(records("")), yes]));
    await account.inject({ match: { method: "GET", path: "/v2026/services" }, after: 1, fault: { status: 500 } });
    const args = ["apply", "-f", manifest(records("www: { A: 192.0.2.1 },")), yes];
    const { stdout } = exits(6, await runInProcess(account, args, {}, virtualClock()));
    await account.endFaults();
    const [, after = ""] = stdout.split("Applied: 1 added");
    expect(after).toContain("Applied, but not confirmed: ");
    expect(after).not.toContain("dns_record/refers.example/since/TXT");
  });

  test("because a protected resource would be deleted, before --detailed-exitcode says 2", async () => {
    exits(0, await hostform(["apply", "-f", manifest("domains: { guarded.example: {} }"), yes]));
    const file = manifest("removed: [{ address: domain/guarded.example, action: delete }]");
    const { stdout } = exits(6, await account.hostform(["plan", "-f", file, "--detailed-exitcode"]));
    expect(stdout).toContain("--allow-delete domain/guarded.example");
  });
});

test("7: applied, but the live state does not match; field and values are named", async () => {
  // A contract that writes a field to a place where this API does not look, as one does who assumed wrong.
  const contract = account.write(
    "wrong.yaml",
    "contract: 1\nname: wrong\nextends: v2026\nkinds: { dns_zone: { fields: { ttl: { at: /default_ttl } } } }",
  );
  const file = manifest("dns: { seven.example: { ttl: 7200 } }");
  const { status, stdout } = await account.hostform([
    "apply",
    "-f",
    file,
    yes,
    "--settle",
    "0",
    "--contract",
    contract,
  ]);
  expect(stdout).toContain("does not match");
  expect(stdout).toMatch(/ttl 7200/u);
  expect(status).toBe(7);
});

test("8: applied, and a transfer waits for someone else", async () => {
  const file = manifest('domains: { eight.example: { transfer: { auth_code: "${env:CODE}" } } }');
  const { status, stdout } = await account.hostform(
    ["apply", "-f", file, yes, "--allow-purchase", "domain/eight.example"],
    { CODE: "very-secret-code" },
  );
  expect(stdout).toContain("pending  domain/eight.example: the transfer waits");
  expect(stdout).not.toContain("very-secret-code");
  expect(status).toBe(8);
  const again = exits(8, await hostform(["apply", "-f", file, yes]));
  expect(again.stdout).toContain("Pending: domain/eight.example: the transfer waits");
  const more = manifest(
    'domains: { eight.example: { transfer: { auth_code: "${env:CODE}" } } }\ndns: { eight.example: }',
  );
  const other = exits(8, await hostform(["apply", "-f", more, yes]));
  expect(other.stdout).toMatch(/Applied: 1 added.*Pending: domain\/eight\.example: the transfer waits/su);
});

test("130: the first interrupt finishes what is in flight, starts nothing new, and reports", async () => {
  const slow = await openAccount({ latencyMs: 40 });
  onTestFinished(slow.close);
  const names = Array.from({ length: 60 }, (_, index) => `n${index}: { A: 192.0.2.1 }`);
  mkdirSync(join(slow.folder, "m"));
  const file = slow.write(
    "m/zone.yaml",
    `version: 1\nname: exits\ndns: { int.example: { records: { ${names.join(", ")} } } }`,
  );
  let sent = false;
  const ran = await runHostform(["apply", "-f", file, yes, "--parallelism", "2", "--json", ...slow.flags], {
    env: slow.env,
    onOutput: (stdout, kill) => {
      if (sent || !stdout.includes('"type":"step_end"')) return;
      sent = true;
      kill("SIGINT");
    },
  });
  expect(ran.status).toBe(130);
  const report = eventsOf(ran).find(({ type }) => type === "report");
  const writes = (await slow.operations()).filter(({ method, status }) => method === "POST" && status === 201);
  expect(report).toMatchObject({ interrupted: true, failed: 0, done: writes.length });
  expect(Number(report?.["not_attempted"])).toBeGreaterThan(40);
});
