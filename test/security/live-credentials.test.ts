import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { listed } from "../support/live-records.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";

/** A scheduled task whose command holds a credential: somebody has written it in the panel, or an earlier apply took it from outside. */
const account = accountForFile();

const word = fc.stringMatching(/^[a-z]{3}[A-Z]{3}[0-9]{4}$/u);
/** Commands as people write them, with the place of the credential. */
const commands = [
  (secret: string) => `mysqldump -p${secret} shop`,
  (secret: string) => `curl -H "Authorization: Bearer ${secret}" https://example.com/run`,
  (secret: string) => `curl https://user:${secret}@example.com/run`,
  (secret: string) => `curl 'https://example.com/run?token=${secret}'`,
  (secret: string) => `PASSWORD=${secret} php run.php`,
  (secret: string) => `redis-cli -a ${secret} flushall`,
  (secret: string) => `mysqldump -u root -p '${secret}' shop`,
  (secret: string) => `curl https://bob:a/${secret}@example.com/run`,
  (secret: string) => `lftp -u bob,${secret} example.com`,
  (secret: string) => `smbclient -U bob%${secret} //example.com/share`,
  (secret: string) => `curl -Hx-api:${secret} https://example.com/run`,
  (secret: string) => `openssl enc -k ${secret} -in backup.tgz`,
];

const forms = {
  plan: ["plan"],
  "plan --json": ["plan", "--json"],
  "plan --full": ["plan", "--full"],
  "plan --format markdown": ["plan", "--format", "markdown"],
  "plan --html": ["plan", "--html", "page.html"],
  "plan --out": ["plan", "--out", "plan.json"],
  "plan --undo-out": ["plan", "--undo-out", "undo.json"],
  "plan --show-unmanaged": ["plan", "--show-unmanaged"],
  why: ["why", "cron/NAME/job"],
  "why --json": ["why", "cron/NAME/job", "--json"],
  snapshot: ["snapshot", "--out", "live.json"],
  apply: ["apply", "--auto-approve", "--settle", "0"],
  "apply --json": ["apply", "--auto-approve", "--settle", "0", "--json"],
} as const;
type Form = keyof typeof forms;

/** What the manifest says of the task: another command, nothing, that it goes, or that it is made anew. */
const manifests = {
  "another command": "job: { schedule: 0 4 * * *, command: php new.php }",
  "the same but for its time": "job: { schedule: 0 4 * * * }",
  nothing: "other: { schedule: 0 4 * * *, command: php new.php }",
} as const;

let count = 0;
/** Makes the task in a service of its own, runs a command and deletes both; returns all that it has printed and written. */
async function show(form: Form, says: keyof typeof manifests, command: string): Promise<string> {
  const domain = `a${(count += 1)}.example`;
  const service = { domain, hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1" };
  const task = { service: domain, name: "job", schedule: "0 3 * * *", command };
  const { fill } = account.mirror;
  expect(fill({ service: [service], cron: [task] })).toEqual([]);
  const manifest = account.write(
    `m${count}.yaml`,
    `version: 1\nname: shop\nservices: { ${domain}: {} }\ncrons: { ${domain}: { jobs: { ${manifests[says]} } } }\n`,
  );
  const files = forms[form].filter((each) => /\.(?:json|html)$/u.test(each)).map((each) => join(account.folder, each));
  for (const file of files) rmSync(file, { force: true });
  const args = forms[form].map((each) =>
    /\.(?:json|html)$/u.test(each) ? join(account.folder, each) : each.replace("NAME", domain),
  );
  const ran = await runInProcess(account, [...args, "-f", manifest], account.env);
  const [{ id } = { id: "" }] = (await listed(account, "/v2026/services")).slice(-1);
  for (const cron of await listed(account, `/v2026/crons?service_id=${id}`))
    await account.byHand("DELETE", `/v2026/crons/${cron.id}`);
  await account.byHand("DELETE", `/v2026/services/${id}`);
  expect([0, 6], ran.printed).toContain(ran.status);
  return ran.printed + files.map((file) => (existsSync(file) ? readFileSync(file, "utf8") : "")).join("");
}

describe("a credential in the command of a live task", () => {
  test("stands in no output and in no file, whatever the manifest says of the task", async () => {
    const drawn = fc.record({
      form: fc.constantFrom(...(Object.keys(forms) as Form[])),
      says: fc.constantFrom(...(Object.keys(manifests) as (keyof typeof manifests)[])),
      command: fc.constantFrom(...commands),
      secret: word,
    });
    await forDraws(160, drawn, async ({ form, says, command, secret }) => {
      const printed = await show(form, form.startsWith("why") ? "another command" : says, command(secret));
      expect(printed).not.toContain(secret);
    });
  });

  test("is masked where it stood before, and what the manifest says is shown", async () => {
    const printed = await show("plan", "another command", "mysqldump -phunter2hunter2 shop");
    expect(printed).toMatch(/command +"\(sensitive\)" -> php new\.php/u);
  });
});

describe("a credential that a manifest writes out", () => {
  const validate = (command: string) => {
    const manifest = account.write(
      "plain.yaml",
      `version: 1\nname: shop\nservices: { a.example: {} }\ncrons: { a.example: { jobs: { x: { schedule: 0 4 * * *, command: ${JSON.stringify(command)} } } } }\n`,
    );
    return runInProcess(noAccount, ["validate", "-f", manifest], { SECRET: "aValue123456" });
  };

  test.each(commands.map((command) => [command("hunter2"), command("${env:SECRET}")]))(
    "is a warning: %s, and none is %s",
    async (plain, fromOutside) => {
      expect((await validate(plain)).stderr).toContain("warning[plain_secret]: command is written in the manifest");
      expect((await validate(fromOutside)).stderr).not.toContain("plain_secret");
    },
  );

  test.each([
    "php bin/backup.php",
    "/usr/bin/php /home/u1234567890123456789/run.php",
    "tar -czf backup.tgz public",
    "mkdir -p public",
    "rsync -a public backup",
  ])("is not suspected in %s", async (command) => {
    expect((await validate(command)).stderr).not.toContain("plain_secret");
  });
});
