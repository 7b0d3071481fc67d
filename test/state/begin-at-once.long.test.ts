import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { pushRef } from "../../src/state/git/git-refs.ts";
import { formatLease } from "../../src/state/lease/register.ts";
import { fileRegister } from "../../src/state/lease/file-register.ts";
import type { Git } from "../../src/state/git/run-git.ts";
import type { TakenLock } from "../../src/model/inventory.ts";
import { size } from "../proofs/size.ts";
import { bob, codes, key, leaseClock, noon, ours, ref, storeText, take, workshopForFile } from "./repositories.ts";

const shop = workshopForFile();

const lockRef = `refs/hostform/lock/${key}`;

/** A lease as a run on a third machine writes it. */
const lease = (by: string, more: { readonly free?: true } = {}) =>
  formatLease({ id: randomUUID(), counter: 1, by, host: by, pid: 7, since: "2026-06-01T12:00:00Z", ...more });
const free = () => lease("ended", { free: true });

/** Stores a text in the remote itself, so that no clone has it. */
const store = (remote: string, text: string) => storeText(shop, remote, text);

function remoteWith(text: string | undefined): string {
  const remote = shop.makeRemote();
  // A push that meets another one fails at once.
  shop.git(remote, "config", "core.filesRefLockTimeout", "0");
  if (text !== undefined) shop.git(remote, "update-ref", lockRef, store(remote, text));
  return remote;
}

function addHook(remote: string, name: string, script: string): void {
  mkdirSync(join(remote, "hooks"), { recursive: true });
  writeFileSync(join(remote, "hooks", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** A moment of a run: its calls of one command of git for one ref, from one number to another. Shell commands run before and after each. */
interface Moment {
  readonly command: "ls-remote" | "fetch" | "push";
  readonly of?: string;
  readonly calls: readonly [first: number, last: number];
  readonly before: string;
  readonly after?: string;
}

/** An environment in which another `git` comes first in PATH. */
function interposed({ command, of = lockRef, calls: [first, last], before, after = ":" }: Moment) {
  const folder = mkdtempSync(join(shop.folder, "bin-"));
  const path = shop.env["PATH"] ?? "";
  const lines = [
    "#!/bin/sh",
    `PATH='${path}'`,
    `case " $* " in *" ${command} "*"${of}"*)`,
    `echo >> '${folder}/calls'; number=$(wc -l < '${folder}/calls')`,
    `if [ "$number" -ge ${first} ] && [ "$number" -le ${last} ]; then`,
    `${before}; git "$@"; status=$?; ${after}; exit "$status"; fi`,
    `esac`,
    `exec git "$@"`,
  ];
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`);
  chmodSync(join(folder, "git"), 0o755);
  return { ...shop.env, PATH: `${folder}:${path}` };
}

const moveTo = (remote: string, text: string) =>
  `git --git-dir='${remote}' update-ref ${lockRef} ${store(remote, text)}`;

/** The remote's lock of a ref while another push is under way. */
const lockFile = (remote: string, of = lockRef) => `'${join(remote, of)}.lock'`;
const held = (remote: string, of = lockRef) => ({
  before: `mkdir -p '${join(remote, of, "..")}'; touch ${lockFile(remote, of)}`,
  after: `rm ${lockFile(remote, of)}`,
});

async function takeDuring(remote: string, moment: Moment, timeout = 0): Promise<TakenLock> {
  const runner = await shop.open(shop.clone(remote), { runner: bob, env: interposed(moment) });
  return runner.lock({ timeout });
}

/** Held by the remote's lease: no local one is among the notices. */
const isOurs = (taken: TakenLock) => taken.is === "ours" && taken.lock.notices.length === 0;

const becomes = ["free", "held"].slice(0, size.lockContents);

describe("a lock whose ref moves before it is fetched", () => {
  test.each(size.every(6, becomes))("is what it became: %s", async (is) => {
    const remote = remoteWith(lease("first"));
    const before = moveTo(remote, is === "free" ? free() : lease("second"));
    const taken = await takeDuring(remote, { command: "fetch", calls: [1, 1], before });
    if (is === "free") expect(isOurs(taken)).toBe(true);
    else expect(taken).toMatchObject({ is: "held", by: { by: "second" } });
  });

  test("of which no fetch came is read again", async () => {
    const remote = remoteWith(lease("first"));
    const taken = await takeDuring(remote, { command: "fetch", calls: [1, 1], before: "exit 1" });
    expect(taken).toMatchObject({ is: "held", by: { by: "first" } });
  });

  test.each(size.every(6, becomes))("after the time was over is what it became: %s", async (is) => {
    const remote = remoteWith("{");
    const before = moveTo(remote, is === "free" ? free() : lease("second"));
    const taken = await takeDuring(remote, { command: "ls-remote", calls: [2, 2], before });
    if (is === "free") expect(isOurs(taken)).toBe(true);
    else expect(taken).toMatchObject({ is: "held", by: { by: "second" } });
  });
});

const contents: readonly [string, () => string | undefined][] = [
  ["free", free],
  ["none", () => undefined],
];

describe.each(contents.slice(0, size.lockContents))(
  "a lock (%s before) that another push holds in the remote",
  (_before, content) => {
    test("for a moment is taken all the same", async () => {
      const remote = remoteWith(content());
      expect(isOurs(await takeDuring(remote, { command: "push", calls: [1, 1], ...held(remote) }))).toBe(true);
      const again = remoteWith(content());
      expect(isOurs(await takeDuring(again, { command: "push", calls: [1, 5], ...held(again) }, 30_000))).toBe(true);
    });

    test("for longer than this run waits is held: nobody applies under a local lock", async () => {
      const remote = remoteWith(content());
      const taken = await takeDuring(remote, { command: "push", calls: [1, 999], ...held(remote) });
      expect(taken).toMatchObject({
        is: "held",
        by: undefined,
        reason: expect.stringContaining("update ref") as string,
      });
    });

    test("and that the other push then moves is the other's", async () => {
      const remote = remoteWith(content());
      const { before, after } = held(remote);
      const other = store(remote, lease("second"));
      const count = `'${join(remote, "pushes")}'`;
      const move = `echo >> ${count}; [ $(wc -l < ${count}) -lt 2 ] || git --git-dir='${remote}' update-ref ${lockRef} ${other}`;
      const moment: Moment = { command: "push", calls: [1, 2], before: `${move}; ${before}`, after };
      expect(await takeDuring(remote, moment)).toMatchObject({ is: "held", by: { by: "second" } });
    });
  },
);

test("a lock that another push holds in the remote while it is given back is given back", async () => {
  const remote = remoteWith(free());
  const env = interposed({ command: "push", calls: [2, 2], ...held(remote) });
  const lock = await take(await shop.open(shop.clone(remote), { env }));
  await lock.release();
  expect(isOurs(await (await shop.open(shop.clone(remote), { runner: bob })).lock({ timeout: 0 }))).toBe(true);
});

test("an inventory whose ref another push holds in the remote for a moment is pushed", async () => {
  const remote = shop.makeRemote();
  const env = interposed({ command: "push", of: ref, calls: [1, 1], ...held(remote, ref) });
  const runner = await shop.open(shop.clone(remote), { env });
  await runner.read();
  expect(await runner.begin(ours("a"))).toEqual({ is: "written", kept: true, notices: [] });
});

test.runIf(size.whole)("a remote that never takes a push gets a local lock, which says so", async () => {
  const hidden = shop.makeRemote();
  shop.git(hidden, "config", "receive.hideRefs", "refs/hostform");
  const declining = remoteWith(free());
  addHook(declining, "pre-receive", "exit 1");
  for (const remote of [hidden, declining]) {
    const { notices } = await take(await shop.open(shop.clone(remote)));
    expect(notices).toMatchObject([
      { code: "lock_local", summary: expect.stringContaining("the remote rejects it") as string },
    ]);
  }
});

test("a remote that answered and then cannot be reached is waited for: no local lock is taken", async () => {
  const remote = remoteWith(lease("first"));
  const clock = leaseClock();
  const sleep = async (milliseconds: number) => {
    if (clock.awake() === 0) renameSync(remote, `${remote}-away`);
    clock.pass(milliseconds);
  };
  const waiting = await shop.open(shop.clone(remote), { runner: bob, ...clock, sleep });
  expect(await waiting.lock({ timeout: 5_000 })).toMatchObject({
    is: "held",
    by: { by: "first" },
    reason: expect.stringContaining("remote") as string,
  });
});

describe("a push that left the ref as it was", () => {
  const fake =
    (line: string, problem = "failed to push some refs"): Git =>
    async ([command]) =>
      command === "push"
        ? { ok: false, status: 1, stdout: Buffer.from(line === "" ? "" : `!\tx:${lockRef}\t${line}\nDone\n`), problem }
        : { ok: true, status: 0, stdout: Buffer.from(`old\t${lockRef}\n`), problem: "" };
  const push = async (git: Git) => (await pushRef(git, lockRef, { to: "new", from: "old" }, async () => undefined)).is;

  test.each(
    size.every(6, [
      "[rejected] (stale info)",
      "[remote rejected] (failed to update ref)",
      "[remote rejected] (incorrect old value provided)",
      "[remote rejected] (reference already exists)",
      "[remote rejected] (failed to lock)",
      "[remote rejected] (lock failure)",
      "[remote rejected] (LOCK_FAILURE)",
      `[remote rejected] (cannot lock ref '${lockRef}': is at 1 but expected 2)`,
    ]),
  )("may pass later: %s", async (line) => {
    expect(await push(fake(line))).toBe("unknown");
  });

  test.each<[string, string?]>(
    size.every(6, [
      ["[remote rejected] (pre-receive hook declined)"],
      ["[remote rejected] (deny updating a hidden ref)"],
      ["[remote rejected] (protected ref, blocked by policy)"],
      ["", "unable to access 'https://a.test/': The requested URL returned error: 403"],
      ["", "could not read Username for 'https://a.test': terminal prompts disabled"],
    ]),
  )("is refused: %s %s", async (line, problem) => {
    expect(await push(fake(line, problem))).toBe("refused");
  });

  test("and was cut off may have been taken", async () => {
    expect(await push(fake("", "the remote end hung up unexpectedly"))).toBe("unknown");
  });
});

test("a register in a folder shows a text whenever it is read while others replace it", async () => {
  const folder = mkdtempSync(join(shop.folder, "register-"));
  const code = `
    const { renameSync, rmSync, writeFileSync } = require("node:fs");
    const { workerData: folder } = require("node:worker_threads");
    for (let number = 0; number < ${size.draws(6000)}; number += 1) {
      writeFileSync(folder + "/" + (number + 1) + ".json", "text");
      renameSync(folder + "/now-" + number, folder + "/now-" + (number + 1));
      rmSync(folder + "/" + number + ".json");
    }`;
  writeFileSync(join(folder, "0.json"), "text");
  mkdirSync(join(folder, "now-0"));
  const others = new Worker(code, { eval: true, workerData: folder });
  const ended = new Promise((resolve) => others.once("exit", resolve));
  const register = fileRegister(folder, randomUUID);
  const next = () => new Promise((resolve) => setImmediate(() => resolve("next")));
  while ((await Promise.race([ended, next()])) === "next")
    expect(await register.read()).toMatchObject({ is: "read", text: "text" });
  expect(readdirSync(folder)).toHaveLength(2);
});

test("of six runners that begin at once over one remote, one at a time has the lock, and it is never a local one", async () => {
  for (let round = 0; round < size.lockRaces; round += 1) {
    const remote = remoteWith(undefined);
    if (round % 2 === 1) addHook(remote, "reference-transaction", '[ "$1" != prepared ] || sleep 0.2');
    const runners = await Promise.all(
      Array.from({ length: 6 }, async (_, index) =>
        shop.open(shop.clone(remote), { runner: { ...bob, host: `host${index}` }, now: () => noon + index }),
      ),
    );
    const taken = await Promise.all(runners.map((runner) => runner.lock({ timeout: 0 })));
    const got = taken.flatMap((each) => (each.is === "ours" ? [each.lock] : []));
    expect(got.map(({ notices }) => codes(notices))).toEqual([[]]);
    for (const lock of got) await lock.release();
  }
});
