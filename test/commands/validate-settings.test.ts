import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import { forDraws } from "../support/for-draws.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
beforeAll(() => {
  writeFileSync(join(folder, "good.pem"), makeServerIdentity(["a.example"], Date.now(), randomBytes).ca);
  writeFileSync(join(folder, "empty.pem"), "");
  writeFileSync(join(folder, "key.pem"), "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n");
  writeFileSync(join(folder, "broken.pem"), "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n");
  writeFileSync(join(folder, "good.yaml.contract.yaml"), "contract: 1\nextends: v2026\nname: mine\n");
  writeFileSync(join(folder, "wrong.contract.yaml"), "contract: 1\nextends: v2026\nname: mine\nkinds: 1\n");
  mkdirSync(join(folder, "folder"));
});

const urls = [
  "https://127.0.0.1:9",
  "https://127.0.0.1:9/v2026",
  "http://127.0.0.1:9",
  "127.0.0.1:9",
  "${env:X}",
  "https://${env:X}",
  "https://127.0.0.1:9/${env:X}",
  "https://127.0.0.1:9/${file:good.pem}",
  "https://user@127.0.0.1:9",
  "https://127.0.0.1:9/?a=1",
  "https://127.0.0.1:99999",
  "",
];
const caFiles = ["good.pem", "empty.pem", "key.pem", "broken.pem", "absent.pem", "folder", "${env:X}", "../good.pem"];
const contracts = ["v2026", "good.yaml.contract.yaml", "wrong.contract.yaml", "absent.yaml", "nothing", "${env:X}"];
const maybe = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const settings = fc.record({ base_url: maybe(urls), ca_file: maybe(caFiles), contract: maybe(contracts) });

test("a setting that plan refuses before it asks the API is refused by validate, in the same words", () =>
  forDraws(240, settings, settings, async (written, set) => {
    const provider = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
    const file = join(folder, "m.yaml");
    writeFileSync(file, JSON.stringify({ version: 1, name: "t", provider, services: { "a.example": {} } }));
    const variables = Object.entries(set).flatMap(([name, value]) => {
      const inFolder = name === "ca_file" || /[/.]/u.test(value ?? "") ? join(folder, value ?? "") : value;
      return value === undefined ? [] : [[`HOSTFORM_${name.toUpperCase()}`, name === "base_url" ? value : inFolder]];
    });
    const env = Object.fromEntries(variables) as Record<string, string>;
    const run = (command: string, more: Record<string, string> = {}) =>
      runInProcess(
        { flags: [], env: {} },
        [command, "-f", file],
        { ...env, ...more },
        { sleep: async () => undefined },
      );
    const planned = await run("plan", { HOSTFORM_API_KEY: "a-key-for-nothing" });
    const validated = exits(3, await run("validate"));
    const isLeftOut = written.base_url === undefined && (set.base_url ?? "") === "";
    if (planned.status !== 3 || (isLeftOut && planned.stderr.includes("no_target"))) return;
    for (const [code] of planned.stderr.matchAll(/^error\[\w+\]: .*/gmu)) expect(validated.stderr).toContain(code);
  }));

test.each(["${env:X}", "https://${env:X}", "https://api.example/${env:X}", "https://api.example/${file:x}"])(
  "a base URL with a reference is refused, because nothing replaces it: %s",
  async (url) => {
    const file = join(folder, "u.yaml");
    writeFileSync(file, JSON.stringify({ version: 1, name: "t", provider: { base_url: url } }));
    for (const command of ["validate", "plan"]) {
      const ran = await runInProcess({ flags: [], env: { HOSTFORM_API_KEY: "a-key" } }, [command, "-f", file]);
      expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("which nothing replaces there") });
      expect(ran.stderr).toContain("u.yaml:1:");
    }
  },
);
