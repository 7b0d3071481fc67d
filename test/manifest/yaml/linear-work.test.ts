import { describe, expect, test } from "vitest";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import { parseManifest } from "../../../src/manifest/load.ts";
import type { WrittenNode } from "../../../src/manifest/yaml/written.ts";
import { largeManifests } from "../../support/large-manifests.ts";

/**
 * Twice as many parts make twice the work, whatever the shape of a manifest. Work is counted as values that are read of the written tree:
 * no clock takes part.
 */
describe.each(Object.entries(largeManifests))("%s", (_, write) => {
  test("twice as many make twice the work", () => {
    const [small, large] = [work(write(60)), work(write(120))];
    expect(large).toBeLessThan(2.5 * small);
  });
});

function work(text: string): number {
  const { tree, diagnostics } = parseManifest([{ file: "large.yaml", text }]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const counter = { reads: 0 };
  if (!tree) throw new Error("there is no tree");
  count(tree, counter);
  const read = readDesired(tree, () => ({ missing: "it is not set" }));
  expect(read.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return counter.reads;
}

/** Counts each time that a value of a tree is read. */
function count(node: WrittenNode, counter: { reads: number }): void {
  if (node.type === "list") for (const item of node.items) count(item, counter);
  else if (node.type === "map") for (const { value } of node.entries.values()) count(value, counter);
  else {
    const { value } = node;
    Object.defineProperty(node, "value", {
      get: () => {
        counter.reads += 1;
        return value;
      },
    });
  }
}
