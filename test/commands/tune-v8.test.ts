import { execFileSync } from "node:child_process";
import { afterEach, expect, test, vi } from "vitest";
import { tuneV8 } from "../../src/cli/tune-v8.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns the flags that a command sets on a version of Node. */
function flagsOf(word: string, node: string): string[] {
  const flags: string[] = [];
  const setFlagsFromString = (flag: string) => void flags.push(flag);
  vi.stubGlobal("process", { versions: { node }, getBuiltinModule: () => ({ setFlagsFromString }) });
  tuneV8(word);
  vi.unstubAllGlobals();
  return flags;
}

test.each(["plan", "apply", "import"])("this Node knows every flag that %s sets", (word) => {
  const flags = flagsOf(word, process.versions.node);
  expect(execFileSync(process.execPath, [...flags, "-p", "1"], { encoding: "utf8" })).toBe("1\n");
});

test.each(["22.0.0", "24.9.0"])(
  "no command sets interrupt budgets on Node %s, whose V8 would complain of them",
  (node) => {
    const flags = ["plan", "apply", "import"].flatMap((word) => flagsOf(word, node));
    expect(flags).toContain("--semi-space-growth-factor=4");
    expect(flags.filter((flag) => flag.includes("interrupt-budget"))).toEqual([]);
  },
);

test("no flag is set on a Node whose V8 may know none of them", () => {
  expect(flagsOf("plan", "26.0.0")).toEqual([]);
});
