import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { eventsOf, exits, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { passingRegister } from "../../src/state/lease/file-register.ts";
import { takeLease } from "../../src/state/lease/hold-lease.ts";
import { leaseClock } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";

/** The locks of this machine, without an inventory, so that no other lock keeps anyone out. */
const account = accountForFile();
const front = frontForFile(account);

afterEach(() => {
  vi.unstubAllEnvs();
  front.interfere(() => false);
});

let count = 0;
/** A manifest that creates a zone and records, and working folders for those who apply it. */
function makePlace(folders = 1) {
  count += 1;
  const records = Array.from({ length: 5 }, (_, index) => `r${index}: { TXT: here }`).join(", ");
  const name = `locked${count}`;
  const text = `version: 1\nname: ${name}\ndns: { ${name}.example: { records: { ${records} } } }\n`;
  const file = account.write(`${name}.yaml`, text);
  const places = Array.from({ length: folders }, (_, index) => join(account.folder, `${name}-${index}`));
  for (const each of places) mkdirSync(each);
  return { name, file, places, args: ["apply", "-f", file, "--auto-approve", "--parallelism", "1"] };
}

test.runIf(size.whole)(
  "of four applies that start at once in two folders one runs, and the others name it",
  async () => {
    const { args, places } = makePlace(2);
    let ended = 0;
    let goOn: () => void = () => undefined;
    const othersEnded = new Promise<void>((resolve) => (goOn = resolve));
    let writers = 0;
    front.interfere(async ({ method }) => {
      if (method === "GET" || writers > 0) return false;
      writers += 1;
      await othersEnded;
      return false;
    });
    const runs = Array.from({ length: 4 }, async (_, index) => {
      const env = { ...account.env, TMPDIR: account.folder };
      const ran = await runHostform([...args, ...front.flags], { env, cwd: places[index % 2] ?? "" });
      ended += 1;
      if (ended === 3) goOn();
      return ran;
    });
    const ran = await Promise.all(runs);
    expect(ran.filter(({ status }) => status === 0)).toHaveLength(1);
    const others = ran.filter(({ status }) => status === 6);
    expect(others).toHaveLength(3);
    for (const { stderr } of others)
      expect(stderr).toMatch(/Another apply is running since \S+Z, by \S+ \(process \d+ on /u);
    for (const each of places) expect(lockNames(join(each, ".hostform"))).toEqual([]);
    expect(lockNames(lockFolder(account.folder))).toEqual([]);
  },
);

test("the lock of an apply that was killed is taken at once, from another folder too", async () => {
  const { args, places } = makePlace(2);
  let kill: (signal: NodeJS.Signals) => void = () => undefined;
  const env = { ...account.env, TMPDIR: account.folder };
  front.interfere(({ method }) => {
    if (method === "GET") return false;
    kill("SIGKILL");
    return true;
  });
  const onStart = (signal: typeof kill) => (kill = signal);
  const killed = await runHostform([...args, ...front.flags], { env, cwd: places[0] ?? "", onStart });
  expect(killed.status).toBe(null);
  expect(lockNames(lockFolder(account.folder))).toHaveLength(1);
  front.interfere(() => false);
  const next = exits(0, await runHostform([...args, ...front.flags], { env, cwd: places[1] ?? "" }));
  expect(next.stderr).not.toContain("Another apply");
  expect(lockNames(lockFolder(account.folder))).toEqual([]);
});

/** Applies on a clock of its own that stands still but for what the test lets pass at a write, and counts the writes after it. */
async function applyStopped(
  at: number,
  strike: (place: { readonly key: string; readonly journal: string }) => Promise<void> | void,
) {
  const { args, name, places } = makePlace();
  const journal = join(places[0] ?? "", "journal");
  const key = targetKey({ name, place: front.baseUrl, contract: "v2026" });
  let [seen, afterwards, now] = [0, 0, 0];
  front.interfere(async ({ method }) => {
    if (method === "GET") return false;
    seen += 1;
    if (seen > at) afterwards += 1;
    if (seen !== at) return false;
    await strike({ key, journal });
    now += 61_000;
    return false;
  });
  const time = () => now;
  const sleep = async (milliseconds: number) => void (now += milliseconds);
  const run = (more: Parameters<typeof runInProcess>[3]) =>
    runInProcess({ env: account.env, flags: front.flags }, [...args, "--json", "--journal", journal], {}, more);
  const ran = await run({ awake: time, elapsed: time, sleep });
  return { ran, afterwards, again: () => run({}) };
}

const lost = (ran: Ran) => eventsOf(ran).filter(({ code }) => code === "lock_lost");

test.each(["temporary folder", "folder of the journal"])(
  "an apply that was stopped for longer than its lease writes no more: its lock in the %s is another's",
  async (which) => {
    const temporary = mkdtempSync(join(tmpdir(), "hostform-tmp-"));
    vi.stubEnv("TMPDIR", temporary);
    let release: () => Promise<void> = async () => undefined;
    const { ran, afterwards, again } = await applyStopped(3, async (place) => {
      const path =
        which === "temporary folder" ? join(lockFolder(temporary), `${place.key}.lock`) : `${place.journal}.lock`;
      const runner = { user: "other", host: "elsewhere", pid: 7, processMark: () => "" };
      const deps = { ...leaseClock(), now: Date.now, newId: () => crypto.randomUUID(), runner };
      const taken = await takeLease(passingRegister(path, deps.newId), "other", { timeout: 90_000 }, deps);
      if (taken.is !== "ours") throw new Error(taken.is);
      release = taken.lock.release;
    });
    expect(lost(ran)).toHaveLength(1);
    expect([ran.status, afterwards]).toEqual([5, 0]);
    expect(exits(6, await again()).stdout).toMatch(/Another apply is running since \S+Z, by other/u);
    await release();
    exits(0, await again());
  },
);

test("an apply that was stopped for longer than its lease writes no more, also if nobody took its lock", async () => {
  const { ran, afterwards, again } = await applyStopped(3, () => undefined);
  expect(lost(ran)).toHaveLength(1);
  expect([ran.status, afterwards]).toEqual([5, 0]);
  expect((await again()).status).toBe(0);
});

const lockNames = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".lock"));

function lockFolder(temporary: string): string {
  const [name = ""] = readdirSync(temporary).filter((each) => each.startsWith("hostform-locks-"));
  return join(temporary, name);
}

test("the lock of an apply that runs on this machine is not cleared, and of one that was killed it is", async () => {
  const { args, file, places, name } = makePlace();
  const inventory = ["--inventory", join(account.folder, `${name}.json`)];
  const env = { ...account.env, TMPDIR: account.folder };
  const at = { env, cwd: places[0] ?? "" };
  const unlock = () => runHostform(["inventory", "-f", file, "--unlock", ...inventory, ...front.flags], at);
  let kill: (signal: NodeJS.Signals) => void = () => undefined;
  let during: Ran | undefined;
  front.interfere(async ({ method }) => {
    if (method === "GET" || during) return false;
    during = await unlock();
    return false;
  });
  exits(0, await runHostform([...args, ...inventory, ...front.flags], at));
  if (!during) throw new Error("nothing was written");
  expect(exits(6, during).stderr).toMatch(/Another apply is running since .*its process \d+ runs on this machine/su);
  expect(during.stderr).not.toContain("--unlock");

  front.interfere(({ method }) => {
    if (method !== "GET") kill("SIGKILL");
    return method !== "GET";
  });
  const gone = ["--allow-delete", `dns_record/${name}.example/*=4`];
  writeFileSync(file, `version: 1\nname: ${name}\ndns: { ${name}.example: { records: { r0: { TXT: here } } } }\n`);
  const killed = await runHostform([...args, ...gone, ...inventory, ...front.flags], {
    ...at,
    onStart: (signal) => (kill = signal),
  });
  expect(killed.status).toBe(null);
  expect(exits(0, await unlock()).stdout).toContain("The lock of the apply by ");
});
