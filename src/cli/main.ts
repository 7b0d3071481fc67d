import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { hostname, uptime, userInfo } from "node:os";
import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readStream, readText } from "../lib/read-file.ts";
import type { OuterIo } from "./io.ts";
import { runCommandLine } from "./command-line.ts";

const startedAt = uptime();

/** The only reader of `process`: everything else is given what it needs. */
function processIo(argv: readonly string[], onInterrupt: OuterIo["onInterrupt"]): OuterIo {
  const interactive = process.stdin.isTTY && process.stdout.isTTY;
  return {
    env: process.env,
    write: writerTo(process.stdout, process.stderr),
    writeError: writerTo(process.stderr, process.stdout),
    readStdin: async (maxBytes) => readStream(process.stdin, maxBytes),
    interactive,
    color: !argv.includes("--no-color") && isColorWanted(process.env, process.stdout.isTTY),
    ask,
    onInterrupt,
    // The time at the start, and the monotonic clock since: a clock that is set meanwhile shortens or prolongs no waiting and no duration.
    now: () => Math.round(performance.timeOrigin + performance.now()),
    awake: () => performance.now(),
    elapsed: () => Math.max(performance.now(), (uptime() - startedAt) * 1000),
    random: Math.random,
    // It rejects only because it has ended early.
    sleep: (milliseconds, stop) =>
      sleep(milliseconds, undefined, { ...(stop && { signal: stop }) }).catch(() => undefined),
    every: (milliseconds, handler) => {
      const timer = setInterval(handler, milliseconds);
      return () => clearInterval(timer);
    },
    newId: randomUUID,
    crash: () => void process.kill(process.pid, "SIGKILL"),
    runner: { user: userName(), uid: process.getuid?.(), host: hostname(), pid: process.pid, processMark },
  };
}

/** Returns whether to use colours: FORCE_COLOR decides (`0` and `false` switch them off), then NO_COLOR, then the terminal. As Node does. */
function isColorWanted(env: NodeJS.ProcessEnv, isTerminal: boolean): boolean {
  const forced = env["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
}

/** Ctrl-C and a stop answer undefined, the end of the input (Ctrl-D) nothing. */
async function ask(question: string, stop: AbortSignal): Promise<string | undefined> {
  if (stop.aborted) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await new Promise((resolve, reject) => {
      terminal.once("SIGINT", () => resolve(undefined));
      stop.addEventListener("abort", () => resolve(undefined), { once: true });
      terminal.once("close", () => resolve(""));
      terminal.question(question).then(resolve, reject);
    });
  } finally {
    terminal.close();
  }
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env["USER"] ?? `user ${process.getuid?.()}`;
  }
}

/** `BOOT:NAMESPACE/START` of a process that runs, from Linux's /proc; an empty text elsewhere; undefined where none runs. */
function processMark(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as someone else.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return undefined;
  }
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
 * Writes to a stream for as long as someone reads it. A reader that has gone (`| head`) must not end an apply in its middle; a disk
 * that is full is said once, on the other stream.
 */
function writerTo(stream: NodeJS.WriteStream, other: NodeJS.WriteStream): (text: string) => void {
  let open = true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // EIO: the terminal was closed.
    if (open && error.code !== "EPIPE" && error.code !== "EIO") {
      process.exitCode = 1;
      other.write(`The output cannot be written: ${error.message}\n`);
    }
    open = false;
  });
  return (text) => {
    if (open) stream.write(text);
  };
}

/** Runs the command line of this process. */
export async function main(onInterrupt: OuterIo["onInterrupt"]): Promise<void> {
  const argv = process.argv.slice(2);
  const status = await runCommandLine(argv, processIo(argv, onInterrupt));
  process.exitCode ??= status;
}
