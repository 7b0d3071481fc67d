import fc from "fast-check";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { failJob } from "../../src/fleet/store/job-store.ts";
import type { Interfere } from "../support/front.ts";
import { openFleetStage, sumsIn, type WorkerProcess } from "../support/fleet-stage.ts";
import { forDraws } from "../support/for-draws.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { openReader } from "./read-account.ts";
import { size } from "./size.ts";

const names = ["stopped", "lost", "ending", "alive", "asked"] as const;
const records = Array.from({ length: 5 }, (_, index) => `r${index}`);
const manifestOf = (name: string) =>
  `version: 1\nname: ${name}\ndns: { ${name}.example: { records: { ${records.map((record) => `${record}: { TXT: here }`).join(", ")} } } }\n`;
const manifests = Object.fromEntries(
  names.flatMap((name) =>
    Array.from({ length: size.leaseLosses }, (_, turn) => `${name}-${turn}`).map((each) => [each, manifestOf(each)]),
  ),
);
const writesOfOne = records.length + 1;

const stage = openedForFile(() => openFleetStage([{ lax: true }], [manifests]));
beforeAll(async () => {
  for (const machine of ["a", "b"]) stage.checkOut(machine);
});

const interfere = (handle: Interfere) => stage.fronts[0]?.interfere(handle);
const oneByOne = ["--parallelism", "1"];
const apply = (name: string, command = "apply") => [command, "--auto-approve", "--json", "--only", `s0/${name}`];

/** The records of an account that are live. */
function liveOf(name: string): string[] {
  const [service] = stage.services;
  if (!service) return [];
  const reader = openReader(service);
  const all = reader.read()["dns_record"] ?? [];
  reader.close();
  return all
    .filter(({ zone, managed }) => zone === `${name}.example` && managed !== true)
    .map((item) => String(item["name"]))
    .toSorted();
}

const drawn = fc.record({ at: fc.integer({ min: 1, max: writesOfOne - 1 }), isPassed: fc.boolean() });
const eachTurn = async (
  kind: string,
  work: (name: string, how: { at: number; isPassed: boolean }) => Promise<void>,
) => {
  let turn = 0;
  await forDraws({ numRuns: size.leaseLosses, endOnFailure: true }, drawn, (how) => work(`${kind}-${turn++}`, how));
};
const ended = async (worker: WorkerProcess) => {
  worker.signal("SIGKILL");
  await worker.ended;
};

test("a worker that stood still past its lease writes nothing more, and what it had begun is not done twice", () =>
  eachTurn("stopped", async (name, { at, isPassed }) => {
    const first = stage.startWorker("a", oneByOne);
    let writes = 0;
    let goOn: () => void = () => undefined;
    const isOver = new Promise<void>((resolve) => (goOn = resolve));
    let second: WorkerProcess | undefined;
    interfere(async ({ method }, response, pass) => {
      if (method === "GET") return false;
      writes += 1;
      if (writes !== at) return false;
      first.signal("SIGSTOP");
      const answer = isPassed ? await pass() : undefined;
      second = stage.startWorker("b", oneByOne);
      await isOver;
      if (answer) response.writeHead(answer.status, answer.headers).end(answer.text);
      else response.destroy();
      return true;
    });
    const applied = await stage.fleet(apply(name), () => stage.passTime(second ? [first.name] : []));
    expect(sumsIn(applied), applied.stdout).toEqual({ applied: 1 });
    const before = writes;
    first.signal("SIGCONT");
    goOn();
    await first.says("job_returned");
    expect(writes).toBe(before);
    expect(liveOf(name)).toEqual(records);
    await ended(first);
    if (second) await ended(second);
  }));

test.runIf(size.whole)(
  "a worker that loses its database writes nothing until it is back, and its account is applied then",
  () =>
    eachTurn("lost", async (name, { at, isPassed }) => {
      const worker = stage.startWorker("a", oneByOne);
      let writes = 0;
      let whileAway = 0;
      let isAway = false;
      let cutOff: unknown;
      let restarted: Promise<void> = Promise.resolve();
      interfere(async ({ method, headers }, response, pass) => {
        // Requests wait meanwhile: so the worker tells of its end when the database is there again. The write that was cut off
        // stands in the journal, and may be sent again with its key.
        if (isAway) {
          if (method !== "GET" && headers["idempotency-key"] !== cutOff) whileAway += 1;
          await restarted;
        }
        if (method === "GET") return false;
        writes += 1;
        if (writes !== at) return false;
        isAway = true;
        cutOff = headers["idempotency-key"];
        expect(cutOff).toBeDefined();
        restarted = stage.restartDatabase(async () => {
          if (isPassed) {
            const { status, headers, text } = await pass();
            response.writeHead(status, headers).end(text);
          } else response.destroy();
          await worker.says("database_lost");
        });
        restarted = restarted.finally(() => (isAway = false));
        return true;
      });
      const applied = await stage.fleet(apply(name), () => stage.passTime([]));
      expect(sumsIn(applied), applied.stdout).toEqual({ applied: 1 });
      expect(whileAway).toBe(0);
      expect(liveOf(name)).toEqual(records);
      await ended(worker);
    }),
);

test.runIf(size.whole)(
  "a worker that is to end lets its write in flight end, gives its job back and says so, and another one does the rest",
  () =>
    eachTurn("ending", async (name, { at }) => {
      const first = stage.startWorker("a", oneByOne);
      let second: WorkerProcess | undefined;
      let writes = 0;
      interfere(async ({ method }, response, pass) => {
        if (method === "GET" || (writes += 1) !== at) return false;
        first.signal("SIGTERM");
        const { status, headers, text } = await pass();
        response.writeHead(status, headers).end(text);
        void first.ended.then(() => (second = stage.startWorker("b", oneByOne)));
        return true;
      });
      const applied = await stage.fleet(apply(name), () => stage.passTime([]));
      expect(sumsIn(applied), applied.stdout).toEqual({ applied: 1 });
      await first.says("job_returned");
      expect([await first.ended, writes, liveOf(name)]).toEqual([0, writesOfOne, records]);
      if (second) await ended(second);
    }),
);

test("a job whose worker renews its lease is never taken, however long it takes", () =>
  eachTurn("alive", async (name, { at }) => {
    const renewals = new Set<() => void>();
    const every = (_milliseconds: number, handler: () => void) => {
      renewals.add(handler);
      return () => renewals.delete(handler);
    };
    let writes = 0;
    interfere(async ({ method }) => {
      if (method !== "GET" && (writes += 1) === at)
        // Two hours, of which each 39 s leave the lease one second.
        for (let turn = 0; turn < 185; turn += 1) {
          const [lease] = await stage.database.query<{ until: Date }>(
            "UPDATE hostform.lease SET until = until - interval '39 s' WHERE job IS NOT NULL RETURNING until",
          );
          expect(await stage.queue.sweep(failJob, 0)).toEqual({ again: [], failed: [] });
          for (const renew of renewals) renew();
          for (;;) {
            const [now] = await stage.database.query<{ until: Date }>(
              "SELECT until FROM hostform.lease WHERE job IS NOT NULL",
            );
            if (now && lease && now.until > lease.until) break;
          }
        }
      return false;
    });
    const applied = await stage.fleet([...apply(name, "run"), ...oneByOne], undefined, { every });
    expect(sumsIn(applied), applied.stdout).toEqual({ applied: 1 });
    expect(writes).toBe(writesOfOne);
    expect(liveOf(name)).toEqual(records);
  }));

test.runIf(size.whole)(
  "a command whose database is away when its plans are approved waits for it, and applies them then",
  async () => {
    const isThere = () =>
      stage.database.query("SELECT 1").then(
        () => true,
        () => false,
      );
    interfere(() => false);
    let restarted = Promise.resolve();
    let begin: () => void = () => undefined;
    const isWaitedFor = new Promise<void>((resolve) => (begin = resolve));
    const ask = () =>
      new Promise<string>((answer) => {
        restarted = stage.restartDatabase(async () => {
          while (await isThere());
          answer("yes");
          await isWaitedFor;
        });
      });
    const sleep = async (milliseconds: number, stop?: AbortSignal) => {
      // Between two looks at what is there nobody waits so long.
      if (milliseconds >= 2000) begin();
      await wait(Math.min(200, milliseconds), undefined, stop && { signal: stop }).catch(() => undefined);
    };
    const applied = await stage.fleet(["run", "--json", "--only", "s0/asked-0", ...oneByOne], undefined, {
      interactive: true,
      ask,
      sleep,
    });
    begin();
    await restarted;
    expect([sumsIn(applied), applied.status], applied.stdout).toEqual([{ applied: 1 }, 0]);
    expect(liveOf("asked-0")).toEqual(records);
  },
);
