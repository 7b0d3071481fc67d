import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./workplace.ts";

/** Counts the calls of a function in a folder of the source, without the embedded service. */
function countCalls(name: string, folder: string): number {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  const call = new RegExp(`(?<!function )\\b${name}\\(`, "gu");
  return files
    .filter((file) => file.endsWith(".ts") && !file.startsWith("emulator/"))
    .flatMap((file) => readFileSync(join(root, folder, file), "utf8").match(call) ?? []).length;
}

test.each([
  ["bindKind", "src", 20],
  ["bindAddress", "src", 10],
  ["locate", "src/apply", 5],
])("a kind is bound once and handed down, so %s is called in few places of %s", (name, folder, most) => {
  const calls = countCalls(name, folder);
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThan(most);
});
