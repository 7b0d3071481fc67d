import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { completeInBash, readBashLine } from "../../src/cli/complete.ts";
import { cli, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { size } from "../proofs/size.ts";

const manifest = `version: 1
name: t
dns: { a.example: { records: { "*": { A: 192.0.2.1 }, www: { A: 192.0.2.1 } } } }
domains: { a.example: {} }
mail: { a.example: { mailboxes: { info: {}, "o'x": {}, "a$b": {} } } }
`;
const mistaken = `${manifest}services: { a.example: { plan: 7, nonsense: true } }\n`;
const addresses = [
  "dns_record/a.example/*/A",
  "dns_record/a.example/www/A",
  "dns_zone/a.example",
  "domain/a.example",
  "mailbox/a$b@a.example",
  "mailbox/info@a.example",
  "mailbox/o'x@a.example",
];

const folder = join(folderForFile(), "with blanks");
let file: string;
let script: string;
beforeAll(async () => {
  mkdirSync(folder);
  file = join(folder, "hostform.yaml");
  writeFileSync(file, manifest);
  writeFileSync(join(folder, "wrong.yaml"), mistaken);
  writeFileSync(join(folder, "broken.yaml"), "version: [\n");
  writeFileSync(join(folder, "hostform"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(folder, "hostform"), 0o755);
  script = (await runInProcess(noAccount, ["completion", "bash"])).stdout;
});

/** Returns the words that the program offers a shell for a command line, whose last word is the one at the cursor. */
async function offered(...words: string[]): Promise<string[]> {
  const env = { HOSTFORM_FILE: file };
  const { status, stdout, stderr } = await runInProcess(noAccount, ["completion", "--", "words", ...words], env);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").slice(0, -1);
}

test("commands are offered, and the commands of a command", async () => {
  expect(await offered("")).toEqual(expect.arrayContaining(["init", "plan", "apply", "completion"]));
  expect(await offered("contract", "")).toEqual(["check", "show"]);
  expect(await offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(await offered("apply", "")).toEqual([]);
});

test("the flags of a command are offered, and those of no other", async () => {
  const flags = await offered("plan", "--");
  expect(flags).toEqual(expect.arrayContaining(["--file", "--only", "--undo-out", "--json"]));
  expect(flags).not.toContain("--auto-approve");
  expect(await offered("apply", "--only", "x", "--")).toContain("--auto-approve");
  expect(await offered("plan", "")).toEqual(flags);
});

test("the values of a flag are offered", async () => {
  expect(await offered("import", "--layout", "")).toEqual(["folder", "single"]);
  expect(await offered("import", "--layout=")).toEqual(["--layout=folder", "--layout=single"]);
  expect(await offered("import", "--kind", "")).toContain("mail_alias");
  // A shell goes on with its files.
  expect(await offered("plan", "--out", "")).toEqual([]);
});

test.each(size.every(6, ["--only", "--except", "--allow-delete", "--allow-purchase", "--retry", "--rotate"]))(
  "%s takes the addresses of the manifest",
  async (flag) => {
    expect(await offered("apply", flag, "")).toEqual(addresses);
    expect(await offered("apply", `${flag}=`)).toEqual(addresses.map((address) => `${flag}=${address}`));
  },
);

test.each([
  ["why", ""],
  ["status", ""],
  ["inventory", "--adopt", ""],
  ["inventory", "--forget", ""],
  ["drift", "--accept", ""],
  ["inventory", "--why", ""],
])("addresses stand after %s %s", async (...words) => expect(await offered(...words)).toEqual(addresses));

test("no address stands after a flag of fleet that takes accounts", async () => {
  expect(await offered("fleet", "plan", "--only", "")).toEqual([]);
  expect(await offered("fleet", "apply", "--allow-delete", "")).toEqual([]);
});

test("the addresses are those of the manifest that -f names, as far as they can be read", async () => {
  for (const named of [["-f", "wrong.yaml"], ["--file", "wrong.yaml"], ["--file=wrong.yaml"]])
    expect(
      await offered("plan", ...named.map((word) => word.replace("wrong", `${folder}/wrong`)), "--only", ""),
    ).toEqual(expect.arrayContaining(addresses.slice(0, 2)));
  for (const named of [join(folder, "broken.yaml"), join(folder, "absent.yaml"), "-", folder])
    expect(await offered("plan", "-f", named, "--only", "")).toEqual(named === folder ? expect.anything() : []);
});

test.each([[], ["bash"], ["words"], ["other", "x"], ["words", "absent", ""], ["bash", "hostform 'why", ""]])(
  "completing the words %j is not an error",
  async (...given) => {
    const { status, stderr } = await runInProcess(noAccount, ["completion", "--", ...given]);
    expect([status, stderr]).toEqual([0, ""]);
  },
);

/** Returns the words that bash puts in place of the end of a line, as it would type them. */
function typed(line: string): string[] {
  const drive = `${script}\ncomplete -p hostform >/dev/null || exit 9\nCOMP_LINE=$1 COMP_POINT=\${#1}\n_hostform 2>&1\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  return execFileSync("bash", ["--norc", "-c", drive, "bash", line], { cwd: folder, env, encoding: "utf8" })
    .split("\n")
    .filter((word) => word !== "");
}

test.each(
  size.every(6, [
    { line: "hostform va", words: ["validate"] },
    { line: "hostform plan --detailed", words: ["--detailed-exitcode"] },
    { line: String.raw`hostform plan --only dns_record/a.example/\*`, words: [String.raw`dns_record/a.example/\*/A`] },
    // Bash keeps the line up to a break, and replaces the break itself if it is @.
    { line: "hostform why mailbox/info@a.", words: ["@a.example"] },
    { line: "hostform why mailbox/info@", words: ["@a.example"] },
    { line: "hostform apply --allow-delete=mailbox/a", words: [String.raw`mailbox/a\$b@a.example`] },
    { line: "hostform apply --allow-delete 'mailbox/o", words: [String.raw`mailbox/o'\''x@a.example`] },
    { line: "hostform plan -f absent.yaml --only dns", words: [] },
  ]),
)("bash completes $line with $words", ({ line, words }) => {
  expect(typed(line)).toEqual(words);
});

const breaks = "\"'@><=;|&(: \t\n";
const characters = "ab/@.*$ '\"\\`;&|(){}[]<>~#?=:,é日-".split("");
const hostile = fc.array(fc.constantFrom(...characters), { minLength: 1, maxLength: 12 });

test("a line that is completed means the word to bash, however it was quoted", () => {
  const drawn = fc.sample(fc.tuple(hostile, fc.nat(12), fc.constantFrom("" as const, "'" as const, '"' as const)), {
    numRuns: 400,
    seed: 7,
  });
  const lines = drawn.map(([word, cut, quote]) => {
    const begun = word.slice(0, cut).join("");
    const whole = { words: [""], kept: 0, quote };
    const start = quote + (completeInBash(begun, whole)[0] ?? "");
    const read = readBashLine(`hostform why ${start}`, breaks);
    expect(read.words).toEqual(["hostform", "why", begun]);
    const [rest = ""] = completeInBash(word.join(""), read);
    // Bash keeps the begin of the word up to the last break that stands bare.
    const keptRaw = quote + (completeInBash(begun.slice(0, read.kept), whole)[0] ?? "");
    return keptRaw + rest + quote;
  });
  const meant = execFileSync("bash", ["--norc", "-c", `printf '%s\\n' ${lines.join(" ")}`], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(meant.split("\n").slice(0, -1)).toEqual(drawn.map(([word]) => word.join("")));
});

test.each(["bash", "zsh", "fish"])("a script for %s is printed", async (shell) => {
  const { status, stdout, stderr } = await runInProcess(noAccount, ["completion", shell]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("hostform completion -- ");
});

test("another shell is a mistake", async () => {
  expect((await runInProcess(noAccount, ["completion", "tcsh"])).status).toBe(3);
});
