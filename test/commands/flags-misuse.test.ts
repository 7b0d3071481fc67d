import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { accountForFile, openAccount } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** Arguments that a person writes by mistake: each is refused, or said to be without effect, with the cause and the way on. */
const account = accountForFile();
let manifest: string;
const text = "version: 1\nname: misuse\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n";

beforeAll(async () => {
  manifest = account.write("m.yaml", text);
  mkdirSync(join(account.folder, "hosting"));
  writeFileSync(join(account.folder, "hosting", "m.yaml"), text);
});

const at = (name: string) => join(account.folder, name);
const said = async (args: readonly string[], flags = account.flags) => {
  const { stdout, stderr, status } = await runInProcess({ flags, env: account.env }, args);
  return { status, said: stdout + stderr };
};

test("no two files of a plan may be one by a link", async () => {
  symlinkSync("hosting", at("linked"));
  for (const [flag, path] of [
    ["--undo-out", at("linked/p.json")],
    ["--json-into", at("linked/p.json")],
  ] as const) {
    const ran = exits(3, await said(["plan", "-f", manifest, "--out", at("hosting/p.json"), flag, path]));
    expect(ran.said).toContain(`${flag} names a file that another flag names, too`);
  }
});

test.each([
  ["the same", "p.json", "p.json"],
  ["the same by another spelling", "p.json", "./hosting/../p.json"],
])("plan --out and --undo-out must not be %s file", async (_name, out, undo) => {
  const ran = await said(["plan", "-f", manifest, "--out", at(out), "--undo-out", `${account.folder}/${undo}`]);
  expect(ran.said).toContain("--undo-out names a file that another flag names, too");
  expect(ran.status).toBe(3);
});

test.each(["mailbox/*=99999999999999999999999", `mailbox/*=${2 ** 53}`])("--allow-delete %s", async (count) => {
  const ran = exits(3, await said(["plan", "-f", manifest, "--allow-delete", count]));
  expect(ran.said).toContain("the count is too large");
});

test("a manifest to import into that is a pipe or a device is not said to be taken from standard input", async () => {
  const ran = exits(3, await said(["import", "--into", "/dev/null"]));
  expect(ran.said).toContain("/dev/null is neither a file nor a folder");
  expect(ran.said).not.toContain("--into -");
});

test.each(["plan", "apply", "validate", "render", "why"])(
  "flags of %s behind -- are refused, since they may limit what is applied",
  async (command) => {
    const ran = await said([command, "-f", manifest, "--", "--except", "mailbox/*"]);
    expect(ran).toMatchObject({ status: 3, said: expect.stringContaining("Unknown argument: --\n") as string });
  },
);

test.each(["--emulator.x", "--only.a", "--json.b", "--file.0"])("%s is an unknown flag", async (flag) => {
  const ran = exits(3, await said(["plan", "-f", manifest, flag, "1"]));
  expect(ran.said).toContain(`Unknown flag: ${flag}`);
});

test.each([
  [["plan", "-f"], "-f needs a value", "see hostform plan --help"],
  [["apply", "--journal"], "--journal needs a value", "see hostform apply --help"],
  [
    ["plan", "--parallelism", "0"],
    "--parallelism: expected a whole number from 1 to 128, found 0",
    "leave it out for 10",
  ],
])("the misused flags %j get the advice: %s", async (args, message, advice) => {
  const ran = exits(3, await said(args, []));
  expect(ran.said).toContain(message);
  expect(ran.said).toContain(advice);
});

test.each(["inventory", "file", "parallelism", "base-url"])("--no-%s is an unknown flag", async (name) => {
  const ran = await said(["plan", `--no-${name}`]);
  expect([ran.status, ran.said]).toEqual([3, expect.stringContaining(`Unknown flag: --no-${name}`)]);
});

test("a negated flag that a command does not have is named as it was given", async () => {
  const ran = exits(3, await said(["status", "--no-cache"]));
  expect(ran.said).toContain("Unknown flag: --no-cache");
  expect((await said(["plan", "--no-colro"])).said).toContain("did you mean --no-color?");
});

test.each([
  ["apply", "--var", "a=1"],
  ["apply", "--var-file", "vars.yaml"],
  ["show", "--var", "a=1"],
  ["show", "--var-file=vars.yaml"],
])("%s PLAN %s says why a saved plan takes no variables", async (command, ...variables) => {
  const plan = at("variables.json");
  await said(["plan", "-f", manifest, "--out", plan]);
  for (const words of [
    [command, plan, ...variables],
    [command, ...variables, plan],
  ]) {
    const ran = exits(3, await said(words, command === "show" ? [] : account.flags));
    expect(ran.said).toContain("a saved plan takes no variables, because it holds the values that its steps send");
  }
});

describe("without a terminal", () => {
  test.each(["nope.json", "hosting", "m.yaml"])("apply %s says what is wrong with the file", async (name) => {
    const path = name === "m.yaml" ? manifest : at(name);
    const ran = exits(3, await said(["apply", path]));
    expect(ran.said).not.toContain("cannot_ask");
    expect(ran.said).toContain(`a manifest is given as -f ${path}`);
  });
});

test("an answer other than yes says which is accepted", async () => {
  const { stdout, status } = await runInProcess(
    account,
    ["apply", "-f", manifest, "--journal", at("j")],
    {},
    {
      interactive: true,
      ask: async () => "y",
    },
  );
  expect(stdout).toContain('Only "yes" approves');
  expect(status).toBe(0);
});

test.each(["--journal", "--inventory"])(
  "%s with a service that is gone afterwards is said to be unused",
  async (flag) => {
    const ran = exits(0, await said(["apply", "-f", manifest, "--auto-approve", "--emulator", flag, "/dev/null"], []));
    expect(ran.said).toContain(`${flag} is not used`);
    expect(readFileSync("/dev/null", "utf8")).toBe("");
  },
);

/** Applies a database to a service that puts a prefix before names. */
async function applyWithPrefix(namePrefix: string) {
  const host = await openAccount({ namePrefix });
  onTestFinished(host.close);
  const file = host.write("m.yaml", `${text}databases: { a.example: { databases: { shop: { engine: mariadb } } } }\n`);
  const args = ["apply", "-f", file, "--auto-approve", "--journal", join(host.folder, "j")];
  return runInProcess(host, args, {}, virtualClock());
}

test.each(["u123", "u123_"])("a service with the name prefix %s puts it before names once", async (namePrefix) => {
  const { stdout } = exits(0, await applyWithPrefix(namePrefix));
  expect(stdout).toContain("Applied: 2 added");
});

test("a name that the server makes otherwise is said, without a long wait", async () => {
  const { stdout } = exits(5, await applyWithPrefix("U-9"));
  expect(stdout).toMatch(/calls the object database\/\S*U-9_shop \(\w+\), so declare it by that name/u);
});

describe("every flag", () => {
  const commands = "plan apply rehearse why status inventory snapshot import init doctor show emulator".split(" ");
  const words: Readonly<Record<string, readonly string[]>> = {
    why: ["mailbox/a@a.example"],
    show: ["p.json"],
    snapshot: ["--out", "live.json"],
  };
  const flagsOf = async (command: string, type: string) => {
    const help = (await said([command, "--help"], [])).said.replaceAll(/\n {20,}/gu, " ");
    return [...help.matchAll(new RegExp(`^ +(?:-\\w, )?(--[a-z-]+) .*\\[(${type})`, "gmu"))].map(
      ([, flag = ""]) => flag,
    );
  };

  test.each(commands)("with a text refuses a dash, which is standard input for -f alone: %s", async (command) => {
    const flags = (await flagsOf(command, "string|array")).filter(
      (flag) => !["--file", "--format", "--approve"].includes(flag),
    );
    expect(flags).not.toEqual([]);
    for (const flag of flags)
      for (const given of [[flag, "-"], [`${flag}=-`]]) {
        const others = flag === "--out" ? [] : (words[command] ?? []);
        const ran = exits(3, await said([command, ...others, ...given], []));
        expect(ran.said).toMatch(new RegExp(`${flag} needs a value(?:: a dash is taken by -f alone)?\n`, "u"));
      }
  });

  test.each(commands)("with a number or a choice says what was expected and what was found: %s", async (command) => {
    const flags = await flagsOf(command, "number|choices");
    expect(flags.length > 0 || command === "inventory" || command === "why").toBe(true);
    for (const flag of flags)
      for (const given of [[flag, "x y"], [`${flag}=x y`]]) {
        const ran = exits(3, await said([command, ...(words[command] ?? []), ...given], []));
        expect(ran.said).toMatch(new RegExp(`${flag}: expected .*, found "?x y"?\\n`, "u"));
        expect(ran.said).toContain("= help: ");
      }
  });
});
