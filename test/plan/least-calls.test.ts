import { beforeAll, describe, expect, test } from "vitest";
import { toAddress, type Address } from "../../src/model/address.ts";
import type { Param } from "../../src/model/http-call.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { Step } from "../../src/model/plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { size } from "../proofs/size.ts";
import { buildInput, inZone, record, zone } from "./build-input.ts";

/**
 * Every RRset of up to three live records, each of four values and in every state, against up to three declared values. The fewest
 * calls are found here by trying every way to get from the one to the other, and what the plan calls for is carried out on the records.
 */
interface Held {
  readonly value: number;
  readonly ttl: number;
  readonly disabled: boolean;
  readonly comment: string | null;
  /** The platform's own: it counts, and is not touched. */
  readonly managed: boolean;
}

interface Declared {
  /** Undefined: not written. */
  readonly ttl: number | undefined;
  readonly members: readonly Wanted[];
}
interface Wanted {
  readonly value: number;
  readonly disabled?: boolean;
  readonly comment?: string;
}

const ttls = [3600, 60];
const content = (value: number) => `192.0.2.${value}`;

const plain = { ttl: 3600, disabled: false, comment: null, managed: false };
const states = [
  ...ttls.flatMap((ttl) => [
    { ...plain, ttl },
    { ...plain, ttl, disabled: true },
    { ...plain, ttl, comment: "by hand" },
  ]),
  { ...plain, managed: true },
];
const records: readonly Held[] = [1, 2, 3, 4].flatMap((value) => states.map((state) => ({ value, ...state })));
const allSets = [0, 1, 2, 3].flatMap((count) => multisets(records, count));
/** `npm test` takes all sets of up to two records, and every eighth of those of three. */
const liveSets = allSets.filter((set, index) => set.length < 3 || index % size.everyLiveSet === 0);

/** Which values are declared does not matter, only how many, and how the first of them is written. */
const declarations: readonly Declared[] = [undefined, 3600].flatMap((ttl) => [
  ...[1, 2, 3].map((count) => ({ ttl, members: wantedOf(count, {}) })),
  ...[1, 3].flatMap((count) =>
    [{ disabled: true }, { comment: "by hand" }].map((form) => ({ ttl, members: wantedOf(count, form) })),
  ),
]);
function wantedOf(count: number, form: Omit<Wanted, "value">): Wanted[] {
  return Array.from({ length: count }, (_, index) => ({ value: index + 1, ...(index === 0 && form) }));
}

let allLive: PlanInput;
beforeAll(async () => {
  const listed = liveSets.flatMap((live, index) => live.map((held, at) => asListed(held, index, at)));
  const manifest = "dns: { example.com: { records: { any: { A: 192.0.2.1 } } } }";
  allLive = await buildInput(manifest, inZone(...listed));
});

test("a small world holds thousands of live sets", () => expect(allSets.length).toBe(4495));

describe("the fewest calls lead from every one of them to", () => {
  test.each(declarations.map((declared) => [JSON.stringify(declared), declared] as const))(
    "%s",
    async (_, declared) => {
      const steps = await planEach(declared);
      const wrong = liveSets.flatMap((live, index) => {
        const step = steps.get(addressOf(index));
        const mistake = mistakeOf(declared, live, step);
        return mistake === undefined ? [] : [{ live, mistake, calls: step?.calls.map(({ operation }) => operation) }];
      });
      expect(wrong.slice(0, 3)).toEqual([]);
    },
  );
});

function mistakeOf(declared: Declared, live: readonly Held[], step: Step | undefined): string | undefined {
  const calls = step?.calls.length ?? 0;
  const fewest = fewestCalls(declared, live);
  if (calls !== fewest) return `${calls} calls, and ${fewest} are enough`;
  const after = step ? carryOut(step, live) : { records: live, mistake: undefined };
  return after.mistake ?? (isReached(declared, after.records) ? undefined : `leaves ${JSON.stringify(after.records)}`);
}

/** One live set is an RRset of its own name, so that one plan holds them all. */
async function planEach(declared: Declared): Promise<ReadonlyMap<Address, Step>> {
  const ttl = declared.ttl === undefined ? "" : `ttl: ${declared.ttl}, `;
  const values = declared.members.map(({ value, ...more }) => JSON.stringify({ value: content(value), ...more }));
  const manifest = `dns: { example.com: { records: { first: { A: { ${ttl}values: [${values.join(", ")}] } } } } }`;
  const { desired } = await buildInput(manifest, {});
  const written = desired.resources.get(toAddress("dns_record", ["example.com", "first", "A"]));
  if (!written) throw new Error("The manifest declares something else");
  const copies = liveSets.map((_, index) => {
    const address = addressOf(index);
    return [address, { ...written, address, key: { ...written.key, name: nameOf(index) } }] as const;
  });
  const { steps } = plan({ ...allLive, desired: { ...desired, resources: new Map(copies) } });
  return new Map(steps.map((step) => [step.address, step]));
}

const nameOf = (index: number) => `n${index}`;
const addressOf = (index: number) => toAddress("dns_record", ["example.com", nameOf(index), "A"]);
const asListed = ({ value, ...state }: Held, index: number, at: number): JsonObject =>
  record(nameOf(index), "A", content(value), { ...state, id: `${index}:${at}` });

/** Tries every way to make each of them one of the declared values, or to delete it. */
function fewestCalls({ ttl, members }: Declared, live: readonly Held[]): number {
  const own = live.filter(({ managed }) => !managed);
  const wanted = members.filter(({ value }) => !live.some((held) => held.managed && held.value === value));
  return fewestOf(wanted, own, ttl ?? zone.ttl);
}

function fewestOf(wanted: readonly Wanted[], [first, ...rest]: readonly Held[], ttl: number): number {
  if (!first) return wanted.length;
  const deleted = 1 + fewestOf(wanted, rest, ttl);
  const kept = wanted.filter((each) => each.value === first.value || isReusable(first));
  const used = kept.map((each) => {
    const others = wanted.filter((other) => other !== each);
    return Number(!(isAs(each, first) && first.ttl === ttl)) + fewestOf(others, rest, ttl);
  });
  return Math.min(deleted, ...used);
}

const isReusable = ({ disabled, comment }: Held) => !disabled && comment === null;
/** A comment that is not written stays as it is. */
const isAs = ({ value, disabled = false, comment }: Wanted, held: Held) =>
  held.value === value && held.disabled === disabled && (comment === undefined || held.comment === comment);

/** What the calls make of the live records; and what no call may do. */
function carryOut({ calls }: Step, live: readonly Held[]): { records: readonly Held[]; mistake: string | undefined } {
  const after = new Map(live.map((held, index) => [String(index), held]));
  const touched = new Set<string>();
  for (const [index, call] of calls.entries()) {
    const id = call.operation === "create" ? `made ${index}` : idOf(call.params["id"]);
    const before = after.get(id);
    if (touched.size === touched.add(id).size) return { records: [], mistake: `writes ${id} twice` };
    if (before?.managed === true) return { records: [], mistake: `writes ${id}, the platform's own` };
    if (call.operation === "delete") after.delete(id);
    else if (call.operation !== "renew") {
      const made = laidOver(before ?? { value: 0, ...plain }, call.values);
      if (before && !isReusable(before) && made.value !== before.value)
        return { records: [], mistake: `gives ${id} another value` };
      after.set(id, made);
    }
  }
  return { records: [...after.values()], mistake: undefined };
}

/** The place of a record in its live set. */
const idOf = (param: Param | undefined) => (typeof param === "string" ? (param.split(":")[1] ?? "") : "no id");

/** The record with the values of a call laid over it. */
function laidOver(before: Held, values: readonly { readonly field: string; readonly value?: unknown }[]): Held {
  const sent = new Map(values.map(({ field, value }) => [field, value]));
  const [text, ttl, comment] = [sent.get("content"), sent.get("ttl"), sent.get("comment")];
  return {
    ...before,
    ...(typeof text === "string" && { value: Number(text.split(".").at(-1)) }),
    ...(typeof ttl === "number" && { ttl }),
    ...(typeof comment === "string" && { comment }),
    ...(sent.has("disabled") && { disabled: sent.get("disabled") === true }),
  };
}

/** Each declared value is held once, as it is written, nothing else is, and all have one TTL: the written one, or the zone's. */
function isReached({ ttl, members }: Declared, after: readonly Held[]): boolean {
  const own = after.filter(({ managed }) => !managed);
  const platforms = new Set(after.filter(({ managed }) => managed).map(({ value }) => value));
  const missing = members.filter((each) => !platforms.has(each.value) && !own.some((held) => isAs(each, held)));
  const distinct = new Set(own.map(({ value }) => value));
  const declared = own.every(({ value }) => members.some((each) => each.value === value) && !platforms.has(value));
  const ofOneTtl = own.every((held) => held.ttl === (ttl ?? zone.ttl));
  return missing.length === 0 && distinct.size === own.length && declared && ofOneTtl;
}

function multisets<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) => multisets(items.slice(index), size - 1).map((rest) => [item, ...rest]));
}
