import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";

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
  return spawnSync(process.execPath, [join(root, "scripts/check-layers.mjs"), relative(root, folder)], {
    encoding: "utf8",
  });
}

const leaf = "export const x = 1;\n";
const importing = (path: string) => `import { x } from "${path}";\nexport const y = x;\n`;

describe("the check of the import rules", () => {
  test.runIf(size.whole)("passes where imports run downward", () => {
    const { status, stdout } = check({ "plan/plan.ts": importing("../model/x.ts"), "model/x.ts": leaf });
    expect(stdout).toContain("2 modules, 0 broken import rules");
    expect(status).toBe(0);
  });

  test.runIf(size.whole)("fails where it saw no modules", () => {
    const { status, stderr } = check({});
    expect(stderr).toContain("nothing was checked");
    expect(status).toBe(1);
  });

  test.runIf(size.whole)(
    "fails for a stage that names a flag in a text, and not for an argument of git or a comment",
    () => {
      const flag = 'export const hint = "pass --base-url URL";\n';
      const git = 'export const words = ["fetch", "--quiet"];\n';
      const comment = "/** As `--var` gives it. */\nexport const x = 1;\n";
      const files = { "plan/a.ts": flag, "messages/b.ts": flag, "state/git/c.ts": git, "live/d.ts": comment };
      const { status, stderr } = check(files);
      expect(stderr.match(/\S+ names a flag/gu)).toEqual([expect.stringMatching(/plan\/a\.ts names a flag$/u)]);
      expect(status).toBe(1);
    },
  );

  describe("fails for", () => {
    // In a folder that no other rule is about.
    const cycle = {
      "render/a.ts": importing("./b.ts").replace("y", "x"),
      "render/b.ts": importing("./a.ts").replace("y", "x"),
    };
    const broken = [
      ["a stage that imports another", "plan/a.ts", "../live/x.ts"],
      ["an import upward", "model/b.ts", "../plan/x.ts"],
      ["a kind that imports another", "kinds/c.ts", "./x.ts"],
      ["an emulator that imports the rest", "emulator/d.ts", "../model/x.ts"],
      ["a way into the emulator beside its index", "engine/l.ts", "../emulator/x.ts"],
      ["the transport that knows the contract", "api/e.ts", "../contract/x.ts"],
      ["undici outside the transport", "live/f.ts", "undici"],
      ["a file touched by the planner", "plan/g.ts", "node:fs"],
      ["a file read by the planner", "plan/j.ts", "../lib/read-file.ts"],
      ["a library that knows the model", "lib/k.ts", "../model/x.ts"],
      ["a program run by a command", "cli/h.ts", "node:child_process"],
      ["a secret opened by a printer", "render/l.ts", "../model/clear-values.ts"],
      ["deep-diff in a second file", "plan/i.ts", "deep-diff"],
    ] as const;
    let checked: ReturnType<typeof check>;
    beforeEach(() => {
      const layers = ["emulator", "live", "plan", "kinds", "model", "contract"];
      checked ??= check({
        ...Object.fromEntries(broken.map(([, from, to]) => [from, importing(to)])),
        ...Object.fromEntries(layers.map((layer) => [`${layer}/x.ts`, leaf])),
        "lib/read-file.ts": leaf,
        "model/clear-values.ts": leaf,
        ...cycle,
      });
    });

    test.each(broken)("%s", (_name, from) => {
      expect(checked.stderr).toContain(`/${from} imports `);
      expect(checked.status).toBe(1);
    });

    test("a cycle", () => {
      expect(checked.stderr).toContain("no-cycle");
    });

    test("nothing else", () => {
      expect(checked.stdout).toContain(`${broken.length + 1} broken import rules`);
    });
  });
});
