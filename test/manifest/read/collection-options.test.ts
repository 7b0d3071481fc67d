import { expect, test } from "vitest";
import { kindNamed } from "../../../src/kinds/index.ts";
import { findBlocks, findCollectionBlocks } from "../../../src/manifest/read/read-resources.ts";
import { parseSource } from "../../../src/manifest/yaml/parse.ts";

/** The keys to which the places of a kind lead that is written as tasks are, elsewhere in a manifest. */
function keysAt(manifest: string, text: string) {
  const kind = { ...kindNamed("cron"), manifest };
  const { root } = parseSource({ file: "m.yaml", text });
  if (root?.type !== "map") throw new Error("The manifest cannot be read");
  const keysOf = (blocks: ReturnType<typeof findBlocks>) => blocks.map(({ key }) => Object.values(key).join(" "));
  return { items: keysOf(findBlocks(kind, root)), collections: keysOf(findCollectionBlocks(kind, root)) };
}

test("the options of a collection are no items of it, where these stand beside them in the block of a service", () => {
  const text = "crons:\n  a.example: { exclusive: true, ignore: [old], nightly: {}, hourly: {} }\n";
  expect(keysAt("crons.{service}.{name}", text)).toEqual({
    items: ["a.example nightly", "a.example hourly"],
    collections: ["a.example"],
  });
});

test("an item may have the name of an option, where the items have a block of their own", () => {
  const text = "crons:\n  a.example: { exclusive: true, jobs: { exclusive: {}, ignore: {} } }\n";
  expect(keysAt("crons.{service}.jobs.{name}", text)).toEqual({
    items: ["a.example exclusive", "a.example ignore"],
    collections: ["a.example"],
  });
});
