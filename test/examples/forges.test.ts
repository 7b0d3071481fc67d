import { spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { openWorkshop } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { openAccount } from "../support/account.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { cli, type Ran } from "../support/run-hostform.ts";

/**
 * The jobs of examples/ci as a forge runs them: each on a machine of its own with a clone of the remote, its commands in bash, and a forge that
 * keeps comments and issues.
 */
const top = fileURLToPath(new URL("../..", import.meta.url));
const shop = openedForFile(openWorkshop);
const account = openedForFile(() =>
  openAccount({
    seed: { domain: [{ name: "a.example", status: "active", expires_at: null }], dns_zone: [{ name: "a.example" }] },
  }),
);
let remote: string;
let server: HttpsServer;
let putBack: () => void;

interface Entry {
  readonly id: number;
  body: string;
  state: string;
  readonly by: string;
}
const bot = "github-actions[bot]";
const forge = { comments: [] as Entry[], issues: [] as Entry[], sent: [] as string[] };
const strangers: Entry = { id: 1, body: "<!-- hostform:plan:hosting%2F -->", state: "open", by: "stranger" };

/** Comments and issues as the API of GitHub and Forgejo, or that of GitLab, has them. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = (chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}) as Record<string, string>;
  const { pathname, searchParams } = new URL(request.url ?? "", "https://forge.example");
  const isGitLab = pathname.startsWith("/gitlab");
  const reply = (value: unknown, status = 200) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const token = isGitLab ? request.headers["private-token"] : request.headers.authorization?.replace("token ", "");
  if (token !== "forge-token") return reply({ message: "401 Unauthorized" }, 401);
  if (pathname.endsWith("/user")) return reply({ id: bot });
  if (request.method !== "GET") forge.sent.push(`${request.method} ${pathname}`);
  const shown = ({ id, body: text, state, by }: Entry) =>
    isGitLab
      ? { id, iid: id, body: text, description: text, state, author: { id: by } }
      : { id, number: id, body: text, state, user: { login: by } };
  const list = /(?:notes|comments)(?:\/\d+)?$/u.test(pathname) ? forge.comments : forge.issues;
  const id = Number(/\/(\d+)$/u.exec(pathname)?.[1] ?? 0);
  const text = body["body"] ?? body["description"];
  if (request.method === "GET")
    return reply(searchParams.get("page") === "1" ? list.filter(({ state }) => state === "open").map(shown) : []);
  if (request.method === "POST") {
    const made = { id: list.length + 1, body: text ?? "", state: "open", by: bot };
    list.push(made);
    return reply(shown(made), 201);
  }
  const found = list.find((each) => each.id === id);
  if (!found) return reply({ message: "404" }, 404);
  if (text !== undefined) found.body = text;
  if (body["state"] === "closed" || body["state_event"] === "close") found.state = "closed";
  return reply(shown(found));
}

beforeAll(async () => {
  putBack = account.mirror.keep();
  server = await startHttpsServer((request, response) => void answer(request, response));
  writeFileSync(join(account.folder, "forge.pem"), server.ca);
});
afterAll(() => server.close());
beforeEach(() => {
  putBack();
  remote = shop.makeRemote();
  Object.assign(forge, { comments: [{ ...strangers }], issues: [{ ...strangers }], sent: [] });
});

/** What a job is: its commands with the variables of each, and which files and outputs it hands on. */
interface Step {
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
  readonly needs?: string | undefined;
}

interface Forge {
  readonly file: string;
  readonly env: () => Readonly<Record<string, string>>;
  readonly jobs: (text: string) => Readonly<Record<string, readonly Step[]>>;
  /** The jobs that apply main, in their order. */
  readonly applying: readonly string[];
}

const actions = (text: string) => {
  const { jobs, env } = parse(text) as {
    env: Record<string, string>;
    jobs: Record<string, { steps: { run?: string; if?: string; env?: Record<string, string> }[] }>;
  };
  const steps = ({ steps: all }: (typeof jobs)[string]) =>
    all.flatMap(({ run: command, env: own = {}, if: when }): Step[] =>
      command === undefined || command.startsWith("npm ")
        ? []
        : [{ run: command, env: { ...env, ...own }, needs: when === undefined ? undefined : "plan.md" }],
    );
  return Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, steps(job)]));
};

const gitLabJobs = (text: string) => {
  const { variables, ...jobs } = parse(text) as Record<string, { script?: string[] } & Record<string, unknown>>;
  const { before_script: before = [] } = jobs[".hostform"] as { before_script?: string[] };
  return Object.fromEntries(
    Object.entries(jobs).flatMap(([name, { script }]) =>
      script === undefined
        ? []
        : [[name, [{ run: [...before, ...script].join("\n"), env: variables as never }]] as const],
    ),
  );
};

const forges: Readonly<Record<string, Forge>> = {
  GitHub: {
    file: "github.yaml",
    jobs: actions,
    applying: ["propose", "apply"],
    env: () => ({
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: new URL("/api/v3", server.baseUrl).href,
      GITHUB_REPOSITORY: "a/b",
    }),
  },
  Forgejo: {
    file: "forgejo.yaml",
    jobs: actions,
    applying: ["apply"],
    env: () => ({
      GITHUB_ACTIONS: "true",
      GITHUB_API_URL: new URL("/api/v1", server.baseUrl).href,
      GITHUB_REPOSITORY: "a/b",
    }),
  },
  GitLab: {
    file: "gitlab-ci.yml",
    jobs: gitLabJobs,
    applying: ["propose", "apply"],
    env: () => ({
      GITLAB_CI: "true",
      CI_API_V4_URL: new URL("/gitlab/api/v4", server.baseUrl).href,
      CI_PROJECT_ID: "7",
      CI_MERGE_REQUEST_IID: "1",
      HOSTFORM_PUSH_URL: remote,
      FORGE_TOKEN: "forge-token",
      HOSTFORM_API_KEY: account.env["HOSTFORM_API_KEY"] ?? "",
      HOSTFORM_BASE_URL: account.baseUrl,
      HOSTFORM_PACKAGE: "./hostform.tgz",
    }),
  },
};

/** The expressions of a workflow, as far as the jobs have them. */
const filled = (text: string, outputs: Readonly<Record<string, string>>) =>
  text.replaceAll(/\$\{\{\s*([^}]+?)\s*\}\}/gu, (_, expression: string) => {
    if (expression === "secrets.HOSTFORM_API_KEY") return account.env["HOSTFORM_API_KEY"] ?? "";
    if (expression === "github.token") return "forge-token";
    if (expression === "github.event.number") return "1";
    if (expression === "vars.HOSTFORM_BASE_URL") return account.baseUrl;
    const output = /^(?:steps|needs)\.\w+\.outputs\.(\w+)$/u.exec(expression)?.[1];
    return output === undefined ? "" : (outputs[output] ?? "");
  });

/** Runs a job on a new machine at a branch; what earlier jobs have handed on lies in its clone. Ends at the first command that fails, but for a comment. */
async function runJob(
  { file, env, jobs }: Forge,
  name: string,
  {
    branch = "main",
    handed = {},
    onStart,
  }: { branch?: string; handed?: Record<string, string>; onStart?: (kill: () => void) => void } = {},
): Promise<Ran & { readonly handed: Record<string, string> }> {
  const folder = shop.clone(remote);
  shop.git(folder, "checkout", "--quiet", branch);
  const home = `${folder}.home`;
  const bin = join(home, "bin");
  const modules = join(home, "modules");
  mkdirSync(bin, { recursive: true });
  mkdirSync(modules);
  symlinkSync(top, join(modules, "hostform"));
  cpSync(join(shop.env["HOME"] ?? "", ".gitconfig"), join(home, ".gitconfig"));
  const script = (path: string, text: string) => {
    writeFileSync(join(bin, path), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, path), 0o755);
  };
  script("hostform", `exec "${process.execPath}" "${cli}" "$@"`);
  script("node", `exec "${process.execPath}" "$@"`);
  script("npm", `if test "$1" = root; then echo "${modules}"; fi`);
  const outputs: Record<string, string> = { ...handed };
  if (handed["plan.json"] !== undefined) writeFileSync(join(folder, "plan.json"), handed["plan.json"]);
  const output = join(home, "output");
  writeFileSync(output, "");
  const all = jobs(readFileSync(join(top, "examples/ci", file), "utf8"))[name] ?? [];
  expect(all.length, name).toBeGreaterThan(0);
  let ran: Ran = { status: 0, stdout: "", stderr: "" };
  for (const { run, env: own, needs } of all) {
    if (ran.status !== 0 && !(needs !== undefined && existsSync(join(folder, needs)))) continue;
    const variables = Object.fromEntries(Object.entries(own).map(([key, value]) => [key, filled(value, outputs)]));
    const step = await inBash(
      run,
      folder,
      {
        HOME: home,
        PATH: `${bin}:${process.env["PATH"] ?? ""}`,
        GIT_CONFIG_NOSYSTEM: "1",
        XDG_STATE_HOME: join(home, "state"),
        HOSTFORM_CA_FILE: join(account.folder, "ca.pem"),
        NODE_EXTRA_CA_CERTS: join(account.folder, "forge.pem"),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: join(home, "summary"),
        PW: "correct horse battery",
        ...env(),
        ...variables,
        HASH: outputs["hash"] ?? "",
      },
      onStart,
    );
    for (const [, key = "", value = ""] of readFileSync(output, "utf8").matchAll(/^(\w+)=(.*)$/gmu))
      outputs[key] = value;
    ran = {
      status: ran.status === 0 ? step.status : ran.status,
      stdout: ran.stdout + step.stdout,
      stderr: ran.stderr + step.stderr,
    };
  }
  const dotenv = join(folder, "plan.env");
  if (existsSync(dotenv)) outputs["hash"] = readFileSync(dotenv, "utf8").trim().replace("HASH=", "");
  if (existsSync(join(folder, "plan.json"))) outputs["plan.json"] = readFileSync(join(folder, "plan.json"), "utf8");
  return { ...ran, handed: outputs };
}

function inBash(
  command: string,
  cwd: string,
  env: Record<string, string>,
  onStart?: (kill: () => void) => void,
): Promise<Ran> {
  const child = spawn("bash", ["-e", "-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  onStart?.(() => child.pid !== undefined && process.kill(-child.pid, "SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}

const manifest = (...names: string[]) =>
  `version: 1\nname: shop\ndomains: { a.example: {} }\ndns: { a.example: { records: { ${names.map((name) => `${name}: { TXT: here }`).join(", ")} } } }\n`;

function push(text: string, branch = "main"): void {
  const clone = shop.clone(remote);
  if (branch !== "main") shop.git(clone, "checkout", "--quiet", "-B", branch);
  shop.commit(clone, "hosting/m.yaml", text);
  shop.git(clone, "push", "--quiet", "--force", "origin", `HEAD:${branch}`);
}

/** Runs the jobs that apply main. */
async function deploy(runner: Forge): Promise<Ran> {
  let handed: Record<string, string> = {};
  let ran: Ran = { status: 0, stdout: "", stderr: "" };
  for (const job of runner.applying) {
    const next = await runJob(runner, job, { handed });
    ran = next;
    ({ handed } = next);
    if (next.status !== 0) return ran;
  }
  return ran;
}

const records = async () => {
  const zones = (await account.byHand("GET", "/v2026/dns/zones")).body["data"] as { id: string }[];
  const { body } = await account.byHand("GET", `/v2026/dns/zones/${zones[0]?.id}/records?per_page=100`);
  return (body["data"] as { name: string; id: string; managed: boolean }[]).filter(({ managed }) => !managed);
};
const names = async () => (await records()).map(({ name }) => name).sort();
const said = (ran: Ran) => ran.stdout + ran.stderr;
const ours = (all: readonly Entry[]) => all.filter(({ by }) => by === bot);

describe.each(size.every(3, Object.entries(forges)))("the jobs of %s", (_name, runner) => {
  test("write the plan of each push into one comment, apply what is merged, and survive a second run and a runner that dies", async () => {
    push(manifest("a"));
    const first = await deploy(runner);
    expect(first.status, said(first)).toBe(0);
    expect(await names()).toEqual(["a"]);
    push(manifest("a", "b"), "change");
    const proposed = await runJob(runner, "plan", { branch: "change" });
    expect(proposed.status, said(proposed)).toBe(0);
    expect(ours(forge.comments).map(({ body }) => body)).toEqual([expect.stringContaining("1 to add, 0 to change")]);
    push(manifest("a", "b", "c"), "change");
    await runJob(runner, "plan", { branch: "change" });
    expect(ours(forge.comments).map(({ body }) => body)).toEqual([expect.stringContaining("2 to add, 0 to change")]);
    expect(forge.comments[0]).toEqual(strangers);
    push(manifest("a", "b", "c"));
    const dead = await runJob(runner, runner.applying[0] ?? "", { onStart: (kill) => kill() });
    expect(dead.status).not.toBe(0);
    for (let times = 0; times < 2; times += 1) {
      const ran = await deploy(runner);
      expect(ran.status, said(ran)).toBe(0);
      expect(await names()).toEqual(["a", "b", "c"]);
    }
  });

  test("tell in the comment how a customer leaves, and take the entries of the manifest for consent", async () => {
    push(manifest("a"));
    await deploy(runner);
    const gone = "version: 1\nname: shop\ndomains: { a.example: {} }\n";
    const removal = "removed:\n  - { address: dns_zone/a.example, action: delete }\n";
    push(gone + removal, "change");
    const refusal = await runJob(runner, "plan", { branch: "change" });
    expect(refusal.status, said(refusal)).toBe(6);
    const [comment] = ours(forge.comments);
    const entries = comment?.body.match(/^ *- \{ address: .*\}$/gmu) ?? [];
    expect(entries.length, comment?.body).toBeGreaterThan(0);
    push(`${gone}${removal}${entries.map((entry) => `  ${entry.trim()}\n`).join("")}`);
    const ran = await deploy(runner);
    expect(ran.status, said(ran)).toBe(0);
    expect((await account.byHand("GET", "/v2026/dns/zones")).body["data"]).toEqual([]);
  });

  test("write what was changed by hand into one issue, which is closed once it is taken back", async () => {
    push(manifest("a"));
    await deploy(runner);
    const quiet = await runJob(runner, "drift");
    expect([quiet.status, ours(forge.issues)], said(quiet)).toEqual([0, []]);
    const zones = (await account.byHand("GET", "/v2026/dns/zones")).body["data"] as { id: string }[];
    const [record] = await records();
    await account.byHand("DELETE", `/v2026/dns/zones/${zones[0]?.id}/records/${record?.id}`);
    for (let times = 0; times < 2; times += 1) {
      const ran = await runJob(runner, "drift");
      expect(ran.status, said(ran)).toBe(0);
      expect(ours(forge.issues).map(({ body, state }) => [state, body])).toEqual([
        ["open", expect.stringContaining("1 gone")],
      ]);
    }
    const back = await deploy(runner);
    expect(back.status, said(back)).toBe(0);
    const closed = await runJob(runner, "drift");
    expect([closed.status, ours(forge.issues).map(({ state }) => state)], said(closed)).toEqual([0, ["closed"]]);
    expect(forge.issues[0]).toEqual(strangers);
  });
});

test("each workflow pins its actions by commit, has the key in single steps alone, and never cancels an apply", () => {
  for (const file of ["github.yaml", "forgejo.yaml"]) {
    const text = readFileSync(join(top, "examples/ci", file), "utf8");
    const { jobs, env } = parse(text) as {
      env: object;
      jobs: Record<
        string,
        {
          permissions?: Record<string, string>;
          concurrency?: object;
          env?: object;
          steps: { uses?: string; run?: string; env?: object }[];
        }
      >;
    };
    expect(JSON.stringify(env)).not.toContain("secrets.");
    for (const [name, { permissions = {}, concurrency, env: ofJob, steps }] of Object.entries(jobs)) {
      expect(ofJob, name).toBeUndefined();
      if (name !== "apply") expect(permissions["contents"] ?? "read", name).toBe("read");
      else expect(concurrency).toMatchObject({ "cancel-in-progress": false });
      for (const { uses, run, env: ofStep = {} } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^[\w.:/-]+@[0-9a-f]{40}$/u);
        const hasKey = JSON.stringify(ofStep).includes("HOSTFORM_API_KEY");
        expect(hasKey && !/^(?:status=0\n)?hostform /u.test(run ?? ""), `${name}: ${run}`).toBe(false);
      }
    }
  }
});
