import type { HttpCall } from "../../src/model/http-call.ts";
import type { Outage, Plan, Step } from "../../src/model/plan.ts";
import { applyCall, ask, hostOf, reach, type Model, type ModelRecord, type Question } from "./zone-model.ts";

const types = ["A", "AAAA", "MX", "TXT", "SRV", "HTTPS", "NS", "DS", "DNAME"];
/** Types that no client asks for through a CNAME. */
const ofZones: ReadonlySet<string> = new Set(["NS", "DS", "DNAME"]);

/** A question, and each `NAME TYPE` that its answer comes from, before or after. */
interface Asked extends Question {
  readonly places: ReadonlySet<string>;
}

/** A record that comes or goes, and names a host. */
export interface Pointer {
  readonly record: ModelRecord;
  readonly places: ReadonlySet<string>;
}

interface Call {
  readonly step: Step;
  readonly call: HttpCall;
}

/** What is answered before all calls and after them: what must not miss an answer in between. */
export function questions(before: Model, after: Model): Asked[] {
  const records = [...before.records.values(), ...after.records.values()];
  const own = records.map(({ name }) => name);
  // A DNAME answers for names below it that no record has.
  const redirected = records.flatMap((record) =>
    record.type === "DNAME"
      ? own.filter((name) => name.endsWith(`.${hostOf(record)}`)).map((name) => rename(name, record))
      : [],
  );
  const names = new Set([...own, ...redirected]);
  const both = (question: Question): Asked[] => {
    const [first, last] = [ask(before, question), ask(after, question)];
    return first.answered && last.answered ? [{ ...question, places: new Set([...first.passed, ...last.passed]) }] : [];
  };
  return [...names].flatMap((name) => {
    // Where the hosts that are named have no address at either time, it still counts whether they are named.
    const isAlias = records.some((record) => record.name === name && record.type === "CNAME");
    const asked = types.filter(
      (type) =>
        !isAlias || !ofZones.has(type) || records.some((record) => record.name === name && record.type === type),
    );
    const byType = asked.flatMap((type) => {
      const strict = both({ name, type, hosts: true });
      return strict.length > 0 ? strict : both({ name, type, hosts: false });
    });
    const hasFamily = byType.some(({ type }) => type === "A" || type === "AAAA");
    return hasFamily ? byType : [...byType, ...both({ name, type: "address", hosts: true })];
  });
}

const rename = (name: string, record: ModelRecord) => name.slice(0, -(hostOf(record) ?? "").length) + record.name;

/** The records that come or go, and whose host has an address when they are there. */
export function pointers(before: Model, after: Model): Pointer[] {
  return [
    [before, after],
    [after, before],
  ].flatMap(([there, elsewhere]) =>
    there && elsewhere
      ? [...there.records.values()].flatMap((record) => {
          const { answered, passed } = reach(there, record);
          const needsAnother = hostOf(record) !== undefined || record.type === "DS";
          const isSwitched = needsAnother && isGiven(there, record) && !isGiven(elsewhere, record);
          return answered && isSwitched ? [{ record, places: passed }] : [];
        })
      : [],
  );
}

const isGiven = ({ records }: Model, wanted: ModelRecord) =>
  [...records.values()].some(
    (record) =>
      !record.disabled &&
      record.name === wanted.name &&
      record.type === wanted.type &&
      record.zone === wanted.zone &&
      hostOf(record) === hostOf(wanted),
  );

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

/**
 * What stops answering while the calls of a plan run in this order, and no step that has begun and not ended tells of it: names, and
 * records that name a host without an address. Also the told gaps that were seen, and all names that were missed.
 */
export function watch(
  { steps }: Plan,
  before: Model,
  calls: readonly Call[],
  { asked, named }: { readonly asked: readonly Asked[]; readonly named: readonly Pointer[] },
) {
  const untold: string[] = [];
  const seen = new Set<Outage>();
  const missed = new Set<Asked>();
  const left = new Map(steps.map((step) => [step.id, step.calls.length]));
  const begun = new Set<Step>();
  let now = before;
  for (const each of calls) {
    now = replay(now, [each]);
    begun.add(each.step);
    left.set(each.step.id, (left.get(each.step.id) ?? 0) - 1);
    const open = [...begun].flatMap(({ gaps = [] }) => gaps).filter(({ until }) => (left.get(until) ?? 0) > 0);
    const find = (name: string, type: string, places: ReadonlySet<string>) => {
      const telling = open.filter((gap) => isAbout(gap, places));
      if (telling.length === 0) untold.push(`${name} ${type} after ${each.call.method} of ${each.step.id}`);
      for (const gap of telling) if (gap.name === name) seen.add(gap);
    };
    for (const question of asked) {
      if (ask(now, question).answered) continue;
      missed.add(question);
      find(question.name, question.type, question.places);
    }
    for (const { record, places } of named) {
      if (!isGiven(now, record) || reach(now, record).answered) continue;
      find(record.name, record.type, new Set([...places, `${record.name} ${record.type}`]));
    }
  }
  return { untold, seen, missed };
}

/** Whether a gap tells of one of these `NAME TYPE`. */
export const isAbout = ({ name, types: told }: Outage, places: ReadonlySet<string>) =>
  told === undefined
    ? [...places].some((place) => place.startsWith(`${name} `))
    : told.some((type) => places.has(`${name} ${type}`));

/**
 * An order of the calls that the plan's `after` allows, steps side by side; `pick` chooses among so many. The service refuses one call
 * where that is drawn: nothing else of its step is made, and no step that waits for it.
 */
export function drawSchedule({ steps }: Plan, pick: (count: number) => number, refused?: HttpCall): Call[] {
  const left = new Map(steps.map((step) => [step.id, [...step.calls]]));
  const failed = new Set<string>();
  const schedule: Call[] = [];
  for (;;) {
    const ready = steps.filter(
      ({ id, after }) =>
        left.get(id)?.length !== 0 && !failed.has(id) && after.every((before) => left.get(before)?.length === 0),
    );
    const step = ready[pick(ready.length)];
    const call = step && left.get(step.id)?.shift();
    if (!step || !call) return schedule;
    if (call === refused) failed.add(step.id);
    else schedule.push({ step, call });
    if (call === refused) left.get(step.id)?.unshift(call);
  }
}

/**
 * The fewest answers that some order of the calls goes without at some moment: any order that the service accepts, whatever step a call
 * belongs to. What is there follows from which calls were made, so that sets of calls are tried instead of orders.
 */
export function fewestUnanswered(before: Model, calls: readonly Call[], asked: readonly Asked[]): number {
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
      const here = asked.reduce((sum, question, at) => sum | (ask(next, question).answered ? 0 : 2 ** at), 0);
      const ways = missed.get(made | bit) ?? new Set<number>();
      missed.set(made | bit, ways);
      for (const way of missed.get(made) ?? []) ways.add(way | here);
    }
  }
  return Math.min(...[...(missed.get(all) ?? [])].map(countBits));
}

const countBits = (bits: number) => bits.toString(2).replaceAll("0", "").length;
