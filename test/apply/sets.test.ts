import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { flavours, startSetVendor, type Flavour, type SetVendor, type VendorSet } from "../support/set-vendor.ts";

/** Values of each type, and how a manifest writes them. */
const values: Readonly<Record<string, readonly (readonly [string, unknown])[]>> = {
  A: ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"].map((value) => [value, value]),
  MX: [10, 20, 30].flatMap((priority) =>
    ["mx1.host.test.", "mx2.host.test."].map((value) => [`${priority} ${value}`, { priority, value }] as const),
  ),
  TXT: ["one", "two words", 'a "quote"'].map((value) => [JSON.stringify(value), value]),
  CNAME: ["one.host.test.", "two.host.test."].map((value) => [value, value]),
};

const members = (type: string, most: number) =>
  fc.uniqueArray(fc.constantFrom(...(values[type] ?? [])), {
    minLength: 1,
    maxLength: type === "CNAME" ? 1 : most,
    selector: ([value]) => (type === "MX" ? value.split(" ")[1] : value),
  });

/** The sets of one name: a CNAME, or others beside each other. */
const node = fc.oneof(
  { weight: 1, arbitrary: fc.constant(["CNAME"]) },
  { weight: 4, arbitrary: fc.subarray(["A", "MX", "TXT"], { minLength: 0 }) },
);

interface Drawn {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly members: readonly (readonly [string, unknown])[];
}

const setsAt = (name: string): fc.Arbitrary<Drawn[]> =>
  node.chain((types) =>
    fc.tuple(
      ...types.map((type) =>
        fc.record({
          name: fc.constant(name),
          type: fc.constant(type),
          ttl: fc.constantFrom(300, 3600),
          members: members(type, 3),
        }),
      ),
    ),
  );

const zone = (...names: readonly string[]) => fc.tuple(...names.map(setsAt)).map((all) => all.flat());

/** A set as the vendor has it, with words that nobody manages. */
const asLive = ({ name, type, ttl, members: all }: Drawn, index: number): VendorSet => ({
  name,
  type,
  ttl,
  label: `label ${index}`,
  records: all.map(([value], at) => ({ value, note: null, weight: at })),
});

function manifestOf(sets: readonly Drawn[]): string {
  const names = [...new Set(sets.map(({ name }) => name))];
  const records = Object.fromEntries(
    names.map((name) => [
      name,
      Object.fromEntries(
        sets
          .filter((each) => each.name === name)
          .map(({ type, ttl, members: all }) => [type, { ttl, values: all.map(([, written]) => written) }]),
      ),
    ]),
  );
  return JSON.stringify({
    version: 1,
    name: "sets",
    policy: { max_deletes: "100%" },
    dns: { "shop.test": { records } },
  });
}

const keyOf = ({ name, type }: Pick<VendorSet, "name" | "type">) => `${name} ${type}`;
const byKey = (sets: readonly VendorSet[]) => new Map(sets.map((set) => [keyOf(set), set]));
const contentOf = ({ ttl, records }: VendorSet) =>
  JSON.stringify([ttl, records.map(({ value, note }) => JSON.stringify([value, note ?? null])).toSorted()]);

/** The writes by which one zone becomes another, with the fewest requests. */
function fewestWrites(flavour: Flavour, before: readonly VendorSet[], after: readonly VendorSet[]): number {
  const [was, is] = [byKey(before), byKey(after)];
  return [...new Set([...was.keys(), ...is.keys()])].reduce((sum, key) => {
    const [old, now] = [was.get(key), is.get(key)];
    if (!old || !now) return sum + 1;
    if (contentOf(old) === contentOf(now)) return sum;
    const parts = Number(old.ttl !== now.ttl) + Number(contentOf({ ...old, ttl: 0 }) !== contentOf({ ...now, ttl: 0 }));
    return sum + (flavour === "rrset" ? parts : 1);
  }, 0);
}

describe.each(flavours)("a vendor with sets: %s", (flavour) => {
  let vendor: SetVendor;
  beforeAll(async () => {
    vendor = await startSetVendor(flavour);
  });
  afterAll(() => vendor.close());

  const run = (...args: readonly string[]) => runInProcess(vendor, args);
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

  test(
    "becomes what is declared with one write for each changed set, and all else stays to the byte",
    async () => {
      await fc.assert(
        fc.asyncProperty(
          zone("u", "v"),
          zone("a", "b"),
          zone("a", "b"),
          zone("a", "b"),
          async (kept, live, first, second) => {
            const declaredFirst = new Set(first.map(keyOf));
            // What is live and not declared under a declared name would stand in the way of a CNAME.
            const own = live.filter((each) => declaredFirst.has(keyOf(each)));
            begin([...kept, ...own]);
            const owned = inventory();
            for (const sets of [first, second]) {
              const before = vendor.sets;
              vendor.writes.length = 0;
              const args = [...files(sets), ...owned];
              const applied = await run("apply", "--auto-approve", ...args);
              expect(applied.status, applied.stdout + applied.stderr).toBe(0);
              expect(vendor.writes.length, vendor.writes.join("\n")).toBe(fewestWrites(flavour, before, vendor.sets));
              expect(await planned(...args)).toEqual([]);
              const declared = new Set(sets.map(keyOf));
              expect(vendor.sets.map(keyOf).toSorted()).toEqual([...kept.map(keyOf), ...declared].toSorted());
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
        ),
        { numRuns: size.draws(12) },
      );
    },
    size.timeout,
  );
});
