import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCache } from "../../src/cache/cache.ts";
import { entryName, packEntry, unpackEntry } from "../../src/cache/entry.ts";
import { trimFolder } from "../../src/cache/trim-folder.ts";
import { size } from "../proofs/size.ts";

const uid = process.getuid?.() ?? 0;
let place: string;
let env: Record<string, string>;
let folder: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "hostform-cache-"));
  env = { XDG_CACHE_HOME: join(place, "cache") };
  folder = join(place, "cache", "hostform");
});
afterEach(() => rmSync(place, { recursive: true }));

const open = () => {
  const cache = openCache(env, uid);
  if (!cache) throw new Error("no cache");
  return cache;
};
const entries = () => readdirSync(folder).filter((name) => name !== "salt");

test("content is found under its parts alone, by its owner alone", () => {
  open().keep("manifest", ["1.0", "key"], Buffer.from("kept"));
  expect(open().read("manifest", ["1.0", "key"])?.toString()).toBe("kept");
  const others = [["1.1", "key"], ["1.0", "other"], ["1.0"], ["1.0key"], ["1.0", "key", ""]];
  for (const parts of others) expect(open().read("manifest", parts)).toBeUndefined();
  expect(open().read("list", ["1.0", "key"])).toBeUndefined();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  for (const name of entries()) expect(readFileSync(join(folder, name), "latin1")).not.toContain("key");
});

test("there is no cache where none can be trusted", () => {
  const refused = (given: Record<string, string>) => expect(openCache(given, uid)).toBeUndefined();
  refused({ ...env, HOSTFORM_NO_CACHE: "1" });
  for (const other of [uid + 1, undefined]) expect(openCache(env, other)).toBeUndefined();
  refused({});
  refused({ XDG_CACHE_HOME: "relative" });
  expect(existsSync(folder)).toBe(false);
  for (const [git, isFile] of [
    ["a", false],
    ["b", true],
  ] as const) {
    const checkout = join(place, git);
    mkdirSync(join(checkout, "below"), { recursive: true });
    if (isFile) writeFileSync(join(checkout, ".git"), "gitdir: elsewhere\n");
    else mkdirSync(join(checkout, ".git"));
    for (const base of [checkout, join(checkout, "below"), join(checkout, "not", "yet")]) {
      refused({ XDG_CACHE_HOME: base });
      refused({ HOME: base });
    }
    symlinkSync(checkout, `${checkout}-link`);
    refused({ XDG_CACHE_HOME: `${checkout}-link` });
    expect(readdirSync(checkout).toSorted()).toEqual([".git", "below"]);
  }
  expect(openCache({ HOME: place }, uid)).toBeDefined();
  expect(readdirSync(join(place, ".cache", "hostform"))).toEqual(["salt"]);
});

test("a folder that others may enter, or that is a link, is not used", () => {
  open();
  for (const mode of [0o701, 0o710, 0o750, 0o777]) {
    chmodSync(folder, mode);
    expect(openCache(env, uid)).toBeUndefined();
  }
  chmodSync(folder, 0o700);
  renameSync(folder, join(place, "elsewhere"));
  symlinkSync(join(place, "elsewhere"), folder);
  expect(openCache(env, uid)).toBeUndefined();
  rmSync(folder);
  writeFileSync(folder, "a file");
  expect(openCache(env, uid)).toBeUndefined();
});

test("an entry that is a link, or that others may read, is a miss", () => {
  const cache = open();
  cache.keep("manifest", ["a"], Buffer.from("kept"));
  const [name = ""] = entries();
  chmodSync(join(folder, name), 0o644);
  expect(cache.read("manifest", ["a"])).toBeUndefined();
  chmodSync(join(folder, name), 0o600);
  renameSync(join(folder, name), join(place, "elsewhere"));
  symlinkSync(join(place, "elsewhere"), join(folder, name));
  expect(cache.read("manifest", ["a"])).toBeUndefined();
  cache.keep("manifest", ["a"], Buffer.from("again"));
  expect(cache.read("manifest", ["a"])?.toString()).toBe("again");
  expect(readFileSync(join(place, "elsewhere"), "latin1")).toContain("kept");
});

test("an entry with any byte changed, left out or added, under another name or salt, is a miss", () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const property = fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), bytes, (content, at, by, more) => {
    const salt = Buffer.alloc(32, 0);
    const name = entryName(salt, "manifest", ["a"]);
    const entry = packEntry(salt, name, content);
    expect(unpackEntry(salt, name, entry)).toEqual(Buffer.from(content));
    const changed = Buffer.from(entry);
    const place = at % entry.length;
    changed.writeUInt8((changed.readUInt8(place) + by) % 256, place);
    const wrong = [changed, entry.subarray(0, place), Buffer.concat([entry, Buffer.from([by])]), Buffer.from(more)];
    for (const each of wrong) expect(unpackEntry(salt, name, each)).toBeUndefined();
    expect(unpackEntry(salt, entryName(salt, "manifest", ["b"]), entry)).toBeUndefined();
    expect(unpackEntry(Buffer.alloc(32, by), name, entry)).toBeUndefined();
  });
  fc.assert(property, { numRuns: size.draws(2000) });
});

test("a damaged file of the cache is a miss, and is replaced", () => {
  const cache = open();
  cache.keep("manifest", ["a"], Buffer.from("kept"));
  const [name = ""] = entries();
  truncateSync(join(folder, name), 40);
  expect(cache.read("manifest", ["a"])).toBeUndefined();
  cache.keep("manifest", ["a"], Buffer.from("again"));
  expect(cache.read("manifest", ["a"])?.toString()).toBe("again");
  truncateSync(join(folder, "salt"), 3);
  const other = open();
  expect(other.read("manifest", ["a"])).toBeUndefined();
  other.keep("manifest", ["a"], Buffer.from("new"));
  expect(open().read("manifest", ["a"])?.toString()).toBe("new");
  rmSync(folder, { recursive: true });
  other.keep("manifest", ["a"], Buffer.from("nowhere"));
  expect(other.read("manifest", ["a"])).toBeUndefined();
});

test("the oldest entries go above the size of all, and so does the draft of a process that was killed", () => {
  const cache = open();
  const kept = Array.from({ length: 5 }, (_, index) => String(index));
  for (const each of kept) {
    const before = new Set(entries());
    cache.keep("manifest", [each], Buffer.alloc(1000));
    const [added = ""] = entries().filter((name) => !before.has(name));
    utimesSync(join(folder, added), 1_000_000 + Number(each), 1_000_000 + Number(each));
  }
  const draft = `${entries()[0]}.0123456789ab`;
  writeFileSync(join(folder, draft), "half", { mode: 0o600 });
  utimesSync(join(folder, draft), 900_000, 900_000);
  mkdirSync(join(folder, "foreign"));
  utimesSync(join(folder, "foreign"), 800_000, 800_000);
  trimFolder(folder, 3500);
  expect(readdirSync(folder)).not.toContain(draft);
  expect(kept.filter((each) => cache.read("manifest", [each]))).toEqual(["2", "3", "4"]);
  expect(readdirSync(folder)).toContain("salt");
});

const cacheFile = fileURLToPath(new URL("../../dist/cache/cache.js", import.meta.url));

/** Runs a program in two processes at once. Its arguments are the module of the cache and those given. */
const runTwo = (program: string, ...given: string[]) =>
  [0, 1].map(() => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, cacheFile, ...given], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    return { child, said: text(child.stdout), failed: text(child.stderr), ended: once(child, "exit") };
  });

const opener = `
  const { openCache } = await import(process.argv[1]);
  const [, , place, begin] = process.argv;
  let without = 0;
  for (let round = 0; round < 100; round += 1) {
    while (Date.now() < Number(begin) + round * 5);
    if (!openCache({ XDG_CACHE_HOME: place + "/" + round }, process.getuid())) without += 1;
  }
  process.stdout.write(String(without));
`;

test("processes that make the folder at once have a cache each", async () => {
  const openers = runTwo(opener, place, String(Date.now() + 500));
  await Promise.all(openers.map(({ ended }) => ended));
  expect(await Promise.all(openers.map(({ failed }) => failed))).toEqual(["", ""]);
  expect(await Promise.all(openers.map(({ said }) => said))).toEqual(["0", "0"]);
});

const writer = `
  const { openCache } = await import(process.argv[1]);
  const cache = openCache(process.env, process.getuid());
  process.stdout.write("begun");
  for (let round = 0; ; round += 1) cache.keep("manifest", ["a"], Buffer.alloc(2_000_000, round % 2 === 0 ? "x" : "y"));
`;

test("processes that write at once, and are killed while they do, leave a whole entry or none", async () => {
  for (let round = 0; round < size.draws(8); round += 1) {
    const writers = runTwo(writer);
    await Promise.all(writers.map(({ child, ended }) => Promise.race([once(child.stdout, "data"), ended])));
    for (const { child } of writers) child.kill("SIGKILL");
    await Promise.all(writers.map(({ ended }) => ended));
    expect(await Promise.all(writers.map(({ failed }) => failed))).toEqual(["", ""]);
    const found = open().read("manifest", ["a"])?.toString() ?? "";
    expect(["", "x".repeat(2_000_000), "y".repeat(2_000_000)]).toContain(found);
  }
});
