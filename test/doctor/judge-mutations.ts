import { expect } from "vitest";
import { layOver } from "../../src/contract/lay-over.ts";
import type { Contract } from "../../src/model/contract.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { mutationsOf, type Known, type Mutation } from "./mutations.ts";

interface Entry {
  readonly entry: readonly string[];
  readonly outcome: string;
  readonly found?: string;
  readonly write?: JsonObject;
}

/** The findings of a run with `--json`. */
export const entriesOf = (ran: Ran) =>
  eventsOf(ran).filter(({ type }) => type === "doctor_entry") as unknown as Entry[];

export const refutedIn = (ran: Ran) => entriesOf(ran).filter(({ outcome }) => outcome === "refuted");

/** Returns the entries that a run confirmed, dotted. */
export const confirmedIn = (ran: Ran): ReadonlySet<string> =>
  new Set(entriesOf(ran).flatMap(({ entry, outcome }) => (outcome === "confirmed" ? [entry.join(".")] : [])));

export interface Judged {
  /** Mutations that were not named at their entry, with the findings. */
  readonly missed: readonly string[];
  /** How many suggestions, laid over, gave the contract without the mutation. */
  readonly repaired: number;
  readonly examined: number;
}

/** Examines an account by contracts with one mutation each. */
export async function judgeMutations(
  contract: Contract,
  drawn: readonly Mutation[],
  examine: (mutated: Json) => Promise<Ran>,
): Promise<Judged> {
  const missed: string[] = [];
  let repaired = 0;
  let examined = 0;
  for (const { type, entries, change } of drawn) {
    const whole = contract as unknown as Json;
    const mutated = layOver(whole, change);
    const ran = await examine(mutated);
    // A contract with a mistake that is found without the API is not examined.
    if (ran.status === 3) continue;
    examined += 1;
    const { requests = Infinity } = (eventsOf(ran).findLast((event) => event["type"] === "doctor") ?? {}) as {
      requests?: number;
    };
    expect(requests, ran.stdout + ran.stderr).toBeLessThanOrEqual(50);
    const refuted = refutedIn(ran);
    const own = refuted.find(({ entry }) => entries.includes(entry.join(".")));
    if (!own) missed.push(`${type} ${JSON.stringify(change)}: ${JSON.stringify(refuted)} ${ran.stderr.slice(0, 300)}`);
    const fixed = own?.write && layOver(mutated, own.write);
    if (JSON.stringify(sorted(fixed ?? null)) === JSON.stringify(sorted(whole))) repaired += 1;
  }
  return { missed, repaired, examined };
}

/** Every mutation of a contract, in an order that changes with the seed, so that a few are of several types. */
export function drawMutations(contract: Contract, known: Known, count: number, seed: number): Mutation[] {
  const all = mutationsOf(contract, known);
  const types = [...new Set(all.map(({ type }) => type))];
  const ranked = all.map((mutation, index) => ({ mutation, rank: (index * 7919 + seed * 104_729) % 100_003 }));
  const shuffled = ranked.toSorted((a, b) => a.rank - b.rank).map(({ mutation }) => mutation);
  const byType = types.map((type) => shuffled.filter((mutation) => mutation.type === type));
  const rounds = shuffled.flatMap((_, index) => byType.flatMap((each) => each[index] ?? []));
  return rounds.slice(0, count);
}

/** The value with its keys in order. */
const sorted = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, each]) => [key, sorted(each)]),
        )
      : value;
