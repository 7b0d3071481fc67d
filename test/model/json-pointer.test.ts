import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { getPointer, layAt, omitPointer, setPointer } from "../../src/model/json-pointer.ts";
import { forDraws } from "../support/for-draws.ts";

const token = fc.constantFrom("a", "b", "0", "1", "2", "__proto__", "", "a~1b", "m~0n", "length", "01");
const pointer = fc
  .array(token, { minLength: 1, maxLength: 4 })
  .map((tokens) => tokens.map((each) => `/${each}`).join(""));
const document = fc.dictionary(
  fc.constantFrom("a", "b", "0", "x"),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.integer(),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom("a", "b", "0"), tie("value"), { maxKeys: 3 }),
    ),
  })).value,
) as fc.Arbitrary<JsonObject>;

test("a value that is set at a pointer stands there, and the input is not changed", () =>
  forDraws({}, document, pointer, fc.integer(), (target, at, value) => {
    const before = JSON.stringify(target);
    const after = setPointer(target, at, value);
    expect(getPointer(after, at)).toBe(value);
    expect(JSON.stringify(target)).toBe(before);
    expect(JSON.stringify(setPointer(after, at, value))).toBe(JSON.stringify(after));
  }));

test("an index sets an item: of the array that is there, or of a new one", () => {
  expect(setPointer({}, "/zone/0", "a")).toEqual({ zone: ["a"] });
  expect(setPointer({ zone: ["a", { x: 1 }] }, "/zone/1/y", 2)).toEqual({ zone: ["a", { x: 1, y: 2 }] });
  expect(setPointer({}, "/zone/1/a", "b")).toEqual({ zone: [null, { a: "b" }] });
  expect(setPointer({ zone: { "0": "a" } }, "/zone/0", "b")).toEqual({ zone: { "0": "b" } });
  expect(layAt({}, "/0", { a: 1 })).toEqual([{ a: 1 }]);
  expect(setPointer({ a: 1 }, "/0", "b")).toEqual({ a: 1, 0: "b" });
  expect(setPointer({}, "/zone/4000000000", "a")).toEqual({ zone: { "4000000000": "a" } });
});

test("a value is taken out at a pointer, also within an array, and the rest stays", async () => {
  expect(omitPointer({ zone: [{ x: 1, y: 2 }] }, "/zone/0/x")).toEqual({ zone: [{ y: 2 }] });
  expect(omitPointer({ zone: ["a"] }, "/zone/0")).toEqual({ zone: ["a"] });
  await forDraws({}, document, pointer, (target, at) => {
    const before = JSON.stringify(target);
    omitPointer(target, at);
    expect(JSON.stringify(target)).toBe(before);
    if (!JSON.stringify(target).includes("[")) expect(getPointer(omitPointer(target, at), at)).toBeUndefined();
  });
});
