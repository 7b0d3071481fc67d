import type { HttpCall } from "../../src/model/http-call.ts";
import type { Gap, Plan, Step } from "../../src/model/plan.ts";
import { applyCall, ask, type Model } from "./zone-model.ts";

const types = ["A", "AAAA", "MX", "TXT", "NS"];

interface Question {
  readonly name: string;
  readonly type: string;
  /** The name, and those that it points to before or after. */
  readonly names: ReadonlySet<string>;
}

interface Call {
  readonly step: Step;
  readonly call: HttpCall;
}

/** What is answered before all calls and after them: what must not miss an answer in between. */
export function questions(before: Model, after: Model): Question[] {
  const names = new Set([...before.records.values(), ...after.records.values()].map(({ name }) => name));
  return [...names].flatMap((name) =>
    types.flatMap((type) => {
      const [first, last] = [ask(before, name, type), ask(after, name, type)];
      return first.answered && last.answered ? [{ name, type, names: new Set([...first.passed, ...last.passed]) }] : [];
    }),
  );
}

export const callsOf = (steps: readonly Step[]): Call[] =>
  steps.flatMap((step) => step.calls.map((call) => ({ step, call })));

/** The account after the calls; a call that the service refuses is an error. */
export function replay(model: Model, calls: readonly Call[]): Model {
  return calls.reduce((now, { step, call }) => {
    const next = applyCall(now, step, call);
    if (typeof next === "string") throw new Error(`${call.method} of ${step.id} is refused: ${next}`);
    return next;
  }, model);
}

/** What stops answering while the calls run in this order and no step that has begun and not ended tells of it; the told gaps that were seen, and all that was missed. */
export function watch(before: Model, calls: readonly Call[], asked: readonly Question[]) {
  const untold: string[] = [];
  const seen = new Set<Gap>();
  const missed = new Set<Question>();
  const left = new Map<string, number>();
  for (const { step } of calls) left.set(step.id, (left.get(step.id) ?? 0) + 1);
  const begun = new Set<Step>();
  let now = before;
  for (const each of calls) {
    now = replay(now, [each]);
    begun.add(each.step);
    left.set(each.step.id, (left.get(each.step.id) ?? 0) - 1);
    const open = [...begun].flatMap(({ gaps = [] }) => gaps).filter(({ until }) => (left.get(until) ?? 0) > 0);
    for (const question of asked) {
      const { name, type, names } = question;
      if (ask(now, name, type).answered) continue;
      missed.add(question);
      const telling = open.filter((gap) => names.has(gap.name) && gap.types?.includes(type) !== false);
      if (telling.length === 0) untold.push(`${name} ${type} after ${each.call.method} of ${each.step.id}`);
      for (const gap of telling) if (gap.name === name) seen.add(gap);
    }
  }
  return { untold, seen, missed };
}

/** An order of the calls that the plan's `after` allows, steps side by side; `pick` chooses among so many. */
export function drawSchedule({ steps }: Plan, pick: (count: number) => number): Call[] {
  const left = new Map(steps.map((step) => [step.id, [...step.calls]]));
  const schedule: Call[] = [];
  for (;;) {
    const ready = steps.filter(
      ({ id, after }) => left.get(id)?.length !== 0 && after.every((before) => left.get(before)?.length === 0),
    );
    const step = ready[pick(ready.length)];
    const call = step && left.get(step.id)?.shift();
    if (!step || !call) return schedule;
    schedule.push({ step, call });
  }
}

/**
 * The fewest answers that some order of the calls goes without at some moment: any order that the service accepts, whatever step a call
 * belongs to. What is there follows from which calls were made, so that sets of calls are tried instead of orders.
 */
export function fewestUnanswered(before: Model, calls: readonly Call[], asked: readonly Question[]): number {
  const models = new Map<number, Model | undefined>([[0, before]]);
  const missed = new Map<number, Set<number>>([[0, new Set([0])]]);
  const all = 2 ** calls.length - 1;
  for (let made = 0; made < all; made += 1) {
    const model = models.get(made);
    if (!model) continue;
    for (const [index, { step, call }] of calls.entries()) {
      const bit = 2 ** index;
      if ((made & bit) !== 0) continue;
      const next = applyCall(model, step, call);
      if (typeof next === "string") continue;
      models.set(made | bit, next);
      const here = asked.reduce((sum, { name, type }, at) => sum | (ask(next, name, type).answered ? 0 : 2 ** at), 0);
      const ways = missed.get(made | bit) ?? new Set<number>();
      missed.set(made | bit, ways);
      for (const way of missed.get(made) ?? []) ways.add(way | here);
    }
  }
  return Math.min(...[...(missed.get(all) ?? [])].map(countBits));
}

const countBits = (bits: number) => bits.toString(2).replaceAll("0", "").length;
