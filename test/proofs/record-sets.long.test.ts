import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "./size.ts";
import { forDraws } from "../support/for-draws.ts";
import { eventsOf, exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { flavours, startSetVendor, type VendorSet, type SetVendor } from "../support/set-vendor.ts";
import { asLive, byKey, contentOf, fewestWrites, keyOf, manifestOf, stays, zone, type Drawn } from "./drawn-sets.ts";

const withRemark = (set: VendorSet): VendorSet => ({
  ...set,
  records: set.records.map((record) => ({ ...record, note: "theirs" })),
});

describe.each(flavours.slice(0, size.flavours))("a vendor with sets: %s", (flavour) => {
  let vendor: SetVendor;
  beforeAll(async () => {
    vendor = await startSetVendor(flavour);
  });
  afterAll(() => vendor.close());

  const run = (...args: readonly string[]) => {
    const clock = virtualClock();
    return runInProcess(vendor, args, {}, { now: clock.now, sleep: clock.sleep, elapsed: clock.now });
  };
  const files = (sets: readonly Drawn[]) => ["-f", vendor.write("m.yaml", manifestOf(sets))] as const;
  let runs = 0;
  const inventory = () => ["--inventory", join(vendor.folder, `inventory-${(runs += 1)}.json`)] as const;
  const planned = async (...args: readonly string[]) =>
    eventsOf(await run("plan", "--json", ...args)).filter(({ type }) => type === "planned");
  const begin = (live: readonly Drawn[]) => {
    vendor.sets = live.map(asLive);
    vendor.writes.length = 0;
    vendor.meddle = () => false;
  };

  test("becomes what is declared with one write for each changed set, and all else stays to the byte", () =>
    forDraws(
      6,
      zone("u", "v"),
      zone("a", "b"),
      zone("a", "b"),
      zone("a", "b"),
      fc.nat(4),
      async (kept, live, first, second, remarked) => {
        const declaredFirst = new Set(first.map(keyOf));
        // What is live and not declared under a declared name would stand in the way of a CNAME.
        const own = live.filter((each) => declaredFirst.has(keyOf(each)));
        begin([...kept, ...own, stays]);
        // A record that someone has commented is not given another value: it goes, and another one comes.
        vendor.sets = vendor.sets.map((set, at) => (at === remarked ? withRemark(set) : set));
        const owned = inventory();
        for (const sets of [first, second]) {
          const before = vendor.sets;
          vendor.writes.length = 0;
          const args = [...files(sets), ...owned];
          exits(0, await run("apply", "--auto-approve", ...args));
          expect(vendor.writes.length, vendor.writes.join("\n")).toBe(fewestWrites(flavour, before, vendor.sets));
          expect(await planned(...args)).toEqual([]);
          const declared = new Set(sets.map(keyOf));
          expect(vendor.sets.map(keyOf).toSorted()).toEqual([...[...kept, stays].map(keyOf), ...declared].toSorted());
          const was = byKey(before);
          for (const set of vendor.sets) {
            const old = was.get(keyOf(set));
            if (!declared.has(keyOf(set))) expect(JSON.stringify(set)).toBe(JSON.stringify(old));
            for (const member of old?.records ?? []) {
              const now = set.records.find(({ value }) => value === member.value);
              if (now) expect(JSON.stringify(now)).toBe(JSON.stringify(member));
            }
          }
        }
      },
    ));

  /** The vendor as an apply of the first manifest leaves it, and the arguments for the second. */
  const prepare = async (others: readonly Drawn[], first: readonly Drawn[], second: readonly Drawn[]) => {
    begin([...others, stays]);
    const owned = [...inventory(), "--journal", join(vendor.folder, `journal-${runs}`)];
    exits(0, await run("apply", "--auto-approve", ...files(first), ...owned));
    vendor.writes.length = 0;
    return [...files(second), ...owned, "--parallelism", "1"];
  };
  const binary = (...args: readonly string[]) => runHostform([...args, ...vendor.flags], { env: vendor.env });
  const text = (set: VendorSet | undefined) => JSON.stringify(set);
  const expectDeclared = (kept: readonly VendorSet[], sets: readonly Drawn[]) => {
    const wanted = sets.map(asLive).map((set) => `${keyOf(set)} ${contentOf(set)}`);
    const declared = new Set(sets.map(keyOf));
    const there = vendor.sets.filter((set) => declared.has(keyOf(set))).map((set) => `${keyOf(set)} ${contentOf(set)}`);
    expect(there.toSorted()).toEqual(wanted.toSorted());
    const others = vendor.sets.filter((set) => !declared.has(keyOf(set)));
    expect(others.map(text).toSorted()).toEqual(kept.map(text).toSorted());
  };

  test("is not overwritten where someone else changed a set since it was planned", () =>
    forDraws(6, zone("u"), zone("a", "b"), zone("a", "b"), fc.nat(), async (kept, first, second, pick) => {
      const args = await prepare(kept, first, second);
      const before = byKey(vendor.sets);
      const places = [...new Set([...first, ...second].map(keyOf))];
      const place = places[pick % places.length] ?? "";
      const [name = "", type = ""] = place.split(" ");
      const value = { A: "192.0.2.77", MX: "5 them.test.", TXT: '"them"', CNAME: "them.test." }[type] ?? "";
      const theirs = { value, note: "theirs" };
      let meddled = false;
      vendor.meddle = (n, when) => {
        // What was written already is theirs to change only after this apply.
        const isUntouched = text(vendor.sets.find((set) => keyOf(set) === place)) === text(before.get(place));
        const isFree = vendor.sets.every(
          (set) => set.name !== name || keyOf(set) === place || ![set.type, type].includes("CNAME"),
        );
        if (n !== 1 || when !== "after" || !isUntouched || !isFree) return;
        meddled = true;
        const old = before.get(place);
        const set = {
          name,
          type,
          ttl: old?.ttl ?? 60,
          records: [...(type === "CNAME" ? [] : (old?.records ?? [])), theirs],
        };
        vendor.sets = [...vendor.sets.filter((each) => keyOf(each) !== place), set];
      };
      const applied = await run("apply", "--auto-approve", ...args);
      vendor.meddle = () => false;
      if (!meddled) return;
      const there = vendor.sets.find((set) => keyOf(set) === place);
      expect(there?.records, applied.stdout).toContainEqual(theirs);
      expect([0, 5, 7], applied.stdout + applied.stderr).toContain(applied.status);
      for (const set of kept.map(asLive)) expect(vendor.sets.map(text)).toContain(text(set));
    }));

  test("comes to what is declared though answers and requests are lost", async () => {
    const lost = fc.array(fc.constantFrom(undefined, undefined, "before", "after"), { minLength: 4, maxLength: 12 });
    await forDraws(6, zone("u"), zone("a", "b"), zone("a", "b"), lost, async (kept, first, second, when) => {
      const args = await prepare(kept, first, second);
      vendor.meddle = (n, now, response) => {
        if (when[n - 1] !== now) return false;
        response.destroy();
        return true;
      };
      const outputs: string[] = [];
      let status: number | null = null;
      for (let nth = 0; nth < 6 && status !== 0; nth += 1) {
        const applied = await run("apply", "--auto-approve", ...args);
        status = applied.status;
        outputs.push(applied.stdout + applied.stderr);
      }
      expect(status, outputs.join("\n")).toBe(0);
      expect(outputs.join("\n")).not.toContain("bug");
      expect(await planned(...args.slice(0, 4))).toEqual([]);
      expectDeclared([...kept, stays].map(asLive), second);
    });
  });

  test("comes to what is declared after an apply was killed at any write", () =>
    forDraws(
      1,
      zone("a", "b"),
      zone("a", "b"),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom("before" as const, "after" as const),
      async (first, second, at, moment) => {
        const args = await prepare([], first, second);
        let kill: (signal: NodeJS.Signals) => void = () => undefined;
        vendor.meddle = (n, when, response) => {
          if (n !== at || when !== moment) return false;
          kill("SIGKILL");
          response.destroy();
          return true;
        };
        await runHostform(["apply", "--auto-approve", ...args, ...vendor.flags], {
          env: vendor.env,
          onStart: (signal) => {
            kill = signal;
          },
        });
        vendor.meddle = () => false;
        exits(0, await binary("apply", "--auto-approve", ...args));
        expect(await planned(...args.slice(0, 4))).toEqual([]);
        expectDeclared([stays].map(asLive), second);
      },
    ));

  test("has its sets again where what they were deleted for is refused", async () => {
    const live: Drawn[] = [
      {
        name: "a",
        type: "A",
        ttl: 300,
        members: [
          ["192.0.2.1", "192.0.2.1"],
          ["192.0.2.2", "192.0.2.2"],
        ],
      },
      { name: "a", type: "TXT", ttl: 300, members: [['"one"', "one"]] },
    ];
    const cname: Drawn = { name: "a", type: "CNAME", ttl: 300, members: [["one.host.test.", "one.host.test."]] };
    const args = await prepare([], live, [cname]);
    const before = vendor.sets;
    vendor.meddle = (_, when, response) => {
      if (when !== "before" || vendor.writes.at(-1)?.includes("one.host.test.") !== true) return false;
      response.writeHead(422, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
      return true;
    };
    const applied = exits(5, await run("apply", "--auto-approve", ...args));
    vendor.meddle = () => false;
    expect(vendor.sets.map(text).toSorted(), applied.stdout).toEqual(before.map(text).toSorted());
    exits(0, await run("apply", "--auto-approve", ...args));
    expectDeclared([stays].map(asLive), [cname]);
  });
});
