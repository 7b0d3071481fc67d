import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Account } from "../support/account.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { shapeForTest } from "../support/shaped-scenario.ts";
import { shapes, type ShapeName } from "../support/shapes.ts";
import { size } from "../proofs/size.ts";

const head = "version: 1\nname: shaped\n";
const whole = `${head}services: { example.com: { plan: WEB-M, datacenter: MAD1 } }
dns: { example.com: { records: { www: { A: [192.0.2.1, 192.0.2.2] }, "@": { MX: { priority: 10, value: www.example.com. } } } } }
mail: { example.com: { mailboxes: { info: { password: "\${env:PW}", quota: 2 GiB } } } }
`;
const secrets = { PW: "correct horse battery" };

const run = (account: Pick<Account, "flags" | "env">, ...args: string[]) => runInProcess(account, args, secrets);

test.runIf(size.whole)("rehearse, status, why and snapshot work under the contract of another API", async () => {
  const account = await shapeForTest("sets");
  const file = account.write("m.yaml", whole);
  expect((await run(account, "rehearse", "-f", file)).stdout).toMatch(/proved +.* the same 5 steps are planned/u);
  expect((await run(account, "apply", "--auto-approve", "-f", file)).status).toBe(0);
  expect((await run(account, "status")).stdout).toMatch(/mailbox\/info@example\.com +active +0 of 2048 MB/u);
  expect((await run(account, "why", "dns_record/example.com/www/A", "-f", file)).stdout).toMatch(/No step/u);

  const snapshot = join(account.folder, "live.json");
  expect((await run(account, "snapshot", "--out", snapshot)).status).toBe(0);
  const contract = account.flags.slice(account.flags.indexOf("--contract"));
  const offline = ["plan", "--detailed-exitcode", "-f", file, "--live", snapshot];
  expect((await run({ flags: contract, env: {} }, ...offline)).status).toBe(0);
  const other = exits(3, await run(noAccount, ...offline));
  expect(other.stderr + other.stdout).toContain("was taken with the contract sets, and this plan uses v2026");
});

test.runIf(size.whole)(
  "cron jobs are rehearsed where the API has no names for them: made, changed and deleted",
  async () => {
    const account = await shapeForTest("hostinger");
    const service = 'services: { example.com: { plan: "4711", datacenter: uk } }';
    const declare = (jobs: string) =>
      account.write("m.yaml", `${head}${service}\ncrons: { example.com: { exclusive: true, jobs: { ${jobs} } } }\n`);
    const rehearse = async (jobs: string, ...flags: string[]) => {
      const { stdout } = exits(0, await run(account, "rehearse", "-f", declare(jobs), ...flags));
      expect(stdout).toMatch(/proved +\d+ calls? run; a second plan has no changes/u);
    };
    const nightly = "nightly: { schedule: 0 3 * * *, command: /html/a.php }";
    await rehearse(nightly);
    expect((await run(account, "apply", "--auto-approve", "-f", declare(nightly))).status).toBe(0);
    await rehearse(`${nightly}, other: { schedule: 0 4 * * *, command: /html/b.php }`);
    await rehearse("nightly: { schedule: 5 3 * * *, command: /html/a.php }");
    await rehearse("", "--allow-delete", "cron/*=1");
  },
);

test("a list below a zone that does not exist is empty, although it answers 404", async () => {
  const account = await shapeForTest("sets");
  const file = account.write("m.yaml", `${head}dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }\n`);
  expect((await run(account, "plan", "-f", file)).stdout).toContain("2 to add");
  // Without a list of zones nobody knows.
  const { dns_zone: _, ...kinds } = shapes.sets.contract.kinds;
  const poor = join(account.folder, "poor.yaml");
  writeFileSync(poor, JSON.stringify({ ...shapes.sets.contract, kinds: { ...kinds, dnssec: null } }));
  const flags = [...account.flags.slice(0, -1), poor];
  expect((await run({ ...account, flags }, "plan", "-f", file)).status).not.toBe(0);
});

test("a zone is deleted, and its deletion rehearsed, where the API lists the apex NS and SOA like other records", async () => {
  const account = await shapeForTest("hetzner-cloud");
  const made = account.write("made.yaml", `${head}dns: { example.com: {} }\n`);
  expect((await run(account, "apply", "--auto-approve", "-f", made)).status).toBe(0);
  const gone = account.write("gone.yaml", `${head}removed: [{ address: dns_zone/example.com, action: delete }]\n`);
  const consent = ["-f", gone, "--allow-delete", "dns_zone/example.com"];
  expect((await run(account, "rehearse", ...consent)).status).toBe(0);
  expect(exits(0, await run(account, "apply", "--auto-approve", ...consent)).stdout).toContain("1 to destroy");
});

test.runIf(size.whole)("the rehearsal of an exchange compares no requests that put back", async () => {
  const account = await shapeForTest("bare");
  const live = account.write("live.yaml", `${head}dns: { example.com: { records: { www: { A: 192.0.2.1 } } } }\n`);
  expect((await run(account, "apply", "--auto-approve", "-f", live)).status).toBe(0);
  const next = account.write(
    "next.yaml",
    `${head}dns: { example.com: { records: { www: { CNAME: x.example.net. } } } }\nremoved: [{ address: dns_record/example.com/www/A, action: delete }]\n`,
  );
  expect((await run(account, "rehearse", "-f", next)).status).toBe(0);
});

test("an object that the API creates below one that does not exist is refused at its line", async () => {
  const account = await shapeForTest("mittwald");
  await account.create("/domains", { name: "example.com" });
  const file = account.write(
    "m.yaml",
    `${head}domains: { example.com: {} }\nmail: { example.com: { mailboxes: { info: { password: "\${env:PW}" } } } }\n`,
  );
  const { stdout, stderr } = exits(3, await run(account, "plan", "-f", file));
  expect(stdout + stderr).toMatch(
    /error\[missing_parent\]: mailbox\/info@example\.com does not exist, and the API creates it below service\/example\.com, which does not exist\n --> .*m\.yaml:4/u,
  );
  account.write("m.yaml", `${readFileSync(file, "utf8")}services: { example.com: {} }\n`);
  const declared = await run(account, "plan", "-f", file);
  expect(declared.stdout + declared.stderr).not.toContain("missing_parent");
});

test("a command starts the embedded service in the shape of its contract, also where two headers hold the key", async () => {
  const account = await shapeForTest("sets");
  const file = account.write("m.yaml", whole);
  const contract = account.flags.slice(account.flags.indexOf("--contract"));
  const { status, stdout } = await run(
    { flags: contract, env: {} },
    "apply",
    "--auto-approve",
    "--emulator",
    "-f",
    file,
  );
  expect(stdout).toContain("(contract sets)");
  expect(status).toBe(0);
});

test("a contract that the embedded service cannot speak is refused with its entries", async () => {
  const { certificate, dns_zone: zone } = shapes.bare.contract.kinds;
  const kinds = {
    certificate: {
      ...certificate,
      operations: { ...certificate?.operations, delete: { method: "DELETE", path: "/certificates/{id}" } },
    },
    dns_zone: { ...zone, operations: { ...zone?.operations, create: "implicit" } },
  };
  const account = await shapeForTest("bare");
  const contract = account.write(
    "c.yaml",
    JSON.stringify({ ...shapes.bare.contract, kinds: { ...shapes.bare.contract.kinds, ...kinds } }),
  );
  const file = account.write("m.yaml", `${head}dns: { example.com: {} }\n`);
  const { status, stderr } = await run(noAccount, "plan", "--emulator", "--contract", contract, "-f", file);
  expect(stderr).toContain("kinds.certificate.operations.delete: the embedded service cannot delete a certificate");
  expect(stderr).toContain(
    "kinds.dns_zone.operations.create: the embedded service creates only mail_settings by itself",
  );
  expect(status).not.toBe(0);
});

test.each(size.every(6, Object.keys(shapes) as ShapeName[]))(
  "doctor refutes nothing of the contract %s on an API of this shape",
  async (name) => {
    const account = await shapeForTest(name);
    const file = account.write("m.yaml", whole);
    expect((await run(account, "apply", "--auto-approve", "-f", file)).status).toBe(0);
    expect(exits(0, await run(account, "doctor")).stdout).not.toContain("refuted:");
  },
);
