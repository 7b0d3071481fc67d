import fc from "fast-check";
import { expect, test } from "vitest";
import { namesOf, openFleet } from "../support/fleet.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { openReader } from "./read-account.ts";
import { size } from "./size.ts";

const { most, runs, examples } = size.fleetWaves;

interface Drawn {
  /** Accounts of the first wave. */
  readonly first: number;
  /** Those that fail. */
  readonly failing: readonly number[];
  /** The answer to a write of theirs. */
  readonly status: number;
  /** Percent of the wave. */
  readonly stopAt: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.integer({ min: 2, max: most }).chain((first) =>
  fc
    .record({
      failing: fc.uniqueArray(fc.nat(first - 1), { minLength: 1, maxLength: first }),
      status: fc.constantFrom(403, 409, 422),
      isReached: fc.boolean(),
    })
    .chain(({ failing, status, isReached }) => {
      const share = (100 * failing.length) / first;
      const above = fc.integer({ min: Math.min(100, Math.floor(share) + 1), max: 100 });
      const atMost = fc.integer({ min: 1, max: Math.floor(share) });
      // All that fail are every share of the wave.
      const stopAt = isReached || share === 100 ? atMost : above;
      return fc.record({
        first: fc.constant(first),
        failing: fc.constant(failing),
        status: fc.constant(status),
        stopAt,
      });
    }),
);

test("a wave that fails at its share makes no write in the next one, and one that fails below it lets it begin", () =>
  forDraws(
    { numRuns: runs, examples: examples.map((each): [Drawn] => [each]), endOnFailure: true },
    drawn,
    async ({ first, failing, status, stopAt }) => {
      const names = namesOf(first + 2);
      const seed = { dns_zone: names.map((name) => ({ name: `${name}.example` })) };
      const { fleet, api, close } = await openFleet(names, { options: { seed } });
      try {
        const reader = openReader(api);
        const zones = new Map(reader.read()["dns_zone"]?.map(({ name, id }) => [String(name), String(id)]));
        reader.close();
        const recordsOf = (name: string) => `/v2026/dns/zones/${zones.get(`${name}.example`)}/records`;
        const faults = failing.map((index) => ({
          match: { method: "POST", path: recordsOf(names[index] ?? "") },
          fault: { status },
        }));
        await api.byHand("POST", "/_emulator/faults", { faults });
        const ran = await fleet([
          "run",
          "--auto-approve",
          "--wave",
          `${first},rest`,
          "--stop-at",
          `${stopAt}%`,
          "--json",
        ]);
        const operations = await api.operations();
        const writes = names
          .slice(first)
          .map((name) => operations.filter((each) => each.method !== "GET" && each.path === recordsOf(name)).length);
        const isStopped = 100 * failing.length >= stopAt * first;
        const end = eventsOf(ran).at(-1);
        expect([end?.["state"], writes], ran.stdout).toEqual(isStopped ? ["stopped", [0, 0]] : ["done", [1, 1]]);
        // Nothing else was written than what these accounts declare.
        expect(operations.filter(({ method, committed }) => method !== "GET" && committed).length).toBeLessThanOrEqual(
          names.length - failing.length,
        );
      } finally {
        await close();
      }
    },
  ));
