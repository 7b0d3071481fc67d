import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";

const secret = "correct%horse:</pre><b>battery";
const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    domain: [{ name: "a.example", status: "active", expires_at: null }],
    dns_zone: [{ name: "a.example" }],
    dns_record: [{ zone: "a.example", name: "www", type: "TXT", content: '"```</pre><script>alert(1)</script> @all"' }],
  },
});
const write = (file: string, text: string) => account.write(file, `version: 1\nname: forms\n${text}`);
let manifest: string;
const before = process.cwd();
beforeAll(async () => {
  manifest = write(
    "m.yaml",
    "dns: { a.example: { records: { www: { TXT: new } } } }\n" +
      'domains: { a.example: {} }\nmail: { a.example: { mailboxes: { info: { password: "${env:PW}" } } } }\n',
  );
  process.chdir(account.folder);
});
afterAll(() => process.chdir(before));

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess(args[0] === "validate" ? noAccount : account, args, env);
const at = (name: string) => join(account.folder, name);
const read = (name: string) => readFileSync(at(name), "utf8");
const typesIn = (jsonl: string) =>
  jsonl
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { type: string }).type);

test("a form that cannot be written any more hides no mistake of the command", async () => {
  mkdirSync(at("gone"));
  const takeAway = async () => {
    rmSync(at("gone"), { recursive: true });
    return Buffer.from("version: 1\nname: forms\n");
  };
  const flags = ["-f", "-", "--json-into", join("gone", "e.jsonl")];
  const { status, stderr } = await runInProcess(noAccount, ["plan", ...flags], {}, { readStdin: takeAway });
  const codes = [...stderr.matchAll(/^error\[(\w+)\]/gmu)].map(([, code]) => code);
  expect([status, codes], stderr).toEqual([3, ["not_written", "no_target"]]);
});

test("--format json is --json, also for a mistake in the arguments", async () => {
  const [short, long] = await Promise.all([
    run(["plan", "-f", manifest, "--json"]),
    run(["plan", "-f", manifest, "--format", "json"]),
  ]);
  expect([long.status, long.stdout]).toEqual([short.status, short.stdout]);
  const wrong = await run(["validate", "-f", "nowhere.yaml", "--format=json"]);
  expect([wrong.status, typesIn(wrong.stdout)]).toEqual([3, ["version", "diagnostic"]]);
});

test("plan prints text, and writes each other form beside it, with all that the text says", async () => {
  const files = ["--markdown", "p.md", "--json-into", "p.jsonl", "--html", "p.html", "--code-quality", "q.json"];
  const { stdout, stderr } = exits(0, await account.hostform(["plan", "-f", manifest, ...files]));
  const [, hash = "none"] = /^Plan hash: (\S+)$/mu.exec(stdout) ?? [];
  expect(stderr).toContain("warning[unset]");
  const json = await run(["plan", "-f", manifest, "--json"]);
  expect(read("p.jsonl")).toBe(json.stdout);
  const markdown = read("p.md");
  for (const words of [
    hash,
    "mailbox/info@a.example",
    "warning[unset]",
    "set it before you apply",
    "Not applicable here",
  ])
    expect(markdown).toContain(words);
  const html = read("p.html");
  for (const words of [
    hash,
    "<title>Hostform: 1 to add, 1 to change, 0 to destroy</title>",
    "&lt;/pre&gt;&lt;script&gt;alert(1)",
  ])
    expect(html).toContain(words);
  expect(html).not.toContain("<script>alert");
  for (const name of ["p.md", "p.jsonl", "p.html", "q.json"]) expect(statSync(at(name)).mode & 0o777).toBe(0o600);
});

test("show prints a saved plan in the same forms", async () => {
  exits(0, await run(["plan", "-f", manifest, "--out", "plan.json"]));
  const args = ["show", "plan.json", "--format", "markdown", "--html", "shown.html"];
  const { status, stdout, stderr } = await runInProcess(noAccount, args);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^### Hostform: 1 to add, 1 to change, 0 to destroy\n\n````text\nTarget: [^]*\n````\n$/u);
  expect(stdout).toContain("```</pre>");
  expect(read("shown.html")).toContain("mailbox/info@a.example");
});

test("apply --html writes a page with what became of each step, and drift --html one with what differs", async () => {
  const inventory = at("inventory.json");
  const shop = write("shop.yaml", "dns: { a.example: { records: { shop: { A: 192.0.2.1 } } } }\n");
  const done = await run(["apply", "-f", shop, "--auto-approve", "--inventory", inventory, "--html", "done.html"]);
  exits(0, done);
  expect(done.stdout).toMatch(/\nThe page is in done\.html\.\n$/u);
  const applied = read("done.html");
  expect(applied).toMatch(/<title>Hostform: Applied: 1 added, 0 changed, 0 destroyed in /u);
  expect(applied).toMatch(/data-outcome="created">\s*<summary>.*dns_record\/a.example\/shop\/A/u);
  exits(2, await run(["drift", "-f", shop, "--unmanaged", "--inventory", inventory, "--html", "done.html"]));
  expect(read("done.html")).toMatch(/data-action="appeared"[\s\S]*dns_record\/a.example\/www\/TXT/u);
});

test("an apply ends as it did though its page cannot be written", async () => {
  const last = write("last.yaml", "dns: { a.example: { records: { last: { A: 192.0.2.2 } } } }\n");
  const place = account.write("held.html", "");
  // Something takes the place of the file while the apply runs.
  const ask = async () => {
    rmSync(place);
    mkdirSync(place);
    return "yes";
  };
  const args = ["apply", "-f", last, "--html", place];
  const { status, stderr } = await runInProcess(account, args, {}, { interactive: true, ask });
  expect([status, stderr]).toEqual([0, expect.stringContaining(`The page cannot be written to ${place}`)]);
});

test("a mistake stands in each form, though there is no plan, and under the mark of its command", async () => {
  write("bad.yaml", "domains: { a.example: { nonsense: 1 } }\n");
  for (const command of ["validate", "apply", "drift"]) {
    const flags = command === "apply" ? ["--auto-approve"] : [];
    await runInProcess(command === "validate" ? noAccount : account, [
      command,
      "-f",
      at("bad.yaml"),
      "--markdown",
      at(`${command}.md`),
      ...flags,
    ]);
    expect(read(`${command}.md`)).toContain(`\n<!-- hostform:${command}:${encodeURIComponent(at("bad.yaml"))} -->\n`);
  }
  account.write("bad.html", "an older page");
  const files = [
    "--markdown",
    "bad.md",
    "--json-into",
    "bad.jsonl",
    "--code-quality",
    "bad.json",
    "--html",
    "bad.html",
  ];
  exits(3, await run(["plan", "-f", "bad.yaml", ...files]));
  expect(read("bad.md")).toMatch(
    /^### Hostform: no plan, 1 mistake\n[\s\S]*nonsense[\s\S]*<!-- hostform:plan:bad\.yaml -->/u,
  );
  expect(read("bad.jsonl")).toContain("nonsense");
  expect(read("bad.html")).toMatch(/<h1>No plan was made<\/h1>[^]*nonsense/u);
  expect(JSON.parse(read("bad.json"))).toEqual([
    expect.objectContaining({
      severity: "major",
      location: { path: expect.stringContaining("bad.yaml"), lines: { begin: 3 } },
    }),
  ]);
});

test("an error that ends the command stands in each form, too", async () => {
  const files = ["--markdown", "gone.md", "--json-into", "gone.jsonl", "--code-quality", "gone.json"];
  const { stderr } = exits(3, await run(["validate", "-f", "nowhere.yaml", ...files]));
  const [, words = "none"] = /^error\[\w+\]: (.{10})/mu.exec(stderr) ?? [];
  for (const name of ["gone.md", "gone.jsonl", "gone.json"]) expect(read(name)).toContain(words);
});

test("validate writes a report for GitLab: what its format demands, and an empty list if all is well", async () => {
  write(
    "warned.yaml",
    'domains: { a.example: {} }\nmail: { a.example: { mailboxes: { info: { password: "${env:PW}" } } } }\n',
  );
  expect((await run(["validate", "-f", "warned.yaml", "--code-quality", "warned.json"])).status).toBe(0);
  const rows = JSON.parse(read("warned.json")) as { fingerprint: string }[];
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows)
    expect(row).toEqual({
      description: expect.any(String),
      check_name: expect.stringMatching(/^\w+$/u),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/u),
      severity: expect.stringMatching(/^(?:info|minor|major|critical|blocker)$/u),
      location: { path: expect.stringMatching(/^[^/].*\.yaml$/u), lines: { begin: expect.any(Number) } },
    });
  expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(rows.length);
  write("good.yaml", "domains: { a.example: {} }\n");
  expect((await run(["validate", "-f", "good.yaml", "--code-quality", "good.json"])).status).toBe(0);
  expect(JSON.parse(read("good.json"))).toEqual([]);
});

test("a job on GitHub gets a summary and annotations unasked, and nobody else does", async () => {
  write("sub.yaml", "domains: { a.example: { 'a%b,c:d': 1 } }\n");
  const env = {
    GITHUB_ACTIONS: "true",
    GITHUB_STEP_SUMMARY: at("summary.md"),
    GITHUB_WORKSPACE: join(account.folder, ".."),
  };
  const folder = account.folder.split("/").at(-1);
  for (const command of ["validate", "plan", "apply"]) {
    const flags = command === "apply" ? ["--auto-approve"] : [];
    const { stdout, stderr } = exits(3, await run([command, "-f", "sub.yaml", ...flags], env));
    expect(stderr).toMatch(
      new RegExp(`^::error file=${folder}/sub\\.yaml,line=3,col=\\d+,title=Hostform%3A \\w+::.*a%25b,c:d`, "mu"),
    );
    expect(stdout).not.toMatch(/^::/mu);
    expect(read("summary.md")).toContain(":sub.yaml -->");
  }
  const quiet = await run(["validate", "-f", "sub.yaml"], {
    ...env,
    GITHUB_ACTIONS: "false",
    GITHUB_STEP_SUMMARY: at("none.md"),
  });
  expect(quiet.stdout + quiet.stderr).not.toMatch(/^::/mu);
  expect(existsSync(at("none.md"))).toBe(false);
});

test.each([
  [["apply", "-f", "hosting.yaml"], "cannot_ask"],
  [["apply", "-f", "hosting.yaml", "--approve", "sha256:zz"], "bad_hash"],
  [["apply", "plan.json", "--approve", "sha256:zz"], "bad_hash"],
  [["apply", "plan.json", "--approve", ""], "bad_hash"],
  [["apply", "plan.json", "--only", "a/b"], "bad_arguments"],
  [["drift", "-f", "hosting.yaml", "--accept", "nonsense"], "bad_address"],
])(
  "a job on GitHub also gets a summary and an annotation if %j is refused before anything is read",
  async (args, code) => {
    const summary = at(`${args.join("-").replaceAll("/", "-")}.md`);
    const { status, stderr } = await runInProcess(account, args, {
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: summary,
    });
    expect(status, stderr).toBe(3);
    expect(stderr).toMatch(new RegExp(`^::error .*title=Hostform%3A ${code}::`, "mu"));
    expect(readFileSync(summary, "utf8")).toContain(`error[${code}]`);
  },
);

test.each([["validate"], ["apply", "--auto-approve"]])(
  "%s ends as it did, though the summary of its job cannot be written",
  async (...args) => {
    write("done.yaml", "domains: { a.example: {} }\n");
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: at("no-folder/summary.md") };
    const { status, stderr } = await run([...args, "-f", "done.yaml"], env);
    const reason = `there is no folder ${at("no-folder")}`;
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining(`The summary of the job cannot be written: ${reason}\n`),
    ]);
  },
);

test("a manifest without mistakes is said to be valid in each form", async () => {
  write("valid.yaml", "domains: { a.example: {} }\n");
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: at("valid-summary.md") };
  const { status, stdout } = await run(
    ["validate", "-f", "valid.yaml", "--format", "markdown", "--markdown", "valid.md"],
    env,
  );
  expect([status, stdout]).toEqual([0, expect.stringContaining("### Hostform: valid\n")]);
  for (const name of ["valid.md", "valid-summary.md"]) expect(read(name)).toContain("### Hostform: valid\n");
});

test("--json-into says no line of --debug a second time", async () => {
  const requests = async (...flags: string[]) =>
    (await run(["plan", "-f", manifest, "--debug", ...flags])).stderr.match(/ GET /gu)?.length ?? 0;
  const once = await requests();
  expect(once).toBeGreaterThan(0);
  expect(await requests("--json-into", "debug.jsonl")).toBe(once);
});

test("a refusal is an annotation and stands above the changes, with the flag that allows it", async () => {
  write("removal.yaml", "removed: [{ address: dns_zone/a.example, action: delete }]\n");
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: at("refused.md") };
  const { stdout, stderr } = exits(6, await run(["plan", "-f", "removal.yaml", "--format", "markdown"], env));
  expect(stdout).toMatch(/^### Hostform: 0 to add.* refused\n/u);
  expect(stderr).toMatch(/^::error .*title=Hostform%3A \w+::.*help: /mu);
  expect(read("refused.md")).toMatch(
    /^### .* refused\n[\s\S]*Refused: [\s\S]*(?:--allow-delete|--inventory)[\s\S]*Check first/u,
  );
});

test("each row of a report for GitLab is about a line of a file of the manifest, also if what it refuses has no place there", async () => {
  mkdirSync(at("refused/below"), { recursive: true });
  account.write("refused/b.yaml", "version: 1\nname: forms\n");
  account.write("refused/below/a.yaml", "\ndns: { a.example: { exclusive: true, records: {} } }\n");
  const flags = ["-f", "refused", "--inventory", "refused-inventory.json"];
  exits(0, await run(["inventory", ...flags, "--adopt", "domain/a.example"]));
  exits(6, await run(["plan", ...flags, "--code-quality", "refused.json"]));
  const rows = JSON.parse(read("refused.json")) as { description: string; location: object }[];
  const placeOf = (address: string) => rows.find(({ description }) => description.includes(address))?.location;
  expect(placeOf("dns_record/a.example/www/TXT")).toEqual({ path: "refused/below/a.yaml", lines: { begin: 2 } });
  expect(placeOf("domain/a.example would be deleted")).toEqual({ path: "refused/b.yaml", lines: { begin: 1 } });
});

test("an apply tells how it ended, in each form, and no form holds a secret", async () => {
  const env = { PW: secret, GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: at("applied.md") };
  const files = ["--markdown", "a.md", "--json-into", "a.jsonl", "--html", "a.html"];
  const { status, stdout, stderr } = await run(
    ["apply", "-f", manifest, "--auto-approve", "--settle", "0", ...files],
    env,
  );
  expect(status, stderr).toBe(0);
  for (const text of [read("a.md"), read("applied.md")]) expect(text).toMatch(/1 added, 1 changed/u);
  expect(typesIn(read("a.jsonl"))).toContain("report");
  for (const text of [stdout, stderr, read("a.md"), read("a.jsonl"), read("a.html"), read("applied.md")])
    expect(text).not.toContain("horse");
});

test("a secret that is a word of the page's own form does not break that form", async () => {
  write(
    "more.yaml",
    'domains: { a.example: {} }\nmail: { a.example: { mailboxes: { other: { password: "${env:PW}" } } } }\n',
  );
  const files = ["--markdown", "word.md"];
  const { status, stderr } = await run(["apply", "-f", "more.yaml", "--auto-approve", "--settle", "0", ...files], {
    PW: "details open",
  });
  expect(status, stderr).toBe(0);
  expect(read("word.md")).toMatch(/<details open><summary>.*\n[\s\S]*<\/details>/u);
});

test.each([
  [["--markdown", "m.yaml"], "--markdown: expected a name that ends in .md, found m.yaml"],
  [["--json-into", "m.yaml"], "--json-into: expected a name that ends in .json or .jsonl, found m.yaml"],
  [["--code-quality", "q.txt"], "--code-quality: expected a name that ends in .json, found q.txt"],
  [["--json-into", "p.json", "--out", "p.json"], "--json-into names a file that another flag names, too: p.json"],
  [["--markdown", "no-folder/p.md"], "No file can be written to no-folder/p.md: there is no folder no-folder"],
  [["--html", "m.yaml"], "expected a name that ends in .html, found m.yaml"],
  [["--html", "no-folder/p.html"], "No file can be written to no-folder/p.html: there is no folder no-folder"],
  [["--format", "html"], "expected one of text, markdown, json, found html"],
  [["--format", "markdown", "--json"], "Both --json and --format markdown are given"],
])("plan %j is refused before anything is read", async (flags, words) => {
  const { status, stdout, stderr } = await runInProcess(account, ["plan", "-f", manifest, ...flags]);
  expect([status, stdout + stderr]).toEqual([3, expect.stringContaining(words)]);
  expect(existsSync("no-folder")).toBe(false);
});
