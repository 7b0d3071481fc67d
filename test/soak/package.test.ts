import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { folderForFile } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version } = JSON.parse(
  execFileSync("node", ["-p", "JSON.stringify(require('./package.json'))"], { cwd: root, encoding: "utf8" }),
) as { version: string };
const quiet = ["--no-fund", "--no-audit", "--loglevel=error"];

const folder = folderForFile();
let newest: string;
const run = (cwd: string, command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Makes a folder whose packages are installed without those of the repository around it. */
function makeUser(name: string): string {
  const user = join(folder, name);
  mkdirSync(user);
  writeFileSync(join(user, "package.json"), '{ "private": true }');
  cpSync(join(root, "examples", "first.yaml"), join(user, "hostform.yaml"));
  return user;
}

beforeAll(() => {
  run(folder, "git", "clone", "--quiet", root, "clone");
  const nodes = makeUser("nodes");
  // The package `node` downloads at installation; this one has the program in itself.
  const platform = `node-linux-${process.arch}`;
  run(nodes, "npm", "install", ...quiet, "--ignore-scripts", `${platform}@latest`);
  newest = join(nodes, "node_modules", platform, "bin", "node");
}, 600_000);

/** Checks an installation as a first reader would. */
function checkInstalled(user: string, node: string): void {
  const hostform = (...args: string[]) => run(user, node, join("node_modules", "hostform", "dist", "cli.js"), ...args);
  expect(hostform("--version")).toBe(`${version}\n`);
  expect(hostform("validate")).toContain("Valid: 12 resources");
  expect(hostform("plan", "--emulator")).toContain("Plan: 12 to add, 0 to change, 0 to destroy.");
  expect(hostform("contract", "show", "cloudflare")).toContain("name: cloudflare");
  const program = "import { validate } from 'hostform'; console.log((await validate({ manifests: ['.'] })).ending)";
  writeFileSync(join(user, "program.mjs"), program);
  expect(run(user, node, "program.mjs")).toBe("done\n");
}

describe("installed from a tarball that a fresh clone has made", () => {
  let user: string;
  beforeAll(() => {
    const clone = join(folder, "clone");
    run(clone, "npm", "ci", ...quiet);
    const [packed] = JSON.parse(run(clone, "npm", "pack", "--json", "--silent")) as [{ filename: string }];
    user = makeUser("tarball-user");
    run(user, "npm", "install", ...quiet, join(clone, packed.filename));
  }, 600_000);

  test("it runs on this Node", () => {
    checkInstalled(user, process.execPath);
    expect(run(user, join("node_modules", ".bin", "hostform"), "--version")).toBe(`${version}\n`);
  });

  test("it runs on the newest Node", () => {
    expect(Number(/\d+/u.exec(run(user, newest, "--version"))?.[0])).toBeGreaterThanOrEqual(26);
    checkInstalled(user, newest);
  });

  test.each([10, 11])("npm %i installs it for all users", (npm) => {
    const place = join(folder, `global-${npm}`);
    const tarball = join(folder, "clone", `hostform-${version}.tgz`);
    run(folder, "npx", "--yes", `npm@${npm}`, "install", "--global", "--prefix", place, ...quiet, tarball);
    const hostform = (...args: string[]) => run(user, join(place, "bin", "hostform"), ...args);
    expect(hostform("--version")).toBe(`${version}\n`);
    expect(hostform("plan", "--emulator")).toContain("Plan: 12 to add, 0 to change, 0 to destroy.");
  });
});
