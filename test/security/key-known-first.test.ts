import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const place = folderForFile();

function put(name: string, text: string): string {
  const path = join(place, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const token = fc.stringMatching(/^[a-km-z2-9]{24,40}$/u);

describe("the key of the API is known before anything is read", () => {
  const wrong = (key: string) => [
    `version: 1\nname: t\n${key}\n`,
    `version: 1\nname: t\nservices: { a.example: { plan: [${key}] } }\n`,
    `version: 1\nname: t\ndns: { a.example: { records: { www: { A: "${key}" } } } }\n`,
    `${key}: 1\n`,
    `version: 1\nname: "${key}"\nservices: { a.example: {} }\n# ${key}\nother: 1 # ${key}\n`,
  ];
  const commands = [
    ["validate"],
    ["validate", "--json"],
    ["plan", "--emulator"],
    ["render"],
    ["export", "--zone-file"],
  ];

  test("so that a manifest which holds it is not printed with it, wherever the key comes from", () =>
    forDraws(
      100,
      token,
      fc.nat({ max: 4 }),
      fc.constantFrom(...commands),
      fc.constantFrom("variable", "file", "file of a variable", "two parts"),
      async (key, at, command, from) => {
        const file = put("m.yaml", wrong(key)[at] ?? "");
        const keyFile = put("key", `${key}\n`);
        const flags = from === "file" && command[0] === "plan" ? ["--key-file", keyFile] : [];
        const env: Record<string, string> =
          from === "variable" || (from === "file" && flags.length === 0)
            ? { HOSTFORM_API_KEY: key }
            : from === "two parts"
              ? { HOSTFORM_API_KEY: `id-of-key:${key}` }
              : { HOSTFORM_KEY_FILE: keyFile };
        const ran = await runInProcess(noAccount, [...command, "-f", file, ...flags], env);
        expect((ran.stdout + ran.stderr).toLowerCase()).not.toContain(key);
      },
    ));
});
