import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { recordsPath } from "../support/live-records.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { shapeForTest } from "../support/shaped-scenario.ts";

/** A value that an apply took from a secret, and that the manifest does not refer to any more. No git, so only the inventory can know. */
const account = accountForFile();
const prefixed = accountForFile({ namePrefix: "u123" });

const secret = "the-token-of-then";
let count = 0;

const later: readonly (readonly [string, (name: string) => string])[] = [
  ["another value", () => "records: { t: { TXT: open }, u: { A: 192.0.2.1 } }"],
  ["one of two values", () => "records: { t: { TXT: [open, more] } }"],
  ["nothing of it", () => "records: { u: { A: 192.0.2.1 } }"],
  ["an exclusive zone without it", () => "exclusive: true\n    records: { u: { A: 192.0.2.1 } }"],
];

test.each(later)("stays masked where the manifest has %s now", async (_what, text) => {
  count += 1;
  const name = `n${count}.example`;
  const inventory = join(account.folder, `${name}.json`);
  const write = (body: string) =>
    account.write(`${name}.yaml`, `version: 1\nname: former\ndns:\n  ${name}:\n    ${body}\n`);
  const manifest = write('records: { t: { TXT: ["${env:TOKEN}", open] }, u: { A: 192.0.2.1 } }');
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runInProcess(account, [...args, "-f", manifest, "--inventory", inventory], env);
  exits(0, await run(["apply", "--auto-approve"], { TOKEN: secret }));
  expect(readFileSync(inventory, "utf8")).toContain(`"dns_record/${name}/t/TXT content"`);
  expect(readFileSync(inventory, "utf8")).not.toContain(secret);

  write(text(name));
  const plan = join(account.folder, `${name}.plan.json`);
  const undo = join(account.folder, `${name}.undo.json`);
  const commands = [
    ["plan", "--out", plan, "--undo-out", undo],
    ["plan", "--json"],
    ["why", `dns_record/${name}/t/TXT`],
    ["snapshot", "--out", join(account.folder, `${name}.live.json`)],
  ];
  for (const args of commands) {
    const { stdout, stderr } = await run(args);
    expect(stdout + stderr, args.join(" ")).not.toContain(secret);
  }
  for (const path of [plan, undo]) expect(readFileSync(path, "utf8")).not.toContain(secret);
  const applied = await run(["apply", "--auto-approve", "--allow-delete", `dns_record/${name}/t/TXT`, "--json"]);
  expect(applied.stdout + applied.stderr).not.toContain(secret);
});

test("a value that is written in the open since is shown, and its mark is gone", async () => {
  const inventory = join(account.folder, "open.json");
  const write = (value: string) =>
    account.write(
      "open.yaml",
      `version: 1\nname: opened\ndns: { open.example: { records: { t: { TXT: ${value} } } } }\n`,
    );
  const manifest = write('"${env:TOKEN}"');
  const run = (...args: string[]) =>
    runInProcess(account, [...args, "-f", manifest, "--inventory", inventory], { TOKEN: secret });
  await run("apply", "--auto-approve");
  write("a-public-value");
  expect((await run("apply", "--auto-approve")).status).toBe(0);
  expect(readFileSync(inventory, "utf8")).not.toContain("secret_fields");
  write("another-value");
  expect((await run("plan")).stdout).toContain("a-public-value");
});

test("a beginning of a former secret is masked, unless a manifest writes it", async () => {
  const inventory = join(account.folder, "cut.json");
  const write = (body: string) =>
    account.write("cut.yaml", `version: 1\nname: cut\ndns: { cut.example: { records: { ${body} } } }\n`);
  const manifest = write('t: { TXT: "${env:TOKEN}" }');
  const run = (...args: string[]) =>
    runInProcess(account, [...args, "-f", manifest, "--inventory", inventory], { TOKEN: secret });
  await run("apply", "--auto-approve");
  const cut = `"${secret.slice(0, 13)} and more"`;
  const made = { name: "v", type: "TXT", content: cut, ttl: 300 };
  expect((await account.byHand("POST", await recordsPath(account, "cut.example"), made)).status).toBe(201);
  write("v: { TXT: other }");
  const hidden = await run("plan");
  expect(hidden.stdout).toContain("(sensitive) and more");
  expect(hidden.stdout + hidden.stderr).not.toContain(secret.slice(0, 12));
  write(`v: { TXT: other }, w: { TXT: ${secret.slice(0, 13)} }`);
  expect((await run("plan")).stdout).toContain(`${secret.slice(0, 13)} and more`);
});

test("a value that was never secret is shown where others have it, once a manifest takes it from a secret", async () => {
  const write = (value: string) =>
    account.write(
      "taken.yaml",
      `version: 1\nname: taken\ndns: { taken.example: { records: { t: { TXT: "${value}" } } } }\n`,
    );
  const manifest = write("taken.example");
  const run = (args: readonly string[]) =>
    runInProcess(account, [...args, "-f", manifest, "--inventory", join(account.folder, "taken.json")], {
      TOKEN: secret,
    });
  exits(0, await run(["apply", "--auto-approve"]));
  write("${env:TOKEN}");
  expect(exits(0, await run(["plan"])).stdout).toContain("dns_record/taken.example/t/TXT   (sensitive) -> (sensitive)");
});

test.each([
  ["as the manifest has it", account],
  ["after a prefix of its own", prefixed],
] as const)(
  "is masked, and in no file, where the server writes the name %s",
  async (_how, { folder, write, ...at }) => {
    const address = "ftp_account/n.example/deploy";
    const inventory = join(folder, "ftp.json");
    const declare = (home: string) =>
      write(
        "ftp.yaml",
        `version: 1
name: ftp
services: { n.example: { plan: WEB-M, datacenter: MAD1 } }
ftp: { n.example: { accounts: { deploy: { home: "${home}", password: "\${env:PW}" } } } }
`,
      );
    const manifest = declare("/${env:TOKEN}");
    const run = (args: readonly string[], env: Record<string, string> = {}) =>
      runInProcess(at, [...args, "-f", manifest, "--inventory", inventory, "--json"], {
        PW: "a-good-password",
        ...env,
      });
    exits(0, await run(["apply", "--auto-approve"], { TOKEN: secret }));
    const files = ["plan", "undo", "live"].map((name) => join(folder, `ftp.${name}.json`)) as [string, string, string];
    const [plan, undo, live] = files;
    const expectHidden = async (...commands: readonly (readonly string[])[]) => {
      for (const args of commands) {
        const { stdout, stderr } = await run(args, { TOKEN: "another-token" });
        const text = args.flatMap((each) => (files.includes(each) ? readFileSync(each, "utf8") : []));
        expect([stdout, stderr, ...text].join("\n"), args.join(" ")).not.toContain(secret);
      }
    };
    await expectHidden(["snapshot", "--out", live], ["plan", "--out", plan, "--undo-out", undo], ["why", address]);
    declare("/www");
    await expectHidden(
      ["snapshot", "--out", live],
      ["plan", "--out", plan, "--undo-out", undo],
      ["why", address],
      ["drift"],
      ["rehearse"],
      ["apply", "--auto-approve"],
    );
  },
);

test("of a task that the API gives no name is found again, also where it is not set, and masked once the manifest has another", async () => {
  const nameless = await shapeForTest("hostinger");
  const { folder } = nameless;
  const manifest = nameless.write(
    "jobs.yaml",
    `version: 1
name: jobs
services: { a.example: { plan: "4711", datacenter: uk } }
crons: { a.example: { jobs: { nightly: { schedule: "0 3 * * *", command: "php run.php \${env:TOKEN}" } } } }
`,
  );
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runInProcess(nameless, [...args, "-f", manifest, "--inventory", join(folder, "jobs.json")], env);
  exits(0, await run(["apply", "--auto-approve"], { TOKEN: secret }));
  const again = exits(0, await run(["plan", "--detailed-exitcode"], { TOKEN: secret }));
  expect(again.stdout).toContain("No changes.");
  const live = join(folder, "jobs.live.json");
  const commands = [
    ["plan", "--show-unmanaged"],
    ["drift", "--unmanaged"],
    ["snapshot", "--out", live],
  ];
  for (const env of [{}, { TOKEN: "another-token" }] as readonly Record<string, string>[])
    for (const args of commands) {
      const { stdout, stderr } = await run(args, env);
      const file = args.includes(live) ? readFileSync(live, "utf8") : "";
      expect(stdout + stderr + file, args.join(" ")).not.toContain(secret);
    }
  const place = nameless.flags.indexOf("--contract");
  const offline = { flags: nameless.flags.slice(place, place + 2), env: {} };
  const planned = ["plan", "-f", manifest, "--inventory", join(folder, "jobs.json"), "--live", live];
  exits(2, await run(["plan", "--detailed-exitcode"]));
  expect(exits(0, await run(["drift"])).stdout).toContain("No drift.");
  expect(exits(0, await runInProcess(offline, planned, { TOKEN: secret })).stdout).toContain("No changes.");
});
