import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { accountAsNew } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { changeRecord, liveRecords } from "../support/live-records.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { size } from "../proofs/size.ts";

const account = accountAsNew();
/** A folder that only the runner writes to, outside the repository. */
let outside: string;

beforeEach(() => {
  rmSync(join(account.folder, ".git"), { recursive: true, force: true });
  execFileSync("git", ["init", "--quiet", account.folder]);
  outside = folderForTest();
});

const manifest = (...texts: string[]) =>
  account.write(
    "m.yaml",
    `version: 1\nname: exec\ndns: { a.example: { records: {\n${texts.map((text, index) => `  t${index}: { TXT: "${text}" },\n`).join("")}  } } }\ndomains: { a.example: }\n`,
  );

const hostform = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess(account, args, { PATH: process.env["PATH"] ?? "", ...env });

/** A command that notes each of its runs in a file. */
function noting(name: string, script: string): string {
  return JSON.stringify(["sh", "-c", `echo run >> '${join(outside, name)}'; ${script}`]);
}
const runsOf = (name: string) =>
  existsSync(join(outside, name)) ? readFileSync(join(outside, name), "utf8").trim().split("\n").length : 0;

const liveTexts = async () =>
  (await liveRecords(account)).flatMap(({ type, content }) => (type === "TXT" ? content.replaceAll('"', "") : []));

const setByHand = (host: string, content: string) =>
  changeRecord(account, ({ type, name }) => type === "TXT" && name.startsWith(host), content);

describe("a command of the runner", () => {
  test("gives its output to the apply that sends it, runs once, and is masked", async () => {
    manifest("one ${exec:PW}", "two ${exec:PW}", "${exec:FROM_FILE}");
    const file = join(outside, "exec.yaml");
    writeFileSync(file, "FROM_FILE: [printf, '%s', 'file-secret-value']\nPW: 'false'\n", { mode: 0o644 });
    const env = { HOSTFORM_EXEC_FILE: file, HOSTFORM_EXEC_PW: noting("pw", "echo shell-secret-value") };
    const path = join(account.folder, "m.yaml");
    const { stdout, stderr } = exits(0, await hostform(["apply", "-f", path, "--auto-approve", "--full"], env));
    expect((await liveTexts()).toSorted()).toEqual([
      "file-secret-value",
      "one shell-secret-value",
      "two shell-secret-value",
    ]);
    expect(stdout + stderr).not.toMatch(/secret-value/u);
    expect(runsOf("pw")).toBe(1);
    const again = await hostform(["plan", "-f", path, "--detailed-exitcode"], env);
    expect([again.status, runsOf("pw")]).toEqual([0, 2]);
  });

  test("gets none of the settings of Hostform, and no input", async () => {
    manifest("${exec:PW}");
    const script = `env > '${join(outside, "env")}'; cat; echo with-no-input`;
    const { status } = await hostform(["apply", "-f", join(account.folder, "m.yaml"), "--auto-approve"], {
      HOSTFORM_EXEC_PW: JSON.stringify(["sh", "-c", script]),
      VAULT_ADDR: "https://vault.example",
    });
    expect([status, await liveTexts()]).toEqual([0, ["with-no-input"]]);
    const seen = readFileSync(join(outside, "env"), "utf8");
    expect(seen).toContain("VAULT_ADDR");
    expect(seen).not.toContain("HOSTFORM_");
  });

  test.each([["plan"], ["validate"]])("that is not allowed is a mistake of %s at its place", async (command) => {
    manifest("x", "${exec:PW} ${exec:OTHER}");
    const flags = command === "plan" ? account.flags : [];
    const env = { ...account.env, HOSTFORM_EXEC_PW: noting("pw", "echo x") };
    const { stderr } = exits(3, await runInProcess({ flags, env }, [command, "-f", join(account.folder, "m.yaml")]));
    expect(stderr).toContain("error[refused_command]: content has no value: this runner allows no command OTHER");
    expect(stderr).toMatch(/m\.yaml:5:14/u);
    expect(stderr).toContain('HOSTFORM_EXEC_OTHER="PROGRAM ARGUMENT"');
    expect(stderr).toContain("--exec-file (HOSTFORM_EXEC_FILE)");
    expect(runsOf("pw")).toBe(0);
  });

  test.each([
    [["validate", "-f", "m.yaml"], 0],
    [["render", "-f", "m.yaml"], 0],
    [["export", "-f", "m.yaml", "--zone-file"], 0],
    [["status", "-f", "m.yaml"], 0],
    [["inventory", "-f", "m.yaml"], 0],
    [["snapshot", "-f", "m.yaml", "--out", "live.json"], 0],
    [["plan", "-f", "m.yaml", "-f", "wrong.yaml"], 3],
  ])("is not run by %j", async (args, expected) => {
    manifest("${exec:PW}");
    account.write("wrong.yaml", "version: 1\nname: exec\nservices: { a.example: { plan: 3, x: 4 } }\n");
    const isOffline = ["validate", "render", "export"].includes(args[0] ?? "");
    const env = { ...account.env, HOSTFORM_EXEC_PW: noting("pw", "echo x") };
    const files = args.map((word) => (word.includes(".") ? join(account.folder, word) : word));
    const { status, stdout, stderr } = await runInProcess({ flags: isOffline ? [] : account.flags, env }, files);
    expect(status, stdout + stderr).toBe(expected);
    expect(runsOf("pw")).toBe(0);
  });

  test("is not run for the manifest of the last apply, which only another commit holds", async () => {
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd: account.folder });
    const env = {
      HOSTFORM_EXEC_OLD: noting("old", "echo old-value-1"),
      HOSTFORM_EXEC_NEW: noting("new", "echo new-value-1"),
    };
    manifest("${exec:OLD}");
    git("add", "m.yaml");
    git("commit", "--quiet", "-m", "one");
    expect(await hostform(["apply", "-f", join(account.folder, "m.yaml"), "--auto-approve"], env)).toMatchObject({
      status: 0,
    });
    expect(runsOf("old")).toBe(1);
    manifest("${exec:NEW}");
    git("commit", "--quiet", "-am", "two");
    const { status, stdout, stderr } = await hostform(["plan", "-f", join(account.folder, "m.yaml"), "--full"], env);
    expect([status, runsOf("old"), runsOf("new")], stdout + stderr).toEqual([0, 1, 1]);
    expect(stdout).toContain("[this change]");
    expect(stdout + stderr).not.toMatch(/old-value|new-value/u);
  });

  test.runIf(size.whole)("is named by a saved plan, and run by the apply of it", async () => {
    manifest("${exec:PW}");
    const env = { HOSTFORM_EXEC_PW: noting("pw", "echo saved-value-1") };
    expect(
      await hostform(["plan", "-f", join(account.folder, "m.yaml"), "--out", join(account.folder, "p.json")], env),
    ).toMatchObject({ status: 0 });
    const text = readFileSync(join(account.folder, "p.json"), "utf8");
    expect(text).toContain('"exec": "PW"');
    expect(text).not.toContain("saved-value");
    expect((await runInProcess(noAccount, ["show", join(account.folder, "p.json"), "--full"])).stdout).toContain(
      "${exec:PW}",
    );
    const refused = await hostform(["apply", join(account.folder, "p.json")]);
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("this runner allows no command PW") });
    expect(refused.stderr).toContain("HOSTFORM_EXEC_PW=");
    expect(await hostform(["apply", join(account.folder, "p.json")], env)).toMatchObject({ status: 0 });
    expect([await liveTexts(), runsOf("pw")]).toEqual([["saved-value-1"], 2]);
  });
});

describe("a command that fails", () => {
  const plan = (env: Record<string, string>, ...flags: string[]) =>
    runInProcess(account, ["plan", "-f", join(account.folder, "m.yaml"), ...flags], env);

  test("says so at its value, in words that a terminal can show", async () => {
    const failing: Readonly<Record<string, readonly [string[], string]>> = {
      EXIT: [["sh", "-c", "echo 'no login' >&2; echo more >&2; exit 7"], "ended with exit code 7: no login"],
      SCRIPT: [[process.execPath, "/nowhere.mjs"], "ended with exit code 1: Error: Cannot find module '/nowhere.mjs'"],
      STACK: [
        ["sh", "-c", "echo 'Traceback (most recent call last):' >&2; echo 'KeyError: 3' >&2; exit 1"],
        "ended with exit code 1: KeyError: 3",
      ],
      SILENT: [["false"], "ended with exit code 1"],
      SIGNAL: [["sh", "-c", "kill -9 $$"], "did not end well (it was ended by SIGKILL)"],
      NOTHING: [["true"], "printed nothing"],
      BYTES: [["printf", String.raw`\377\376`], "printed what is not UTF-8 text"],
      ABSENT: [
        ["hostform-has-none-of-this-name"],
        "did not end well (the program hostform-has-none-of-this-name is not installed)",
      ],
      MUCH: [["sh", "-c", "yes secret"], "did not end well (more than 65536 bytes)"],
      LONG: [["sh", "-c", "printf '%01000d' 0 >&2; exit 1"], `ended with exit code 1: ${"0".repeat(200)}…\n`],
      RED: [
        ["sh", "-c", String.raw`printf '\033[31mred' >&2; exit 1`],
        String.raw`ended with exit code 1: \x1b[31mred`,
      ],
    };
    manifest(...Object.keys(failing).map((name) => `\${exec:${name}}`));
    const env = Object.entries(failing).map(([name, [command]]) => [`HOSTFORM_EXEC_${name}`, JSON.stringify(command)]);
    const { stderr } = exits(0, await plan(Object.fromEntries(env), "--all-diagnostics"));
    for (const [name, [, words]] of Object.entries(failing))
      expect(stderr).toContain(`cannot be sent: the command ${name} ${words}`);
  });

  test("is ended with all that it has started, once its time is over", async () => {
    manifest("${exec:PW}");
    const sleeping = JSON.stringify(["sh", "-c", `sleep 100 & echo $! > '${join(outside, "pid")}'; wait`]);
    const { stderr } = await plan({ HOSTFORM_EXEC_PW: sleeping }, "--command-timeout", "0.5");
    expect(stderr).toContain("the command PW did not end well (no answer within 0.5 s)");
    const pid = Number(readFileSync(join(outside, "pid"), "utf8"));
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  });

  test("shows no secret of another one", async () => {
    manifest("${exec:A}", "${exec:B}");
    const env = {
      HOSTFORM_EXEC_A: "echo secret-of-a",
      HOSTFORM_EXEC_B: '["sh", "-c", "echo got secret-of-a >&2; exit 3"]',
    };
    const { stderr } = await plan(env);
    expect(stderr).toContain("ended with exit code 3: got (sensitive)");
  });
});

describe("the file of commands is refused", () => {
  const validate = (path: string) =>
    runInProcess(noAccount, ["validate", "-f", join(account.folder, "m.yaml"), "--exec-file", path]);
  const file = (folder: string, text = "PW: [x]\n", mode = 0o600) => {
    const path = join(folder, "exec.yaml");
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  test.each<[string, () => string, string]>([
    ["in the repository", () => file(account.folder), "it lies in the repository"],
    [
      "behind a link in the repository",
      () => {
        const link = join(account.folder, "link.yaml");
        symlinkSync(file(outside), link);
        return link;
      },
      "it lies in the repository",
    ],
    [
      "in the repository, behind a link to it",
      () => {
        symlinkSync(account.folder, join(outside, "there"));
        file(account.folder);
        return join(outside, "there", "exec.yaml");
      },
      "it lies in the repository",
    ],
    ["that the group may write to", () => file(outside, "PW: [x]\n", 0o660), "others may write to"],
    ["that all may write to", () => file(outside, "PW: [x]\n", 0o602), "others may write to"],
    [
      "in a folder that all may write to",
      () => {
        mkdirSync(join(outside, "open"));
        chmodSync(join(outside, "open"), 0o777);
        return file(join(outside, "open"));
      },
      "others may write to",
    ],
    ["that is not there", () => join(outside, "none.yaml"), "there is no such file"],
    ["that is a list", () => file(outside, "- x\n"), "it is not a map"],
    ["that is not YAML", () => file(outside, "PW: [x\n"), "it is not YAML"],
    ["with a map in place of a command", () => file(outside, "PW: { x: y }\n"), "it is not a text, or a list of texts"],
    ["with a line for a shell", () => file(outside, "PW: a | b\n"), "no shell reads it"],
    ["with a list that is none", () => file(outside, "PW: '[a'\n"), "it begins as a JSON list"],
    ["with a program of the repository", () => file(outside, "PW: [./pw.sh]\n"), "its program has a relative path"],
    ["with an empty command", () => file(outside, "PW: ' '\n"), "it is not a text, or a list of texts"],
  ])("%s", async (_name, path, words) => {
    manifest("${exec:PW}");
    const { status, stderr } = await validate(path());
    expect([status, stderr]).toEqual([3, expect.stringContaining(words)]);
  });

  test("and taken elsewhere", async () => {
    manifest("${exec:PW}");
    expect(await validate(file(outside))).toMatchObject({ status: 0, stderr: "" });
    symlinkSync(file(outside), join(outside, "link.yaml"));
    expect(await validate(join(outside, "link.yaml"))).toMatchObject({ status: 0, stderr: "" });
  });
});

test("whatever a command prints, no output and no file shows it", async () => {
  const text = fc
    .string({ unit: fc.constantFrom(...Array.from("abXY09 %&<>$`'\\äß|*_[](){}#@~")), minLength: 12, maxLength: 60 })
    .filter((value) => value.trim().length >= 12 && /[a-z]/iu.test(value));
  const path = (name: string) => join(account.folder, name);
  const env = { HOSTFORM_EXEC_PW: JSON.stringify(["cat", join(outside, "secret")]) };
  const run = (...args: string[]) => runInProcess(account, [...args, "--inventory", join(outside, "inventory")], env);
  manifest("${exec:PW}", "plain");
  writeFileSync(join(outside, "secret"), "first");
  expect(await run("apply", "-f", path("m.yaml"), "--auto-approve")).toMatchObject({ status: 0 });
  await forDraws(48, text, async (secret) => {
    writeFileSync(join(outside, "secret"), `${secret}\n`);
    // Someone has put it where the manifest has no secret.
    const quoted = `"${secret.replaceAll("\\", String.raw`\\`)}"`;
    await setByHand("t1", quoted);
    const plan = ["plan", "-f", path("m.yaml"), "--full"];
    const ran = [
      await run(...plan, "--html", path("p.html"), "--out", path("p.json")),
      await run(...plan, "--format", "markdown"),
      await run(...plan, "--json"),
      await run("why", "-f", path("m.yaml"), "dns_record/a.example/t1/TXT"),
      await run("apply", "-f", path("m.yaml"), "--auto-approve", "--json"),
    ];
    expect(ran.map(({ status }) => status)).toEqual([0, 0, 0, 0, 0]);
    const files = ["p.html", "p.json"].map((name) => readFileSync(path(name), "utf8"));
    const shown = [...ran.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...files].join("\n");
    for (const form of [secret.trim(), JSON.stringify(secret.trim()).slice(1, -1)]) expect(shown).not.toContain(form);
    expect(ran[0]?.stdout).toContain("(sensitive)");
  });
});
