import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { workshopForFile } from "../state/repositories.ts";
import { accountForFile } from "../support/account.ts";
import { listed, liveRecords, recordsPath } from "../support/live-records.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { cli, exits, type Ran } from "../support/run-hostform.ts";
import { sealAgain } from "../support/seal-again.ts";
import { openMachine, top, type Machine } from "./machine.ts";
import { forgeToken, ours, startForge, strangers } from "./scripted-forge.ts";
import { actionsJobs, gitLabJobs, runSteps, type Handed, type Jobs } from "./workflow-jobs.ts";

/** The jobs of examples/ci as a forge runs them: each on a machine of its own, with a clone, and a forge that keeps comments and issues. */
const shop = workshopForFile();
const account = accountForFile();
const forge = openedForFile(startForge);
let remote: string;
let putBack: (() => void) | undefined;
beforeEach(() => {
  putBack ??= account.mirror.keep();
  putBack();
  remote = shop.makeRemote();
  forge.comments.splice(0, Infinity, strangers("plan:hosting%2F"));
  forge.issues.splice(0, Infinity, strangers("drift:hosting%2F"));
});

interface Forge {
  readonly example: string;
  /** Its place in a repository. */
  readonly place: string;
  readonly jobs: (text: string) => Jobs;
  readonly env: (outputs: Handed["outputs"]) => Readonly<Record<string, string>>;
  /** Of the jobs that apply main, those before the last. */
  readonly before: readonly string[];
}

const hostedEnv = (path: string) => ({
  GITHUB_ACTIONS: "true",
  GITHUB_API_URL: new URL(path, forge.baseUrl).href,
  GITHUB_REPOSITORY: "a/b",
});
const tarball = "https://files.host.example/hostform.tgz";
const key = () => account.env["HOSTFORM_API_KEY"] ?? "";

const forges: Readonly<Record<string, Forge>> = {
  GitHub: {
    example: "github.yaml",
    place: ".github/workflows/hostform.yml",
    jobs: actionsJobs,
    before: ["propose"],
    env: () => hostedEnv("/api/v3"),
  },
  Forgejo: {
    example: "forgejo.yaml",
    place: ".forgejo/workflows/hostform.yml",
    jobs: actionsJobs,
    before: [],
    env: () => hostedEnv("/api/v1"),
  },
  GitLab: {
    example: "gitlab-ci.yml",
    place: ".gitlab-ci.yml",
    jobs: gitLabJobs,
    before: ["propose"],
    env: ({ HASH = "" }) => ({
      GITLAB_CI: "true",
      CI_API_V4_URL: new URL("/gitlab/api/v4", forge.baseUrl).href,
      CI_PROJECT_ID: "7",
      CI_MERGE_REQUEST_IID: "1",
      HOSTFORM_PUSH_URL: remote,
      FORGE_TOKEN: forgeToken,
      HOSTFORM_API_KEY: key(),
      HOSTFORM_BASE_URL: account.baseUrl,
      HOSTFORM_PACKAGE: tarball,
      HASH,
    }),
  },
};

/** The values of expressions in a job of the repository. A job of a fork gets neither secrets nor variables, and another token. */
const values: Readonly<Record<string, () => string>> = {
  "secrets.HOSTFORM_API_KEY": key,
  "vars.HOSTFORM_BASE_URL": () => account.baseUrl,
  "vars.HOSTFORM_PACKAGE": () => tarball,
  "github.token": () => forgeToken,
  "github.event.number": () => "1",
};

interface JobOptions {
  readonly branch?: string;
  readonly handed?: Handed;
  readonly isFork?: boolean;
  readonly killAt?: RegExp;
}

/** Runs a job of the workflow that stands in the repository. */
async function runJob(
  { place, jobs, env }: Forge,
  name: string,
  { branch = "main", handed = newHanded(), isFork = false, killAt }: JobOptions = {},
): Promise<Ran & { readonly machine: Machine }> {
  const machine = openMachine(shop, account, { remote, branch, forgeCa: forge.ca });
  const valueOf = (expression: string) => {
    const value = values[expression];
    if (value === undefined) throw new Error(`an unknown expression: ${expression}`);
    return isFork && /^(?:secrets|vars|github\.token$)/u.test(expression) ? "" : value();
  };
  const steps = jobs(readFileSync(join(machine.folder, place), "utf8"))[name] ?? [];
  expect(steps.length, name).toBeGreaterThan(0);
  const ran = await runSteps(machine, steps, handed, { env: env(handed.outputs), valueOf, killAt });
  return { ...ran, machine };
}

const forgeOf = (name: string): Forge => {
  const found = forges[name];
  if (!found) throw new Error(name);
  return found;
};

const newHanded = (): Handed => ({ outputs: {}, files: mkdtempSync(join(shop.folder, "handed-")) });
const said = (ran: Ran) => ran.stdout + ran.stderr;
const expectDone = (ran: Ran) => expect(ran.status, said(ran)).toBe(0);

/** Runs the jobs before the one that applies. */
async function propose(runner: Forge): Promise<Handed> {
  const handed = newHanded();
  for (const job of runner.before) expectDone(await runJob(runner, job, { handed }));
  return handed;
}

async function deploy(runner: Forge): Promise<void> {
  expectDone(await runJob(runner, "apply", { handed: await propose(runner) }));
}

/** Commits a change of main to a branch, and pushes it. */
function push(branch: string, change: (clone: string) => void): void {
  const clone = shop.clone(remote);
  change(clone);
  shop.git(clone, "add", "--all");
  shop.git(clone, "commit", "--quiet", "--message", "change");
  shop.git(clone, "push", "--quiet", "--force", "origin", `HEAD:${branch}`);
}

const customer = "hosting/a.example.yaml";
/** Writes what init writes, with the workflow of the forge in its place. */
const begin =
  ({ example, place }: Forge) =>
  (clone: string) => {
    rmSync(join(clone, "manifest.yaml"));
    const flags = ["--domain", "a.example", "--base-url", account.baseUrl];
    execFileSync(process.execPath, [cli, "init", ...flags], { cwd: clone, env: shop.env });
    if (example === "github.yaml") return;
    rmSync(join(clone, ".github"), { recursive: true });
    mkdirSync(dirname(join(clone, place)), { recursive: true });
    cpSync(join(top, "examples/ci", example), join(clone, place));
  };

/** Writes records of these names beside those of the first manifest. */
const withRecords = (names: readonly string[]) => (clone: string) => {
  const file = join(clone, customer);
  const records = names.map((name) => `      ${name}: { TXT: here }\n`).join("");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(/^ {6}www: .*\n/mu, (line) => line + records),
  );
};

const texts = async () =>
  (await liveRecords(account))
    .filter(({ content }) => content === '"here"')
    .map(({ name }) => name)
    .toSorted();

test.runIf(size.whole).each(Object.keys(forges))(
  "the jobs of %s keep one comment, apply main by its hash, and survive a runner that dies",
  async (name) => {
    const runner = forgeOf(name);
    push("main", begin(runner));
    for (const names of [["b"], ["b", "c"]]) {
      push("change", withRecords(names));
      expectDone(await runJob(runner, "plan", { branch: "change" }));
      const added = expect.stringContaining(`${7 + names.length} to add, 0 to change`) as string;
      expect(ours(forge.comments)).toEqual([expect.objectContaining({ body: added })]);
    }

    push("main", withRecords(["b", "c"]));
    const handed = await propose(runner);
    const dead = await runJob(runner, "apply", { handed, killAt: /^created {2}service/mu });
    expect(dead.status, said(dead)).toBe(null);
    expect(await listed(account, "/v2026/services")).toHaveLength(1);
    for (let times = 0; times < 2; times += 1) {
      expectDone(await runJob(runner, "apply", { handed }));
      expect(await texts()).toEqual(["b", "c"]);
    }
    if (runner.before.length > 0) {
      const plan = join(handed.files, "plan.json");
      writeFileSync(
        plan,
        JSON.stringify(sealAgain({ ...(JSON.parse(readFileSync(plan, "utf8")) as object), protect: ["cron"] })),
      );
      expect((await runJob(runner, "apply", { handed })).status).toBe(6);
    }
    expect(forge.comments[0]).toEqual(strangers("plan:hosting%2F"));
  },
);

test.runIf(size.nightsOfForges).each(Object.keys(forges))(
  "the jobs of %s keep one issue, run for a fork without a key, and let a customer leave",
  async (name) => {
    const runner = forgeOf(name);
    push("main", begin(runner));
    push("main", withRecords(["b", "c"]));
    await deploy(runner);
    const night = newHanded();
    expectDone(await runJob(runner, "drift", { handed: night }));
    expect(ours(forge.issues)).toEqual([]);
    if (name === "GitHub") {
      push("fork", withRecords(["d"]));
      const { length } = await account.operations();
      const fork = await runJob(runner, "fork", { branch: "fork", handed: night, isFork: true });
      expectDone(fork);
      expect(fork.machine.summary()).toContain("1 to add, 0 to change");
      expect(await account.operations()).toHaveLength(length);
    }

    const [record] = (await liveRecords(account)).filter(({ name: label }) => label === "b");
    await account.byHand("DELETE", `${await recordsPath(account)}/${record?.id}`);
    for (let times = 0; times < 2; times += 1) {
      expectDone(await runJob(runner, "drift"));
      const gone = expect.stringContaining("1 gone") as string;
      expect(ours(forge.issues)).toEqual([expect.objectContaining({ state: "open", body: gone })]);
    }

    const leave = (clone: string) => rmSync(join(clone, customer));
    push("leaving", leave);
    exits(6, await runJob(runner, "plan", { branch: "leaving" }));
    const [comment] = ours(forge.comments);
    const entries = comment?.body.match(/^ *- \{ address: .*\}$/gmu) ?? [];
    expect(entries.length, comment?.body).toBeGreaterThan(0);
    push("main", (clone) => {
      leave(clone);
      appendFileSync(join(clone, "hosting/hostform.yaml"), `removed:\n${entries.join("\n")}\n`);
    });
    await deploy(runner);
    expect(await listed(account, "/v2026/dns/zones")).toEqual([]);
    expectDone(await runJob(runner, "drift"));
    expect(ours(forge.issues)).toEqual([expect.objectContaining({ state: "closed" })]);
    expect([forge.comments[0], forge.issues[0]]).toEqual([strangers("plan:hosting%2F"), strangers("drift:hosting%2F")]);
  },
);
