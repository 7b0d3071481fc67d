import { mkdir, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readSources } from "../../src/manifest/sources.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const noStdin = { readStdin: () => Promise.reject(new Error("standard input is not to be read")) };
const stdin = (bytes: Uint8Array) => ({ readStdin: () => Promise.resolve(bytes) });

const latin = (text: string) => Buffer.from(text, "latin1");

describe("manifest sources", () => {
  let folder = "";

  beforeEach(() => {
    folder = folderForTest();
  });

  const put = async (path: string, content: string | Uint8Array = "a: 1\n") => {
    const full = join(folder, path);
    await mkdir(join(full, ".."), { recursive: true });
    await writeFile(full, content);
    return full;
  };
  const filesOf = async (...paths: string[]) => {
    const { sources, diagnostics } = await readSources(paths, noStdin);
    expect(diagnostics).toEqual([]);
    return sources.map(({ file }) => file.replace(`${folder}/`, ""));
  };
  const problemOf = async (path: string) => {
    const { sources, diagnostics } = await readSources([path], noStdin);
    expect(sources).toEqual([]);
    expect(diagnostics).toHaveLength(1);
    return diagnostics[0];
  };

  test("name the folder and the file whose name is not UTF-8", async () => {
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), latin("caf\u00e9.yaml")]), "a: 1\n");
    const problem = await problemOf(folder);
    expect(problem?.summary).toBe(String.raw`There is no file or folder ${folder}/caf\ufffd.yaml`);
    expect(problem?.hint).toContain("rename the file");
  });

  test("are the .yaml and .yml files of a folder at any depth, sorted, without hidden ones and node_modules", async () => {
    const paths = [
      "b.yaml",
      "a.yml",
      "dns/z.yaml",
      "dns/deep/y.yaml",
      "notes.txt",
      ".hidden.yaml",
      ".git/x.yaml",
      "node_modules/m.yaml",
    ];
    for (const path of paths) await put(path);
    expect(await filesOf(folder)).toEqual(["a.yml", "b.yaml", "dns/deep/y.yaml", "dns/z.yaml"]);
  });

  test("are named as the user named them, whatever their ending", async () => {
    const full = await put("manifest.txt");
    const { sources } = await readSources([full], noStdin);
    expect(sources).toEqual([{ file: full, text: "a: 1\n" }]);
  });

  test("are read once, however often and through whatever link they are named", async () => {
    const file = await put("a.yaml");
    await symlink(file, join(folder, "b.yaml"));
    expect(await filesOf(file, folder, file)).toEqual(["a.yaml"]);
  });

  test("may be standard input, which is read once and named <stdin>", async () => {
    const { sources } = await readSources(["-", "-"], stdin(Buffer.from("a: 1")));
    expect(sources).toEqual([{ file: "<stdin>", text: "a: 1" }]);
  });

  test("lose their byte order mark", async () => {
    const { sources } = await readSources(["-"], stdin(Buffer.from("\ufeffa: 1")));
    expect(sources[0]?.text).toBe("a: 1");
  });

  test("may be in folders behind links that stay in the folder", async () => {
    await put("site/real/a.yaml");
    await symlink(join(folder, "site", "real"), join(folder, "site", "linked"));
    expect(await filesOf(join(folder, "site"))).toEqual(["site/linked/a.yaml"]);
  });

  test.each<[string, object, () => string | Promise<string>]>([
    [
      "a path that is missing",
      { code: "not_found", summary: expect.stringContaining("/none.yaml") },
      () => join(folder, "none.yaml"),
    ],
    ["a path of which a part is a file", { code: "not_found" }, async () => join(await put("a.yaml"), "b.yaml")],
    [
      "a path that is neither file nor folder",
      { code: "not_a_file", hint: expect.stringContaining("-f -") },
      () => "/dev/null",
    ],
    [
      "a folder without a manifest",
      { code: "empty_folder", detail: expect.stringContaining(".yaml") },
      async () => {
        await mkdir(join(folder, "empty"));
        return join(await put("notes.txt"), "..");
      },
    ],
    [
      "a link that leads out of the folder",
      { code: "leads_out" },
      async () => {
        await mkdir(join(folder, "site"));
        await symlink(join(await put("real/a.yaml"), ".."), join(folder, "site", "linked"));
        return join(folder, "site");
      },
    ],
    [
      "a link that leads to itself",
      { code: "symlink_loop" },
      async () => {
        await symlink(join(folder, "self.yaml"), join(folder, "self.yaml"));
        return join(folder, "self.yaml");
      },
    ],
    [
      "a file above 50 MiB, unread",
      { code: "too_large", summary: expect.stringContaining("52,428,801 bytes") },
      async () => {
        const path = await put("huge.yaml");
        await truncate(path, 50 * 1024 * 1024 + 1);
        return path;
      },
    ],
  ])("report %s", async (_name, expected, made) => {
    expect(await problemOf(await made())).toMatchObject(expected);
  });

  test("report a link that leads back to its folder", async () => {
    await put("a.yaml");
    await symlink(folder, join(folder, "again"));
    const { sources, diagnostics } = await readSources([folder], noStdin);
    expect(sources).toHaveLength(1);
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: "symlink_loop", summary: expect.stringContaining("again") }),
    ]);
  });

  test("are refused above 50 MiB from standard input too", async () => {
    const { diagnostics } = await readSources(["-"], stdin(Buffer.alloc(50 * 1024 * 1024 + 1, "a")));
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: "too_large", summary: expect.stringContaining("<stdin>") }),
    ]);
  });

  test.each([
    ["in Latin-1", latin("a: \u00fd ok\n"), "not_utf8", "byte 3 is 0xfd", { at: { line: 1, col: 4 } }],
    [
      "in Latin-1 below UTF-8",
      Buffer.concat([Buffer.from("a: \ufffd\n"), latin("b: caf\u00e9\n")]),
      "not_utf8",
      "byte 13 is 0xe9",
      { at: { line: 2, col: 7 } },
    ],
    ["whose last character is cut off", Buffer.from([0x61, 0x3a, 0x20, 0xc3]), "not_utf8", "byte 3 is 0xc3", {}],
    ["in which a byte is zero", Buffer.from([0x89, 0x50, 0x00, 0x01]), "binary_file", "byte 2 is zero", {}],
    ["in UTF-16", Buffer.from("\ufeffa: 1", "utf16le"), "binary_file", "UTF-16", {}],
  ])("refuse a file %s, at its place where it is text", async (_name, content, code, words, place) => {
    const problem = await problemOf(await put("bytes.yaml", content));
    expect(problem).toMatchObject({ code, summary: expect.stringContaining(words), ...place });
  });

  test("are all read before the problems of some are reported", async () => {
    const good = await put("good.yaml");
    const bad = await put("bad.yaml", Buffer.from([0]));
    const { sources, diagnostics } = await readSources([bad, join(folder, "none"), good], noStdin);
    expect(sources.map(({ file }) => file)).toEqual([good]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["binary_file", "not_found"]);
  });
});
