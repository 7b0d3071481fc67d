import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "dist", "layers-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function check(files: Readonly<Record<string, string>>) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return spawnSync(process.execPath, [join(root, ".ci/check-layers.mjs"), relative(root, folder)], {
    encoding: "utf8",
  });
}

const leaf = "export const x = 1;\n";
const importing = (path: string) => `import { x } from "${path}";\nexport const y = x;\n`;

describe("the check of the import rules", () => {
  test("passes where imports run downward", () => {
    const { status, stdout } = check({ "plan/plan.ts": importing("../model/x.ts"), "model/x.ts": leaf });
    expect(stdout).toContain("2 modules, 0 broken import rules");
    expect(status).toBe(0);
  });

  test("fails where it saw no modules", () => {
    const { status, stderr } = check({});
    expect(stderr).toContain("nothing was checked");
    expect(status).toBe(1);
  });

  test.each([
    ["a stage that imports another", "plan/plan.ts", "../live/x.ts", "live/x.ts"],
    ["an import upward", "model/y.ts", "../plan/x.ts", "plan/x.ts"],
    ["a kind that imports another", "kinds/a.ts", "./b.ts", "kinds/b.ts"],
    ["an emulator that imports the rest", "emulator/a.ts", "../model/x.ts", "model/x.ts"],
    ["the transport that knows the contract", "api/a.ts", "../contract/x.ts", "contract/x.ts"],
    ["undici outside the transport", "live/a.ts", "undici", "model/x.ts"],
    ["a file touched by the planner", "plan/a.ts", "node:fs", "model/x.ts"],
    ["a program run by a command", "commands/a.ts", "node:child_process", "model/x.ts"],
    ["deep-diff in a second file", "plan/a.ts", "deep-diff", "model/x.ts"],
  ])("fails for %s", (_name, from, to, other) => {
    const { status, stderr } = check({ [from]: importing(to), [other]: leaf });
    expect(stderr).toContain(from);
    expect(status).toBe(1);
  });

  test("fails for a cycle", () => {
    const { status, stderr } = check({
      "plan/a.ts": importing("./b.ts").replace("y", "x"),
      "plan/b.ts": importing("./a.ts").replace("y", "x"),
    });
    expect(stderr).toContain("no-cycle");
    expect(status).toBe(1);
  });
});
