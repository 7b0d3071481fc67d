import { isHopeless } from "../model/failure.ts";
import type { Step, StepId } from "../model/plan.ts";
import type { Outcome } from "../model/report.ts";
import { addTo } from "../lib/collect.ts";

export type Schedule = ReturnType<typeof makeSchedule>;

/** Selects the steps that may run: all predecessors are done; steps that end a gap come first. Selects none after a failure that affects every request. */
export function makeSchedule(steps: readonly Step[]) {
  const outcomes = new Map<StepId, Outcome>();
  // Most steps of a large plan wait for nothing.
  const waiting = new Map(
    steps.flatMap(({ id, after }, place) => (after.length > 0 ? [[id, { place, open: after.length }]] : [])),
  );
  const dependents = new Map<StepId, Step[]>();
  for (const step of steps) for (const before of step.after) addTo(dependents, before, step);
  const ready = makeReadyQueue<Step>();
  for (const [place, step] of steps.entries()) if (step.after.length === 0) ready.add(step, place);
  let hopelessForAll = false;
  const settle = (step: Step, outcome: Outcome) => {
    outcomes.set(step.id, outcome);
    // The run was stopped: what would come after it is not attempted either, and nothing blocks it.
    if (outcome.is === "not_attempted") return;
    hopelessForAll ||= outcome.is === "failed" && isHopeless(outcome.failure);
    for (const dependent of dependents.get(step.id) ?? []) {
      if (outcomes.has(dependent.id)) continue;
      if (outcome.is !== "done" && !isAttachedAgain(dependent, step)) {
        settle(dependent, { is: "blocked", by: outcome.is === "blocked" ? outcome.by : step.id });
        continue;
      }
      const wait = waiting.get(dependent.id);
      if (!wait) continue;
      wait.open -= 1;
      // A step that ends the gap of a name goes before all others; otherwise the plan's own order is kept.
      if (wait.open === 0) ready.add(dependent, wait.place - (endsGapOf(step, dependent) ? steps.length : 0));
    }
  };
  const detached = new Set(steps.flatMap(({ address, detaches }) => (detaches ? [address] : [])));
  /** Tells whether an object that was detached from a resource is attached to it again, since its deletion failed and it is there still. */
  const isAttachedAgain = (dependent: Step, { address, replaces, detaches }: Step): boolean => {
    if (!detached.has(dependent.address) || dependent.action !== "update" || !replaces || detaches) return false;
    const deletion = outcomes.get(`delete ${address}`);
    return deletion !== undefined && deletion.is !== "done" && deletion.is !== "not_attempted";
  };
  /** Returns the next step that may run now; undefined while there is none. What `mayStart` turns down never runs. */
  const next = (mayStart: (step: Step) => boolean = () => true): Step | undefined => {
    let step = hopelessForAll ? undefined : ready.take();
    while (step && !mayStart(step)) step = ready.take();
    return step;
  };
  return { outcomes, next, settle };
}

/** Whether a name is without an answer now until the other step is done, or until one that waits for it, too. */
function endsGapOf({ gaps = [] }: Step, other: Step): boolean {
  const ends = new Set([other.id, ...(other.gaps ?? []).map(({ until }) => until)]);
  return gaps.some(({ until }) => ends.has(until));
}

/** Keeps items by their place, of which the lowest comes out first, in a binary heap: both cost the logarithm of how many wait. */
export function makeReadyQueue<T>() {
  const heap: { readonly item: T; readonly place: number }[] = [];
  const placeOf = (index: number) => heap[index]?.place ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number) => {
    const [first, second] = [heap[a], heap[b]];
    if (first && second) [heap[a], heap[b]] = [second, first];
  };
  const sink = (index: number): void => {
    const first = 2 * index + 1;
    const child = placeOf(first + 1) < placeOf(first) ? first + 1 : first;
    if (placeOf(child) >= placeOf(index)) return;
    swap(index, child);
    sink(child);
  };
  return {
    add: (item: T, place: number): void => {
      heap.push({ item, place });
      for (let index = heap.length - 1; index > 0; index = (index - 1) >> 1) {
        const parent = (index - 1) >> 1;
        if (placeOf(parent) <= placeOf(index)) break;
        swap(parent, index);
      }
    },
    take: (): T | undefined => {
      swap(0, heap.length - 1);
      const first = heap.pop();
      sink(0);
      return first?.item;
    },
  };
}
