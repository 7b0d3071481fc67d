import { rmSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { runnerBeside } from "../support/runner-beside.ts";
import { armKiller, type Refuse } from "./arm-killer.ts";
import { choosePoints, type KillPoint } from "./choose-points.ts";
import { place as placeToKill, type Place } from "./draw-exchange.ts";
import { openExchanges, secretsOfPlaces } from "./exchange-account.ts";
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
  const exchanges = await openExchanges(lax);
  const { account, front, clock, journal, make, applyOf } = exchanges;
  const putBack = account.mirror.keep();
  const setFaults = async (faults: readonly Fault[]) => {
    await account.byHand("DELETE", "/_emulator/faults");
    if (faults.length === 0) return;
    const added = await account.byHand("POST", "/_emulator/faults", { faults });
    expect(added.status, JSON.stringify(added.body)).toBe(201);
  };
  return {
    ...exchanges,
    setFaults,
    begin: async (place: Place) => {
      await setFaults([]);
      putBack();
      rmSync(journal, { force: true });
      rmSync(`${journal}.new`, { force: true });
      await make(place);
    },
    /** Runs in this process, on a clock that passes only while it waits. */
    run: async (place: Place, refusal: number | undefined) => {
      const killer = armKiller(undefined, refuseSuccessor(place, refusal));
      front.interfere(killer.interfere);
      const world = { ...clock, runner: runnerBeside(`${journal}.lock`) };
      const ran = await runInProcess(front, applyOf(place), secretsOfPlaces, world);
      return { ...ran, methods: killer.methods };
    },
    runKilled: async (place: Place, refusal: number | undefined, point: KillPoint) => {
      const killer = armKiller(point, refuseSuccessor(place, refusal));
      front.interfere(killer.interfere);
      const env = { ...account.env, ...secretsOfPlaces };
      const ran = await runHostform([...applyOf(place), ...front.flags], { env, onStart: killer.onStart });
      await killer.quiet();
      return ran;
    },
  };
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
  const successor = stage.heldIn(place);
  await stage.begin(place);
  const before = stage.heldIn(place);
  const { methods } = await stage.run(place, refusal);
  for (const point of choosePoints(methods, size.killedExchangePoints)) {
    await stage.begin(place);
    await stage.setFaults(lagging(lag));
    const first = await stage.runKilled(place, refusal, point);
    const where = `killed ${point.when} request ${point.request} (${methods.join(" ")})\n${saidBy(first)}`;
    const second = await stage.run(place, isRefusedAgain ? refusal : undefined);
    const said = `${where}\nthen\n${saidBy(second)}`;
    const isRefused = refusal !== undefined && isRefusedAgain;
    expect([second.status, stage.heldIn(place)], said).toEqual(isRefused ? [5, before] : [0, successor]);
    await stage.setFaults([]);
    const last = await stage.run(place, undefined);
    expect([last.status, stage.heldIn(place)], `${said}\nat last\n${saidBy(last)}`).toEqual([0, successor]);
    const none = await stage.run(place, undefined);
    expect(eventsOf(none).filter(({ type }) => type === "planned")).toEqual([]);
    expect(stage.hasJournal()).toBe(false);
  }
}

const saidBy = ({ stdout, stderr }: Ran) => stdout + stderr;
