import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, symlinkSync, writeFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
  },
});
let folder: string;
let manifest: string;
let key: string;
const secret = "correct horse battery";

beforeAll(async () => {
  key = account.env["HOSTFORM_API_KEY"] ?? "";
  manifest = account.write(
    "m.yaml",
    'version: 1\nname: t\nservices: { a.example: {} }\nmail: { a.example: { mailboxes: { info: { password: "${env:PW}" } } } }\n',
  );
});
beforeEach(() => {
  folder = folderForTest();
});

const planWith = (env: Record<string, string>, ...flags: string[]) =>
  runInProcess({ flags: account.flags, env }, ["plan", "-f", manifest, ...flags]);

test("a missing key file is reported after the beginning of the events, which comes once", async () => {
  const { stdout } = exits(3, await planWith({ HOSTFORM_KEY_FILE: join(folder, "none") }, "--json"));
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(events.map(({ type }) => type)).toEqual(["version", "diagnostic"]);
});

/** Plans with the key from a file of this mode, or from a link to it. */
function planWithFile(text: string, mode: number, link = false) {
  const file = join(folder, "key");
  writeFileSync(file, text);
  chmodSync(file, mode);
  if (link) symlinkSync(file, join(folder, "link"));
  return planWith({}, "--key-file", join(folder, link ? "link" : "key"));
}

describe("a key file", () => {
  test.each([0o644, 0o640, 0o604, 0o620, 0o602, 0o610])("that others may open is refused: mode %o", async (mode) => {
    const { stderr } = exits(3, await planWithFile(key, mode));
    expect(stderr).toMatch(/open_key_file[^]*chmod 600 \S+\/key\n/u);
  });

  test("that is a link to one that is open is refused as well", async () => {
    expect(await planWithFile(key, 0o644, true)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("open_key_file"),
    });
  });

  test.each([false, true])(
    "that only its owner may open is read, its last line break apart (a link: %s)",
    async (link) => {
      expect(await planWithFile(`${key}\r\n`, 0o400, link)).toMatchObject({ status: 0 });
    },
  );

  test("that is empty is named", async () => {
    expect(await planWithFile("\n", 0o600)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(`in the file ${join(folder, "key")}: it is empty`),
    });
  });

  test("that is too large to be one is not read", async () => {
    const ran = await planWithFile("k".repeat(64 * 1024 + 1), 0o600);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("larger than 64 KiB") });
  });

  test("that is a pipe, which may never end, is not read", async () => {
    execFileSync("mkfifo", ["-m", "600", join(folder, "pipe")]);
    const ran = await planWith({}, "--key-file", join(folder, "pipe"));
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("not a regular file") });
  });

  test.each(["a\r\nX-Evil: 1", "a\nb", "a b", "a\u0000b"])("cannot bring a header along: %j", async (text) => {
    const ran = await planWithFile(text, 0o600);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("bad_key") });
    expect(ran.stderr).not.toContain("Evil");
  });
});

test.each(["k3y-of-one-part", ":second", "first:"])(
  "a key for two headers is refused unless it holds two values: %j",
  async (text) => {
    const contract = account.write(
      "two.yaml",
      "contract: 1\nname: two\nextends: v2026\nrequest: { auth: { header: null, scheme: null, headers: [X-Id, X-Token] } }\n",
    );
    const ran = await planWith({ HOSTFORM_API_KEY: text }, "--contract", contract);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("undivided_key") });
    expect(ran.stdout + ran.stderr).not.toMatch(/one-part|:second|first:/u);
  },
);

test.each(["a\r\nX-Evil: 1", "a\n", "a\u007f"])("a variable cannot bring a header along: %j", async (text) => {
  expect(await planWith({ HOSTFORM_API_KEY: text })).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/bad_key.*line breaks/u),
  });
});

describe("--debug", () => {
  test("tells every request on standard error, and neither key nor secrets", async () => {
    const before = (await account.operations()).length;
    const args = ["apply", "-f", manifest, "--auto-approve", "--debug", "--inventory", join(folder, "i.json")];
    const { stdout, stderr } = await account.hostform(args, { PW: secret });
    const told = stderr.split("\n").filter((line) => line.includes(", attempt "));
    const asked = (await account.operations())
      .slice(before)
      .map(({ method, path, status }) => `${method} ${path} ${status}`);
    expect(asked.length).toBeGreaterThan(1);
    expect(asked.some((line) => line.startsWith("POST"))).toBe(true);
    const withoutTime = told.map((line) => line.replace(/^\S+ /u, "").replace(/, attempt .*/u, ""));
    expect(withoutTime.toSorted()).toEqual(asked.toSorted());
    for (const line of told) {
      expect(line).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z \w+ \/\S+ \d{3}, attempt 1, \d+ ms, request \S+$/u);
    }
    for (const hidden of [key, secret, "Bearer"]) expect(stdout + stderr).not.toContain(hidden);
  });

  test("names what stands in the place of a status, and why", async () => {
    const flags = ["--base-url", "https://127.0.0.1:1", "--debug"];
    const ran = await runInProcess(
      { flags, env: account.env },
      ["plan", "-f", manifest],
      {},
      { sleep: async () => undefined, now: () => Date.UTC(2026, 0, 1, 12, 30, 5, 7) },
    );
    const line = /^12:30:05\.007Z GET \/\S+ unreachable, attempt 2, 0 ms, request -: (.*)$/mu.exec(ran.stderr);
    expect(line?.[1]).toMatch(/^127\.0\.0\.1:1 cannot be reached: the connection was refused/u);
  });

  test("is silent where it is not asked for", async () => {
    expect((await runInProcess(account, ["plan", "-f", manifest], { PW: secret })).stderr).not.toContain("attempt");
  });
});

test.each([
  ["plan", ["-f", "M", "--out", "F", "--undo-out", "F2", "--inventory", "F3"]],
  ["snapshot", ["--out", "F"]],
  ["apply", ["-f", "M", "--auto-approve", "--inventory", "F"]],
])("no file that is written holds key or secrets: %s", async (command, args) => {
  const words = args.map((word) => (word === "M" ? manifest : /^F\d?$/u.test(word) ? join(folder, word) : word));
  expect(await runInProcess(account, [command, ...words], { PW: secret })).toMatchObject({ status: 0 });
  const written = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => readFileSync(join(folder, name), "utf8"));
  expect(written.length).toBeGreaterThan(0);
  for (const hidden of [key, secret]) expect(written.join("\n")).not.toContain(hidden);
});

test("what an unexpected error tells masks secrets, and drives no terminal", async () => {
  const now = (): never => {
    throw new Error(`sent ${key} with \u001b[2J${secret}\n::error::x`);
  };
  const args = ["plan", "-f", manifest];
  const { stdout, stderr } = exits(1, await runInProcess(account, args, { PW: secret }, { now }));
  expect(stderr).toMatch(/This is a bug in Hostform.*\nHostform \d+\.\d+\.\d+, Node.js \d/u);
  expect(stderr).toContain("(sensitive)");
  for (const hidden of [key, secret, "\u001b", "\n::error::"]) expect(stdout + stderr).not.toContain(hidden);
});
