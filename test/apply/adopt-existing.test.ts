import { execFileSync } from "node:child_process";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

/** Creations that are refused with a 409, as someone else has made the same thing since the plan was made. */
const account = accountForFile();
const front = frontForFile(account);
let putBack: () => void;

beforeAll(async () => {
  await account.byHand("POST", "/v2026/domains", { name: "example.com" });
  putBack = account.mirror.keep();
});
afterEach(() => {
  front.interfere(() => false);
  putBack();
});

/** Applies a manifest, and lets someone else be faster with a POST. */
async function overtaken(path: string, body: Readonly<Record<string, unknown>>, mail: string, ...more: string[]) {
  front.interfere(async ({ method, url }) => {
    if (method === "POST" && url === path) await account.byHand("POST", path, body);
    return false;
  });
  const file = account.write(
    "m.yaml",
    `version: 1\nname: overtaken\ndomains: { example.com: {} }\nmail: { example.com: ${mail} }\n`,
  );
  const args = ["apply", "-f", file, "--auto-approve", ...more];
  const ran = await runInProcess(front, args, { PASSWORD: "correct horse battery" });
  return { ...ran, said: ran.stdout + ran.stderr };
}

describe("what someone else has made meanwhile", () => {
  const path = "/v2026/mail/aliases";
  const alias = (name: string, to: string) => ({ address: `${name}@example.com`, destinations: [to] });

  test("is taken for ours where it is the same", async () => {
    const manifest = "{ aliases: { same: { destinations: [a@example.net] } } }";
    const ran = exits(0, await overtaken(path, alias("same", "a@example.net"), manifest));
    expect(ran.said).toMatch(/adopted {2}mail_alias\/same@example\.com after [\d.]+ s \(it was already there\)/u);
    expect(ran.said).toContain("Applied: 0 added, 0 changed, 0 destroyed, 1 adopted in");
  });

  test("is adopted in --json and in the history, too", async () => {
    const git = (...words: string[]) => execFileSync("git", ["-C", account.folder, ...words], { encoding: "utf8" });
    git("init", "--quiet");
    const manifest = "{ aliases: { same: { destinations: [a@example.net] } } }";
    const ran = await overtaken(path, alias("same", "a@example.net"), manifest, "--json");
    const ends = eventsOf(ran).filter(({ type }) => type === "step_end");
    expect(ends).toContainEqual(expect.objectContaining({ outcome: "done", adopted: true }));
    expect(git("log", "--format=%s", "--glob=refs/hostform/*")).toContain("0 changed, 0 destroyed, 1 adopted");
  });

  test("stays unchanged if its content is another, and both contents are reported", async () => {
    const manifest = "{ aliases: { other: { destinations: [a@example.net] } } }";
    const ran = exits(5, await overtaken(path, alias("other", "b@example.net"), manifest));
    expect(ran.said).toContain('destinations is ["b@example.net"] there and ["a@example.net"] here');
  });

  test("is not taken for ours where it has a secret, which nobody can compare", async () => {
    const manifest = '{ mailboxes: { info: { quota: 1 GiB, password: "${env:PASSWORD}" } } }'; // oxlint-disable-line no-template-curly-in-string
    const theirs = { address: "info@example.com", password: "someone else's", quota_mb: 1024 };
    const ran = exits(5, await overtaken("/v2026/mail/accounts", theirs, manifest));
    expect(ran.said).toContain("it is unknown whether its password is the declared one");
  });
});

test("the FTP account that comes with a new service gets the declared values", async () => {
  const file = account.write(
    "m.yaml",
    `version: 1
name: with-service
services: { f.example: { plan: WEB-M, datacenter: MAD1 } }
ftp: { f.example: { accounts: { f_example: { password: "\${env:PASSWORD}", home: /html, quota: 500 MB } } } }
`,
  );
  const args = ["apply", "-f", file, "--auto-approve"];
  const ran = exits(0, await runInProcess(front, args, { PASSWORD: "correct horse battery" }));
  expect(ran.stdout).toMatch(/adopted {2}ftp_account\/f\.example\/f_example/u);
  const [primary] = (await account.byHand("GET", "/v2026/ftp/accounts")).body["data"] as Record<string, unknown>[];
  expect(primary).toMatchObject({ username: "f_example", primary: true, home: "/html", quota_mb: 500 });
});
