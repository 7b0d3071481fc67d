import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { place as places, type Place, withOtherTtl } from "./draw-exchange.ts";
import { openExchanges, secretsOfPlaces } from "./exchange-account.ts";
import { type Meet, type Moment, openMoments } from "./moments.ts";
import { size } from "./size.ts";

/** The writes of an apply that are refused, or that are done without an answer. */
interface Refusals {
  readonly methods: readonly string[];
  readonly nths: readonly number[];
  /** 0: the connection is cut. */
  readonly status: number;
  readonly isDone: boolean;
}

const refusals: fc.Arbitrary<Refusals> = fc
  .record({
    methods: fc.constantFrom(["POST"], ["POST"], ["POST", "DELETE"], ["DELETE"]),
    nths: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    status: fc.constantFrom(422, 422, 422, 409, 503, 0),
    isDone: fc.boolean(),
  })
  // A write that was done is not refused.
  .map((drawn) => ({ ...drawn, isDone: drawn.isDone && [0, 503].includes(drawn.status) }));

const meetOf =
  ({ methods, nths, status, isDone }: Refusals): Meet =>
  (method, nth) => {
    if (!methods.includes(method) || !nths.includes(nth)) return undefined;
    const text = JSON.stringify({ message: "Refused by the test.", code: "refused", errors: {} });
    return {
      isDone,
      answer: status === 0 ? undefined : { status, headers: { "content-type": "application/json" }, text },
    };
  };

const trial = fc.record({
  place: fc.oneof(places, withOtherTtl),
  first: refusals,
  second: refusals,
  parallelism: fc.constantFrom(1, 1, 4),
  picks: fc.infiniteStream(fc.nat()),
});

async function openStage(lax: boolean) {
  const exchanges = await openExchanges(lax);
  const { account, front, clock, journal, applyOf } = exchanges;
  const inventory = join(account.folder, "inventory");
  const moments = openMoments(account, front, [journal, inventory]);
  return {
    ...exchanges,
    ...moments,
    apply: (place: Place, parallelism?: number): Promise<Ran> =>
      runInProcess(front, [...applyOf(place, parallelism), "--inventory", inventory], secretsOfPlaces, clock),
    close: async () => {
      moments.close();
      await exchanges.close();
    },
  };
}

type Stage = Awaited<ReturnType<typeof openStage>>;

test.concurrent.each(size.modes(true).map((lax) => ({ lax, service: lax ? "lax" : "strict" })))(
  "whichever writes of an exchange are refused, nothing is lost or doubled, also if it is killed at any of them, on a $service service",
  async ({ lax }) => {
    const stage = await openStage(lax);
    const start = stage.now();
    try {
      await forDraws({ numRuns: size.refusedExchanges, endOnFailure: true }, trial, async (drawn) => {
        stage.goTo(start);
        await holds(stage, drawn);
      });
      expect(stage.hasJournal()).toBe(false);
    } finally {
      await stage.close();
    }
  },
);

type Trial = typeof trial extends fc.Arbitrary<infer Drawn> ? Drawn : never;

async function holds(stage: Stage, { place, first, second, parallelism, picks }: Trial): Promise<void> {
  await stage.make(place);
  const [start, before] = [stage.now(), stage.heldIn(place)];
  exits(0, await stage.apply(place));
  const successor = stage.heldIn(place);
  const some = (moments: readonly Moment[]) =>
    moments
      .map((moment) => [picks.next().value ?? 0, moment] as const)
      .toSorted(([one], [other]) => one - other)
      .slice(0, size.refusedMoments)
      .map(([, moment]) => moment);
  const applyRefused = async (refused: Refusals) => {
    const seen = stage.watch(meetOf(refused));
    const ran = await stage.apply(place, parallelism);
    expectNothingLost(ran, { place, before, now: stage.heldIn(place), mayBeBoth: refused.methods.includes("DELETE") });
    return some(seen);
  };
  const expectSuccessor = async (where: string) => {
    stage.watch();
    const ran = await stage.apply(place);
    expect([ran.status, stage.heldIn(place)], where + ran.stdout).toEqual([0, successor]);
    const again = await stage.apply(place);
    expect(eventsOf(again).filter(({ type }) => type === "planned")).toEqual([]);
    expect(stage.hasJournal(), where).toBe(false);
  };
  stage.goTo(start);
  const killed = await applyRefused(first);
  await expectSuccessor("");
  for (const moment of killed) {
    stage.goTo(moment);
    const killedAgain = await applyRefused(second);
    await expectSuccessor(moment.where);
    for (const again of killedAgain) {
      stage.goTo(again);
      await expectSuccessor(`${moment.where}, then ${again.where}`);
    }
  }
}

interface Held {
  readonly place: Place;
  readonly before: readonly string[];
  readonly now: readonly string[];
  /** Whether a deletion may have been refused, so that a value is there as it was, and as it is to be. */
  readonly mayBeBoth: boolean;
}

/** An apply that has ended by itself leaves in a place the successor, or all that was there before. It prints what could not be put back. */
function expectNothingLost(ran: Ran, { place: { values = [] }, before, now, mayBeBoth }: Held): void {
  const said = ran.stdout + ran.stderr;
  expect(said).not.toContain("A bug in Hostform");
  const putBacks = eventsOf(ran).filter(({ type }) => type === "put_back");
  const lost = putBacks.filter(({ outcome }) => outcome === "failed");
  for (const each of lost) expect(each["record"]).toBeDefined();
  if (lost.length > 0) return;
  expect(now, said).toEqual([...new Set(now)]);
  const successors = now.filter((each) => !before.includes(each));
  if (successors.length === 0) expect(now, said).toEqual(before);
  for (const value of values) {
    const found = now.filter((each) => each.includes(JSON.stringify(value)));
    expect(mayBeBoth ? found.slice(0, 1) : found, said).toHaveLength(1);
  }
}
