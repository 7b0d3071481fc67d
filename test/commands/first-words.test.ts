import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { eventsOf, exits, runHostform, runInProcess } from "../support/run-hostform.ts";

const alone = { flags: [], env: {} };
const commands =
  "validate plan rehearse show apply why status inventory snapshot import contract doctor emulator".split(" ");

describe("the first word", () => {
  test.each([["frobnicate"], ["deploy"], ["--json", "frobnicate"], ["help", "frobnicate"], ["frobnicate", "-f", "x"]])(
    "of %j %s is called an unknown command, and the commands are listed",
    async (...args) => {
      const { stdout, stderr } = exits(3, await runInProcess(alone, args));
      expect(stdout + stderr).toContain("Unknown command: ");
      for (const command of commands) expect(stdout + stderr).toContain(command);
    },
  );

  test("suggests a command only for a slip of the fingers", async () => {
    const suggestion = async (word: string) =>
      /did you mean ([a-z]+)/u.exec((await runInProcess(alone, [word])).stderr);
    for (const command of commands.filter(({ length }) => length > 3)) {
      expect((await suggestion(`${command}x`))?.[1]).toBe(command);
      expect((await suggestion(command.slice(0, -1)))?.[1]).toBe(command);
    }
    for (const other of ["up", "fmt", "push", "list", "destroy"]) expect(await suggestion(other)).toBeNull();
  });
});

describe("help and version", () => {
  const printed = async (...args: string[]) => {
    const { status, stdout, stderr } = await runInProcess(alone, args);
    expect({ status, stderr }, args.join(" ")).toEqual({ status: 0, stderr: "" });
    return stdout;
  };

  test("are printed for the flags, their letters and the words alike", async () => {
    const { stdout: help } = await runHostform(["--help"]);
    expect(help).toContain("Commands:");
    expect(await printed("-h")).toBe(help);
    expect(await printed("help")).toBe(help);
    const version = await printed("--version");
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/u);
    expect(await printed("-v")).toBe(version);
    expect(await printed("version")).toBe(version);
  });

  test("are printed of one command, too", async () => {
    const help = await printed("plan", "--help");
    expect(help).toContain("--detailed-exitcode");
    expect(await printed("help", "plan")).toBe(help);
    expect(await printed("plan", "-h")).toBe(help);
  });
});

describe("the environment", () => {
  const account = accountForFile();

  test("counts a HOSTFORM_ variable that is empty as unset, as CI systems leave them", async () => {
    const file = account.write(
      "m.yaml",
      "version: 1\nname: empty\ndns: { a.test: { records: { www: { A: 192.0.2.1 } } } }\n",
    );
    const empty = { HOSTFORM_BASE_URL: "", HOSTFORM_CONTRACT: "", HOSTFORM_KEY_FILE: "", HOSTFORM_CA_FILE: "" };
    const { HOSTFORM_API_KEY: key = "" } = account.env;
    exits(0, await runInProcess(alone, ["plan", "-f", file, "--emulator"], { ...empty, HOSTFORM_API_KEY: "" }));
    const { HOSTFORM_CONTRACT, HOSTFORM_KEY_FILE } = empty;
    exits(0, await runInProcess(account, ["plan", "-f", file], { HOSTFORM_CONTRACT, HOSTFORM_KEY_FILE }));
    expect(key).not.toBe("");
    const withoutKey = await runInProcess(account, ["plan", "-f", file, "--json"], { HOSTFORM_API_KEY: "" });
    expect(withoutKey.status).toBe(3);
    expect(eventsOf(withoutKey)).toContainEqual(expect.objectContaining({ code: "no_key" }));
  });

  test.each(
    size.every(3, [
      [{ FORCE_COLOR: "3", NO_COLOR: "1" }, true],
      [{ FORCE_COLOR: "1" }, true],
      [{ FORCE_COLOR: "1", TERM: "dumb" }, true],
      [{ FORCE_COLOR: "0" }, false],
      [{ FORCE_COLOR: "" }, false],
      [{}, false],
    ]),
  )("%j switches colours on where there is no terminal: %s", async (env, colours) => {
    const { stderr } = await runHostform(["frobnicate"], { env });
    expect(stderr.includes("\u001b[")).toBe(colours);
    if (!colours) return;
    const plain = await runHostform(["frobnicate", "--no-color"], { env });
    expect(plain.stderr).toContain("frobnicate");
    expect(plain.stderr).not.toContain("\u001b[");
  });
});
