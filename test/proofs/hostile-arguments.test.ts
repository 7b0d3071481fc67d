import fc from "fast-check";
import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "./size.ts";
import { noAccount, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { anyCharacter } from "../support/any-character.ts";
import { forDraws } from "../support/for-draws.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/** Whatever is given: no run prints a stack, ends with 1, or ends with 0 after an error. */
const commands = [
  "init",
  "validate",
  "plan",
  "apply",
  "rehearse",
  "show",
  "why",
  "status",
  "inventory",
  "snapshot",
  "contract",
  "doctor",
  "import",
  "export",
  "render",
] as const;
const before = process.cwd();
const folder = folderForFile();
const flags = new Map<string, readonly (readonly [flag: string, type: string])[]>();

const deep = (open: string, close: string, inside = "1") => open.repeat(50_000) + inside + close.repeat(50_000);
const files: Readonly<Record<string, string>> = {
  "m.yaml": "version: 1\nname: t\ndns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n",
  "env.yaml": 'version: 1\nname: t\nmail: { a.example: { mailboxes: { x: { password: "${env:constructor}" } } } }\n',
  "proto.yaml": 'version: 1\nname: "${env:__proto__}"\n__proto__: { a: 1 }\nconstructor: 1\n',
  "file.yaml": 'version: 1\nname: t\nmail: { a.example: { mailboxes: { x: { password: "${file:loop}" } } } }\n',
  "deep.yaml": `version: 1\nname: t\ndns: ${deep("[", "]")}\n`,
  "deep-map.yaml": `version: 1\nname: t\ndns: ${deep("{a: ", "}")}\n`,
  "deep-block.yaml": Array.from({ length: 3000 }, (_, index) => `${" ".repeat(index)}a:`).join("\n"),
  "deep.json": deep("[", "]"),
  "deep-map.json": deep('{"a":', "}"),
  "plan.json": `{"format":1,"hash":"x","steps":${deep("[", "]")}}`,
  "snapshot.json": `{"snapshot":${deep("[", "]")}}`,
  "inventory.json": `{"version":1,"target":"x","addresses":${deep("[", "]")}}`,
  "t.journal": `{"type":"begin","version":1,"target":${deep("[", "]")}}\n`,
  "seed.json": `{"dns_zone":[{"name":${deep("[", "]")}}]}`,
  "faults.yaml": `- fault: ${deep("[", "]")}\n`,
  "contract.yaml": `extends: v2026\nname: x\noperations: ${deep("{a: ", "}")}\n`,
  "binary.yaml": "\0\0",
  "empty.yaml": "",
  "null.json": "null",
  key: "k",
};

beforeAll(async () => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  mkdirSync(join(folder, "empty"));
  symlinkSync("loop", join(folder, "loop"));
  process.chdir(folder);
  await Promise.all(
    [...commands, "emulator"].map(async (command) => {
      const { stdout } = await runInProcess(noAccount, [command, "--help"]);
      const options = [
        ...stdout.replaceAll(/\n {20,}/gu, " ").matchAll(/^ .*?(--[a-z-]+) .*\[(boolean|string|number|array)\]/gmu),
      ];
      flags.set(
        command,
        options
          .map(([, flag = "", type = ""]) => [flag, type] as const)
          .filter(([flag]) => flag !== "--help" && flag !== "--version"),
      );
    }),
  );
});
afterAll(() => process.chdir(before));

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...Object.keys(files), "empty", "loop", "loop/x", "absent", "no/such") },
  fc.constantFrom("-", ".", "/dev/zero", "/dev/null", "/proc/self/mem", `/${"x".repeat(5000)}`, "/x".repeat(5000)),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "${env:constructor}",
    "%s",
    "\u001b[2J",
    "'",
    "=",
  ),
  fc.constantFrom("0", "-1", "1e999", "NaN", "Infinity", "0x10", "1.5", "99999999999999999999", "65536", "600/min"),
  fc.constantFrom(
    "https://127.0.0.1:9",
    "http://x",
    "https://[::1",
    "https://u:p@h",
    "https://",
    "file:///etc/passwd",
    "https://x:99999",
  ),
  fc.constantFrom(
    "mailbox/a@b.example",
    "dns_record/a.example/www/A",
    "x/y",
    "dns_record/",
    "*/*",
    "mailbox/*=1",
    "/",
    "a//b",
    "sha256:0",
  ),
  // No command may write elsewhere than in the folder of the test.
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => text.replaceAll("\0", "").replace(/^[./]+/u, "")),
);

const argumentsOf = (command: string) =>
  fc.array(
    fc.oneof(
      fc.tuple(fc.nat(), value).map(([index, text]) => {
        const known = flags.get(command) ?? [];
        const [flag = "--json", type = "boolean"] = known[index % Math.max(1, known.length)] ?? [];
        return type === "boolean" ? [flag] : [flag, text];
      }),
      value.map((text) => [text]),
    ),
    { maxLength: 5 },
  );

const starts: Readonly<Record<string, fc.Arbitrary<readonly string[]>>> = {
  manifest: value.map((text) => ["-f", text]),
  good: fc.constant(["-f", "m.yaml", "--emulator"]),
  none: fc.constant([]),
};
const drawn = fc
  .tuple(fc.constantFrom(...commands, "emulator"), fc.constantFrom(...Object.values(starts)))
  .chain(([command, start]) => fc.tuple(fc.constant([command]), start, argumentsOf(command)))
  .map(([command, start, more]) => [...command, ...start, ...more.flat()]);

const longText = fc.constantFrom(
  "x".repeat(60_000),
  "/x".repeat(2500),
  "\u001b]0;x\u0007\u001b[31m",
  "a\nb\r::error::c",
  "ä💣\u202e",
);
/** Variables that Hostform reads, and those that Node reads for it. */
const variables = fc.constantFrom(
  ...["API_KEY", "KEY_FILE", "BASE_URL", "CA_FILE", "CONTRACT", "UNKNOWN"].map((name) => `HOSTFORM_${name}`),
);
const environment = fc.dictionary(variables, fc.oneof(value, longText, fc.constant("")), { maxKeys: 4 });
const surroundings = fc
  .record(
    {
      TERM: fc.constantFrom("dumb", "", "xterm-256color", "x".repeat(5000), "\u001b"),
      NO_COLOR: fc.constantFrom("", "1", "garbage"),
      FORCE_COLOR: fc.constantFrom("", "0", "1", "3", "false", "garbage"),
      HOME: fc.constantFrom("", "absent", "/proc", "m.yaml", "/x".repeat(2500)),
      TMPDIR: fc.constantFrom("", "absent", "/no/such", "m.yaml", "/proc", "loop", "/dev/null", "/x".repeat(2500)),
      // A longer one ends Node itself before any program begins.
      LANG: fc.constantFrom("", "tlh", "x"),
      TZ: fc.constantFrom("", "No/Where", "x"),
      COLUMNS: fc.constantFrom("0", "-1", "1", "1e9", "x"),
      CI: fc.constantFrom("", "true"),
      GITHUB_ACTIONS: fc.constantFrom("", "true"),
    },
    { requiredKeys: [] },
  )
  .map((each) => Object.fromEntries(Object.entries(each)) as Record<string, string>);

const run = (args: readonly string[], env: Record<string, string> = {}): Promise<Ran> => {
  const { now, sleep, every } = virtualClock();
  const onInterrupt = (handler: () => void) => handler();
  return runInProcess(
    { flags: [], env: {} },
    args,
    { HOSTFORM_API_KEY: "k", ...env },
    { now, sleep, every, onInterrupt },
  );
};

/** Tells what is wrong with how a run ended; empty if nothing is. */
function faultOf({ status, stderr, stdout }: Ran, args: readonly string[]): string {
  const isStack = /This is a bug|\n\s+at .*:\d+:\d+|RangeError|TypeError/u.test(stderr + stdout);
  const isKnown = [0, 2, 3, 4, 5, 6, 7, 8, 130].includes(status ?? -1);
  const isHidden = status === 0 && /^error\[/mu.test(stderr);
  return isStack || !isKnown || isHidden
    ? `${status} ${JSON.stringify(args).slice(0, 600)}\n${stderr.slice(0, 900)}`
    : "";
}

describe("no run prints a stack or ends with 1", () => {
  test("whatever flags, paths and values it is given", () =>
    forDraws({ numRuns: size.argumentRuns }, drawn, environment, async (args, env) => {
      expect(faultOf(await run(args, env), [...args, JSON.stringify(env)])).toBe("");
    }));

  test("whatever the environment of the built binary is", async () => {
    const withEnd = drawn.filter(([command]) => command !== "emulator");
    await forDraws({ numRuns: size.binaryRuns }, withEnd, environment, surroundings, async (args, env, around) => {
      const ran = await runHostform(args, { env: { ...around, ...env }, cwd: folder });
      expect(faultOf(ran, [...args, JSON.stringify({ ...around, ...env })])).toBe("");
    });
  });

  test.each(
    size.every(6, [
      ["does not exist", "/no/such"],
      ["is a file", "m.yaml"],
      ["cannot be written", "/proc"],
      ["is a link in a circle", "loop"],
      ["is empty", ""],
    ] as const),
  )("where TMPDIR %s", async (_, TMPDIR) => {
    const args = ["apply", "-f", "m.yaml", "--emulator", "--auto-approve"];
    const ran = await runHostform(args, { env: { TMPDIR }, cwd: folder });
    expect(faultOf(ran, args)).toBe("");
    expect([0, 3]).toContain(ran.status);
  });

  test.each(Object.keys(files).map((name, index) => [name, index] as const))(
    "with %s in places of a file",
    async (name, offset) => {
      const api = ["--base-url", "https://127.0.0.1:9", "--key-file", "key"];
      const all = [
        ["validate", "-f", name],
        ["plan", "-f", name, "--emulator"],
        ["plan", "-f", "m.yaml", "--emulator", "--contract", name],
        ["plan", "-f", "m.yaml", "--live", name],
        ["show", name],
        ["contract", "check", name],
        ["contract", "show", name],
        ["apply", name, ...api],
        ["apply", "-f", "m.yaml", ...api, "--inventory", "absent.json", "--journal", name],
        ["plan", "-f", "m.yaml", ...api, "--inventory", name],
        ["inventory", "-f", "m.yaml", ...api, "--inventory", name],
        ["emulator", "--seed", name],
        ["emulator", "--fault", name],
      ];
      const chosen = all.filter((_, index) => (index + offset) % size.everyPlace === 0);
      for (const args of chosen) expect(faultOf(await run(args), args)).toBe("");
      // A run that moved the file aside, as a journal that cannot be read.
      writeFileSync(join(folder, name), files[name] ?? "", { mode: 0o600 });
    },
  );

  test("in a folder that was removed", async () => {
    const gone = join(folder, randomBytes(4).toString("hex"));
    mkdirSync(gone);
    process.chdir(gone);
    rmSync(gone, { recursive: true });
    try {
      for (const args of [["validate", "-f", "m.yaml"], ["--version"], ["apply", "-f", "-"], ["emulator"]]) {
        const ran = await run(args);
        expect(faultOf(ran, args)).toBe("");
        expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("no_working_folder") });
      }
    } finally {
      process.chdir(folder);
    }
  });
});
