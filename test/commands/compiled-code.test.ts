import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { maxHeaderSize } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadCode, packCode, unpackCode, type CompiledCode } from "../../src/cli/load-code.ts";

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
