import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leadsToHidden } from "../../src/lib/inside.ts";
import { folderForTest } from "../support/temporary-folder.ts";

/** A repository with a hidden file, a file that is not hidden, and links to the repository itself and to the hidden folder. */
function makeRepository(): string {
  const top = folderForTest();
  for (const folder of [".git", ".secrets", "hosting"]) mkdirSync(join(top, folder));
  for (const file of [".git/HEAD", ".secrets/all.yaml", "hosting/a.yaml"]) writeFileSync(join(top, file), "");
  symlinkSync(".", join(top, "self"));
  symlinkSync(".secrets", join(top, "hidden"));
  return top;
}

test.each([
  ["hosting/a.yaml", false],
  ["self/hosting/a.yaml", false],
  ["self/self/hosting", false],
  [".secrets/all.yaml", false],
  ["hidden/all.yaml", true],
  ["self/.secrets", true],
  ["self/.secrets/all.yaml", true],
  ["self/self/hidden", true],
])("the path %s leads through a link to what is hidden: %s", (path, isHidden) => {
  expect(leadsToHidden(join(makeRepository(), path))).toBe(isHidden);
});
