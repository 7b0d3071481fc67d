import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HeldLock } from "../../src/model/inventory.ts";
import { bob, take, workshopForFile } from "../state/repositories.ts";
import { openAccount } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { openFront } from "../support/front.ts";
import { recordNames } from "../support/live-records.ts";
import { openedForTest } from "../support/opened-for-file.ts";
import { eventsOf, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { size } from "./size.ts";

/** An apply that loses its lease in the middle, over HTTPS and with a real git remote; its clock is the test's. */
const shop = workshopForFile();
const account = openedForTest(openAccount);
const front = openedForTest(() => openFront(account));

const names = Array.from({ length: 9 }, (_, index) => `r${index}`);
const records = names.map((name) => `${name}: { TXT: here }`).join(", ");
const manifest = `version: 1\nname: leased\ndns: { lease.example: { records: { ${records} } } }\n`;

/** One runner and the places that it shares with others. */
interface Place {
  readonly clone: string;
  readonly remote: string;
  /** `--inventory FILE`, or nothing. */
  readonly flags: readonly string[];
  readonly file: string | undefined;
}

function makePlace(mode: Mode): Place {
  const remote = shop.makeRemote();
  const clone = shop.clone(remote);
  shop.commit(clone, "manifest.yaml", manifest);
  shop.git(clone, "push", "--quiet", "origin", "HEAD");
  const folder = join(account.folder, "shared");
  mkdirSync(folder, { recursive: true });
  const file = mode === "file" ? join(folder, "inv.json") : undefined;
  return { clone, remote, file, flags: file === undefined ? [] : ["--inventory", file] };
}

const journalOf = ({ clone }: Place) => join(clone, "..", `${clone.split("/").at(-1)}.journal`);

const otherStore = ({ remote, file }: Place) =>
  shop.open(shop.clone(remote), {
    runner: bob,
    target: { name: "leased", place: front.baseUrl, contract: "v2026" },
    ...(file !== undefined && { file }),
  });

/** What happens to the lease while a request is held up. Returns what puts it right again. */
type Strike = (place: Place, clock: Clock) => Promise<() => Promise<void> | void>;

interface Clock {
  readonly pass: (milliseconds: number) => void;
  /** Renews the lease, and resolves once the run has found out that it lost it. */
  readonly renew: () => Promise<void>;
}

const strikes: Record<"taken" | "cleared" | "late", Strike> = {
  taken: async (place, clock) => {
    const lock: HeldLock = await take(await otherStore(place), 90_000);
    await clock.renew();
    return () => lock.release();
  },
  cleared: async (place, clock) => {
    const unlock = ["inventory", "--unlock", "-f", join(place.clone, "manifest.yaml"), ...place.flags];
    expect((await runInProcess(front, unlock)).status).toBe(0);
    await clock.renew();
    return () => undefined;
  },
  late: async ({ remote }, clock) => {
    renameSync(remote, `${remote}-away`);
    clock.pass(61_000);
    return () => renameSync(`${remote}-away`, remote);
  },
};

type Run = (args: readonly string[], seen: (stdout: string) => void) => Promise<Ran>;

/** A run in this process, on a clock that passes while it sleeps, and how that clock is set. */
function virtualRun(isLost: () => Promise<void>): { readonly run: Run; readonly clock: Clock } {
  let now = 0;
  const timers = new Set<() => void>();
  const time = () => now;
  const clock: Clock = {
    pass: (milliseconds) => (now += milliseconds),
    renew: () => {
      for (const timer of timers) timer();
      return isLost();
    },
  };
  const world = {
    awake: time,
    elapsed: time,
    sleep: async (milliseconds: number) => clock.pass(milliseconds),
    every: (_milliseconds: number, handler: () => void) => {
      timers.add(handler);
      return () => timers.delete(handler);
    },
  };
  return { run: (args, seen) => runInProcess(front, args, {}, world, seen), clock };
}

/** A run of the built binary, which renews by itself, in its own time. */
const realRun = (isLost: () => Promise<void>): { readonly run: Run; readonly clock: Clock } => ({
  run: (args, onOutput) => runHostform([...args, ...front.flags], { env: account.env, onOutput }),
  clock: { pass: () => undefined, renew: isLost },
});

/** Applies; at the write with this number, the strike happens before the service gets that write. */
async function applyStruck(place: Place, at: number, strike: Strike | undefined, makeRun = virtualRun) {
  let stdout = "";
  let wake: () => void = () => undefined;
  const { run, clock } = makeRun(
    () =>
      new Promise((resolve) => {
        wake = () => stdout.includes("lock_lost") && resolve();
        wake();
      }),
  );
  let seen = 0;
  let afterwards = 0;
  let struck: Promise<() => Promise<void> | void> | undefined;
  front.interfere(async ({ method }) => {
    if (method === "GET") return false;
    if (struck) afterwards += 1;
    seen += 1;
    if (seen === at && strike) await (struck = strike(place, clock));
    return false;
  });
  const args = ["apply", "-f", join(place.clone, "manifest.yaml"), "--auto-approve", "--json", "--parallelism", "1"];
  const ran = await run([...args, "--settle", "5", "--journal", journalOf(place), ...place.flags], (text) => {
    stdout = text;
    wake();
  });
  return { ran, afterwards, heal: await struck };
}

/** The names of the records that a run says it has made. */
const doneIn = (ran: Ran) =>
  eventsOf(ran).flatMap(({ type, outcome, address }) => {
    const [, name] = /^dns_record\/lease\.example\/(\w+)\/TXT$/u.exec(String(address)) ?? [];
    return type === "step_end" && outcome === "done" && name !== undefined ? [name] : [];
  });

const summaryOf = (ran: Ran) =>
  eventsOf(ran)
    .filter(({ code }) => code === "lock_lost")
    .map(({ summary }) => String(summary))
    .join();

const words = {
  taken: /has lost its lock: the apply by bob@laptop since .* holds it\. It starts no further write/u,
  cleared: /has lost its lock: tester@here has cleared it with --unlock\. It starts no further write/u,
  late: /has lost its lock: it could not be renewed for 55 s.*\. It starts no further write/u,
};

/** Loses the lease at a write, applies again, and returns the records that are there then. */
async function loseAndGoOn(mode: Mode, how: How, at: number, makeRun = virtualRun): Promise<readonly string[]> {
  const putBack = account.mirror.keep();
  const place = makePlace(mode);
  const { ran, afterwards, heal } = await applyStruck(place, at, strikes[how], makeRun);
  expect(summaryOf(ran)).toMatch(words[how]);
  expect(afterwards).toBe(0);
  expect(ran.status).toBe(5);
  const live = await recordNames(account);
  expect(live).toHaveLength(at - 1);
  expect(doneIn(ran).sort()).toEqual(live);
  expect(eventsOf(ran).find(({ type }) => type === "report")).toMatchObject({
    done: at,
    not_attempted: names.length + 1 - at,
  });
  expect(existsSync(journalOf(place))).toBe(true);
  await heal?.();
  const next = await applyStruck(place, 0, undefined, makeRun);
  expect(next.ran.status, next.ran.stdout + next.ran.stderr).toBe(0);
  const all = await recordNames(account);
  expect(existsSync(journalOf(place))).toBe(false);
  putBack();
  rmSync(place.file ?? "", { force: true });
  return all;
}

type Mode = "git" | "file";
type How = keyof typeof strikes;

describe.each<Mode>(["git", "file"])("an apply with its inventory in a %s", (mode) => {
  test.each<How>(size.every(mode === "git" ? 9 : 6, ["taken", "cleared", "late"]))(
    "whose lease is %s starts no further write, says what is done, and is completed by the next",
    async (how) => {
      const at = fc.integer({ min: 1, max: names.length });
      await forDraws({ numRuns: size.leaseLosses, endOnFailure: true }, at, async (number) => {
        expect(await loseAndGoOn(mode, how, number)).toEqual(names);
      });
    },
  );

  // The binary renews every 15 s, and no option shortens that.
  test.runIf(size.leaseLosses > 1).each<How>(["taken", "cleared"])(
    "by the built binary, whose lease is %s: likewise",
    async (how) => {
      expect(await loseAndGoOn(mode, how, 4, realRun)).toEqual(names);
    },
  );
});
