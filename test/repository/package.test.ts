import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version, scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  version: string;
  scripts: Readonly<Record<string, string>>;
};

test("the package holds what runs and nothing else, in at most 2.4 MB", () => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts", "--silent", "--offline"];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: root, encoding: "utf8" })) as [
    { unpackedSize: number; files: { path: string }[] },
  ];
  const paths = packed.files.map(({ path }) => path);
  const places = [
    /^(?:LICENSE|README\.md|package\.json)$/u,
    /^dist\/(?:cli|index)\.js$/u,
    /^dist\/app\/[\w-]+\.cjs$/u,
    /^dist\/types\/[\w/-]+\.d\.ts$/u,
    /^dist\/validators\/[\w-]+\.(?:cjs\.br|json|json\.br)$/u,
    /^dist\/validators\/page\.(?:css|js)\.br$/u,
    /^dist\/LICENSES\.txt$/u,
    /^examples\/ci\/(?:forge\.mjs|github\.yaml)$/u,
    /^dist\/schemas\/(?:manifest|contract|fleet)\.schema\.json$/u,
  ];
  expect(paths.filter((path) => !places.some((place) => place.test(path)))).toEqual([]);
  expect(places.filter((place) => !paths.some((path) => place.test(path)))).toEqual([]);
  expect(packed.unpackedSize).toBeLessThanOrEqual(2_400_000);
});

test("an installation of the package runs none of its scripts, which npm 11 asks the user to review", () => {
  expect(Object.keys(scripts).filter((name) => /^(?:(?:pre|post)?install|prepare)$/u.test(name))).toEqual([]);
});

test("the $id of a schema for editors leads to that file of this version of the package, and no other schema has one", () => {
  const schemas = (folder: string) =>
    readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".schema.json") ? [`${folder}/${name}`] : []));
  const idOf = (path: string) => (JSON.parse(readFileSync(join(root, path), "utf8")) as { $id?: string }).$id;
  expect(schemas("dist/schemas").map(idOf)).toEqual(
    schemas("dist/schemas").map((path) => `https://cdn.jsdelivr.net/npm/hostform@${version}/${path}`),
  );
  expect(schemas("schemas").filter((path) => idOf(path) !== undefined)).toEqual([]);
});

test("the program of a build can be executed, since a global installation of a clone is a link to it", () => {
  expect(statSync(join(root, "dist/app/cli.cjs")).mode & 0o777).toBe(0o755);
});

test("--version loads at most 180 kB of code, since each kB that a command does not need delays it", () => {
  const script = `
    process.on("exit", () => {
      const { statSync } = require("node:fs");
      console.error(Object.keys(require.cache).reduce((sum, path) => sum + statSync(path).size, 0));
    });
    require("./dist/app/cli.cjs");`;
  const { stderr } = spawnSync(process.execPath, ["-e", script, "hostform", "--version"], {
    cwd: root,
    encoding: "utf8",
  });
  expect(Number(stderr)).toBeGreaterThan(50_000);
  expect(Number(stderr)).toBeLessThanOrEqual(180_000);
});

test("the version has a section in CHANGELOG.md", () => {
  expect(readFileSync(join(root, "CHANGELOG.md"), "utf8").split("\n")).toContain(`## ${version}`);
});
