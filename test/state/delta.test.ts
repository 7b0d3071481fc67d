import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeInventories } from "../../src/state/inventory/merge-inventories.ts";
import { formatContent, parseContent } from "../../src/state/inventory/inventory-content.ts";
import { namesIn, ours } from "./repositories.ts";
import { forDraws } from "../support/for-draws.ts";

const inventories = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e")).map((names) => ours(...names));

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
    const both = mergeInventories(base, one, other).addresses;
    for (const address of base.addresses)
      expect(both.has(address)).toBe(one.addresses.has(address) && other.addresses.has(address));
    for (const address of [...one.addresses, ...other.addresses])
      if (!base.addresses.has(address)) expect(both.has(address)).toBe(true);
  }));

test("an inventory is read as it was written, in one order", () =>
  forDraws({}, inventories, inventories, ({ addresses }, { addresses: preventDestroy }) => {
    const inventory = { addresses, preventDestroy };
    const text = formatContent(inventory, "t");
    expect(parseContent(Buffer.from(text), "t")).toEqual({ ok: true, inventory, unknown: [] });
    const shuffled = { addresses: new Set([...addresses].reverse()), preventDestroy };
    expect(formatContent(shuffled, "t")).toBe(text);
  }));

test("whatever stands there, reading it does not throw", () =>
  forDraws({}, fc.oneof(fc.json(), fc.string()), (text) => {
    expect(parseContent(Buffer.from(text), "t").ok).toBe(false);
  }));
