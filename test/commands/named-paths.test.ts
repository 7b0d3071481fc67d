import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explain } from "../../src/cli/endings.ts";
import type { Io } from "../../src/cli/io.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const before = process.cwd();
const place = folderForFile();
beforeAll(() => {
  process.chdir(place);
  for (const name of ["folder/inner", "closed"]) mkdirSync(name, { recursive: true });
  writeFileSync("file", "x");
  writeFileSync("key", "k", { mode: 0o600 });
  writeFileSync("m.yaml", "version: 1\nname: t\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n");
  writeFileSync("closed/file", "x");
  chmodSync("closed", 0);
});
afterAll(() => {
  process.chdir(before);
  chmodSync(join(place, "closed"), 0o700);
});

const secret = (path: string) => {
  const field = `password: "\${file:${path}}"`;
  writeFileSync(
    "secret.yaml",
    `version: 1\nname: s\ndomains: { a.example: {} }\nmail: { a.example: { mailboxes: { i: { ${field} } } } }\n`,
  );
  return ["apply", "-f", "secret.yaml", "--emulator", "--auto-approve"];
};
const onApi = ["--base-url", "https://127.0.0.1:9"];
const plan = ["plan", "-f", "m.yaml"];
const apply = ["apply", "-f", "m.yaml", "--emulator-data", "service.db", "--auto-approve"];

const reading: Readonly<Record<string, (path: string) => readonly string[]>> = {
  "-f": (path) => ["plan", "-f", path, "--emulator"],
  "--into": (path) => ["import", "--into", path, "--emulator"],
  "--contract": (path) => [...plan, "--emulator", "--contract", `./${path}`],
  "--live": (path) => [...plan, "--live", path],
  "--key-file": (path) => [...plan, ...onApi, "--key-file", path],
  "--ca-file": (path) => [...plan, ...onApi, "--key-file", "key", "--ca-file", path],
  show: (path) => ["show", path],
  "apply PLAN": (path) => ["apply", path, "--auto-approve", "--emulator"],
  "contract check": (path) => ["contract", "check", path],
  "zone-file": (path) => ["import", "new-zone", "--from", "zone-file", path],
  octodns: (path) => ["import", "new-octodns", "--from", "octodns", path],
  "--allow-file": (path) => [...plan, "--emulator", "--allow-file", path],
  "${file:…}": secret, // oxlint-disable-line no-template-curly-in-string
  "--var-file": (path) => [...plan, "--emulator", "--var-file", path],
  "--exec-file": (path) => [...plan, "--emulator", "--exec-file", path],
  fleet: (path) => ["fleet", "plan", "-f", path],
  "--seed": (path) => ["emulator", "--seed", path],
  "--fault": (path) => ["emulator", "--fault", path],
};
const writing: typeof reading = {
  "plan --out": (path) => [...plan, "--emulator", "--out", path],
  "plan --undo-out": (path) => [...plan, "--emulator", "--undo-out", path],
  "plan --html": (path) => [...plan, "--emulator", "--html", `${path}.html`],
  "plan --markdown": (path) => [...plan, "--emulator", "--markdown", path],
  "plan --json-into": (path) => [...plan, "--emulator", "--json-into", path],
  "plan --code-quality": (path) => [...plan, "--emulator", "--code-quality", path],
  "snapshot --out": (path) => ["snapshot", "--emulator", "--out", path],
  "--journal": (path) => [...apply, "--journal", path],
  "--inventory": (path) => [...apply, "--inventory", path],
  "--emulator-data": (path) => [...plan, "--emulator-data", path],
  import: (path) => ["import", path, "--from", "zone-file", "zone"],
  init: (path) => ["init", path],
};

const isRoot = process.getuid?.() === 0;
const layouts: readonly (readonly [what: string, path: string, forWriting: boolean])[] = [
  ["missing", "absent", false],
  ["missing parent", "absent/file", true],
  ["a folder", "folder", true],
  ["a folder with a slash", "folder/", true],
  ["a file as a folder", "file/x", true],
  ["too long a name", "n".repeat(300), true],
  ...(isRoot ? [] : [["no permission", "closed/file", true] as const]),
];
/** What is right: folders that are manifests or are to be made, and what names a folder. */
const isRight = (name: string, what: string) =>
  (["import", "init"].includes(name) && what === "missing parent") ||
  (["octodns", "--allow-file"].includes(name) && what.startsWith("a folder"));

const cases = layouts.flatMap(([what, path, forWriting]) =>
  [...Object.entries(reading), ...(forWriting ? Object.entries(writing) : [])].flatMap(([name, args]) =>
    isRight(name, what) ? [] : [{ name, what, path, args }],
  ),
);

describe("a path that cannot be used is named, with a reason and a remedy in English", () => {
  test.each(cases)("$name of $what", async ({ name, what, path, args }) => {
    writeFileSync("zone", "$ORIGIN a.example.\n@ 60 IN A 192.0.2.1\n");
    mkdirSync("folder/p.html", { recursive: true });
    const isPage = name === "plan --html" && what.startsWith("a folder");
    const ran = await runInProcess(noAccount, args(isPage ? "folder/p" : path), {}, { sleep: async () => undefined });
    // An inventory that cannot be kept stops no plan that is right.
    if (name !== "--inventory") expect(ran.status, ran.printed).toBe(3);
    // A file in place of a folder, and a folder that nobody may use, are themselves the cause.
    expect(ran.stderr).toContain(path.replace(/\/x?$/u, "").replace("closed/file", "closed"));
    expect(ran.stderr).toMatch(/= help: /u);
    expect(ran.stderr).not.toMatch(/\bE[A-Z]{4,}\b|(?:open|stat|mkdir|mkdtemp) '|bug/u);
    if (what.startsWith("a folder")) expect(ran.stderr).not.toMatch(/remove it/u);
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test("where no folder can be made, the one that was to hold it is named, and not the pattern of its name", async () => {
  const ran = { text: "", write: (text: string) => void (ran.text += text) };
  const io = { writeError: ran.write, mask: String, color: false, errorWidth: undefined };
  const refused = errorOf(() => mkdtempSync(join(place, "gone", ".hostform-new-0a1b2c3d-4711-")));
  expect(await explain(refused, { json: false, all: true }, io as unknown as Io)).toBe("wrong_input");
  expect(ran.text).toContain(`error[unusable_path]: ${join(place, "gone")} cannot be used: `);
});

test.each(Object.keys(constants.errno))(
  "the system's refusal %s of a file is no bug, and names the file that is replaced",
  async (code) => {
    const error = new Error(`${code}: what the system says, rename '.draft' -> 'a.yaml'`);
    const ran = { text: "", write: (text: string) => void (ran.text += text) };
    const io = { writeError: ran.write, mask: String, color: false, errorWidth: undefined };
    const refused = Object.assign(error, { code, syscall: "rename", path: ".draft", dest: "a.yaml" });
    expect(await explain(refused, { json: false, all: true }, io as unknown as Io)).toBe("wrong_input");
    expect(ran.text).toMatch(/^error\[unusable_path\]: a\.yaml cannot be used: .*\n {2}= help: /u);
  },
);

test("a file of faults with a mistake in its YAML is refused once, and one that is not there by its flag", async () => {
  writeFileSync("faults.json", '[{"match": {"method": "POST", "path": "/x"}, ');
  const run = (file: string) => runInProcess(noAccount, ["emulator", "--fault", file]);
  expect((await run("faults.json")).stderr.match(/error\[/gu)).toHaveLength(1);
  expect((await run("absent")).stderr).toContain("= help: check the path given with --fault\n");
});

test.each(["absent", "m.yaml"])("the help for the seed %s says which file is expected", async (file) => {
  const { stderr } = await runInProcess(noAccount, ["emulator", "--seed", file]);
  expect(stderr).toContain("= help: name with --seed a file that holds a JSON object of lists, one for each kind\n");
});
