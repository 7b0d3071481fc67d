import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { listed } from "../support/live-records.ts";
import { runHostform, type Ran } from "../support/run-hostform.ts";

const names = ["bakery.example", "florist.example", "garage.example"];
const hosting = { hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" };

const account = accountForFile({
  seed: {
    service: names.map((domain) => ({ domain, ...hosting })),
    domain: names.map((name) => ({ name, service: name })),
    dns_zone: names.slice(0, 2).map((name) => ({ name })),
    dns_record: names.slice(0, 2).flatMap((zone) => [
      { zone, name: "@", type: "A", content: "192.0.2.10" },
      { zone, name: "www", type: "CNAME", content: `${zone}.` },
      { zone, name: "@", type: "MX", content: "mx1.host.test.", priority: 10 },
    ]),
    mailbox: Array.from({ length: 10 }, (_, index) => ({
      address: `person${index}@${names[index % 3] ?? ""}`,
      quota_mb: 2048,
    })),
  },
});
let folder: string;
let home: string;
const commands: string[] = [];

beforeAll(async () => {
  folder = join(account.folder, "repository");
  home = join(account.folder, "home");
  mkdirSync(home);
  writeFileSync(join(home, ".gitconfig"), "[user]\n name = t\n email = t@t.test\n[init]\n defaultBranch = main\n");
  mkdirSync(folder);
});

/** The CA file is not in the repository, so each machine names it by itself. */
const env = () => ({
  HOME: home,
  GIT_CONFIG_NOSYSTEM: "1",
  PATH: process.env["PATH"] ?? "",
  HOSTFORM_CA_FILE: join(account.folder, "ca.pem"),
  ...account.env,
});

/** Runs a command in the repository as its user does. */
async function hostform(...args: string[]): Promise<Ran> {
  commands.push(`hostform ${args[0] ?? ""}`);
  const ran = await runHostform(args, { cwd: folder, env: env() });
  expect(ran.status, args.join(" ") + ran.stdout + ran.stderr).toBe(0);
  return ran;
}

function git(...args: string[]): void {
  commands.push(`git ${args[0] ?? ""}`);
  execFileSync("git", args, { cwd: folder, env: env(), stdio: ["ignore", "pipe", "pipe"] });
}

const mailboxes = async () =>
  (await listed<{ address: string }>(account, "/v2026/mail/accounts")).map(({ address }) => address);

test.runIf(size.whole)(
  "an account that was made by hand is in git after four commands, and two more remove a mailbox",
  async () => {
    git("init", "--quiet");
    const imported = await hostform("import", ...account.flags);
    expect(imported.stdout).toContain("No changes.");
    git("add", "--all");
    git("commit", "--quiet", "--message", "import the account");
    const adopted = await hostform("apply", "--auto-approve");
    expect(adopted.stdout).toMatch(/No changes\. 24 resources match/u);
    const log = await account.operations();
    expect(log.filter(({ method }) => method !== "GET")).toEqual([]);
    expect(commands).toEqual(["git init", "hostform import", "git add", "git commit", "hostform apply"]);

    commands.length = 0;
    const file = join(folder, "hosting", "florist.example.yaml");
    const main = join(folder, "hosting", "hostform.yaml");
    const text = readFileSync(file, "utf8");
    expect(text).toContain("      person4: { quota: 2 GiB }\n");
    writeFileSync(file, text.replace("      person4: { quota: 2 GiB }\n", ""));
    const entry = "removed: [{ address: mailbox/person4@florist.example, action: delete }]\n";
    writeFileSync(main, readFileSync(main, "utf8") + entry);
    git("commit", "--quiet", "--all", "--message", "remove the mailbox of person4");
    await hostform("apply", "--auto-approve");
    expect(await mailboxes()).toHaveLength(9);
    expect(await mailboxes()).not.toContain("person4@florist.example");
    const writes = (await account.operations()).filter(({ method }) => method !== "GET");
    expect(writes.map(({ method, status }) => `${method} ${status}`)).toEqual(["DELETE 204"]);
    expect(commands).toEqual(["git commit", "hostform apply"]);
    const planned = await hostform("plan");
    expect(planned.stdout).toContain("No changes.");
  },
);
