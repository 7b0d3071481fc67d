import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { runHostform, type Ran } from "../support/run-hostform.ts";

let account: Account;
let folder: string;

beforeEach(async () => {
  account = await openAccount();
  folder = join(account.folder, "repository");
  mkdirSync(folder);
  git("init", "--quiet", "--initial-branch", "main");
  await must(201, account.byHand("POST", "/v2026/dns/zones", { name: "example.com" }));
});

afterEach(() => account.close());

function git(...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...identity, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}

/** A manifest that declares these TXT records, and an empty block of the zone. */
const manifest = (...names: string[]) => `version: 1
name: shop
dns: { example.com: { records: { ${names.map((name) => `${name}: { TXT: here }`).join(", ")} } } }
`;

function commit(text: string, file = "hosting.yaml"): string {
  writeFileSync(join(folder, file), text);
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "change");
  return git("rev-parse", "HEAD").trim();
}

async function must(status: number, answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const given = await answer;
  if (given.status !== status) throw new Error(JSON.stringify(given));
}

const run = (command: string, ...flags: string[]) =>
  runInProcess(account, [command, "-f", join(folder, "hosting.yaml"), ...flags]);
const apply = (...flags: string[]) => run("apply", "--auto-approve", "--settle", "0", ...flags);

async function applied(...flags: string[]): Promise<Ran> {
  const ran = await apply(...flags);
  if (ran.status !== 0) throw new Error(ran.stdout + ran.stderr);
  return ran;
}

async function records(): Promise<string[]> {
  const zones = (await account.byHand("GET", "/v2026/dns/zones")).body["data"] as { id: string }[];
  const { body } = await account.byHand("GET", `/v2026/dns/zones/${zones[0]?.id}/records?per_page=100`);
  return (body["data"] as { name: string; managed: boolean }[])
    .filter(({ managed }) => !managed)
    .map(({ name }) => name)
    .sort();
}

async function makeByHand(name: string): Promise<void> {
  const zones = (await account.byHand("GET", "/v2026/dns/zones")).body["data"] as { id: string }[];
  const record = { name, type: "TXT", content: "by hand", ttl: 3600 };
  await must(201, account.byHand("POST", `/v2026/dns/zones/${zones[0]?.id}/records`, record));
}

async function deleteByHand(name: string): Promise<void> {
  const zones = (await account.byHand("GET", "/v2026/dns/zones")).body["data"] as { id: string }[];
  const path = `/v2026/dns/zones/${zones[0]?.id}/records`;
  const { body } = await account.byHand("GET", `${path}?per_page=100`);
  const found = (body["data"] as { name: string; id: string }[]).find((record) => record.name === name);
  await must(204, account.byHand("DELETE", `${path}/${found?.id}`));
}

describe("what was applied and is declared no more", () => {
  test("is deleted, and what stood there before is left alone", async () => {
    await makeByHand("theirs");
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("a"));
    const planned = await run("plan");
    expect(planned.stdout).toContain("- dns_record/example.com/b/TXT");
    expect(planned.stdout).toContain("this change");
    await applied();
    expect(await records()).toEqual(["a", "theirs"]);
  });

  test("is deleted though the manifest has moved, been renamed and been split", async () => {
    commit(manifest("a", "b", "c"));
    await applied();
    mkdirSync(join(folder, "sites"));
    renameSync(join(folder, "hosting.yaml"), join(folder, "sites", "one.yaml"));
    writeFileSync(join(folder, "sites", "two.yaml"), "dns: { example.com: { records: { b: { TXT: here } } } }\n");
    commit(manifest("a"), "sites/one.yaml");
    const ran = await runInProcess(account, ["apply", "-f", join(folder, "sites"), "--auto-approve", "--settle", "0"]);
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ status: 0 });
    expect(await records()).toEqual(["a", "b"]);
  });

  test("stays where two commits came in one push, and only the second was applied", async () => {
    await makeByHand("b");
    commit(manifest("a", "b"));
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a", "b"]);
  });

  test("is deleted where the apply that made it failed in part", async () => {
    // The name is another service's, which no reading of the first one's accounts can show.
    const theirs = await makeService("second.example");
    await makeService("first.example");
    const taken = { service_id: theirs, username: "deploy", password: "correct horse", home: "/" };
    await must(201, account.byHand("POST", "/v2026/ftp/accounts", taken));
    const wrong = `services: { first.example: {} }
ftp: { first.example: { accounts: { deploy: { home: /www, password: "\${env:PW}" } } } }
`;
    commit(manifest("a", "b") + wrong);
    const ran = await runInProcess(account, ["apply", "-f", join(folder, "hosting.yaml"), "--auto-approve"], {
      PW: "battery staple",
    });
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ status: 5 });
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a"]);
  });

  test("is deleted where a branch added it, dropped it, and was merged", async () => {
    commit(manifest("a"));
    await applied();
    git("checkout", "--quiet", "-b", "topic");
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("a"));
    git("checkout", "--quiet", "main");
    git("merge", "--quiet", "--no-ff", "--message", "merge", "topic");
    await applied();
    expect(await records()).toEqual(["a"]);
  });

  test("is forgotten, not deleted, where removed: says so", async () => {
    commit(manifest("a", "b"));
    await applied();
    commit(`${manifest("a")}removed: [{ address: dns_record/example.com/b/TXT, action: forget }]\n`);
    await applied();
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a", "b"]);
  });

  test("is not what was created again by hand after it had gone", async () => {
    commit(manifest("a", "b"));
    await applied();
    await deleteByHand("b");
    commit(manifest("a"));
    await applied();
    await makeByHand("b");
    await applied();
    expect(await records()).toEqual(["a", "b"]);
  });
});

describe("what someone else has made", () => {
  test("is not ours after an apply that was to change it and could not", async () => {
    await makeByHand("theirs");
    const readOnly = await account.byHand("POST", "/_emulator/keys", { permissions: { dns: "read" } });
    const { key } = readOnly.body["data"] as { key: string };
    commit(manifest("a"));
    await applied();
    commit(manifest("a", "theirs"));
    const args = ["apply", "-f", join(folder, "hosting.yaml"), "--auto-approve"];
    expect((await runInProcess(account, args, { HOSTFORM_API_KEY: key })).status).toBe(5);
    commit(manifest("a"));
    await applied();
    expect(await records()).toEqual(["a", "theirs"]);
  });

  test("is not deleted by a second manifest of the same name that does not declare it", async () => {
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("c"), "other.yaml");
    const ran = await runInProcess(account, ["apply", "-f", join(folder, "other.yaml"), "--auto-approve"]);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain("hosting.yaml was part of the last apply, and this run was not given it; ");
    expect(await records()).toEqual(["a", "b"]);
  });
});

test("a part that is rolled back does not roll back the rest", async () => {
  const old = commit(manifest("a"));
  await applied();
  commit(manifest("a", "b"));
  await applied();
  git("checkout", "--quiet", "--detach", old);
  await applied("--only", "dns_record/example.com/a/TXT", "--rollback");
  expect((await apply()).status).toBe(6);
  expect(await records()).toEqual(["a", "b"]);
});

test("a saved plan leaves behind which manifest it was made from, so that later plans tell drift from changes", async () => {
  const file = join(folder, "plan.json");
  commit(manifest("a"));
  const saved = await run("plan", "--out", file);
  expect(saved.status).toBe(0);
  const ran = await runInProcess(account, ["apply", file, "--auto-approve", "--settle", "0"]);
  expect(ran, ran.stdout + ran.stderr).toMatchObject({ status: 0 });
  await deleteByHand("a");
  expect((await run("plan")).stdout).toContain("[drift]");
});

test("what an apply in part did not make is no drift at the next plan", async () => {
  commit(manifest("a", "b"));
  const fault = { match: { method: "POST" }, count: 1, fault: { status: 403 } };
  await must(201, account.byHand("POST", "/_emulator/faults", { faults: [fault] }));
  expect((await apply()).status).toBe(5);
  const { stdout } = await run("plan");
  expect(stdout).toMatch(/\+ [^\n]*\s+\[not made by the last apply\]/u);
  expect(stdout).not.toContain("[drift]");
});

describe("an older state of the repository", () => {
  test.each([
    ["an old job that runs again", (old: string) => git("checkout", "--quiet", "--detach", old)],
    ["a force-push", (old: string) => git("reset", "--quiet", "--hard", old)],
  ])("deletes nothing: %s", async (_, goBack) => {
    const old = commit(manifest("a"));
    await applied();
    commit(manifest("a", "b"));
    await applied();
    goBack(old);
    const refused = await apply();
    expect(refused.status).toBe(6);
    expect(refused.stdout).toContain("--rollback");
    expect(await records()).toEqual(["a", "b"]);
    await applied("--rollback");
    expect(await records()).toEqual(["a"]);
  });
});

describe("an inventory that cannot be had", () => {
  test("deletes nothing and breaks no run where it is unreadable", async () => {
    commit(manifest("a", "b"));
    await applied();
    const ref = git("for-each-ref", "--format=%(refname)", "refs/hostform/").trim();
    git("update-ref", ref, git("rev-parse", "HEAD").trim());
    commit(manifest("a"));
    const ran = await applied();
    expect(ran.stderr).toContain("cannot be read");
    expect(await records()).toEqual(["a", "b"]);
  });

  test("deletes nothing outside a repository, and says so", async () => {
    rmSync(join(folder, ".git"), { recursive: true });
    writeFileSync(join(folder, "hosting.yaml"), manifest("a", "b"));
    await applied();
    writeFileSync(join(folder, "hosting.yaml"), manifest("a"));
    const ran = await applied();
    expect(ran.stderr).toContain("No inventory is kept");
    expect(await records()).toEqual(["a", "b"]);
  });

  test("is kept in a file where one is named", async () => {
    rmSync(join(folder, ".git"), { recursive: true });
    const file = join(account.folder, "inventory.json");
    writeFileSync(join(folder, "hosting.yaml"), manifest("a", "b"));
    await applied("--inventory", file);
    writeFileSync(join(folder, "hosting.yaml"), manifest("a"));
    await applied("--inventory", file);
    expect(await records()).toEqual(["a"]);
  });
});

test("a run about some addresses leaves the others in the inventory", async () => {
  commit(manifest("a", "b", "c"));
  await applied();
  commit(manifest("a"));
  await applied("--only", "dns_record/example.com/b/TXT");
  expect(await records()).toEqual(["a", "c"]);
  await applied();
  expect(await records()).toEqual(["a"]);
});

describe("a file of the manifest that is not given is missed", () => {
  const other = () => join(folder, "other.yaml");
  beforeEach(async () => {
    commit(manifest("b"), "other.yaml");
    commit(manifest("a"));
    await applied("-f", other());
    commit(manifest("a", "c"));
  });
  /** Nothing of the other file goes, until all of the manifest has been applied without it. */
  async function expectMissed() {
    const refused = await apply();
    expect(refused.status, refused.stdout).toBe(6);
    expect(refused.stdout).toContain("other.yaml was part of the last apply, and this run was not given it");
    expect(await records()).toContain("b");
  }

  test("after a run about some addresses", async () => {
    expect((await apply("--only", "dns_record/example.com/c/TXT")).status).toBe(0);
    await expectMissed();
  });

  test("after a saved plan of some addresses", async () => {
    const plan = join(folder, "plan.json");
    expect((await run("plan", "--out", plan, "--only", "dns_record/example.com/c/TXT")).status).toBe(0);
    expect((await runInProcess(account, ["apply", plan])).status).toBe(0);
    await expectMissed();
  });

  test("after an undo", async () => {
    const undo = join(folder, "undo.json");
    expect((await run("plan", "-f", other(), "--undo-out", undo)).status).toBe(0);
    await applied("-f", other());
    expect((await runInProcess(account, ["apply", undo])).status).toBe(0);
    await expectMissed();
  });

  test("after a manifest from standard input", async () => {
    const text = `version: 1\nname: shop\ndns: { example.com: { records: { a: { TXT: here }, b: { TXT: here }, c: { TXT: here } } } }\n`;
    const piped = ["apply", "-f", "-", "--auto-approve", ...account.flags];
    const { status, stdout } = await runHostform(piped, { cwd: folder, env: account.env, stdin: text });
    expect(status, stdout).toBe(0);
    await expectMissed();
  });

  test("and not after all of it was applied again, which labels changes again, too", async () => {
    await applied("--only", "dns_record/example.com/c/TXT");
    await applied("-f", other());
    commit(manifest("a", "c", "d"));
    expect((await run("plan", "-f", other())).stdout).toContain("[this change]");
  });
});

test("two targets in one repository know nothing of each other", async () => {
  commit(manifest("a", "b"));
  await applied();
  commit(manifest("c").replace("name: shop", "name: other"));
  await applied();
  expect(await records()).toEqual(["a", "b", "c"]);
});

test("a second apply is refused while one runs, and told who runs since when", async () => {
  commit(manifest(...Array.from({ length: 20 }, (_, index) => `r${index}`)));
  let second: Promise<Ran> | undefined;
  const args = ["apply", "-f", join(folder, "hosting.yaml"), "--auto-approve", "--parallelism", "1", "--json"];
  const first = await runHostform([...args, ...account.flags], {
    env: { ...account.env },
    onOutput: (stdout, kill) => {
      if (second || !stdout.includes("step_end")) return;
      kill("SIGSTOP");
      second = account.hostform(args).finally(() => kill("SIGCONT"));
    },
  });
  const refused = await second;
  expect(first.status).toBe(0);
  expect(refused?.status).toBe(6);
  expect(refused?.stdout).toMatch(/Another apply is running since .*, by /u);
});

test("two clones of one remote keep one inventory", async () => {
  const bare = join(account.folder, "remote.git");
  git("init", "--quiet", "--bare", bare);
  git("remote", "add", "origin", bare);
  commit(manifest("a", "b"));
  git("push", "--quiet", "origin", "main");
  await applied();
  folder = join(account.folder, "clone");
  execFileSync("git", ["clone", "--quiet", "--depth", "1", "--branch", "main", `file://${bare}`, folder]);
  commit(manifest("a"));
  await applied();
  expect(await records()).toEqual(["a"]);
});

async function makeService(domain: string): Promise<string> {
  const { body } = await account.byHand("POST", "/v2026/services", {
    hosting: { id_service_type: "WEB-M" },
    domain: { name: domain, register: false },
    datacenter: "MAD1",
  });
  return (body["data"] as { id: string }).id;
}
