import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";

let account: Account;
let manifest: string;

beforeAll(async () => {
  account = await openAccount({ seed: { dns_zone: [{ name: "a.example" }] } });
  const records = "records: { www: { A: 192.0.2.1 } }";
  manifest = account.write("m.yaml", `version: 1\nname: part\ndns: { a.example: { ${records} } }\n`);
});
afterAll(() => account.close());

const cacheOf = (base: string) => {
  try {
    return readdirSync(join(base, "hostform"));
  } catch {
    return [];
  }
};

test("the second plan is the first, from the cache, and without the key in it", async () => {
  const base = join(account.folder, "..", "cache");
  const run = (args: readonly string[] = [], env = {}) =>
    account.hostform(["plan", "-f", manifest, ...args], { XDG_CACHE_HOME: base, ...env });
  const plain = await run(["--no-cache"]);
  expect((await run([], { HOSTFORM_NO_CACHE: "1" })).stdout).toBe(plain.stdout);
  expect(cacheOf(base)).toEqual([]);
  const first = await run();
  const sorts = () => new Set(cacheOf(base).map((name) => name.split("-")[0]));
  expect(sorts()).toEqual(new Set(["code", "generation", "list", "manifest", "salt"]));
  const second = await run();
  expect([first, second]).toEqual([plain, plain]);
  expect(sorts()).toEqual(new Set(["code", "generation", "list", "manifest", "salt"]));
});
