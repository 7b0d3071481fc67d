import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { parse } from "yaml";
import { forDraws } from "../support/for-draws.ts";
import { startLanguageServer } from "../support/language-server.ts";
import { eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const before = process.cwd();
const example = readFileSync(new URL("../../examples/ci/github.yaml", import.meta.url), "utf8");
const workflow = ".github/workflows/hostform.yml";
let folder: string;

beforeEach(() => {
  folder = folderForTest();
  process.chdir(folder);
});
afterEach(() => process.chdir(before));

const run = (...args: readonly string[]) => runInProcess(noAccount, args);
const read = (path: string) => readFileSync(path, "utf8");

function write(path: string, text: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** All that is below the working folder: a link is not followed. */
const tree = () =>
  readdirSync(".", { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        join(entry.parentPath, entry.name) + (entry.isFile() ? `: ${read(join(entry.parentPath, entry.name))}` : ""),
    )
    .toSorted();

describe("hostform init", () => {
  test("writes a manifest that is valid and can be planned, .gitignore, a workflow and three steps", async () => {
    const { status, stdout, stderr } = await run("init", "--domain", "Bäckerei.example");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.match(/^\d\. /gmu)).toEqual(["1. ", "2. ", "3. "]);
    const [main, schema, domain] = readdirSync("hosting").toSorted();
    expect([main, schema, domain]).toEqual(["hostform.yaml", "manifest.schema.json", "xn--bckerei-5wa.example.yaml"]);
    for (const name of [main, domain]) {
      expect(read(join("hosting", String(name)))).toMatch(
        /^# yaml-language-server: \$schema=\.\/manifest\.schema\.json\n/u,
      );
    }
    expect(read(".gitignore")).toBe(".hostform/\n.env\n");
    expect((await run("validate")).stderr).toBe("");
    const planned = await run("plan", "--emulator");
    expect([planned.status, planned.stderr]).toEqual([0, ""]);
    expect(planned.stdout).toContain("Plan: 7 to add, 0 to change, 0 to destroy.");
  });

  test("prints its steps in lines that are no wider than the terminal", async () => {
    const { stdout } = exits(0, await runInProcess(noAccount, ["init"], { COLUMNS: "80" }));
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("of a data file of the embedded service names that file in the plan that comes next", async () => {
    const service = ["--emulator-data", "their data.db"];
    write("first.yaml", "version: 1\nname: first\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n");
    exits(0, await run("apply", "-f", "first.yaml", "--auto-approve", "--settle", "0", ...service));
    const { stdout } = exits(0, await run("init", "--import", ...service));
    expect(stdout).toContain("hostform plan --emulator-data 'their data.db'\n");
    expect(exits(0, await run("plan", ...service)).stdout).toContain("No changes");
  });

  test("writes files that an editor checks without an installation of Hostform", async () => {
    await run("init");
    const server = await startLanguageServer(pathToFileURL(`${resolve("hosting")}/`));
    onTestFinished(() => server.close());
    const texts = readdirSync("hosting").flatMap((name) =>
      name.endsWith(".yaml") ? [read(join("hosting", name))] : [],
    );
    const checked = texts.flatMap((text) => [text, `${text}zones: {}\n`]);
    const found = await Promise.all(checked.map(async (text) => server.mistakesIn(text)));
    const broken = ["Property zones is not allowed."];
    expect(found.map((each) => each.map(({ message }) => message))).toEqual([[], broken, [], broken]);
  });

  const parsedExample = parse(example) as object;
  /** The variables of a written workflow, as GitHub gives them to its jobs; all else is as in the example, line by line. */
  function variablesIn(text: string): Record<string, string> {
    const lines = text.split("\n");
    expect(lines).toHaveLength(example.split("\n").length);
    const isVariable = (line: string) => /^ {2}HOSTFORM_(?:FILE|BASE_URL|CONTRACT): /u.test(line);
    expect(lines.filter((line) => !isVariable(line))).toEqual(example.split("\n").filter((line) => !isVariable(line)));
    const { env, ...all } = parse(text) as { env: Record<string, string> };
    expect(all).toEqual({ ...parsedExample, env: undefined });
    const valueOf = (expression: string) =>
      /^'[^']*'$/u.test(expression) ? expression.slice(1, -1) : `<${expression}>`;
    return Object.fromEntries(
      Object.entries(env).map(([name, value]) => [
        name,
        value.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/gsu, (_, expression: string) => valueOf(expression)),
      ]),
    );
  }
  const github = {
    HOSTFORM_FILE: "hosting/",
    HOSTFORM_PACKAGE: "<vars.HOSTFORM_PACKAGE>",
    HOSTFORM_BASE_URL: "<vars.HOSTFORM_BASE_URL>",
    HOSTFORM_CONTRACT: "v2026",
  };

  test.each([
    ["", {}],
    [
      "sub/hosting --base-url https://api.host.example/",
      { FILE: "sub/hosting/", BASE_URL: "https://api.host.example" },
    ],
    [
      "--contract cloudflare --base-url https://api.host.example/v1",
      { CONTRACT: "cloudflare", BASE_URL: "https://api.host.example/v1" },
    ],
    ["--contract below/../below/mine.yaml", { CONTRACT: "below/mine.yaml" }],
  ])("writes the workflow of the example with its own manifest, API and contract: init %s", async (flags, values) => {
    write("below/mine.yaml", "contract: 1\nname: mine\nextends: v2026\n");
    const ran = await run("init", ...flags.split(" ").filter(Boolean));
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [`HOSTFORM_${name}`, value]));
    expect(variablesIn(read(workflow))).toEqual({ ...github, ...named });
    expect(ran.stdout).toContain("set the secret HOSTFORM_API_KEY");
    expect(ran.stdout.includes("HOSTFORM_BASE_URL")).toBe(named["HOSTFORM_BASE_URL"] === undefined);
  });

  test("lets no name of a manifest, an API or a contract write a line, an expression or a command into the workflow", async () => {
    const pieces = [
      "a",
      " ",
      "'",
      '"',
      "\\",
      "\n",
      ": ",
      " #",
      "- ",
      "&b",
      "*c",
      "!d",
      "|",
      "{",
      "}}",
      "${{ secrets.X }}",
      "${{'",
      "$(id)",
      "`id`",
    ];
    const part = fc.oneof(
      fc.constantFrom(...pieces, "%0A", "\u2028", "\u0085", "\u202e", "\u{1f600}", "é"),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    );
    const name = fc
      .array(part, { minLength: 1, maxLength: 6 })
      .map((all) => `x${all.join("").replaceAll(/[/\0]/gu, "")}`);
    await forDraws(96, name, name, name, async (manifest, contract, url) => {
      process.chdir(mkdtempSync(join(folder, "drawn-")));
      write(`${contract}.yaml`, "contract: 1\nname: mine\nextends: v2026\n");
      const baseUrl = `https://api.host.example/${encodeURIComponent(url)}'\``;
      const ran = await run("init", `./${manifest}`, "--contract", `./${contract}.yaml`, "--base-url", baseUrl);
      expect([ran.status, ran.stderr]).toEqual([0, ""]);
      const { href } = new URL(baseUrl);
      const named = { HOSTFORM_FILE: `${manifest}/`, HOSTFORM_BASE_URL: href, HOSTFORM_CONTRACT: `${contract}.yaml` };
      expect(variablesIn(read(workflow))).toEqual({ ...github, ...named });
    });
  });

  test.each(["cloudflare", "hetzner-cloud", "hostinger", "mittwald", "powerdns"])(
    "writes a valid manifest for %s",
    async (contract) => {
      exits(0, await run("init", "--contract", contract));
      const { provider } = parse(read("hosting/hostform.yaml")) as { provider: unknown };
      expect(provider).toEqual({ contract });
      const { stderr } = await run("validate");
      expect(stderr).toBe("");
    },
  );

  test.each<{ what: string; git?: string; cwd: string; folder: string; ignore: string; workflow?: string }>([
    { what: "no repository", cwd: "a", folder: "hosting", ignore: "a", workflow: "a" },
    { what: "the top of a repository", git: "a", cwd: "a", folder: "x/hosting", ignore: "a", workflow: "a" },
    { what: "a folder of a repository", git: "a", cwd: "a/b", folder: "hosting", ignore: "a/b" },
    { what: "a repository in the working folder", git: "a/b", cwd: "a", folder: "b/hosting", ignore: "a" },
    { what: "another repository", git: "a", cwd: "b", folder: "../a/x/hosting", ignore: "a/x/hosting" },
    { what: "another folder", cwd: "b", folder: "../a/hosting", ignore: "a/hosting" },
    { what: "the working folder", cwd: "b", folder: ".", ignore: "b", workflow: "b" },
  ])("writes only into the working folder or the named one: $what", async ({ git, cwd, folder: to, ...expected }) => {
    for (const name of ["a/b", "b", ...(git === undefined ? [] : [`${git}/.git`])])
      mkdirSync(name, { recursive: true });
    process.chdir(cwd);
    const ran = await run("init", to);
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    process.chdir(folder);
    const written = tree().flatMap((line) => /^(.*(?:\.gitignore|hostform\.yml)): /u.exec(line)?.[1] ?? []);
    const places = [join(expected.ignore, ".gitignore")];
    if (expected.workflow !== undefined) places.push(join(expected.workflow, workflow));
    expect(written.toSorted()).toEqual(places.toSorted());
    expect(ran.stdout.includes("No workflow was written")).toBe(expected.workflow === undefined);
    expect(ran.stdout.includes("In the settings of the repository")).toBe(expected.workflow !== undefined);
  });
});

describe("hostform init overwrites nothing", () => {
  test.each([
    { text: "node_modules", after: "node_modules\n.hostform/\n.env\n" },
    { text: "a\r\n.env\r\n", after: "a\r\n.env\r\n.hostform/\r\n" },
    { text: ".env\n.hostform/\nb", after: ".env\n.hostform/\nb" },
  ])("adds to .gitignore the lines that it lacks: $text", async ({ text, after }) => {
    write(".gitignore", text);
    write(workflow, "mine");
    const ran = exits(0, await run("init", "--json"));
    expect([read(".gitignore"), read(workflow)]).toEqual([after, "mine"]);
    const kept = [...(text === after ? [".gitignore"] : []), workflow];
    expect(eventsOf(ran).find(({ type }) => type === "initialised")).toMatchObject({ folder: "hosting", kept });
  });

  test.each([
    ["hostform.yml", "env: { HOSTFORM_FILE: other/ }\nrun: hostform apply", "other"],
    ["deploy.yaml", 'run: hostform apply --auto-approve -f "./old/" -f b.yaml', "old, b.yaml"],
    ["hostform.yml", "env:\n  HOSTFORM_FILE: ./new\nrun: hostform apply", ""],
    ["hostform.yml", 'env: { "HOSTFORM_FILE": "${{ vars.FOLDER }}" }\nrun: hostform apply', ""], // oxlint-disable-line no-template-curly-in-string
    ["hostform.yml", "run: hostform plan -f other", ""],
    ["hostform.yml", "run: hostform apply", "hosting"],
    ["deploy.yaml", "- run: curl -fsSL -f https://c.example | sh\n- run: hostform apply -f old/", "old"],
    ["hostform.yml", "- run: docker build -f Dockerfile .\n- run: hostform apply --file=new/", ""],
    ["deploy.yaml", "run: |\n  hostform plan -f new\n  hostform apply \\\n    --auto-approve \\\n    -f old/", "old"],
    ["hostform.yml", "run: HOSTFORM_FILE=new hostform apply", ""],
    ["hostform.yml", "# run: hostform apply\nrun: hostform plan # then: hostform apply -f old", ""],
    [
      "hostform.yml",
      "env: { # HOSTFORM_FILE: old\n  HOSTFORM_FILE: new }\r\n#- run: hostform apply -f old\r\n- run: hostform apply",
      "",
    ],
    ["deploy.yaml", "run: |\n  # hostform apply -f new\n  hostform apply -f a#b # -f new", "a#b"],
  ])("says of %s with %j that it applies other manifests: %s", async (name, text, applies) => {
    write(join(dirname(workflow), name), text);
    const { stdout } = exits(0, await run("init", "new"));
    const file = join(dirname(workflow), name);
    if (applies === "") expect(stdout).not.toContain(`${file} applies`);
    else expect(stdout).toContain(`${file} applies ${applies}, and not new/: name new/ there`);
  });

  test("says of another workflow that it applies the same manifest, if it writes its own beside it", async () => {
    const file = join(dirname(workflow), "hosting.yaml");
    write(file, "run: hostform apply");
    const line = `${file} already applies hosting/`;
    expect((await run("init")).stdout).toContain(line);
    rmSync(join(folder, "hosting"), { recursive: true });
    expect((await run("init")).stdout).not.toContain(line);
  });

  test.each([
    ["a folder", () => mkdirSync(".gitignore"), "it is a folder, not a file"],
    ["a large file", () => write(".gitignore", "x\n".repeat(2 ** 20)), "it is larger than 1024 KiB"],
  ])("and says of %s at .gitignore why it cannot be read", async (_, prepare, reason) => {
    prepare();
    const { status, stderr } = await run("init");
    expect([status, stderr]).toEqual([3, expect.stringContaining(`.gitignore cannot be used: ${reason}\n`)]);
    expect(existsSync("hosting"), "nothing was written").toBe(false);
  });

  const nothing = () => undefined;
  const link = (path: string, target: string) => {
    mkdirSync(join(folder, "elsewhere"));
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(folder, target), path);
  };
  const refused: readonly { what: string; prepare: () => void; args?: readonly string[] }[] = [
    { what: "a folder that holds something", prepare: () => write("hosting/.hidden", "") },
    { what: "a file in place of the folder", prepare: () => write("hosting", "") },
    { what: "a manifest that is found beside it", prepare: () => write("hostform.yaml", "") },
    { what: "a domain that is none", prepare: nothing, args: ["--domain", "no domain"] },
    { what: "a base URL that is none", prepare: nothing, args: ["--base-url", "http://x.example"] },
    { what: "a contract that is none", prepare: nothing, args: ["--contract", "absent.yaml"] },
    { what: "an import without an API", prepare: nothing, args: ["--import"] },
    ...["hosting", ".gitignore", ".github", ".github/workflows", workflow].flatMap((path) =>
      ["elsewhere", "nowhere"].map((target) => ({
        what: `a link at ${path} that leads ${target}`,
        prepare: () => link(path, target),
      })),
    ),
  ];
  test.each(refused)("and refuses $what with 3, and writes nothing", async ({ prepare, args = [] }) => {
    prepare();
    const there = tree();
    const { status, stdout, stderr } = await run("init", ...args);
    expect([status, stdout], stderr).toEqual([3, ""]);
    expect(tree()).toEqual(there);
  });
});
