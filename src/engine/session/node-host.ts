import { readlinkSync } from "node:fs";
import { hostname, uptime, userInfo } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { packageFile } from "../../lib/package-file.ts";
import { readText } from "../../lib/read-file.ts";
import { isAlive } from "../../lib/temp-folder.ts";
import type { LeaseDeps } from "../../state/lease/hold-lease.ts";
import type { Host } from "./host.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

type Environment = Host["env"];

const startedAt = uptime();
// Not by `performance`: Node loads that when it is first used, which takes a fiftieth of a small plan.
const awake = () => 1000 * process.uptime();
const timeOrigin = Date.now() - awake();

/** Returns the clocks, the randomness and the name of this Node process. */
export function nodeHost(): LeaseDeps & Pick<Host, "random" | "sleep"> {
  return {
    // The time at the start, and the monotonic clock since: a clock that is set meanwhile shortens or prolongs no waiting and no duration.
    now: () => Math.round(timeOrigin + awake()),
    awake,
    elapsed: elapsedClock(),
    random: Math.random,
    // It rejects only because it has ended early.
    sleep: (milliseconds, stop) => sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined),
    every: (milliseconds, handler) => {
      const timer = setInterval(handler, milliseconds);
      return () => clearInterval(timer);
    },
    // The global one loads its code when it is called.
    newId: () => crypto.randomUUID(),
    runner: { user: userName(), uid: process.getuid?.(), host: hostname(), pid: process.pid, processMark },
  };
}

/**
 * Returns a clock that counts also the time for which the machine slept. The system is asked for that only when its own time has moved, as
 * it does at each awakening: the answer is read from a file, which takes as long as a tenth of a write.
 */
function elapsedClock(): () => number {
  let asleep = 0;
  let asked = 0;
  return () => {
    const now = Date.now();
    if (Math.abs(now - asked) >= 10) {
      asked = now;
      asleep = Math.max(0, (uptime() - startedAt) * 1000 - awake());
    }
    return awake() + asleep;
  };
}

/** A container may run as a user that has no name. */
const userName = (): string =>
  orUndefined(() => userInfo().username) ?? process.env["USER"] ?? `user ${process.getuid?.()}`;

/** `BOOT:NAMESPACE/START` of a process that runs, from Linux's /proc; an empty text elsewhere; undefined where none runs. */
function processMark(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  try {
    const boot = readText("/proc/sys/kernel/random/boot_id", 1024).trim();
    const [state, ...rest] = readText(`/proc/${pid}/stat`, 64 * 1024)
      .replace(/^.*\) /su, "")
      .split(" ");
    return state === "Z" ? undefined : `${boot}:${readlinkSync("/proc/self/ns/pid")}/${rest[18]}`;
  } catch {
    return "";
  }
}

/**
 * The environment without `HOSTFORM_*` variables that are empty: CI systems set a variable that was not given to an empty text. Without
 * an address of the database a fleet would begin an empty one on that machine, so that variable stays, and is refused.
 */
export const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => value !== "" || !name.startsWith("HOSTFORM_") || name === "HOSTFORM_DATABASE_URL",
    ),
  );

/** Returns the version in package.json. */
export function version(): string {
  const text = readText(packageFile("package.json"), 1024 * 1024);
  return String((JSON.parse(text) as { version?: unknown }).version);
}
