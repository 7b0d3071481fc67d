import fc from "fast-check";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { keepFiles } from "../../src/lib/keep-files.ts";
import { forDraws } from "../support/for-draws.ts";
import { folderForTest } from "../support/temporary-folder.ts";

let folder: string;
const at = (path: string) => join(folder, path);
beforeEach(() => {
  folder = folderForTest();
});

async function* each(
  files: Readonly<Record<string, string>>,
  cut = Infinity,
): AsyncGenerator<readonly [string, string]> {
  for (const [index, file] of Object.entries(files).entries()) {
    if (index === cut) throw new Error("cut off");
    yield file;
  }
}
const keep = (files: Readonly<Record<string, string>>, cut?: number) =>
  keepFiles(folder, Object.keys(files), each(files, cut));

const list = "hostform-pages.json";

/** Returns the contents of all files of the folder but the list, by their paths. */
function contents(): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => path !== list && statSync(at(path)).isFile());
  return Object.fromEntries(files.map((path) => [path, readFileSync(at(path), "utf8")]));
}

test("writes only what changed, and removes what it wrote before and what is not there any more", async () => {
  expect(await keep({ "accounts/a.html": "A", "accounts/b.html": "B", "index.html": "1" })).toEqual({
    written: 4,
    removed: 0,
  });
  for (const path of ["accounts/a.html", "accounts/b.html"]) utimesSync(at(path), 1, 1);
  expect(await keep({ "accounts/a.html": "A", "accounts/c.html": "C", "index.html": "2" })).toEqual({
    written: 4,
    removed: 1,
  });
  expect(statSync(at("accounts/a.html")).mtimeMs).toBe(1000);
  expect(contents()).toEqual({ "accounts/a.html": "A", "accounts/c.html": "C", "index.html": "2" });
  expect(await keep({ "accounts/a.html": "A", "accounts/c.html": "C", "index.html": "2" })).toEqual({
    written: 0,
    removed: 0,
  });
});

test("leaves the files of others where they are, and writes over none of them", async () => {
  const path = fc.constantFrom("index.html", "accounts/a.html", "accounts/b.html", "accounts/keep.html", "x/y.html");
  const files = fc.dictionary(path, fc.constantFrom("", "1", "2"));
  await forDraws({ numRuns: 60 }, files, fc.array(fc.tuple(files, fc.option(fc.nat(4)))), async (others, rounds) => {
    rmSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(others)) {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    }
    mkdirSync(folder, { recursive: true });
    let last: Readonly<Record<string, string>> = {};
    let isCut = false;
    for (const [ours, cut] of rounds) {
      const taken = Object.keys(ours).some((name) => name in others);
      const result = await keep(ours, cut ?? undefined).catch((error: Error) => error.message);
      if (taken) expect(result).toMatch(/is there, and Hostform did not write it/u);
      else if (typeof result === "object") [last, isCut] = [ours, false];
      else isCut = true;
      expect(contents()).toMatchObject(others);
      if (!isCut) expect(contents()).toEqual({ ...last, ...others });
    }
  });
});

test("a list that others wrote leads out of the folder neither by its names nor by a link", async () => {
  const outside = folderForTest();
  writeFileSync(join(outside, "a.html"), "theirs");
  mkdirSync(at("pages"));
  symlinkSync(outside, at("pages/accounts"));
  const pages = ["../a.html", "accounts/../../a.html", "/etc/passwd", ".git/config.html", "accounts/a.html"];
  writeFileSync(at(`pages/${list}`), JSON.stringify({ format: 1, pages }));
  writeFileSync(at("a.html"), "mine");
  const files = { "index.html": "1" };
  const keeping = keepFiles(at("pages"), Object.keys(files), each(files));
  await expect(keeping).rejects.toThrow(/symbolic link/u);
  expect([existsSync(join(outside, "a.html")), existsSync(at("a.html"))]).toEqual([true, true]);
});

test.each(["", "{}", "[]", '{"format":2,"pages":[]}', '{"format":1,"pages":7}', "null"])(
  "a file with the name of the list that is not one (%j) is named, and nothing is written",
  async (text) => {
    writeFileSync(at(list), text);
    await expect(keep({ "index.html": "1" })).rejects.toThrow(/is not a list of pages that Hostform wrote/u);
    expect(readdirSync(folder)).toEqual([list]);
  },
);
