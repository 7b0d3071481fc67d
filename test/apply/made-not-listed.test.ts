import { existsSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { targetKey } from "../../src/state/inventory/target-key.ts";
import { cheap, costly, openWorld, type Case } from "../support/lagging-world.ts";
import { forDraws } from "../support/for-draws.ts";
import { checkEvents, eventsOf, exits } from "../support/run-hostform.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { size } from "../proofs/size.ts";

/**
 * A creation that the server has answered, while its lists lag behind: what was made is remembered until a list shows it, so that the
 * next apply does not make it again. The service and Hostform share one clock, and nobody waits.
 */
const minute = 60_000;

/** A lax service would make a second one, where others refuse it. */
const services = Object.entries(costly).flatMap(([name, kind]) => [false, true].map((lax) => ({ name, kind, lax })));

describe.each(size.every(6, services))("a $name that was made, and that no list shows (lax: $lax)", ({ kind, lax }) => {
  test("is looked for, and stops the next apply with its id, until it shows", async () => {
    const { account, clock, journal, apply, creations, lag } = await openWorld(kind, lax);
    onTestFinished(account.close);
    await lag(10 * minute);
    expect((await apply()).status).toBe(7);
    expect(await creations()).toBe(1);
    for (const _time of ["next", "after that"]) {
      const before = clock.now();
      const stopped = exits(6, await apply("--settle", "20"));
      expect(checkEvents(eventsOf(stopped))).toEqual([]);
      const [told] = eventsOf(stopped).filter(({ code }) => code === "in_flight_untold");
      expect(told?.["summary"]).toMatch(/was created, with the id \S+, and no list shows it/u);
      expect(clock.now() - before).toBeGreaterThanOrEqual(20_000);
      expect(clock.now() - before).toBeLessThan(40_000);
    }
    expect(existsSync(journal)).toBe(true);
    await clock.sleep(10 * minute);
    exits(0, await apply());
    expect(await creations()).toBe(1);
    expect(existsSync(journal)).toBe(false);
  });
});

test("the time that stands in a journal never prolongs the wait, whatever it is", async () => {
  const { account, clock, journal, apply } = await openWorld(cheap["record"] as Case);
  onTestFinished(account.close);
  const head = { target: targetKey({ name: "lagging", place: `${account.baseUrl}/`, contract: "v2026" }) };
  const who = { by: "ann@desk", host: "desk", pid: 7, since: "2026-01-01T00:00:00Z" };
  const intent = { n: 1, step: "s", operation: "create", method: "POST", path: "/r", identity: "192.0.2.9" };
  await forDraws(10, fc.integer({ min: -400, max: 400 }), fc.boolean(), async (days, isKeyed) => {
    const at = new Date(clock.now() + days * 24 * 60 * minute).toISOString();
    const address = "dns_record/a.example/gone/A";
    const records = [
      { type: "begin", version: 1, ...head, ...who },
      { type: "intent", at, address, ...intent, ...(isKeyed && { key: "k-1", body: "0".repeat(64) }) },
    ];
    writeFileSync(journal, sealedLines(records));
    const before = clock.now();
    const ran = exits(0, await apply());
    expect(eventsOf(ran).filter(({ type }) => type === "in_flight")).toMatchObject([{ address, fate: "not_done" }]);
    // What goes again under another key, or without, is looked for as long as lists may take.
    expect(clock.now() - before).toBeLessThan(isKeyed ? 12_000 : 32_000);
  });
});

const kinds = { ...costly, ...cheap };

test("whatever was made is made once, however far the lists lag behind, if the next apply waits longer than that", async () => {
  const drawn = fc.record({
    name: fc.constantFrom(...Object.keys(kinds)),
    seconds: fc.integer({ min: 1, max: 120 }),
    settle: fc.constantFrom(0, 1, 30),
    lax: fc.boolean(),
  });
  await forDraws({ numRuns: size.draws(6), seed: 20_261_122 }, drawn, async ({ name, seconds, settle, lax }) => {
    const { account, journal, apply, creations, lag } = await openWorld(kinds[name] as Case, lax);
    try {
      await lag(seconds * 1000);
      const first = await apply("--settle", String(settle));
      expect([0, 7]).toContain(first.status);
      expect(existsSync(journal)).toBe(first.status === 7);
      exits(0, await apply("--settle", "130"));
      expect(await creations()).toBe(1);
      expect(existsSync(journal)).toBe(false);
    } finally {
      await account.close();
    }
  });
});
