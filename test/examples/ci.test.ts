import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { openWorkshop } from "../state/repositories.ts";
import { openAccount } from "../support/account.ts";
import { cli, type Ran } from "../support/run-hostform.ts";
import { sealAgain } from "../support/seal-again.ts";
import { openedForFile } from "../support/opened-for-file.ts";

/** The workflow of examples/ci: each job on a machine of its own, with a clone, a home and no file of another but the plan. */
const workflow = parse(
  readFileSync(fileURLToPath(new URL("../../examples/ci/approve.yaml", import.meta.url)), "utf8"),
) as {
  jobs: Record<"plan" | "apply", { steps: { run?: string; env?: Record<string, string> }[] }>;
};
const shop = openedForFile(openWorkshop);
const account = openedForFile(() => openAccount({ seed: { ...seeded, mailbox: [{ address: "old@a.example" }] } }));
let remote: string;
let putBack: () => void;
const seeded = { domain: [{ name: "a.example", status: "active", expires_at: null }] };
beforeAll(async () => {
  putBack = account.mirror.keep();
});

const head = "version: 1\nname: shop\ndomains: { a.example: {} }\n";
const boxes = (names: string) => `mail: { a.example: { mailboxes: { ${names}: { password: "\${env:PW}" } } } }\n`;
const removal = "removed: [{ address: mailbox/old@a.example, action: delete }]\n";
const push = (text: string) => {
  const clone = shop.clone(remote);
  shop.commit(clone, "hosting/m.yaml", text);
  shop.git(clone, "push", "--quiet", "origin", "HEAD");
};

/** Runs the commands of a job on a new machine. */
async function run(job: "plan" | "apply", { plan, hash }: { readonly plan?: string; readonly hash?: string } = {}) {
  const folder = shop.clone(remote);
  const home = `${folder}.home`;
  const bin = join(home, "bin");
  mkdirSync(bin, { recursive: true });
  cpSync(join(shop.env["HOME"] ?? "", ".gitconfig"), join(home, ".gitconfig"));
  writeFileSync(join(bin, "hostform"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(bin, "hostform"), 0o755);
  if (plan !== undefined) cpSync(plan, join(folder, "plan.json"));
  const output = join(home, "output");
  const xdg = { XDG_CONFIG_HOME: join(home, "config"), XDG_STATE_HOME: join(home, "state") };
  const env = {
    ...account.env,
    ...xdg,
    HOME: home,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    GIT_CONFIG_NOSYSTEM: "1",
    HOSTFORM_BASE_URL: account.baseUrl,
    HOSTFORM_CA_FILE: join(account.folder, "ca.pem"),
    GITHUB_OUTPUT: output,
    HASH: hash ?? "",
    PW: "correct horse battery",
  };
  const commands = workflow.jobs[job].steps.flatMap(({ run: command = "npm" }) =>
    command.startsWith("npm") ? [] : [command],
  );
  expect(commands).toHaveLength(1);
  const ran = await runInBash(commands.join("\n"), folder, env);
  const printed = existsSync(output) ? readFileSync(output, "utf8") : "";
  return {
    ...ran,
    said: ran.stdout + ran.stderr,
    plan: join(folder, "plan.json"),
    hash: /^hash=(.+)$/mu.exec(printed)?.[1],
  };
}

function runInBash(command: string, cwd: string, env: Record<string, string>): Promise<Ran> {
  const child = spawn("bash", ["-e", "-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}

const mailboxes = async () => {
  const { body } = await account.byHand("GET", "/v2026/mail/accounts?domain=a.example&per_page=100");
  return (body["data"] as { address: string }[]).map(({ address }) => address).sort();
};

beforeEach(() => {
  putBack();
  remote = shop.makeRemote();
});

test("the plan of one machine is applied on another, once it is approved", async () => {
  push(head + boxes("new") + removal);
  const planned = await run("plan");
  expect(planned.status, planned.said).toBe(0);
  const applied = await run("apply", { plan: planned.plan, hash: planned.hash ?? "" });
  expect(applied.status, applied.said).toBe(0);
  expect(await mailboxes()).toEqual(["new@a.example"]);
  expect(applied.said).toContain("1 added, 0 changed, 1 destroyed");
  const after = await run("plan");
  expect([after.status, after.hash], after.said).toEqual([0, expect.stringMatching(/^sha256:/u)]);
});

test("a plan that is refused gives no hash, and a file that was altered on its way is refused", async () => {
  push(head + boxes("old"));
  const first = await run("plan");
  const adopted = await run("apply", { plan: first.plan, hash: first.hash ?? "" });
  expect(adopted.status, adopted.said).toBe(0);
  push(head);
  const refused = await run("plan");
  expect([refused.status, refused.hash], refused.said).toEqual([6, undefined]);
  push(head + removal);
  const planned = await run("plan");
  expect(planned.status, planned.said).toBe(0);
  const saved = JSON.parse(readFileSync(planned.plan, "utf8")) as object;
  writeFileSync(planned.plan, JSON.stringify(sealAgain({ ...saved, protect: ["cron"] })));
  const altered = await run("apply", { plan: planned.plan, hash: planned.hash ?? "" });
  expect(altered.status, altered.said).toBe(6);
  expect(await mailboxes()).toEqual(["old@a.example"]);
});
