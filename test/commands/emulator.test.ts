import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import {
  checkEvents,
  eventsOf,
  exits,
  noAccount,
  type Ran,
  runHostform,
  runInProcess,
} from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { size } from "../proofs/size.ts";

let folder: string;
beforeEach(() => {
  folder = folderForTest();
});

/** Runs `hostform emulator` until `use` is done with what it says of itself. */
async function serve(args: readonly string[], use: (ready: Record<string, string>) => Promise<void>): Promise<Ran> {
  let using: Promise<void> | undefined;
  const ran = await runHostform(["emulator", "--json", ...args], {
    onOutput: (stdout, kill) => {
      const line = stdout.split("\n").find((text) => text.includes('"type":"ready"'));
      if (line === undefined || using) return;
      using = use(JSON.parse(line) as Record<string, string>).finally(() => kill("SIGTERM"));
    },
  });
  await using;
  return ran;
}

test("serves from a file until it is ended, keeps what was written, and its log tells who did what, without secrets", async () => {
  const data = join(folder, "account.db");
  const manifest = join(folder, "m.yaml");
  writeFileSync(
    manifest,
    'version: 1\nname: served\ndomains: { served.example: {} }\nmail: { served.example: { mailboxes: { info: { password: "${env:PW}" } } } }\n',
  );
  const applyTo = ({ base_url: url = "", ca_file: ca = "", key_file: key = "" }: Record<string, string>) => {
    const target = ["--base-url", url, "--ca-file", ca, "--key-file", key];
    const env = { PW: "a very secret password" };
    return runInProcess(noAccount, ["apply", "-f", manifest, "--auto-approve", ...target], env);
  };
  const first = await serve(["--data", data], async (ready) => {
    expect(statSync(ready["key_file"] ?? "").mode & 0o777).toBe(0o600);
    const applied = await applyTo(ready);
    expect(applied.stdout + applied.stderr).toContain("Applied: 2 added");
  });
  expect(first.status).toBe(0);
  expect(checkEvents(eventsOf(first))).toEqual([]);
  await serve(["--data", data], async (ready) => {
    const again = await applyTo(ready);
    expect(again.stdout).toContain("No changes.");
  });
  const log = exits(0, await runInProcess(noAccount, ["emulator", "log", "--data", data]));
  expect(log.stdout).toMatch(/POST {2}\/v2026\/mail\/accounts {2}201 {2}req_/u);
  expect(log.stdout.split("\n")[0]).toBe(
    "SEQ  TIME  KEY_ID  METHOD  PATH  STATUS  REQUEST_ID  DURATION_MS  COMMITTED  FAULT",
  );
  expect(log.stdout.match(/^SEQ/gmu)).toHaveLength(1);
  const events = await runInProcess(noAccount, ["emulator", "log", "--data", data, "--json"]);
  expect(JSON.parse(events.stdout.split("\n")[0] ?? "")).toMatchObject({ seq: 1 });
  expect(log.stdout).not.toContain("very secret");
});

test.runIf(size.whole)(
  "applies to a store that is kept with --emulator-data, also where that was made with a key of its own",
  async () => {
    const data = join(folder, "own.db");
    const manifest = join(folder, "m.yaml");
    writeFileSync(manifest, "version: 1\nname: kept\ndns: { kept.example: {} }\n");
    await serve(["--data", data, "--key", "a-key-that-only-its-maker-knows"], async () => undefined);
    const applied = await runInProcess(noAccount, ["apply", "-f", manifest, "--auto-approve", "--emulator-data", data]);
    expect(applied.stdout + applied.stderr).toContain("Applied: 1 added");
    const plan = ["plan", "-f", manifest, "--detailed-exitcode", "--emulator-data", data];
    exits(0, await runInProcess(noAccount, plan));
  },
);

test("says what is wrong with its flags", async () => {
  for (const args of [
    ["--rate-limit", "fast"],
    ["--seed", "absent.json"],
    ["--port", "70000"],
  ]) {
    const { status, stderr } = await runInProcess(noAccount, ["emulator", ...args]);
    expect(stderr).not.toMatch(/^\s+at /mu);
    expect([1, 3]).toContain(status);
  }
});

test("prints the settings that lead another terminal to it, as a shell takes them", async () => {
  const place = join(folder, "a b");
  mkdirSync(place);
  await serve(["--data", join(place, "account.db")], async (ready) => {
    const [line = ""] = /^ {2}export .*$/mu.exec(ready["message"] ?? "") ?? [];
    const names = ["HOSTFORM_BASE_URL", "HOSTFORM_CA_FILE", "HOSTFORM_KEY_FILE"];
    const said = execFileSync("sh", ["-c", `${line}; printenv ${names.join(" ")}`], { encoding: "utf8" });
    const values = said.trimEnd().split("\n");
    expect(values).toEqual([ready["base_url"], ready["ca_file"], ready["key_file"]]);
    expect(values.slice(1).every((path) => isAbsolute(path))).toBe(true);
    const env = Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
    expect((await runInProcess(noAccount, ["status"], env)).status).toBe(0);
  });
});

test.runIf(size.whole)("whose key was given names no file for it", async () => {
  await serve(["--key", "k".repeat(40)], async ({ message = "" }) => {
    expect(message).toContain("export HOSTFORM_BASE_URL=");
    expect(message).not.toContain("HOSTFORM_KEY_FILE");
  });
});

test.each(
  size.every(8, [
    ["0.0.0.0", "https://127.0.0.1:", "every network of this machine"],
    ["0", "https://127.0.0.1:", "every network of this machine"],
    ["::", "https://[::1]:", "every network of this machine"],
    ["::0", "https://[::1]:", "every network of this machine"],
    ["0.0", "https://127.0.0.1:", "every network of this machine"],
    ["::ffff:0.0.0.0", "https://127.0.0.1:", "every network of this machine"],
    ["localhost", "https://localhost:", undefined],
    ["127.0.0.2", "https://127.0.0.2:", undefined],
  ]),
)(
  "that listens on %s says who can reach it, and prints an address that can be called",
  async (host, address, warning) => {
    await serve(["--host", host], async (ready) => {
      const { base_url: baseUrl = "", message = "" } = ready;
      expect(baseUrl.slice(0, address.length)).toBe(address);
      expect(message.includes("every network")).toBe(warning !== undefined);
      const env = {
        HOSTFORM_BASE_URL: baseUrl,
        HOSTFORM_CA_FILE: ready["ca_file"] ?? "",
        HOSTFORM_KEY_FILE: ready["key_file"] ?? "",
      };
      expect((await runInProcess(noAccount, ["status"], env)).status).toBe(0);
    });
  },
);

test.each([
  ["a folder", (path: string) => mkdirSync(path)],
  ["empty", (path: string) => writeFileSync(path, "", { mode: 0o600 })],
  ["not a text", (path: string) => writeFileSync(path, Buffer.of(0xff, 0xfe), { mode: 0o600 })],
])("a command whose data file has a key file that is %s uses a key of its own, and ends", async (_, damage) => {
  const data = join(folder, "account.db");
  const manifest = join(folder, "m.yaml");
  writeFileSync(manifest, "version: 1\nname: served\ndns: { served.example: {} }\n");
  const plan = ["plan", "-f", manifest, "--emulator-data", data];
  exits(0, await runInProcess({ ...noAccount, cwd: folder }, plan));
  rmSync(`${data}.key`);
  damage(`${data}.key`);
  const { status, stderr } = await runHostform(plan, { cwd: folder });
  expect(status, stderr).toBe(0);
});
