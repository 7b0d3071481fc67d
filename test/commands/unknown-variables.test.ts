import fc from "fast-check";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { checkEvents, eventsOf, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
let manifest: string;
let authority: string;
beforeAll(() => {
  manifest = write("m.yaml", "dns: { a.example: {} }");
  authority = join(folder, "ca.pem");
  writeFileSync(authority, rootCertificates[0] ?? "");
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, `version: 1\nname: variables\n${text}\n`);
  return path;
}

const value = "the-value-of-it";
const validate = (env: Record<string, string>, ...more: readonly string[]) =>
  runInProcess(noAccount, ["validate", "-f", manifest, ...more], env);

const sources = new URL("../../src/", import.meta.url);
/** The variables that the sources name, without `HOSTFORM_`; of those that begin with VAR_ or EXEC_ any may be meant. */
const known = [
  ...new Set(
    readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => [
        ...readFileSync(new URL(name, sources), "utf8").matchAll(/HOSTFORM_((?!VAR_|EXEC_)[A-Z_]+)/gu),
      ])
      .map(([, name = ""]) => name),
  ),
];
const misspelt = fc
  .tuple(fc.constantFrom(...known), fc.nat(), fc.constantFrom("S", "X", "_", ""), fc.boolean())
  .map(([name, at, letter, isExtra]): [name: string, text: string] => {
    const place = at % name.length;
    return [name, name.slice(0, place) + letter + name.slice(place + (isExtra && letter !== "" ? 0 : 1))];
  })
  .filter(([, text]) => !known.includes(text) && !text.startsWith("VAR_"));

describe("a variable HOSTFORM_… that nothing reads", () => {
  test("is warned of by the one that was meant, and its value is not shown", () =>
    forDraws(20, misspelt, async ([name, text]) => {
      const { status, stdout, stderr } = await validate({ [`HOSTFORM_${text}`]: value });
      expect(stderr).toContain(`The variable HOSTFORM_${text} has no effect`);
      expect(stderr).toContain(`did you mean HOSTFORM_${name}?`);
      expect([status, stdout + stderr]).toEqual([0, expect.not.stringContaining(value)]);
    }));

  test.each(known)("with one letter more than HOSTFORM_%s is warned of", async (name) => {
    expect((await validate({ [`HOSTFORM_${name}S`]: value })).stderr).toContain(`did you mean HOSTFORM_${name}?`);
  });

  test("is an event with --json, after that of the version", async () => {
    const ran = await validate({ HOSTFORM_KEYFILE: value }, "--json");
    const events = eventsOf(ran);
    expect([checkEvents(events), ran.stderr]).toEqual([[], ""]);
    expect(events.map(({ type }) => type)).toEqual(["version", "diagnostic", "valid"]);
    expect(events[1]).toMatchObject({ severity: "warning", code: "unknown_variable" });
  });

  test("is warned of before the mistake to which it may have led", async () => {
    const args = ["plan", "-f", manifest, "--base-url", "https://x.example"];
    const { status, stderr } = await runInProcess(noAccount, args, { HOSTFORM_API_KEYS: value });
    expect([status, stderr]).toEqual([3, expect.stringMatching(/unknown_variable[^]*no_key/u)]);
  });
});

describe("nothing is said", () => {
  test.each([...known, "VAR_X"])("of HOSTFORM_%s", async (name) => {
    const valid: Record<string, string> = { CONTRACT: "v2026", BASE_URL: "https://x.example", CA_FILE: authority };
    const env = { [`HOSTFORM_${name}`]: valid[name] ?? manifest };
    expect((await validate(env)).stderr).toBe("");
  });

  test("of an empty variable, which CI systems set", async () => {
    expect((await validate({ HOSTFORM_API_KEYS: "" })).stderr).toBe("");
  });

  test("of a name that is near to none, which may be that of another program", async () => {
    expect((await validate({ HOSTFORM_TOKEN: value })).stderr).toBe("");
  });

  test("of a name to which the manifest or the saved plan refers", async () => {
    const mail = 'mail: { a.example: { mailboxes: { b: { password: "${env:HOSTFORM_API_KEYS}" } } } }';
    const file = write("mail.yaml", `domains: { a.example: {} }\n${mail}`);
    const env = { HOSTFORM_API_KEYS: `${value}-1A!` };
    const plan = join(folder, "plan.json");
    const runs = [
      ["validate", "-f", file],
      ["validate", `--file=${file}`],
      ["plan", "-f", folder, "--emulator"],
      ["plan", "-f", file, "--emulator", "--out", plan],
      ["show", plan],
    ];
    rmSync(manifest);
    for (const args of runs) {
      const { stderr } = await runInProcess(noAccount, args, env);
      expect(stderr).not.toContain("unknown_variable");
    }
  });
});
