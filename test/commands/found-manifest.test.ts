import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { virtualClock } from "../support/virtual-clock.ts";
import { eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const before = process.cwd();
const { now, sleep, every } = virtualClock();
const quick = { now, sleep, every };
const manifest = (name: string) =>
  `version: 1\nname: ${name}\ndns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n`;
/** No server listens there: the manifest is read before a request is sent. */
const nowhere = ["--base-url", "https://127.0.0.1:9"];
let folder: string;

beforeEach(() => {
  folder = folderForTest();
  process.chdir(folder);
});
afterEach(() => process.chdir(before));

function write(...paths: readonly string[]) {
  for (const path of paths) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), manifest(path.replaceAll(/[^a-z]/gu, "-")));
  }
}

const run = (args: readonly string[], file?: string) =>
  runInProcess(noAccount, args, { HOSTFORM_API_KEY: "k", ...(file !== undefined && { HOSTFORM_FILE: file }) }, quick);

describe("where -f names no manifest", () => {
  test.each([
    { there: ["hosting/a.yaml"], header: "Manifest: hosting/ (in the working folder)\n" },
    { there: ["hostform.yaml"], header: "Manifest: hostform.yaml (in the working folder)\n" },
    {
      there: ["hosting/a.yaml", "hostform.yaml", "x.yaml"],
      file: "x.yaml",
      header: "Manifest: x.yaml (HOSTFORM_FILE)\n",
    },
    // A file is not the folder, and a folder is not the file.
    { there: ["hosting", "hostform.yaml"], header: "Manifest: hostform.yaml (in the working folder)\n" },
    { there: ["hosting/a.yaml", "hostform.yaml/a.yaml"], header: "Manifest: hosting/ (in the working folder)\n" },
  ])("$there with HOSTFORM_FILE=$file is announced as $header", async ({ there, file, header }) => {
    write(...there);
    const plain = await run(["validate"], file);
    expect(plain.stderr).toBe("");
    expect(plain.stdout.startsWith(`${header}Valid: `), plain.stdout).toBe(true);
    const [first, found] = eventsOf(await run(["validate", "--json"], file));
    expect([first?.["type"], found?.["type"], `${String(found?.["message"])}\n`]).toEqual([
      "version",
      "manifest_found",
      header,
    ]);
  });

  test.each([
    ["validate"],
    ["plan", ...nowhere],
    ["apply", "--auto-approve", ...nowhere],
    ["rehearse", ...nowhere],
    ["why", "dns_zone/a.example", ...nowhere],
    ["status", ...nowhere],
    ["inventory", "--emulator-data", "account.db", "--inventory", "i.json"],
  ])("%s takes it", async (...args) => {
    write("hostform.yaml");
    const { status, stdout } = await run(args);
    expect([0, 4]).toContain(status);
    expect(stdout).toMatch(/^Manifest: hostform\.yaml \(in the working folder\)\n/u);
  });

  test.each([["render"], ["export", "--zone-file"]])("%s names it beside its data", async (...args) => {
    write("hostform.yaml");
    const { stdout, stderr } = exits(0, await run(args));
    expect(stdout).not.toContain("Manifest:");
    expect(stderr).toContain("Manifest: hostform.yaml");
  });

  test("both the folder and the file are a question, which -f and HOSTFORM_FILE answer", async () => {
    write("hosting/a.yaml", "hostform.yaml");
    const asked = exits(3, await run(["plan", "--emulator"]));
    expect(asked.stderr).toMatch(/Both hosting\/ and hostform\.yaml .*\n.*-f hosting\/ or -f hostform\.yaml/u);
    const answered = await run(["validate", "-f", "hosting/"], "hostform.yaml");
    expect(answered.stdout).toMatch(/^Valid: \d+ resources? in hosting\/\.\n$/u);
  });

  test.each(["validate", "render", "plan", "apply", "rehearse", "inventory"])(
    "%s says how to begin",
    async (command) => {
      const { status, stdout, stderr } = await run([command]);
      expect([status, stdout]).toEqual([3, ""]);
      expect(stderr).toContain("hostform init");
      expect(stderr).toContain("hostform import");
    },
  );

  test("a path in HOSTFORM_FILE that leads nowhere is a mistake, also where a manifest could be found", async () => {
    write("hostform.yaml");
    const { stderr } = exits(3, await run(["validate"], "absent.yaml"));
    expect(stderr).toContain("There is no file or folder absent.yaml\n  = help: check the path in HOSTFORM_FILE\n");
  });
});
