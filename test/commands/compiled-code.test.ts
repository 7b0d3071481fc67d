import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { maxHeaderSize } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadCode, packCode, unpackCode, type CompiledCode } from "../../src/cli/load-code.ts";
import { runHostform } from "../support/run-hostform.ts";

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "hostform-code-"));
});
afterEach(() => rmSync(place, { recursive: true }));

interface Sum {
  readonly add: () => number;
}

const load = (given: CompiledCode = new Map()) => loadCode<Sum>(place, "main.cjs", given);

/** Writes a program of two files, each with a number. */
function writeProgram(own: number, other: number): void {
  writeFileSync(join(place, "main.cjs"), `const { b } = require("./b.cjs"); exports.add = () => ${own} + b();\n`);
  writeFileSync(join(place, "b.cjs"), `require("node:fs"); exports.b = () => ${other};\n`);
}

/** Returns the code that the functions are compiled to as well. */
function compileProgram(): CompiledCode {
  const { exports, compiled } = load();
  exports.add();
  const code = compiled();
  if (!code) throw new Error("nothing was compiled");
  return code;
}

test("compiled code is taken for the source that it was compiled from, and for no other", () => {
  const digit = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(digit, digit, digit, digit, (a, b, c, d) => {
      writeProgram(a, b);
      const code = unpackCode(packCode(compileProgram()));
      const again = load(code);
      expect([again.exports.add(), again.compiled()]).toEqual([a + b, undefined]);
      writeProgram(c, d);
      const changed = load(code);
      expect(changed.exports.add()).toBe(c + d);
      expect(changed.compiled()?.size).toBe(a === c && b === d ? undefined : 2 + Number(a !== c) + Number(b !== d));
    }),
  );
});

test("undici gets node:http itself only where Node is told of another size of headers", () => {
  const folder = join(place, "node_modules", "undici");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.cjs"), 'exports.http = require("node:http");\n');
  const http = () => loadCode<{ readonly http: object }>(folder, "main.cjs", new Map()).exports.http;
  try {
    vi.stubEnv("NODE_OPTIONS", "");
    expect(http()).toEqual({ maxHeaderSize });
    vi.stubEnv("NODE_OPTIONS", "--max-http-header-size=32768");
    expect(http()).toHaveProperty("request");
  } finally {
    vi.unstubAllEnvs();
  }
});

test("the first run of a command keeps its compiled code, and damage to it is not noticed", async () => {
  const manifest = join(place, "m.yaml");
  writeFileSync(manifest, "version: 1\nname: part\ndns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n");
  const base = join(place, "cache");
  const folder = join(base, "hostform");
  mkdirSync(base);
  const run = (env = {}) =>
    runHostform(["validate", "-f", manifest], { cwd: place, env: { XDG_CACHE_HOME: base, ...env } });
  const plain = await run({ HOSTFORM_NO_CACHE: "1" });
  expect(plain).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(base)).toEqual([]);
  const kept = () => readdirSync(folder).filter((name) => name !== "salt");
  expect(await run()).toEqual(plain);
  const [name = "", ...others] = kept();
  expect(name).toMatch(/^code-/u);
  expect(others).toEqual([]);
  const content = readFileSync(join(folder, name));
  expect(await run()).toEqual(plain);
  expect(readFileSync(join(folder, name)).equals(content)).toBe(true);
  const damaged = content.map((byte, index) => (index % 1000 === 999 ? byte ^ 0x55 : byte));
  writeFileSync(join(folder, name), damaged);
  expect(await run()).toEqual(plain);
  expect(readFileSync(join(folder, name)).equals(damaged)).toBe(false);
  expect(await run()).toEqual(plain);
});

test("a command ends as without a cache where no folder can be made for it", async () => {
  const run = (env: Readonly<Record<string, string>>) =>
    runHostform(["validate", "-f", "none.yaml"], { cwd: place, env });
  expect(await run({ XDG_CACHE_HOME: "/proc/none" })).toEqual(await run({ HOSTFORM_NO_CACHE: "1" }));
});
