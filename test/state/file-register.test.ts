import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import type { HeldLock } from "../../src/model/inventory.ts";
import { formatLease, type Register } from "../../src/state/lease/register.ts";
import { fileRegister, passingRegister } from "../../src/state/lease/file-register.ts";
import { lookAtLease, takeLease } from "../../src/state/lease/hold-lease.ts";
import { size } from "../proofs/size.ts";
import { leaseClock } from "./repositories.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const top = folderForFile();
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(top, "t"));
  path = join(folder, "x.lock");
});

const since = "2026-06-01T12:00:00Z";
const who = (pid: number) => ({ by: "x", host: "h", pid, since });
/** As an earlier version wrote it. */
const oldLock = (pid: number) => `${JSON.stringify({ type: "lock", ...who(pid), until: since })}\n`;

/** A runner of a machine on which some processes have ended. */
const depsOf = (pid: number, dead: readonly number[], clock = leaseClock()) => ({
  ...clock,
  now: () => 0,
  newId: randomUUID,
  runner: {
    user: "x",
    host: "h",
    pid,
    processMark: (other: number) => (dead.includes(other) ? undefined : ""),
  },
});
const take = (pid: number, dead: readonly number[] = [], clock = leaseClock(), timeout = 0) =>
  takeLease(passingRegister(path, randomUUID), "x", { timeout }, depsOf(pid, dead, clock));
const look = (dead: readonly number[] = []) => lookAtLease(passingRegister(path, randomUUID), depsOf(1000, dead));

async function taken(...given: Parameters<typeof take>): Promise<HeldLock> {
  const result = await take(...given);
  if (result.is !== "ours") throw new Error(JSON.stringify(result));
  return result.lock;
}

/** What may be there before a run begins; of a dead process with the number 99. */
const before: readonly [string, () => void][] = [
  ["free", () => undefined],
  ["an empty folder", () => mkdirSync(path)],
  [
    "of a dead process",
    () => {
      mkdirSync(join(path, "now-v"), { recursive: true });
      writeFileSync(join(path, "now-v", "v.json"), formatLease({ id: "v", counter: 1, ...who(99) }));
    },
  ],
  [
    "of a dead process of an earlier version",
    () => {
      mkdirSync(join(path, "now-v"), { recursive: true });
      writeFileSync(join(path, "v.json"), formatLease({ id: "v", counter: 1, ...who(99) }));
    },
  ],
  ["a file of a dead process of an earlier version", () => writeFileSync(path, oldLock(99))],
];

describe("a lock of one machine", () => {
  test.each(before)("that is %s goes to one of twenty that try at once, and is gone after it", async (_what, make) => {
    for (let round = 0; round < 5; round += 1) {
      make();
      expect(await look([99])).toEqual({ is: "free" });
      const tried = await Promise.all(Array.from({ length: 20 }, (_, pid) => take(pid + 1, [99])));
      const winners = tried.flatMap((each, index) => (each.is === "ours" ? [{ ...each, pid: index + 1 }] : []));
      expect(winners.length).toBe(1);
      for (const each of tried) if (each.is === "held") expect(each.by?.pid).toBe(winners[0]?.pid);
      expect(await look()).toMatchObject({ is: "held", by: { pid: winners[0]?.pid } });
      await winners[0]?.lock.release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test.each<[string, () => void]>([
    ["a file that is not a lock", () => writeFileSync(path, "no lock")],
    ["a link to a folder", () => symlinkSync(mkdtempSync(join(top, "elsewhere-")), path)],
    ["a dangling link", () => symlinkSync(join(top, "nowhere"), path)],
  ])("in whose place is %s, is held by an unknown runner, and stays", async (_what, make) => {
    make();
    const names = readdirSync(folder);
    expect(await look()).toEqual({ is: "held", by: undefined });
    expect(await take(1)).toMatchObject({ is: "held", by: undefined });
    expect(readdirSync(folder)).toEqual(names);
  });

  test("of a living process of an earlier version is held, however long it is watched: that version does not renew it", async () => {
    writeFileSync(path, oldLock(99));
    expect(await take(1)).toMatchObject({ is: "held", by: who(99) });
    expect(await take(1, [], leaseClock(), 600_000)).toMatchObject({ is: "held", by: who(99) });
    expect(readdirSync(folder)).toEqual(["x.lock"]);
  });

  test("of a process that was stopped for longer than a lease: it writes no more, whether another took the lock or not", async () => {
    for (const isTaken of [true, false]) {
      const clock = leaseClock();
      const stopped = await taken(1, [], clock);
      const other = isTaken ? await taken(2, [], leaseClock(), 90_000) : undefined;
      expect(stopped.mayWrite()).toBe(true);
      clock.pass(61_000);
      expect(stopped.mayWrite()).toBe(false);
      // Whoever asks late learns of it as well.
      const told: string[] = [];
      stopped.onLost(({ reason }) => told.push(reason));
      expect(told).toEqual(["it could not be renewed for 55 s"]);
      await stopped.release();
      expect(await look()).toMatchObject(isTaken ? { is: "held", by: { pid: 2 } } : { is: "free" });
      expect(other?.mayWrite()).not.toBe(false);
      await other?.release();
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("and the folder of a lease that stays keeps nothing of those who tried for it", async () => {
    for (let round = 0; round < 3; round += 1) {
      const tried = await Promise.all(
        Array.from({ length: 20 }, (_, pid) =>
          takeLease(fileRegister(path, randomUUID), "x", { timeout: 0 }, depsOf(pid + 1, [])),
        ),
      );
      const winners = tried.flatMap((each) => (each.is === "ours" ? [each.lock] : []));
      expect(winners.length).toBe(1);
      await winners[0]?.release();
      expect(readdirSync(folder)).toEqual(["x.lock"]);
      expect(readdirSync(path, { recursive: true })).toHaveLength(2);
    }
  });
});

/** Takes a lock, renews it and gives it back, and kills itself before its nth change of a file. */
const killedAt = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const [folder, path, at] = process.argv.slice(1);
  let left = Number(at);
  for (const name of Object.keys(fs).filter((each) => /^(?:mkd|open|write|fsync|rename|rm|unlink).*Sync$/.test(each))) {
    const real = fs[name];
    fs[name] = (...args) => {
      if (left-- === 0) process.kill(process.pid, "SIGKILL");
      return real(...args);
    };
  }
  syncBuiltinESMExports();
  const { passingRegister } = await import(folder + "file-register.js");
  const { takeLease } = await import(folder + "hold-lease.js");
  const zero = () => 0;
  const runner = { user: "x", host: "h", pid: process.pid, processMark: (pid) => (pid === 99 ? undefined : "") };
  let renew;
  const every = (_milliseconds, handler) => ((renew = handler), zero);
  const deps = { runner, now: zero, awake: zero, elapsed: zero, every, newId: () => crypto.randomUUID() };
  const taken = await takeLease(passingRegister(path, deps.newId), "x", { timeout: 0 }, deps);
  renew();
  await taken.lock.release();
`;

test.each(
  size.every(
    2,
    before.filter(([what]) => what === "free" || what.startsWith("a file")),
  ),
)(
  "a lock that is %s, and whose next holder is killed before any change of a file, keeps the next run out in no case",
  async (_what, make) => {
    const modules = fileURLToPath(new URL("../../dist/state/lease/", import.meta.url));
    for (let at = 0; ; at += size.killStep) {
      make();
      const options = ["--input-type=module", "-e", killedAt, modules, path, String(at)];
      const ran = spawnSync(process.execPath, options, { encoding: "utf8" });
      const lock = await taken(1, [99, ran.pid]);
      await lock.release();
      expect([at, readdirSync(folder)]).toEqual([at, []]);
      if (ran.signal === "SIGKILL") continue;
      expect([ran.status, ran.stderr]).toEqual([0, ""]);
      expect(at).toBeGreaterThan(15);
      return;
    }
  },
);

test.each([0, 10_000])(
  "a register that shows as free for ever what it gives to nobody ends the wait after %i ms",
  async (timeout) => {
    let swaps = 0;
    const stale: Register = {
      read: async () => ({ is: "read", version: "", text: undefined }),
      prepare: async () => ({ version: randomUUID() }),
      swap: async () => {
        swaps += 1;
        // A loop without a pause lets no timer end it.
        if (swaps > 100) throw new Error("it spins");
        return { is: "rejected" };
      },
    };
    const taken = await takeLease(stale, "x", { timeout }, depsOf(1, []));
    expect(taken).toMatchObject({ is: "held", by: undefined });
    expect(swaps).toBeLessThan(15);
  },
);
