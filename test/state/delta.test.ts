import fc from "fast-check";
import { expect, test } from "vitest";
import type { Inventory } from "../../src/model/inventory.ts";
import { mergeInventories } from "../../src/state/inventory/merge-inventories.ts";
import { formatContent, parseContent } from "../../src/state/inventory/inventory-content.ts";
import { namesIn, ours } from "./repositories.ts";
import { forDraws } from "../support/for-draws.ts";

/** The same names are ours, were requested, and left a manifest. */
const inventories = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e")).map((names): Inventory => {
  const all = [...ours(...names).addresses];
  const unconfirmed = all.map((address) => ({ address, operation: "create" as const, at: "2026-01-01T00:00:00Z" }));
  const dropped = new Map(all.map((address) => [address, "m.yaml"]));
  return { ...ours(...names), ...(all.length > 0 && { unconfirmed, dropped }) };
});

test("nothing that happened changes nothing, and what happened to the same state gives its outcome", () =>
  forDraws({}, inventories, inventories, (before, after) => {
    expect(namesIn(mergeInventories(before, before, after))).toEqual(namesIn(after));
    expect(namesIn(mergeInventories(before, after, before))).toEqual(namesIn(after));
  }));

test("two runs that did not know of each other come to the same, whichever is done to the other", () =>
  forDraws({}, inventories, inventories, inventories, (base, one, other) => {
    expect(namesIn(mergeInventories(base, one, other))).toEqual(namesIn(mergeInventories(base, other, one)));
  }));

test("what one of them deleted is not back, what one of them added is there", () =>
  forDraws({}, inventories, inventories, inventories, (base, one, other) => {
    const { addresses: both, unconfirmed = [], dropped = new Map() } = mergeInventories(base, one, other);
    for (const rest of [unconfirmed.map(({ address }) => address), dropped.keys()]) expect(new Set(rest)).toEqual(both);
    for (const address of base.addresses)
      expect(both.has(address)).toBe(one.addresses.has(address) && other.addresses.has(address));
    for (const address of [...one.addresses, ...other.addresses])
      if (!base.addresses.has(address)) expect(both.has(address)).toBe(true);
  }));

test("an inventory is read as it was written, in one order", () =>
  forDraws({}, inventories, inventories, (owned, { addresses: preventDestroy }) => {
    const inventory = { ...owned, preventDestroy };
    const text = formatContent(inventory, "t");
    expect(parseContent(Buffer.from(text), "t")).toEqual({ ok: true, inventory, unknown: [] });
    const dropped = owned.dropped && new Map([...owned.dropped].reverse());
    const shuffled = { ...inventory, addresses: new Set([...owned.addresses].reverse()), dropped };
    expect(formatContent(shuffled, "t")).toBe(text);
  }));

test("whatever stands there, reading it does not throw", () =>
  forDraws({}, fc.oneof(fc.json(), fc.string()), (text) => {
    expect(parseContent(Buffer.from(text), "t").ok).toBe(false);
  }));
