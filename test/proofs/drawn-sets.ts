import fc from "fast-check";
import type { Flavour, VendorSet } from "../support/set-vendor.ts";

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

/** A set of records, its members as the vendor has them and as a manifest writes them; the TTL in seconds. */
export interface Drawn {
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

/** Draws the sets of a zone with these names. */
export const zone = (...names: readonly string[]) => fc.tuple(...names.map(setsAt)).map((all) => all.flat());

/** A set as the vendor has it, with words that nobody manages. */
export const asLive = ({ name, type, ttl, members: all }: Drawn, index: number): VendorSet => ({
  name,
  type,
  ttl,
  label: `label ${index}`,
  records: all.map(([value], at) => ({ value, note: null, weight: at })),
});

/** Returns the manifest of a zone with just these sets. */
export function manifestOf(sets: readonly Drawn[]): string {
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

/** A list that an apply would empty needs consent. */
export const stays: Drawn = { name: "stays", type: "A", ttl: 60, members: [["192.0.2.9", "192.0.2.9"]] };

/** Identifies a set in its zone. */
export const keyOf = ({ name, type }: Pick<VendorSet, "name" | "type">) => `${name} ${type}`;
/** Maps sets by what identifies them. */
export const byKey = (sets: readonly VendorSet[]) => new Map(sets.map((set) => [keyOf(set), set]));
/** Returns what Hostform manages of a set, in an order of its own. */
export const contentOf = ({ ttl, records }: VendorSet) =>
  JSON.stringify([ttl, records.map(({ value, note }) => JSON.stringify([value, note ?? null])).toSorted()]);

/** The writes by which one zone becomes another, with the fewest requests. */
export function fewestWrites(flavour: Flavour, before: readonly VendorSet[], after: readonly VendorSet[]): number {
  const [was, is] = [byKey(before), byKey(after)];
  return [...new Set([...was.keys(), ...is.keys()])].reduce((sum, key) => {
    const [old, now] = [was.get(key), is.get(key)];
    if (!old || !now) return sum + 1;
    if (contentOf(old) === contentOf(now)) return sum;
    const parts = Number(old.ttl !== now.ttl) + Number(contentOf({ ...old, ttl: 0 }) !== contentOf({ ...now, ttl: 0 }));
    return sum + (flavour === "rrset" ? parts : 1);
  }, 0);
}
