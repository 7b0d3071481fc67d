import { mkdir, mkdtemp, open, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readSources } from "../../src/manifest/sources.ts";

const noStdin = { readStdin: () => Promise.reject(new Error("standard input is not to be read")) };
const stdin = (bytes: Uint8Array) => ({ readStdin: () => Promise.resolve(bytes) });

describe("manifest sources", () => {
  let folder = "";

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "hostform-sources-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

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

  test("report a link that leads out of the folder", async () => {
    await put("real/a.yaml");
    await mkdir(join(folder, "site"));
    await symlink(join(folder, "real"), join(folder, "site", "linked"));
    expect(await problemOf(join(folder, "site"))).toMatchObject({ code: "leads_out" });
  });

  test("report a path that is missing", async () => {
    const path = join(folder, "none.yaml");
    expect(await problemOf(path)).toMatchObject({ code: "not_found", summary: expect.stringContaining(path) });
  });

  test("report a path of which a part is a file", async () => {
    expect(await problemOf(join(await put("a.yaml"), "b.yaml"))).toMatchObject({ code: "not_found" });
  });

  test("report a folder without a manifest", async () => {
    await put("notes.txt");
    await mkdir(join(folder, "empty"));
    expect(await problemOf(folder)).toMatchObject({ code: "empty_folder", detail: expect.stringContaining(".yaml") });
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

  test("report a link that leads to itself", async () => {
    const path = join(folder, "self.yaml");
    await symlink(path, path);
    expect(await problemOf(path)).toMatchObject({ code: "symlink_loop" });
  });

  test("report a path that is neither file nor folder", async () => {
    expect(await problemOf("/dev/null")).toMatchObject({ code: "not_a_file", hint: expect.stringContaining("-f -") });
  });

  test("are refused above 50 MiB, unread", async () => {
    const path = join(folder, "huge.yaml");
    const handle = await open(path, "w");
    await handle.truncate(50 * 1024 * 1024 + 1);
    await handle.close();
    expect(await problemOf(path)).toMatchObject({
      code: "too_large",
      summary: expect.stringContaining("52,428,801 bytes"),
    });
  });

  test("are refused above 50 MiB from standard input too", async () => {
    const { diagnostics } = await readSources(["-"], stdin(Buffer.alloc(50 * 1024 * 1024 + 1, "a")));
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: "too_large", summary: expect.stringContaining("<stdin>") }),
    ]);
  });

  test("are refused in Latin-1, with the byte and its line", async () => {
    const path = await put("latin.yaml", Buffer.from("a: \ufffd ok\nb: caf\u00e9\n", "latin1"));
    const utf8ThenLatin = Buffer.concat([Buffer.from("a: \ufffd\n"), Buffer.from("b: caf\u00e9\n", "latin1")]);
    expect(await problemOf(await put("mixed.yaml", utf8ThenLatin))).toMatchObject({
      code: "not_utf8",
      summary: expect.stringContaining("byte 13 is 0xe9"),
      at: { line: 2, col: 7 },
    });
    expect(await problemOf(path)).toMatchObject({ code: "not_utf8", at: { line: 1, col: 4 } });
  });

  test("are refused where the last character is cut off", async () => {
    const path = await put("cut.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xc3]));
    expect(await problemOf(path)).toMatchObject({
      code: "not_utf8",
      summary: expect.stringContaining("byte 3 is 0xc3"),
    });
  });

  test("are refused as binary where a byte is zero", async () => {
    const path = await put("picture.yaml", Buffer.from([0x89, 0x50, 0x00, 0x01]));
    expect(await problemOf(path)).toMatchObject({
      code: "binary_file",
      summary: expect.stringContaining("byte 2 is zero"),
    });
  });

  test("are refused in UTF-16 by name", async () => {
    const path = await put("wide.yaml", Buffer.from("\ufeffa: 1", "utf16le"));
    expect(await problemOf(path)).toMatchObject({ code: "binary_file", summary: expect.stringContaining("UTF-16") });
  });

  test("are all read before the problems of some are reported", async () => {
    const good = await put("good.yaml");
    const bad = await put("bad.yaml", Buffer.from([0]));
    const { sources, diagnostics } = await readSources([bad, join(folder, "none"), good], noStdin);
    expect(sources.map(({ file }) => file)).toEqual([good]);
    expect(diagnostics.map(({ code }) => code)).toEqual(["binary_file", "not_found"]);
  });
});
