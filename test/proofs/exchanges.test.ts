import { rmSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { eventsOf, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { exchange, type Place, type Trial } from "./draw-exchange.ts";
import { openExchanges, secretsOfPlaces } from "./exchange-account.ts";
import { size } from "./size.ts";

const stage = openedForFile(() => openExchanges(false));
let putBack: () => void;
beforeAll(() => {
  putBack = stage.account.mirror.keep();
});

test("the place of what is exchanged is never left empty: its successor is there, or all that was there before", () =>
  forDraws({ numRuns: size.exchangeRuns, endOnFailure: true }, exchange, holds));

async function holds(trial: Trial): Promise<void> {
  const { place } = trial;
  const { account, make, heldIn, hasJournal } = stage;
  putBack();
  rmSync(stage.journal, { force: true });
  await make(place);
  const before = heldIn(place);
  expect(before).toHaveLength(place.before.length);
  await addFaults(trial);
  const ran = await apply(place, trial);
  await account.byHand("DELETE", "/_emulator/faults");
  const said = ran.stdout + ran.stderr;
  expect([0, 4, 5, 6, 130], said).toContain(ran.status);
  expect(said).not.toContain("A bug in Hostform");
  const events = eventsOf(ran);
  expect(events.find(({ type }) => type === "report")?.["mismatches"] ?? [], said).toEqual([]);
  const put = events.filter(({ type }) => type === "put_back");
  expectPlanned(events, put);
  if (put.some(({ outcome }) => outcome === "failed")) {
    expect(ran.status, said).toBe(5);
    for (const each of put.filter(({ outcome }) => outcome === "failed")) expect(each["record"]).toBeDefined();
  } else {
    expectOneOfBoth(before, heldIn(place), said);
    const now = heldIn(place).join();
    for (const value of place.values ?? []) expect(now, said).toContain(JSON.stringify(value));
    expect(hasJournal() && put.length > 0 && ran.status === 5 && !mayBeInFlight(events), said).toBe(false);
  }
  await expectSuccessorAtLast(trial, before);
}

/** A write of which no answer says whether it was done keeps the journal. */
const mayBeInFlight = (events: readonly Record<string, unknown>[]) =>
  events.some(({ type, failure }) => type === "step_end" && failure !== undefined);

/** What is put back was announced by the plan. */
function expectPlanned(events: readonly Record<string, unknown>[], put: readonly Record<string, unknown>[]): void {
  const announced = events
    .filter(({ type }) => type === "planned")
    .flatMap(({ on_refusal: all = [] }) => all as { address: string; is: string }[]);
  for (const { address } of put) expect(announced).toContainEqual(expect.objectContaining({ address, is: "put_back" }));
}

/** Without faults it comes to its end: the successor alone is there, and another apply has nothing to do. */
async function expectSuccessorAtLast({ place }: Trial, before: readonly string[]): Promise<void> {
  const quiet = { interruptAt: undefined, parallelism: 1 };
  exits(0, await apply(place, quiet));
  for (const each of before) expect(stage.heldIn(place)).not.toContain(each);
  const last = await apply(place, quiet);
  expect(eventsOf(last).filter(({ type }) => type === "planned")).toEqual([]);
  expect(stage.hasJournal()).toBe(false);
}

function expectOneOfBoth(before: readonly string[], now: readonly string[], said: string): void {
  const there = before.filter((each) => now.includes(each));
  const successors = now.filter((each) => !before.includes(each));
  expect(there.length + successors.length, `nothing is there\n${said}`).toBeGreaterThan(0);
  if (successors.length === 0) expect(now, said).toEqual(before);
}

async function addFaults({ place, refusals, deletions }: Trial): Promise<void> {
  const faults = [
    ...refusals.map((each) => ({ match: { method: "POST", path: place.path }, ...each })),
    ...deletions.map((each) => ({ match: { method: "DELETE" }, ...each })),
  ];
  if (faults.length === 0) return;
  const added = await stage.account.byHand("POST", "/_emulator/faults", { faults });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
}

async function apply(
  place: Place,
  { interruptAt, parallelism }: Pick<Trial, "interruptAt" | "parallelism">,
): Promise<Ran> {
  const { front, clock, applyOf } = stage;
  let interrupt: () => void = () => undefined;
  let requests = 0;
  front.interfere(() => {
    requests += 1;
    if (requests === interruptAt) interrupt();
    return false;
  });
  const world = { ...clock, onInterrupt: (handler: () => void) => (interrupt = handler) };
  return runInProcess(front, applyOf(place, parallelism), secretsOfPlaces, world);
}
