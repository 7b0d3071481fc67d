import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergeMaps } from "../../../src/manifest/yaml/merge.ts";
import { parseSource } from "../../../src/manifest/yaml/parse.ts";
import { toJson, type WrittenMap } from "../../../src/manifest/yaml/written.ts";
import { forDraws } from "../../support/for-draws.ts";

function root(text: string, index: number): WrittenMap {
  const parsed = parseSource({ file: `${String.fromCharCode(97 + index)}.yaml`, text });
  if (!parsed.root) throw new Error(`not a manifest: ${text}`);
  return parsed.root;
}

function merge(...texts: string[]) {
  const [first, ...others] = texts.map(root);
  if (!first) throw new Error("no texts");
  return mergeMaps([first, ...others]);
}

const data = ({ root }: ReturnType<typeof mergeMaps>): unknown => JSON.parse(JSON.stringify(toJson(root)));

describe("several manifest texts", () => {
  test("may repeat version and name, if they are the same", () => {
    const merged = merge("version: 1\nname: a", "version: 1\nname: a", "version: 1");
    expect(merged.diagnostics).toEqual([]);
    expect(data(merged)).toEqual({ version: 1, name: "a" });
  });

  test("may leave a map or a list empty that others fill", () => {
    expect(data(merge("a: {b: 1}", "a:", "a: {c: 2}\nremoved:", "removed: [1]"))).toEqual({
      a: { b: 1, c: 2 },
      removed: [1],
    });
  });

  test("have their removed lists joined", () => {
    expect(data(merge("removed: [1]", "removed: [2, 3]", "removed: []"))).toEqual({ removed: [1, 2, 3] });
  });

  test.each([
    ["the same value twice", "a: {b: 1}", "a: {b: 1}", "a.yaml:1:5", "b.yaml:1:5", /written in two places/u],
    ["two lists", "ignore: [x]", "\nignore: [y]", "a.yaml:1:1", "b.yaml:2:1", /written in two places/u],
    ["a map against a value", "a: {b: 1}", "a: 2", "a.yaml:1:1", "b.yaml:1:1", /map in one place and a value/u],
    ["another name", "name: a", "name: b", "a.yaml:1:1", "b.yaml:1:1", /written in two places/u],
    ["removed that is no list", "removed: [1]", "removed: 2", "a.yaml:1:1", "b.yaml:1:1", /written in two places/u],
    ["a name below the root", "x: {name: a}", "x: {name: a}", "a.yaml:1:5", "b.yaml:1:5", /written in two places/u],
  ])("are in conflict, with both places named: %s", (_, first, second, firstPlace, secondPlace, summary) => {
    const merged = merge(first, second);
    const [diagnostic, ...others] = merged.diagnostics;
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({ code: "conflicting_definitions", summary: expect.stringMatching(summary) });
    expect(placeOf(diagnostic?.at)).toBe(secondPlace);
    expect(diagnostic?.related?.map(({ at }) => placeOf(at))).toEqual([firstPlace]);
    expect(data(merged)).toEqual(JSON.parse(JSON.stringify(toJson(root(first, 0)))));
  });

  test("name every further place of one conflict", () => {
    expect(merge("a: 1", "a: 1", "a: 1").diagnostics.map(({ at }) => at?.file)).toEqual(["b.yaml", "c.yaml"]);
  });

  test("are the same set in any order and any split", async () => {
    const leaf = fc.record({
      path: fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 3, maxLength: 3 }),
      file: fc.nat(3),
    });
    const leaves = fc.uniqueArray(leaf, { selector: ({ path }) => path.join(" "), minLength: 1, maxLength: 30 });
    await forDraws({}, leaves, fc.infiniteStream(fc.nat()), (found, ranks) => {
      const byFile = [0, 1, 2, 3]
        .map((file) => found.filter((one) => one.file === file))
        .filter((one) => one.length > 0);
      const texts = byFile.map((one) => JSON.stringify(nest(one.map(({ path }) => path))));
      const shuffled = texts.map((text) => ({ text, rank: ranks.next().value })).sort((x, y) => x.rank - y.rank);
      const merged = merge(...shuffled.map(({ text }) => text));
      expect(merged.diagnostics).toEqual([]);
      expect(data(merged)).toEqual(nest(found.map(({ path }) => path)));
    });
  });
});

const placeOf = (at: { file: string; line: number; col: number } | undefined) =>
  at && `${at.file}:${at.line}:${at.col}`;

/** A tree with the value 1 at the end of every path. */
function nest(paths: readonly string[][]): unknown {
  if (paths.some((path) => path.length === 0)) return 1;
  const keys = [...new Set(paths.map(([key = ""]) => key))];
  return Object.fromEntries(
    keys.map((key) => [key, nest(paths.filter(([first]) => first === key).map(([, ...rest]) => rest))]),
  );
}
