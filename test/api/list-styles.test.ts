import fc from "fast-check";
import { expect, test } from "vitest";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import { size } from "../proofs/size.ts";
import {
  contractOf,
  type Domain,
  pageSize,
  possible,
  type Shape,
  type Trouble,
  vendorOf,
} from "../support/listing-vendor.ts";

const domains = collectionOf(kindNamed("domain"), {});

const shapes: fc.Arbitrary<Shape> = fc
  .record<Shape>({
    style: fc.constantFrom("none", "page", "offset", "cursor", "link"),
    first: fc.constantFrom(0, 1),
    list: fc.constantFrom("", "/data", "/result/items"),
    total: fc.constantFrom("body", "header", "none"),
    link: fc.constantFrom("header", "body"),
    address: fc.constantFrom("whole", "root", "query"),
    asked: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    cap: fc.integer({ min: 1, max: 8 }),
    keyed: fc.boolean(),
    items: fc.constantFrom("whole", "poor", "ids"),
    past: fc.constantFrom("empty", "last", "first", "missing", "invalid"),
  })
  .filter(possible);

const drawn = fc.record({
  shape: shapes,
  count: fc.nat({ max: 30 }),
  where: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
});

const someDomains = (count: number): Domain[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `d${index}.example`,
    type: index % 3 === 0 ? "a" : "b",
  }));

const conditionOn = (type: string | undefined) =>
  type === undefined ? {} : { where: [{ pointer: "/type", equals: [type] }] };

async function read(
  shape: Shape,
  held: readonly Domain[],
  { type, before }: { type?: string | undefined; before?: (nth: number) => Trouble } = {},
) {
  const contract = contractOf(shape, conditionOn(type));
  const { reader, paths } = vendorOf(shape, held, contract, before);
  const live = await readLive(reader, contract, [domains]);
  if (!live.ok) return { names: [], incomplete: live.error.message, paths };
  const found = [...live.value.resources.values()];
  const { incomplete } = live.value.collections.get(domains.id) ?? {};
  expect(live.value.reads).toBe(paths.length);
  return { names: found.map(({ key }) => key["name"] ?? "").toSorted(), incomplete, paths };
}

const namesOf = (held: readonly Domain[], type?: string) =>
  held
    .filter((each) => type === undefined || each.type === type)
    .map(({ name }) => name)
    .toSorted();

test("a list holds exactly the vendor's objects, whatever the style of its pages, in the fewest requests that prove it", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async ({ shape, count, where }) => {
      const held = someDomains(count);
      const { names, incomplete, paths } = await read(shape, held, { type: where });
      expect(incomplete).toBeUndefined();
      expect(names).toEqual(namesOf(held, where));
      const details = shape.items === "whole" ? 0 : count;
      expect(paths.length - details).toBeLessThanOrEqual(Math.ceil(count / pageSize(shape)) + 2);
      expect(paths.every((path) => path.startsWith("/v7/domains"))).toBe(true);
    }),
    { numRuns: size.draws(900) },
  );
});

type Fault =
  | { readonly is: "fails" | "repeats"; readonly at: number }
  | { readonly is: "miscounts"; readonly by: number }
  | { readonly is: "removed" | "inserted"; readonly at: number; readonly place: number };

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ is: fc.constantFrom("fails" as const, "repeats" as const), at: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ is: fc.constant("miscounts" as const), by: fc.integer({ min: -12, max: 12 }).filter((by) => by !== 0) }),
  fc.record({
    is: fc.constantFrom("removed" as const, "inserted" as const),
    at: fc.integer({ min: 2, max: 9 }),
    place: fc.nat({ max: 30 }),
  }),
);

/** Does a fault to a vendor's domains, and to its answers. */
function inflict(fault: Fault, held: Domain[]): (nth: number) => Trouble {
  return (nth) => {
    if (fault.is === "miscounts") return { wrongBy: Math.max(fault.by, -held.length) };
    if (fault.at !== nth) return {};
    if (!("place" in fault)) return { fails: fault.is === "fails", repeats: fault.is === "repeats" };
    const added = { id: 99, name: "new.example", type: "a" };
    if (fault.is === "removed") held.splice(fault.place % Math.max(held.length, 1), 1);
    else held.splice(fault.place % (held.length + 1), 0, added);
    return {};
  };
}

test("a list that is counted is never short and called whole: what goes wrong while it is read leaves it right or incomplete", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, faults, async ({ shape, count }, fault) => {
      const held = someDomains(count);
      const earlier = namesOf(held);
      const { names, incomplete, paths } = await read(shape, held, { before: inflict(fault, held) });
      expect(paths.length).toBeLessThan(3 * count + 60);
      const isFailed = fault.is === "fails" && paths.length >= fault.at;
      if (isFailed) expect(incomplete).toMatch(/down/u);
      if (shape.total === "none" || incomplete !== undefined) return;
      expect([JSON.stringify(earlier), JSON.stringify(namesOf(held))]).toContain(JSON.stringify(names));
    }),
    { numRuns: size.draws(1500) },
  );
});
