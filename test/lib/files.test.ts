import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readFile, readStream, readText } from "../../src/lib/read-file.ts";
import { createFile, makeFolders, writeFile } from "../../src/lib/write-file.ts";
import { forDraws } from "../support/for-draws.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
const at = (name: string) => join(folder, name);
const socket = createServer();
beforeAll(async () => {
  execFileSync("mkfifo", [at("pipe")]);
  await new Promise<void>((resolve) => socket.listen(at("socket"), resolve));
  mkdirSync(at("folder"));
  symlinkSync("/dev/zero", at("to-zero"));
  symlinkSync(at("loop"), at("loop"));
  writeFileSync(at("huge"), "");
  truncateSync(at("huge"), 2 ** 36);
});
afterAll(() => socket.close());

describe("the reader of files", () => {
  test("returns what was written, whatever its bytes and however it falls into chunks", async () => {
    const sizes = [0, 1, 4095, 4096, 4097, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20];
    await forDraws({ numRuns: 50 }, fc.oneof(fc.constantFrom(...sizes), fc.nat(9000)), fc.nat(255), (size, byte) => {
      const bytes = Buffer.alloc(size, byte);
      writeFile(at("content"), bytes, 0o640);
      const content = readFile(at("content"), 4 * 2 ** 20);
      expect(content.bytes.equals(bytes)).toBe(true);
      expect(content.mode).toBe(0o640);
      if (size > 0) expect(() => readFile(at("content"), size - 1)).toThrow("it is larger than");
      expect(readFile(at("content"), size).bytes).toHaveLength(size);
    });
  });

  test.each([
    ["a device", "/dev/zero", "not a regular file, but a device"],
    ["a terminal", "/dev/tty", "not a regular file|ENXIO"],
    ["a link to a device", "to-zero", "not a regular file, but a device"],
    ["a pipe", "pipe", "not a regular file, but a pipe"],
    ["a socket", "socket", "not a regular file, but a socket"],
    ["a folder", "folder", "it is a folder"],
    ["a link that leads to itself", "loop", "its links lead in a circle"],
    ["a file of 64 GiB", "huge", "it is larger than 1024 KiB"],
    ["a name of 5,000 characters", "x".repeat(5000), "its name is too long"],
    ["nothing", "absent", "there is no such file"],
  ])("refuses %s at once", (_name, path, reason) => {
    expect(() => readFile(path.startsWith("/") ? path : at(path), 1024 * 1024)).toThrow(new RegExp(reason, "u"));
  });

  test("reads files that state no size, to their end or to the limit", () => {
    expect(readText("/proc/self/status", 1024 * 1024)).toMatch(/^Name:/u);
    expect(() => readFile("/proc/self/status", 100)).toThrow("it is larger than");
  });

  test("stops after its time, though there is more to read", () => {
    writeFileSync(at("slow"), Buffer.alloc(2 ** 22));
    expect(() => readFile(at("slow"), 2 ** 23, 0)).toThrow("reading it takes too long");
  });

  test("takes text without its byte order mark, and no bytes that are not UTF-8", () => {
    writeFileSync(at("text"), "\ufeffä");
    expect(readText(at("text"), 100)).toBe("ä");
    writeFileSync(at("text"), Buffer.from("ä", "latin1"));
    expect(() => readText(at("text"), 100)).toThrow("it is not UTF-8 text");
  });
});

describe("the reader of streams", () => {
  test("returns the whole of it", async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }));
    await forDraws({ numRuns: 50 }, chunks, async (parts) => {
      const stream = Readable.from(parts.map((part) => Buffer.from(part)));
      expect(await readStream(stream, 10_000)).toEqual(Buffer.concat(parts));
    });
  });

  test("ends one that is endless", async () => {
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1000);
      })(),
    );
    await expect(readStream(endless, 1_000_000)).rejects.toThrow("it is larger than 977 KiB");
    expect(endless.destroyed).toBe(true);
  });

  test("ends one that says nothing, or too little, for too long", async () => {
    const silent = new PassThrough();
    silent.write("version: 1");
    await expect(readStream(silent, 1_000_000, 5)).rejects.toThrow("it did not end within 0.005 s");
    expect(silent.destroyed).toBe(true);
  });
});

describe("the writer of files", () => {
  test("follows no link, wherever one leads from", async () => {
    writeFileSync(at("precious"), "precious");
    for (const name of ["out", "out.new"]) symlinkSync(at("precious"), at(name));
    writeFile(at("out"), "new", 0o600);
    await expect(createFile(at("out.new"), "", 0o600)).rejects.toThrow("something has that name already");
    expect(readFileSync(at("precious"), "utf8")).toBe("precious");
    expect(lstatSync(at("out")).isFile()).toBe(true);
  });

  test.each(["/dev/null", "pipe", "socket", "folder"])("leaves %s where it is", (name) => {
    const path = name.startsWith("/") ? name : at(name);
    const before = lstatSync(path).mode;
    expect(() => writeFile(path, "x", 0o600)).toThrow("is not a regular file");
    expect(lstatSync(path).mode).toBe(before);
  });

  test("leaves nothing behind where it fails", () => {
    const before = readdirSync(folder);
    expect(() => writeFile(at("no/such/folder"), "x", 0o600)).toThrow("there is no folder ");
    expect(() => writeFile(at("x".repeat(256)), "x", 0o600)).toThrow("ENAMETOOLONG");
    expect(readdirSync(folder)).toEqual(before);
  });

  test("gives a file its mode, also over one with another", () => {
    writeFileSync(at("secret"), "old");
    chmodSync(at("secret"), 0o644);
    writeFile(at("secret"), "new", 0o600);
    expect(lstatSync(at("secret")).mode & 0o777).toBe(0o600);
  });
});

test("makes a folder with those above it, also where they are there, and none in place of a file", () => {
  for (const path of ["made/a/b", "made/a/b", "made/a/c/"]) makeFolders(at(path), 0o700);
  expect(readdirSync(at("made/a"))).toEqual(["b", "c"]);
  expect(lstatSync(at("made/a/c")).mode & 0o777).toBe(0o700);
  writeFileSync(at("made/file"), "");
  expect(() => makeFolders(at("made/file"))).toThrow("something has that name already");
  expect(() => makeFolders(at("made/file/a"))).toThrow("a part of the path is a file, not a folder");
});
