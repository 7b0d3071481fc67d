import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

let folder: string;
const run = (cwd: string, command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hostform-package-"));
  run(folder, "git", "clone", "--quiet", root, "clone");
  run(folder, "git", "init", "--quiet", "user");
  writeFileSync(join(folder, "user", "package.json"), '{ "private": true }');
});
afterAll(() => rmSync(folder, { recursive: true }));

test("an installation from the git repository runs", () => {
  const user = join(folder, "user");
  run(user, "npm", "install", "--no-fund", "--no-audit", "--loglevel=error", `git+file://${join(folder, "clone")}`);
  expect(run(user, join("node_modules", ".bin", "hostform"), "--version")).toMatch(/^\d+\.\d+\.\d+\n$/u);
});

test("a package made in a fresh clone holds the built program", () => {
  const clone = join(folder, "clone");
  run(clone, "npm", "ci", "--no-fund", "--no-audit", "--loglevel=error");
  const [packed] = JSON.parse(run(clone, "npm", "pack", "--json", "--silent")) as [{ files: { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["dist/cli.js", "schemas/manifest.schema.json", "README.md"]));
  expect(paths.filter((path) => path.startsWith("test/") || path.startsWith("src/"))).toEqual([]);
});
