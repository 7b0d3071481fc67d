import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { beforeAll, beforeEach } from "vitest";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { accountForFile } from "../support/account.ts";
import { type Answered, frontForFile } from "../support/front.ts";
import { type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { runnerBeside } from "../support/runner-beside.ts";
import { recordsIn, sealedLines } from "../support/sealed-lines.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";

/** A request on its way to the service. */
export interface Passing {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly response: ServerResponse;
  readonly pass: () => Promise<Answered>;
}

type OnOutput = NonNullable<Parameters<typeof runHostform>[1]>["onOutput"];

/**
 * Applies whose journal is looked into: on an account and a front that all tests of a file share, each in a folder of its own; by the
 * built binary where they are killed, else in process on a journal that a killed one could have left.
 */
export function journaledApplies() {
  const account = accountForFile();
  const front = frontForFile(account);
  const work: {
    /** A folder to work in, of its own for each test. */
    folder: string;
    /** What becomes of a request where it is not simply passed on; what it has answered itself is not. */
    handle: ((passing: Passing) => Promise<void> | void) | undefined;
  } = { folder: "", handle: undefined };
  /** Each write that has come, with its key. */
  const writes: { method: string; path: string; key: string | undefined }[] = [];
  let count = 0;

  beforeAll(() => {
    front.interfere(async ({ method = "", url: path = "", headers }, response, passOnce) => {
      if (method !== "GET") writes.push({ method, path, key: headers["idempotency-key"] as string | undefined });
      let passed: Promise<Answered> | undefined;
      const pass = () => (passed ??= passOnce());
      await work.handle?.({ method, path, headers, response, pass });
      if (response.writableEnded || response.destroyed) return true;
      const { status, headers: answered, text } = await pass();
      response.writeHead(status, answered).end(text);
      return true;
    });
  });
  beforeEach(() => {
    work.handle = undefined;
    writes.length = 0;
    count += 1;
    work.folder = join(account.folder, `work${count}`);
    mkdirSync(work.folder);
  });

  const zoneName = () => `j${count}.example`;
  const manifest = (text: string) => account.write(`work${count}/m.yaml`, `version: 1\nname: journal\n${text}`);
  const records = (text: string) => manifest(`dns: { ${zoneName()}: { records: { ${text} } } }`);

  const apply = (file: string, more: readonly string[] = [], env: Record<string, string> = {}, onOutput?: OnOutput) =>
    onOutput
      ? runHostform(["apply", "-f", file, "--auto-approve", ...front.flags, ...more], {
          env: { ...account.env, ...env },
          cwd: work.folder,
          onOutput,
        })
      : applyHere(file, more, env);

  const applyHere = (
    file: string,
    more: readonly string[],
    env: Record<string, string>,
    clock: Partial<VirtualClock> = {},
  ) => runHere(["apply", "-f", file, "--auto-approve", ...more], env, clock);

  /** Runs a command in this process, as one of the machine on which an apply was killed: for those that nobody signals. */
  async function runHere(
    args: readonly string[],
    env: Record<string, string>,
    clock: Partial<VirtualClock> = {},
  ): Promise<Ran> {
    const state = join(work.folder, ".hostform");
    const [lock = ""] = existsSync(state) ? own(".lock") : [];
    return runInProcess({ ...front, cwd: work.folder }, args, env, { ...clock, runner: runnerBeside(lock) });
  }

  /** Applies, and gives the requests to a handler that can signal it. */
  async function applyWith(
    file: string,
    each: (passing: Passing, kill: (signal: NodeJS.Signals) => void) => Promise<void> | void,
    { flags = [], env = {} }: { flags?: readonly string[]; env?: Record<string, string> } = {},
  ): Promise<Ran> {
    let signal: ((signal: NodeJS.Signals) => void) | undefined;
    work.handle = (passing) => each(passing, (name) => signal?.(name));
    // The first line is written before the first request.
    const ran = await apply(file, ["--json", ...flags], env, (_, kill) => (signal = kill));
    work.handle = undefined;
    return ran;
  }

  /** Kills the apply in the middle of the first write that matches; `arrives` tells whether the service has seen it. */
  const killedAt = (
    file: string,
    path: RegExp,
    arrives: boolean,
    env: Record<string, string> = {},
    flags: readonly string[] = [],
  ) =>
    applyWith(
      file,
      async (passing, kill) => {
        if (passing.method === "GET" || !path.test(passing.path)) return;
        if (arrives) await passing.pass();
        kill("SIGKILL");
        passing.response.destroy();
      },
      { env, flags: ["--parallelism", "1", ...flags] },
    );

  const own = (suffix: string) =>
    readdirSync(join(work.folder, ".hostform"))
      .filter((name) => name.endsWith(suffix))
      .map((name) => join(work.folder, ".hostform", name));
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

  const file = () => join(work.folder, "j.ndjson");
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

  return {
    account,
    front,
    work,
    writes,
    zoneName,
    manifest,
    records,
    apply,
    applyHere,
    runHere,
    applyWith,
    killedAt,
    own,
    journal,
    lines,
    age,
    posts,
    file,
    begin,
    intent,
    leave,
    resume,
    resumeFrom,
  };
}
