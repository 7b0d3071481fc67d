import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { loadManifest } from "../../src/manifest/load.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { dataOf, loadText, places } from "./load-text.ts";

const noStdin = { readStdin: () => Promise.reject(new Error("standard input is not to be read")) };

describe("loading a manifest", () => {
  let folder = "";

  beforeEach(() => {
    folder = folderForTest();
  });

  async function loadFiles(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const loaded = await loadManifest([folder], noStdin);
    const told = loaded.diagnostics.map(
      ({ code, at }) => `${code} ${at ? `${at.file.slice(folder.length + 1)}:${at.line}:${at.col}` : "-"}`,
    );
    return { loaded, told };
  }

  test.each([
    ["version: 1\nname: a\n", "services: {}\n", 2],
    ['name: "a" # ours\nversion: "1"\n', "name: b\nservices: {}\n", 1],
    ["version: 2\nname: a\n", "services: {}\n", 0],
    ["a: { version: 1 }\nname: a\n", "services: {}\n", 0],
    ["version: '3'\nname: a\n", "version: 1\n", 0],
  ])("says of a file that is named alone that it is a part, if %j stands beside %j", async (whole, part, count) => {
    await loadFiles({ "whole.yaml": whole, "part.yaml": part });
    const { diagnostics } = await loadManifest([join(folder, "part.yaml")], noStdin);
    const hint = `this file is part of the manifest in ${folder}/: use -f ${folder}/, with --only 'ADDRESS-PATTERN' for a part of it`;
    expect(diagnostics.filter((each) => each.hint === hint)).toHaveLength(count);
    expect((await loadManifest([folder], noStdin)).diagnostics.every((each) => each.hint !== hint)).toBe(true);
  });

  test("does not say that of a file which no folder is read for, such as a saved plan", async () => {
    await loadFiles({ "whole.yaml": "version: 1\nname: a\n", "plan.json": "{}\n" });
    const { diagnostics } = await loadManifest([join(folder, "plan.json")], noStdin);
    expect(diagnostics.map(({ code }) => code)).toEqual(["missing_key", "missing_key"]);
    expect(diagnostics.filter(({ hint = "" }) => hint.includes("part of the manifest"))).toEqual([]);
  });

  test.each([
    ["a saved plan", '{ "format": 3, "target": { "name": "a" }, "hash": "sha256:1" }', ["not_a_manifest"]],
    ["a file of another program", "apiVersion: v1\nkind: Service\nspec: { dns: {} }\n", ["not_a_manifest"]],
    ["a file with one key of a manifest", "apiVersion: v1\ndns: {}\n", ["missing_key", "missing_key", "unknown_key"]],
    [
      "a file of jobs with variables",
      'stages: [check]\nvariables: { DEPTH: "0" }\n',
      ["missing_key", "missing_key", "unknown_key", "wrong_type"],
    ],
    [
      "a file with a misspelt key",
      "apiVersion: v1\nservces: {}\n",
      ["missing_key", "missing_key", "unknown_key", "unknown_key"],
    ],
  ])(
    "says of %s in one mistake that it is not a manifest, unless one of its keys is one, or is like one",
    async (_which, text, codes) => {
      const { diagnostics } = await loadText(text);
      expect(diagnostics.map(({ code }) => code).sort()).toEqual(codes);
      expect(diagnostics[0]?.at).toMatchObject({ line: 1, col: 1 });
    },
  );

  test("merges files and standard input", async () => {
    await writeFile(join(folder, "a.yaml"), "version: 1\nname: a\n");
    const loaded = await loadManifest([folder, "-"], {
      readStdin: () => Promise.resolve(Buffer.from("defaults: {ttl: 60}")),
    });
    expect(loaded.diagnostics).toEqual([]);
    expect(loaded.sources.map(({ file }) => file)).toEqual([join(folder, "a.yaml"), "<stdin>"]);
    expect(dataOf(loaded)).toEqual({ version: 1, name: "a", defaults: { ttl: 60 } });
  });

  test("lets some files be empty", async () => {
    const { loaded, told } = await loadFiles({
      "a.yaml": "",
      "b.yaml": "# nothing yet\n",
      "c.yaml": "version: 1\nname: a\n",
    });
    expect(told).toEqual([]);
    expect(dataOf(loaded)).toEqual({ version: 1, name: "a" });
  });

  test("does not let all of them be empty", async () => {
    const { loaded, told } = await loadFiles({ "a.yaml": "", "b.yaml": "# nothing yet\n" });
    expect(told).toEqual(["empty_manifest -"]);
    expect(loaded.tree).toBeUndefined();
  });

  test("tells the mistakes of every stage and file in one run, sorted by place", async () => {
    await mkdir(join(folder, "z.yaml"));
    const { told } = await loadFiles({
      "a.yaml": "version: 1\nname: a\nservces: {}\nservices: {a.b: {plan: x, plan: y}}\n",
      "b.yaml": "name: other\nservices: {a.b: {datacenter: []}}\n",
      "c.yaml": "a: [\n",
      "d.yaml": "defaults: {ttl: !!int 60}\n",
    });
    expect(told).toEqual([
      "unknown_key a.yaml:3:1",
      "duplicate_key a.yaml:4:27",
      "conflicting_definitions b.yaml:1:1",
      "wrong_type b.yaml:2:30",
      "yaml_syntax c.yaml:2:1",
      "unsupported_tag d.yaml:1:17",
    ]);
  });

  test("does not miss at the root what may stand in a file that could not be read", async () => {
    expect((await loadFiles({ "a.yaml": "services: {}\n", "b.yaml": "version: 1\nname: 'x\n" })).told).toEqual([
      "yaml_syntax b.yaml:2:7",
    ]);
  });

  test("gives the line and its carets with each place", async () => {
    const { diagnostics } = await loadText("version: 1\nname: a\nservces: {}\n");
    expect(diagnostics[0]).toMatchObject({
      severity: "error",
      at: { file: "<stdin>", line: 3, col: 1, endCol: 8 },
      frame: "servces: {}\n^^^^^^^",
    });
  });

  test("has nothing to say of a tree that is not there", async () => {
    const loaded = await loadManifest([join(folder, "none.yaml")], noStdin);
    expect(loaded).toMatchObject({ tree: undefined, sources: [] });
    expect(places(loaded.diagnostics)).toEqual(["not_found"]);
  });
});
