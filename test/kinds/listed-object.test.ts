import { expect, test } from "vitest";
import { isNewest } from "../../src/kinds/derived/listed-object.ts";
import { kindNamed } from "../../src/kinds/index.ts";

const madeAt = (day: number) => ({ fields: { created_at: `2026-01-0${day}T00:00:00Z` } });

test("a certificate is the newest if none of the others was made after it", () => {
  const isNewestOf = (others: readonly number[]) => isNewest(kindNamed("certificate"), madeAt(2), others.map(madeAt));
  expect([[], [1], [2], [1, 2]].map(isNewestOf)).toEqual([true, true, true, true]);
  expect([[3], [1, 3]].map(isNewestOf)).toEqual([false, false]);
});
