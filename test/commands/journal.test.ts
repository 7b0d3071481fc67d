import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { checkEvents } from "../support/check-events.ts";
import { openFront, type Answered, type Front } from "../support/front.ts";
import { runInProcess } from "../support/in-process.ts";
import { runnerBeside } from "../support/runner-beside.ts";
import { cli, eventsOf, runHostform, type Ran } from "../support/run-hostform.ts";
import { virtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { recordsIn, sealedLines } from "../support/sealed-lines.ts";
import { targetKey } from "../../src/inventory/target-key.ts";

/**
 * What an apply writes down before it sends, and what the next one makes of it (DESIGN.md section 3), over HTTPS: by the built binary
 * where it is killed, else in process on a journal that a killed one could have left.
 */
let account: Account;
let front: Front;
/** What becomes of a request where it is not simply passed on; what it has answered itself is not. */
let handle: ((passing: Passing) => Promise<void> | void) | undefined;
interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly response: ServerResponse;
  readonly pass: () => Promise<Answered>;
}
/** Each write that has come, with its key. */
let writes: { method: string; path: string; key: string | undefined }[];
/** A folder to work in, of its own for each test. */
let folder: string;
let count = 0;

beforeAll(async () => {
  account = await openAccount();
  front = await openFront(account);
  front.interfere(async ({ method = "", url: path = "", headers }, response, passOnce) => {
    if (method !== "GET") writes.push({ method, path, key: headers["idempotency-key"] as string | undefined });
    let passed: Promise<Answered> | undefined;
    const pass = () => (passed ??= passOnce());
    await handle?.({ method, path, headers, response, pass });
    if (response.writableEnded || response.destroyed) return true;
    const { status, headers: answered, text } = await pass();
    response.writeHead(status, answered).end(text);
    return true;
  });
});
afterAll(async () => {
  await front.close();
  await account.close();
});
beforeEach(() => {
  handle = undefined;
  writes = [];
  count += 1;
  folder = join(account.folder, `work${count}`);
  mkdirSync(folder);
});

const zoneName = () => `j${count}.example`;
const manifest = (text: string) => account.write(`work${count}/m.yaml`, `version: 1\nname: journal\n${text}`);
const records = (text: string) => manifest(`dns: { ${zoneName()}: { records: { ${text} } } }`);

type OnOutput = NonNullable<Parameters<typeof runHostform>[1]>["onOutput"];
const apply = (file: string, more: readonly string[] = [], env: Record<string, string> = {}, onOutput?: OnOutput) =>
  onOutput
    ? runHostform(["apply", "-f", file, "--auto-approve", ...front.flags, ...more], {
        env: { ...account.env, ...env },
        cwd: folder,
        onOutput,
      })
    : applyHere(file, more, env);

/** Applies in this process, as one of the machine on which another was killed: for those that nobody signals. */
async function applyHere(
  file: string,
  more: readonly string[],
  env: Record<string, string>,
  clock: Partial<VirtualClock> = {},
): Promise<Ran> {
  const before = process.cwd();
  const state = join(folder, ".hostform");
  const [lock = ""] = existsSync(state) ? own(".lock") : [];
  process.chdir(folder);
  try {
    const args = ["apply", "-f", file, "--auto-approve", ...more];
    return await runInProcess({ flags: front.flags, env: account.env }, args, env, {
      ...clock,
      runner: runnerBeside(lock),
    });
  } finally {
    process.chdir(before);
  }
}

/** Applies, and gives the requests to a handler that can signal it. */
async function applyWith(
  file: string,
  each: (passing: Passing, kill: (signal: NodeJS.Signals) => void) => Promise<void> | void,
  { flags = [], env = {} }: { flags?: readonly string[]; env?: Record<string, string> } = {},
): Promise<Ran> {
  let signal: ((signal: NodeJS.Signals) => void) | undefined;
  handle = (passing) => each(passing, (name) => signal?.(name));
  // The first line is written before the first request.
  const ran = await apply(file, ["--json", ...flags], env, (_, kill) => (signal = kill));
  handle = undefined;
  return ran;
}

/** Kills the apply in the middle of the first write that matches; `arrives` tells whether the service has seen it. */
const killedAt = (file: string, path: RegExp, arrives: boolean, env: Record<string, string> = {}) =>
  applyWith(
    file,
    async (passing, kill) => {
      if (passing.method === "GET" || !path.test(passing.path)) return;
      if (arrives) await passing.pass();
      kill("SIGKILL");
      passing.response.destroy();
    },
    { env, flags: ["--parallelism", "1"] },
  );

const own = (suffix: string) =>
  readdirSync(join(folder, ".hostform"))
    .filter((name) => name.endsWith(suffix))
    .map((name) => join(folder, ".hostform", name));
const journal = () => own(".journal")[0] ?? "";
const lines = (path = journal()) => recordsIn(readFileSync(path, "utf8"));
/** As if it had been cut off an hour ago, so that nothing is waited for. */
const age = (path = journal()) => {
  const at = new Date(Date.now() - 3_600_000).toISOString();
  writeFileSync(
    path,
    sealedLines(lines(path).map((record) => (record["at"] === undefined ? record : { ...record, at }))),
  );
};
const posts = () => writes.filter(({ method, path }) => method === "POST" && path.endsWith("/records"));

describe("an apply that was killed", () => {
  test("after a creation was done: the next one finds it, and makes nothing twice", async () => {
    const file = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }, c: { A: 192.0.2.3 }");
    const killed = await killedAt(file, /records$/u, true);
    expect(killed.status).toBe(null);
    expect(lines().map(({ type, operation }) => operation ?? type)).toEqual(["begin", "create", "outcome", "create"]);
    expect(own(".lock").length, "a dead process has left its lock").toBe(1);
    expect(statSync(join(folder, ".hostform")).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(folder, ".hostform/.gitignore"), "utf8")).toBe("*\n");

    const again = await apply(file);
    expect(again.stdout).toMatch(
      /create dns_record\/\S+\/a\/A \(192\.0\.2\.1\) was in flight when the last apply \(by \S+, since \S+Z\) was interrupted: it is done/u,
    );
    expect(again.stdout).toContain("Applied: 2 added");
    expect(again.status, again.stderr).toBe(0);
    expect(posts().length).toBe(3);
    expect(readdirSync(join(folder, ".hostform"))).toEqual([".gitignore"]);
  });

  test("before a creation arrived: it is planned again, and sent with the key of then", async () => {
    const file = records("a: { A: 192.0.2.1 }");
    await killedAt(file, /records$/u, false);
    age();
    const again = await apply(file, ["--json"]);
    expect(eventsOf(again).find(({ type }) => type === "in_flight")).toMatchObject({
      fate: "not_done",
      address: `dns_record/${zoneName()}/a/A`,
    });
    expect(checkEvents(eventsOf(again))).toEqual([]);
    expect(again.status).toBe(0);
    const [first, second] = posts();
    expect(second?.key).toBe(first?.key);
    expect(first?.key).toMatch(/^[\w-]{36}$/u);
  });

  test("has written no secret: neither the key nor a password nor a value that comes from the environment", async () => {
    const file = manifest(
      `domains: { ${zoneName()}: }\nmail: { ${zoneName()}: { mailboxes: { info: { password: "\${env:PW}" } } } }\n` +
        `dns: { ${zoneName()}: { records: { t: { TXT: ["\${env:TOKEN}", "\${env:OTHER}"] } } } }`,
    );
    const env = { PW: "a-mailbox-password", TOKEN: "a-token-of-the-environment", OTHER: "another-token-of-it" };
    const seen: string[] = [];
    await applyWith(
      file,
      async ({ method, path, pass, response }, kill) => {
        if (method !== "GET") seen.push(readFileSync(journal(), "utf8"));
        if (method === "GET" || !path.endsWith("/records") || posts().length < 2) return;
        await pass();
        kill("SIGKILL");
        response.destroy();
      },
      { env, flags: ["--parallelism", "1"] },
    );
    const again = await applyWith(
      file,
      ({ method }) => {
        if (method !== "GET") seen.push(readFileSync(journal(), "utf8"));
      },
      { env },
    );
    expect(eventsOf(again).find(({ type }) => type === "in_flight")).toMatchObject({
      address: `dns_record/${zoneName()}/t/TXT`,
      fate: "done",
    });
    expect(again.status, again.stderr).toBe(0);
    expect(posts().length).toBe(2);
    const text = seen.join("");
    expect(text).toContain('"address":"mailbox/');
    for (const secret of Object.values({ ...account.env, ...env })) expect(text).not.toContain(secret);
  });
});

/** A journal in a file of its own, as an apply that was cut off has left it; applied with, in process. */
const file = () => join(folder, "j.ndjson");
const key = () => targetKey({ name: "journal", place: front.baseUrl, contract: "v2026" });
const begin = (more: object = {}) => ({
  type: "begin",
  version: 1,
  target: key(),
  by: "ann@desk",
  host: "desk",
  pid: 7,
  since: "2026-01-01T00:00:00Z",
  ...more,
});
const intent = (more: object) => ({
  type: "intent",
  n: 1,
  at: "2026-01-01T00:00:00Z",
  step: "s",
  method: "POST",
  path: "/x",
  operation: "create",
  ...more,
});
const leave = (...left: readonly object[]) => writeFileSync(file(), sealedLines(left));
const resume = (manifestFile: string, ...flags: readonly string[]) => resumeFrom(file(), manifestFile, ...flags);
const resumeFrom = (journalFile: string, manifestFile: string, ...flags: readonly string[]) =>
  runInProcess({ flags: ["--auto-approve", "--journal", journalFile, ...front.flags], env: account.env }, [
    "apply",
    "-f",
    manifestFile,
    ...flags,
  ]);

describe("what a killed apply has deleted for a successor stays away where another checkout has since", () => {
  /** Kills an apply between the deletion and the successor, applies `now` without its journal, then with it. */
  async function resumedLate(now: string): Promise<Ran> {
    const flags = (path: string) => ["--inventory", join(folder, "ours.json"), "--journal", join(folder, path)];
    const run = (file: string, path: string) => apply(file, flags(path), {}, () => undefined);
    expect((await run(records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }"), "first")).status).toBe(0);
    const killed = await applyWith(
      records("a: { CNAME: x.example. }, b: { A: 192.0.2.2 }"),
      ({ method, response }, kill) => {
        if (method !== "POST") return;
        kill("SIGKILL");
        response.destroy();
      },
      { flags: flags("here") },
    );
    expect(killed.status).toBe(null);
    age(join(folder, "here"));
    const file = records(now);
    expect((await run(file, "there")).status).toBe(0);
    writes = [];
    const last = await run(file, "here");
    expect(last.status, last.stdout + last.stderr).toBe(0);
    expect(writes).toEqual([]);
    return last;
  }

  test("dropped its name, and what it was is told", async () => {
    const { stdout } = await resumedLate("b: { A: 192.0.2.2 }");
    expect(stdout).toContain(`dns_record/${zoneName()}/a/A was deleted for`);
    expect(stdout).toContain("192.0.2.1");
  });

  test("declared other values", async () => {
    const { stdout } = await resumedLate("a: { A: 192.0.2.9 }, b: { A: 192.0.2.2 }");
    expect(stdout).toContain("No changes");
  });
});

describe("an apply that was cut off", () => {
  test("while it made what is declared no more: it is looked for all the same", async () => {
    const name = `other.${zoneName()}`;
    expect((await account.byHand("POST", "/v2026/dns/zones", { name })).status).toBe(201);
    leave(begin(), intent({ address: `dns_zone/${name}` }));
    const { stdout, status } = await resume(records("a: { A: 192.0.2.1 }"));
    expect(stdout).toContain(
      `create dns_zone/${name} was in flight when the last apply (by ann@desk, since 2026-01-01T00:00:00Z) was interrupted: it is done`,
    );
    expect(status).toBe(0);
    expect(existsSync(file())).toBe(false);
  });

  test("in a creation that shows late: it is read again before it is planned anew", async () => {
    const manifestFile = records("a: { A: 192.0.2.1 }");
    expect((await resume(manifestFile)).status).toBe(0);
    const address = `dns_record/${zoneName()}/a/A`;
    leave(begin(), intent({ address, identity: "192.0.2.1", at: new Date().toISOString() }));
    let lists = 0;
    handle = ({ method, path, response }) => {
      if (method !== "GET" || !path.includes("/records") || (lists += 1) > 1) return;
      const empty = { data: [], meta: { total: 0, page: 1, per_page: 100 } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(empty));
    };
    const again = await resume(manifestFile, "--json");
    expect(eventsOf(again).filter(({ type }) => type === "waiting")).toMatchObject([
      { message: expect.stringMatching(/^Waiting up to \d+ s/u) },
    ]);
    expect(eventsOf(again).find(({ type }) => type === "in_flight")).toMatchObject({ fate: "done", address });
    expect(checkEvents(eventsOf(again))).toEqual([]);
    expect(again.status).toBe(0);
    expect(posts().length).toBe(1);
  });

  test("at any time by its journal: recovery waits at most as long as a list may lag, and no less for others", async () => {
    const digits = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, "0"));
    const anyTime = fc
      .tuple(fc.integer({ min: 0, max: 9999 }), digits, digits, digits, digits, digits)
      .map(([year, ...rest]) => {
        const [month, day, hour, minute, second] = rest;
        return `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}Z`;
      });
    const near = fc
      .integer({ min: -10 * 86_400_000, max: 10 * 86_400_000 })
      .map((offset) => new Date(Date.now() + offset).toISOString());
    const manifestFile = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    expect((await resume(manifestFile)).status).toBe(0);
    const address = (name: string) => `dns_record/${zoneName()}/${name}/A`;
    const property = fc.asyncProperty(fc.oneof(anyTime, near), async (at) => {
      const clock = virtualClock();
      const sent = new Date(clock.now()).toISOString();
      // Neither shows in the first lists; nothing is known of the time of one, and the other was just sent.
      leave(
        begin(),
        intent({ address: address("a"), identity: "192.0.2.1", at }),
        intent({ n: 2, address: address("b"), identity: "192.0.2.2", at: sent }),
      );
      const began = clock.now();
      handle = ({ method, path, response }) => {
        if (method !== "GET" || !path.includes("/records") || clock.now() - began >= 9000) return;
        const empty = { data: [], meta: { total: 0, page: 1, per_page: 100 } };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(empty));
      };
      writes = [];
      const ran = await runInProcess(
        { flags: ["--auto-approve", "--journal", file(), ...front.flags], env: account.env },
        ["apply", "-f", manifestFile],
        {},
        clock,
      );
      handle = undefined;
      expect(ran.status, ran.stdout + ran.stderr).toBe(0);
      expect(writes).toEqual([]);
      const waited = clock.waits.reduce((sum, each) => sum + each, 0);
      expect(waited).toBeGreaterThanOrEqual(9000);
      expect(waited).toBeLessThanOrEqual(10_000);
    });
    await fc.assert(property, { numRuns: 8, examples: [["9999-12-31T23:59:59Z"], ["0000-00-00T99:99:99Z"]] });
  });

  test("in a renewal that does not show: nothing is sent until someone has looked", async () => {
    const manifestFile = manifest(`domains: { ${zoneName()}: }`);
    expect((await resume(manifestFile)).status).toBe(0);
    const before = { field: "expires_at", value: "2999-01-01T00:00:00Z" };
    leave(begin(), intent({ address: `domain/${zoneName()}`, operation: "renew", before }));
    manifest(`domains: { ${zoneName()}: , more.${zoneName()}: }`);
    writes = [];
    const stopped = await resume(manifestFile);
    expect(stopped.stderr).toMatch(
      /renew domain\/\S+ was in flight .* its outcome is unknown: its expires_at is still/u,
    );
    expect(stopped.stderr).toContain(`remove ${file()} and apply again`);
    expect(stopped.status).toBe(6);
    expect(writes).toEqual([]);
    rmSync(file());
    expect((await resume(manifestFile)).status).toBe(0);
    expect(writes.length).toBe(1);
  });
});

test("each intent is on the disk before its request is sent, with many at once", async () => {
  const names = Array.from({ length: 40 }, (_, index) => `n${index}: { A: 192.0.2.1 }`);
  const missing: string[] = [];
  const ran = await applyWith(records(names.join(", ")), ({ method, headers }) => {
    const key = headers["idempotency-key"] as string;
    if (method === "POST" && !readFileSync(journal(), "utf8").includes(`"key":"${key}"`)) missing.push(key);
  });
  expect(ran.status).toBe(0);
  expect(missing).toEqual([]);
  expect(posts().length).toBe(40);
});

describe("interrupted", () => {
  test("by a terminal that closes, which says so twice: what is in flight is finished", async () => {
    const file = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    const ran = await applyWith(
      file,
      async ({ method, path, pass }, kill) => {
        if (method === "GET" || !path.endsWith("/records")) return;
        kill("SIGHUP");
        kill("SIGHUP");
        await pass();
      },
      { flags: ["--parallelism", "1"] },
    );
    expect(ran.status).toBe(130);
    expect(eventsOf(ran).find(({ type }) => type === "report")).toMatchObject({ interrupted: true, failed: 0 });
    // The creation was answered, and no list has shown it so far.
    expect(own(".journal").length).toBe(1);
    expect(own(".lock")).toEqual([]);
  });

  test("twice: it leaves at once, with the journal whole", async () => {
    const file = records("a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }");
    let stopping: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (stopping = resolve));
    let gone: () => void = () => undefined;
    const isGone = new Promise<void>((resolve) => (gone = resolve));
    let signal: ((name: NodeJS.Signals) => void) | undefined;
    handle = async ({ method, path, pass, response }) => {
      if (method === "GET" || !path.endsWith("/records")) return;
      await pass();
      signal?.("SIGINT");
      await stopped;
      signal?.("SIGINT");
      // No answer, and no broken connection either, while it can still write anything down.
      await isGone;
      response.destroy();
    };
    const ran = await apply(file, ["--parallelism", "1"], {}, (stdout, kill) => {
      signal = kill;
      if (stdout.includes("Stopping")) stopping();
    });
    gone();
    handle = undefined;
    expect(ran.status).toBe(130);
    expect(ran.stderr).toContain("the next apply checks them first");
    expect(lines().at(-1)).toMatchObject({ type: "intent", operation: "create" });
    const again = await apply(file);
    expect(again.stdout).toContain("it is done");
    expect(again.status).toBe(0);
    expect(posts().length).toBe(2);
  });
});

test.each([
  ["with the same journal", "j.ndjson"],
  ["as from another folder", "another.ndjson"],
])("a second apply at the same time, %s, is refused before it asks for anything", async (_how, journalFile) => {
  const manifestFile = records("a: { A: 192.0.2.1 }");
  let second: Ran | undefined;
  let asked = 0;
  handle = async ({ method, path }) => {
    asked += 1;
    if (method === "GET" || !path.endsWith("/records")) return;
    const before = asked;
    second = await resumeFrom(join(folder, journalFile), manifestFile);
    expect(asked).toBe(before);
  };
  const first = await resume(manifestFile);
  expect(second?.stderr).toMatch(/Another apply is running since \S+Z, by tester@here \(process \d+ on here\)/u);
  expect(second?.status).toBe(6);
  expect(first.status).toBe(0);
  expect(posts().length).toBe(1);
  expect(readdirSync(folder)).toEqual(["m.yaml"]);
});

test("a journal that is none is told, kept aside, and stops nothing", async () => {
  const manifestFile = records("a: { A: 192.0.2.1 }");
  const text = sealedLines([begin(), intent({ address: "planet/\u001b[2J" })]);
  writeFileSync(file(), text);
  const { stdout, stderr, status } = await resume(manifestFile);
  expect(stderr).toContain("journal_unreadable");
  expect(stdout + stderr).not.toContain("\u001b");
  expect(status, stderr).toBe(0);
  const [kept = ""] = readdirSync(folder).filter((name) => /^j\.ndjson\.bad-\d{8}T\d{6}Z$/u.test(name));
  expect(readFileSync(join(folder, kept), "utf8")).toBe(text);
});

describe("a disk", () => {
  test("that cannot be written: nothing is sent, and the flag is named", async () => {
    const path = join(records("a: { A: 192.0.2.1 }"), "j.ndjson");
    const args = ["apply", "-f", join(folder, "m.yaml"), "--auto-approve", "--journal", path];
    const { stderr, status } = await runInProcess({ flags: front.flags, env: account.env }, args);
    expect(stderr).toMatch(/No journal can be kept in \S+j\.ndjson: ENOTDIR/u);
    expect(stderr).toContain("--journal FILE");
    expect(status).toBe(3);
    expect(writes).toEqual([]);
  });

  test("that fills up in the middle: nothing new starts, what is in flight is finished, and the reason is told", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `n${index}: { A: 192.0.2.1 }`);
    const manifestFile = records(names.join(", "));
    const flags = ["--auto-approve", "--json", "--journal", file(), ...front.flags];
    const command = [process.execPath, cli, "apply", "-f", manifestFile, ...flags];
    // Files of at most 20 blocks, as if the disk had no more.
    const ran = await new Promise<Ran>((resolve) => {
      const env = { PATH: process.env["PATH"] ?? "", ...account.env };
      const child = execFile(
        "/bin/sh",
        ["-c", 'ulimit -f 20; exec "$@"', "sh", ...command],
        { env, cwd: folder, maxBuffer: 2 ** 24 },
        (_error, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
      );
    });
    expect(ran.status, ran.stderr).toBe(5);
    const events = eventsOf(ran);
    const failed = events.filter(({ type, outcome }) => type === "step_end" && outcome === "failed");
    expect(failed[0]?.["failure"]).toMatchObject({ sort: "unrecorded", message: expect.stringContaining("EFBIG") });
    const report = events.find(({ type }) => type === "report");
    expect(report).toMatchObject({ done: writes.length, mismatches: [] });
    expect(Number(report?.["not_attempted"])).toBeGreaterThan(20);
    expect(posts().length).toBeGreaterThan(5);
  });
});

test("a journal that was cut after a purchase buys nothing again, wherever it was cut", async () => {
  const names = ["one", "two"].map((name) => `${name}.${zoneName()}`);
  const file = manifest(`domains: { ${names.map((name) => `${name}: { register: true }`).join(", ")} }`);
  const inventory = join(folder, "ours.json");
  const flags = ["--inventory", inventory, ...names.flatMap((name) => ["--allow-purchase", `domain/${name}`])];
  let seen = 0;
  await applyWith(
    file,
    async ({ method, pass, response }, kill) => {
      if (method === "GET" || (seen += 1) < 2) return;
      await pass();
      kill("SIGKILL");
      response.destroy();
    },
    { flags: [...flags, "--parallelism", "1"] },
  );
  const path = journal();
  const records = lines();
  const left = readFileSync(inventory, "utf8");
  expect(records.filter(({ once }) => once === true).length).toBe(2);
  const first = records.findIndex(({ type }) => type === "intent");
  const last = records.findLastIndex(({ type }) => type === "intent");
  for (let kept = 1; kept <= last; kept += 1) {
    writeFileSync(path, sealedLines(records.slice(0, kept)));
    writeFileSync(inventory, left);
    // Nothing is live, as behind a list that lags: only what is remembered keeps it from being bought again.
    handle = ({ method, path: asked, response }) => {
      if (method !== "GET" || !asked.startsWith("/v2026/domains")) return;
      const empty = { data: [], meta: { total: 0, current_page: 1, per_page: 100 } };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(empty));
    };
    writes = [];
    const again = await applyHere(file, ["--settle", "0", ...flags], {}, virtualClock());
    handle = undefined;
    expect(again.status, `${kept} lines\n${again.stdout}${again.stderr}`).toBe(6);
    expect(again.stdout + again.stderr).toMatch(
      kept <= first ? /is incomplete: it records 0 of 2/u : /no list shows it|no list shows its effect/u,
    );
    expect(writes).toEqual([]);
  }
});
