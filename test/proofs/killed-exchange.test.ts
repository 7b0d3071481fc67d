import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { openFront } from "../support/front.ts";
import { eventsOf, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { runnerBeside } from "../support/runner-beside.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { armKiller, type Refuse } from "./arm-killer.ts";
import { choosePoints, type KillPoint } from "./choose-points.ts";
import { place as placeToKill, type Place, type Thing } from "./draw-exchange.ts";
import { exchangeSeed, manifestBegin, plainContract, thingPaths } from "./exchange-account.ts";
import { openReader } from "./read-account.ts";
import { size } from "./size.ts";

interface Fault {
  readonly match: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly fault: Readonly<Record<string, unknown>>;
}

/** An exchange during which the process is killed, and the state of the service while it is made and when another apply completes it. */
interface Killed {
  readonly place: Place;
  /** The answer to the successor, from the first on. */
  readonly refusal: number | undefined;
  /** Whether the successor is still refused when the exchange is completed. */
  readonly isRefusedAgain: boolean;
  /** Milliseconds by which lists lag behind a deletion and a creation. */
  readonly lag: number;
}

const killed: fc.Arbitrary<Killed> = fc.record({
  place: placeToKill,
  refusal: fc.constantFrom<(number | undefined)[]>(...size.killedRefusals),
  isRefusedAgain: fc.boolean(),
  lag: fc.constantFrom(0, 0, 2000, 8000),
});

async function openStage(lax: boolean) {
  const clock = virtualClock();
  const account = await openAccount({ seed: exchangeSeed, lax }, clock.now);
  const front = await openFront(account);
  const reader = openReader(account);
  const paths = thingPaths(reader.read());
  const contract = account.write("c.yaml", plainContract);
  const putBack = account.mirror.keep();
  const journal = join(account.folder, "journal");
  const args = ({ manifest, flags }: Place) => {
    const file = account.write("m.yaml", manifestBegin + manifest);
    const fixed = ["--auto-approve", "--json", "--journal", journal, "--contract", contract, "--parallelism", "1"];
    return ["apply", "-f", file, ...fixed, ...flags, ...front.flags];
  };
  const env = { PW: "correct horse battery" };
  return {
    begin: async (place: Place) => {
      await account.byHand("DELETE", "/_emulator/faults");
      putBack();
      rmSync(journal, { force: true });
      rmSync(`${journal}.new`, { force: true });
      for (const thing of place.before) await make(thing);
    },
    setFaults: async (faults: readonly Fault[]) => {
      await account.byHand("DELETE", "/_emulator/faults");
      if (faults.length === 0) return;
      const added = await account.byHand("POST", "/_emulator/faults", { faults });
      expect(added.status, JSON.stringify(added.body)).toBe(201);
    },
    /** Runs in this process, on a clock that passes only while it waits. */
    run: async (place: Place, refusal: number | undefined) => {
      const killer = armKiller(undefined, refuseSuccessor(place, refusal));
      front.interfere(killer.interfere);
      const ran = await runInProcess({ flags: [], env: account.env }, args(place), env, {
        ...clock,
        runner: runnerBeside(`${journal}.lock`),
      });
      return { ...ran, methods: killer.methods };
    },
    runKilled: async (place: Place, refusal: number | undefined, point: KillPoint) => {
      const killer = armKiller(point, refuseSuccessor(place, refusal));
      front.interfere(killer.interfere);
      const ran = await runHostform(args(place), { env: { ...account.env, ...env }, onStart: killer.onStart });
      await killer.quiet();
      return ran;
    },
    heldIn: ({ isIn }: Place) =>
      Object.entries(reader.read()).flatMap(([kind, items]) =>
        items
          .filter((item) => isIn(kind, item))
          .map(({ id: _id, etag: _etag, created_at: _at, password_updated_at: _set, ...item }) =>
            JSON.stringify({ kind, ...item }),
          ),
      ),
    hasJournal: () => existsSync(journal),
    close: async () => {
      reader.close();
      await front.close();
      await account.close();
    },
  };

  async function make({ list, body }: Thing): Promise<void> {
    const made = await account.byHand("POST", paths[list].path, { ...paths[list].base, ...body });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
}

type Stage = Awaited<ReturnType<typeof openStage>>;

/** Answers each creation with a status, but for those of the things that stood in the place before. */
function refuseSuccessor({ before }: Place, status: number | undefined): Refuse {
  return (method, text) => {
    if (method !== "POST" || status === undefined) return undefined;
    const sent = JSON.parse(text) as Record<string, unknown>;
    const isBefore = before.some(({ body }) =>
      Object.entries(body).every(([name, value]) => isDeepStrictEqual(sent[name] ?? null, value)),
    );
    const answer = { message: "Refused by the test.", code: "refused", errors: {} };
    return isBefore
      ? undefined
      : { status, headers: { "content-type": "application/json" }, text: JSON.stringify(answer) };
  };
}

const lagging = (lag: number): Fault[] =>
  lag === 0
    ? []
    : ["POST", "DELETE"].map((method) => ({ match: { method }, count: 100, fault: { stale_reads_ms: lag } }));

const title = "an exchange that is killed at any request is completed by the next apply";
test.concurrent.each(size.modes(false).map((lax) => ({ lax, service: lax ? "lax" : "strict" })))(
  `${title}, on a $service service`,
  async ({ lax }) => {
    const stage = await openStage(lax);
    try {
      await forDraws({ numRuns: size.killedExchanges, endOnFailure: true }, killed, (drawn) =>
        expectCompleted(stage, drawn),
      );
      expect(stage.hasJournal()).toBe(false);
    } finally {
      await stage.close();
    }
  },
);

async function expectCompleted(stage: Stage, { place, refusal, isRefusedAgain, lag }: Killed): Promise<void> {
  await stage.begin(place);
  const whole = await stage.run(place, undefined);
  expect(whole.status, saidBy(whole)).toBe(0);
  const successor = stage.heldIn(place).toSorted();
  await stage.begin(place);
  const before = stage.heldIn(place).toSorted();
  const { methods } = await stage.run(place, refusal);
  for (const point of choosePoints(methods, size.killedExchangePoints)) {
    await stage.begin(place);
    await stage.setFaults(lagging(lag));
    const first = await stage.runKilled(place, refusal, point);
    const where = `killed ${point.when} request ${point.request} (${methods.join(" ")})\n${saidBy(first)}`;
    const second = await stage.run(place, isRefusedAgain ? refusal : undefined);
    const said = `${where}\nthen\n${saidBy(second)}`;
    const isRefused = refusal !== undefined && isRefusedAgain;
    expect([second.status, stage.heldIn(place).toSorted()], said).toEqual(isRefused ? [5, before] : [0, successor]);
    await stage.setFaults([]);
    const last = await stage.run(place, undefined);
    expect([last.status, stage.heldIn(place).toSorted()], `${said}\nat last\n${saidBy(last)}`).toEqual([0, successor]);
    const none = await stage.run(place, undefined);
    expect(eventsOf(none).filter(({ type }) => type === "planned")).toEqual([]);
    expect(stage.hasJournal()).toBe(false);
  }
}

const saidBy = ({ stdout, stderr }: Ran) => stdout + stderr;
