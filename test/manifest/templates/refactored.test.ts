import { expect, test } from "vitest";
import { writeTree } from "../../../src/engine/render.ts";
import type { Desired } from "../../../src/model/resource.ts";
import { refactored } from "./draw-templates.ts";
import { bodies, load, type Loaded } from "./load-templates.ts";
import { forDraws } from "../../support/for-draws.ts";

const rest = (loaded: Loaded): Partial<Desired> => {
  const { desired } = loaded.read ?? {};
  const { resources: _resources, ...others } = (desired ?? {}) as Desired;
  return JSON.parse(JSON.stringify({ ...others, collections: [...(others.collections ?? [])] })) as Partial<Desired>;
};

test("a manifest that is divided into templates wants what it wanted before", () =>
  forDraws(150, refactored, ({ plain, templated }) => {
    const [before, after] = [load(plain), load(templated)];
    expect(before.errors, plain).toEqual([]);
    expect(after.errors, templated).toEqual([]);
    expect(bodies(after), templated).toEqual(bodies(before));
    expect(rest(after)).toEqual(rest(before));
    checkPlaces(after, templated);
    const again = load(writeTree(after.tree as never));
    expect(again.errors).toEqual([]);
    expect(bodies(again)).toEqual(bodies(before));
  }));

/** Each resource of a template has its place in the template, and the line that uses it. */
function checkPlaces({ read }: Loaded, text: string): void {
  const lines = text.split("\n");
  for (const { at } of read?.desired.resources.values() ?? []) {
    const [innermost] = at?.uses ?? [];
    expect(at?.uses?.length, text).toBeGreaterThan(0);
    expect(lines[(innermost?.at.line ?? 0) - 1]?.trim()).toBe(`${innermost?.template}:`);
    expect(at?.line).toBeGreaterThan(innermost?.at.line ?? Infinity);
    const last = at?.uses?.at(-1);
    expect(last?.used.line, text).toBeGreaterThan(lines.indexOf("use:"));
  }
}
