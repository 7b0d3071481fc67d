import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { addressMistake } from "../../src/kinds/derived/address-mistake.ts";
import { findKind, kinds } from "../../src/kinds/index.ts";
import { withArticle } from "../../src/model/with-article.ts";
import { accountForFile } from "../support/account.ts";
import { checkEvents, eventsOf, exits, noAccount, runInProcess } from "../support/run-hostform.ts";

/** Messages that a new user meets first: each names its cause and what to write, in the words of that user's own command line. */
const account = accountForFile({ seed: { dns_zone: [{ name: "b.example", ttl: 3600 }] } });
let manifest: string;
beforeAll(async () => {
  manifest = write("m.yaml", "dns: { a.example: {} }\n");
});

const write = (file: string, text: string) => account.write(file, `version: 1\nname: first\n${text}`);
const at = (name: string) => join(account.folder, name);
const run = (...args: string[]) => runInProcess(account, args);

describe("plan --out ends with the file and how to apply it", () => {
  test("as text, with a name that a shell takes, and as an event", async () => {
    const plain = await run("plan", "-f", manifest, "--out", at("p.json"));
    expect(plain.stdout).toMatch(/\nSaved in (\S+\/p\.json)\. To apply it: hostform apply \1\n$/u);
    const path = at("a b.json");
    const blank = await run("plan", "-f", manifest, "--out", path);
    expect(blank.stdout.endsWith(`\nSaved in ${path}. To apply it: hostform apply '${path}'\n`)).toBe(true);
    const events = eventsOf(await run("plan", "-f", manifest, "--out", at("p.json"), "--json"));
    expect(checkEvents(events)).toEqual([]);
    expect(events.at(-1)).toMatchObject({ type: "plan_saved", path: at("p.json"), refused: false });
    expect((await run("plan", "-f", manifest)).stdout).not.toContain("Saved in");
  });

  test("but not how to apply a plan that is refused", async () => {
    const refused = write("refused.yaml", "removed: [{ address: dns_zone/b.example, action: delete }]\n");
    const { status, stdout } = await run("plan", "-f", refused, "--out", at("p.json"));
    expect([status, stdout.endsWith(`\nSaved in ${at("p.json")}.\n`)]).toEqual([6, true]);
  });
});

test.each([
  ["address record", "an"],
  ["MX record", "an"],
  ["A", "an"],
  ["AAAA record", "an"],
  ["SRV", "an"],
  ["TXT", "a"],
  ["CNAME", "a"],
  ["record", "a"],
  ["Hostname", "a"],
])("%s takes the article %s", (noun, article) => expect(withArticle(noun)).toBe(`${article} ${noun}`));

test.each([
  [["plan", "--var-file", "nope.yaml"], "check the path given with --var-file"],
  [["import", "--into", "nope.yaml"], "check the path given with --into"],
  [
    ["apply", "nope.json"],
    "There is no file nope.json\n  = help: hostform plan --out nope.json writes one; a manifest",
  ],
  [["show", "nope.json"], "There is no file nope.json"],
  [["plan", "--live", "nope.json"], "There is no file nope.json"],
  [["contract", "check", "cloudfare"], "There is no contract cloudfare\n"],
  [["contract", "check", "cloudfare"], "did you mean cloudflare?"],
  [["contract", "check", "teapot"], "built in are v2026, cloudflare, "],
])("the mistaken arguments %j get the advice: %s", async (args, hint) => {
  const file = args[0] === "plan" ? ["-f", manifest] : [];
  const { status, stderr } = await runInProcess(noAccount, [...args, ...file]);
  expect([status, stderr]).toEqual([3, expect.stringContaining(hint)]);
});

test.each([
  ["localhost:18443", "write https://localhost:18443\n"],
  ["api.host.example", "write https://api.host.example\n"],
  ["api.host.example:8443/base", "write https://api.host.example:8443/base\n"],
  ["//api.host.example", "write https://api.host.example\n"],
  ["htps://api.host.example", "write https://api.host.example\n"],
  ["http s", "write it in full"],
])("the base URL %s is answered with: %s", async (text, hint) => {
  const { status, stderr } = await runInProcess(noAccount, ["plan", "-f", manifest], {
    HOSTFORM_BASE_URL: text,
    HOSTFORM_API_KEY: "k",
  });
  expect(stderr).toContain(`The base URL "${text}" in HOSTFORM_BASE_URL does not begin with https://`);
  expect([status, stderr]).toEqual([3, expect.stringContaining(hint)]);
});

test.each(["user:some-secret@host.example", "http://user:some-secret@host.example"])(
  "the password in the base URL %s is not shown",
  async (text) => {
    const { status, stderr } = await runInProcess(noAccount, ["plan", "-f", manifest, "--base-url", text]);
    expect([status, stderr]).toEqual([3, expect.stringContaining("holds a user name")]);
    expect(stderr).not.toContain("some-secret");
  },
);

describe("a text that is not an address", () => {
  test.each([
    ["dns_record/a.example/www", "write dns_record/ZONE/NAME/TYPE, such as dns_record/a.example/www/A"],
    ["mailbox/info", "write mailbox/LOCAL@DOMAIN\n"],
    ["dns_zone/0/25.2.0.192.in-addr.arpa", "write dns_zone/NAME, with %2F for a / in a name"],
    ["record/a.example/www/A", 'the kind "record" does not exist'],
    ["record/a.example/www/A", "did you mean dns_record/a.example/www/A?"],
    ["foo/bar", 'the kind "foo" does not exist'],
    ["foo/bar", "the kinds are service, domain, dns_zone,"],
    ["mailbox/info@-", "expected "],
  ])("%s gets the advice: %s", async (text, words) => {
    const answers = [await run("why", text, "-f", manifest), await run("plan", "-f", manifest, "--allow-delete", text)];
    for (const { status, stderr } of answers) expect([status, stderr]).toEqual([3, expect.stringContaining(words)]);
    const removed = write("r.yaml", `removed: [{ address: "${text}", action: delete }]\n`);
    expect((await runInProcess(noAccount, ["validate", "-f", removed])).stderr).toContain(words);
  });

  test.each(kinds.map(({ name }) => name))("of the kind %s is told the form, which is an address itself", (name) => {
    const { hint } = addressMistake(`${name}/-/-/-/-/-`);
    const [, form = ""] = /^write ([^\s,]+)/u.exec(hint) ?? [];
    const [, ...parts] = form.split("/");
    expect(findKind(name)?.naming.fromParts(parts), hint).toBeDefined();
  });
});

test.each([
  ["shop: { CNAME: www }", 'write "www.b.example." in full'],
  ["@: { A: 192.0.2.1 }", 'put the key or value in quotes, such as "@":'],
])("a record without a zone in its address gets the form of a record's address: %s", async (record, words) => {
  const text = `dns:\n  b.example:\n    records:\n      ${record}\n`;
  const { status, stderr } = await runInProcess(noAccount, ["validate", "-f", write("w.yaml", text)]);
  expect([status, stderr]).toEqual([3, expect.stringContaining(words)]);
});

test("removed: of an address that does not exist suggests a near one that is live and not declared", async () => {
  const text = "removed: [{ address: dns_zone/bb.example, action: delete }]\n";
  const { stderr } = await run("plan", "-f", write("near.yaml", text));
  expect(stderr).toContain("take the entry out, or check its spelling: did you mean dns_zone/b.example?");
});

test("an import ends with what comes next", async () => {
  const { stdout } = await run("import", at("hosting-next"));
  expect(stdout).toContain(`\nNext: choose name: in ${at("hosting-next/hostform.yaml")} (it stays), commit, and run`);
  expect((await run("import", at("hosting-json"), "--json")).stdout).not.toContain("Next:");
});

test("an import of nothing writes nothing", async () => {
  const { status, stderr } = await run("import", at("hosting"), "--only", "mailbox/zz*");
  expect(stderr).toContain("Nothing in the account matches --only mailbox/zz*");
  expect([status, existsSync(at("hosting"))]).toEqual([3, false]);
});

describe("a password that does not fit", () => {
  const validate = (password: string, env: Record<string, string>) => {
    const mail = `mail: { a.example: { mailboxes: { info: { password: "${password}" } } } }`;
    const file = write("pw.yaml", `domains: { a.example: {} }\n${mail}\n`);
    return runInProcess(noAccount, ["validate", "-f", file], env);
  };

  test.each([
    ["kurz!", "too short"],
    ["lang!".repeat(30), "too long"],
  ])("is named by its variable, and not shown: %s", async (value, size) => {
    const { status, stderr } = await validate("${env:NEWBOX}", { NEWBOX: value });
    expect(stderr).toContain("mailbox password cannot be the value of ${env:NEWBOX}");
    expect(stderr).toContain(`at least 8 characters and at most 72 bytes; this one is ${size}`);
    expect([status, stderr.includes(value)]).toEqual([3, false]);
  });

  test("and is the name of a variable gets the advice to write a variable", async () => {
    const { status, stderr } = await validate("$PW", { PW: "long-enough-1" });
    expect(stderr).toContain("mailbox password cannot be the value that is written here");
    expect([status, stderr]).toEqual([3, expect.stringContaining('a variable is written as "${env:NAME}"')]);
  });
});

test.each([
  [["import", "--kind", "crom"], "--kind: expected one of service, domain,", "found crom", "did you mean cron?"],
  [["import", "--layout", "x"], "--layout: expected one of folder, single, found x", "", "see hostform import --help"],
  [["completion", "bosh"], "expected one of bash,", "found bosh", "did you mean bash?"],
  [["apply", "--zzzzzzzz"], "Unknown flag: --zzzzzzzz", "", "see hostform apply --help"],
  [["plan", "--alow-delete", "x"], "Unknown flag: --alow-delete", "", "did you mean --allow-delete?"],
  [["status", "--fail-onn=pending"], "Unknown flag: --fail-onn", "", "did you mean --fail-on?"],
  [["--json", "contract", "show", "--zzzzzzzz"], "Unknown flag: --zzzzzzzz", "", "see hostform contract --help"],
  [["plan", "--detailed"], "Unknown flag: --detailed", "", "did you mean --detailed-exitcode?"],
  [["inventory", "list"], "hostform inventory", "", "hostform inventory lists"],
  [["inventory", "lsit"], "hostform inventory", "", "hostform inventory lists"],
  [["contract", "shwo"], "Unknown argument: shwo", "", "did you mean show?"],
  [["show"], "hostform show needs an argument", "", "name PLAN, a file that plan --out has written"],
  [["why"], "hostform why needs an argument", "", "name ADDRESS"],
  [["completion"], "hostform completion needs an argument", "", "bash, zsh or fish"],
  [
    ["plan", "--api-key", "abc"],
    "Unknown flag: --api-key",
    "",
    "set HOSTFORM_API_KEY, or name the file of the key in HOSTFORM_KEY_FILE",
  ],
  [["import", "--from", "zone-file", "x.zone", "h3"], "h3", "", "hostform import h3 --from zone-file x.zone"],
  [["import", "all.yaml", "--layout", "single"], "all.yaml is the name of a file", "", "hostform import hosting"],
  [["contract", "check", "examples/first.yaml"], "is a manifest", "", "hostform validate -f examples/first.yaml"],
  [["--json", "plan", "-f", "nope.yaml"], "There is no file or folder nope.yaml", "", ""],
  [["--no-color", "contract", "check", "v2026"], "Valid: ", "", ""],
])("%j is answered in our words", async (args, summary, found, hint) => {
  const { status, stdout, stderr } = await runInProcess(noAccount, args);
  for (const words of [summary, found, hint]) expect(stdout + stderr).toContain(words);
  expect([status, /Argument:|Invalid values|abc/u.test(stdout + stderr)]).toEqual([args[3] === "v2026" ? 0 : 3, false]);
});

test.each([
  ['dns: { "${var:h}": {} }', true],
  ['dns: { a.example: { records: { www: { CNAME: "${var:h}" } }, ttl: 300 }, "${var:h}": {} }', true],
  ['dns: { a.example: { records: { www: { CNAME: "${var:h}" } } } }', false],
])("a variable without a value is asked for where it can be given: %s", async (body, isName) => {
  const file = write("var.yaml", `variables: { h: {} }\n${body}\n`);
  const { status, stderr } = await runInProcess(noAccount, ["validate", "-f", file]);
  expect([status, stderr]).toEqual([3, expect.stringContaining("The variable h has no value")]);
  expect(stderr).toContain(isName ? "write its value as the default of h" : "give it one with --var h=VALUE");
  expect(stderr.includes("--var")).toBe(!isName);
});

describe.each([
  ["base_url", "tcp", "", ""],
  ["contract", "nope.yaml", "cannot be read", "check the path "],
  ["ca_file", "nope.pem", "There is no file", "check the path "],
  ["key_file", "nope.key", "There is no file", "check the path "],
])("a wrong %s", (name, wrong, summary, before) => {
  const flag = `--${name.replace("_", "-")}`;
  const variable = `HOSTFORM_${name.toUpperCase()}`;
  const rival = name === "key_file" ? "HOSTFORM_API_KEY" : variable;
  const all: Record<string, string> = { HOSTFORM_BASE_URL: "https://api.host.example", HOSTFORM_API_KEY: "k" };
  const { [rival]: _, ...others } = all;
  const ofManifest = name === "key_file" ? [] : [["manifest", `in provider.${name}`]];

  test.each([["flag", `given with ${flag}`], ["variable", `in ${variable}`], ...ofManifest])(
    "is reported with its source, the %s: %s",
    async (from, place) => {
      const own = name === "key_file" ? "" : `${name}: "${from === "manifest" ? wrong : "other"}"`;
      const text = `services: {}\nprovider: { ${own} }\n`;
      const env = from === "manifest" ? others : { ...others, [variable]: from === "flag" ? "other" : wrong };
      const flags = from === "flag" ? [flag, wrong] : [];
      const file = write("places.yaml", text);
      const { stderr } = exits(3, await runInProcess({ flags, env }, ["plan", "-f", file]));
      for (const words of [summary, wrong, `${before}${place}`]) expect(stderr).toContain(words);
    },
  );
});

test.each([
  ["dns_zone", "write 'dns_zone/*'"],
  ["dns_record/b.example/www", "did you mean dns_record/b.example/www/A?"],
])("--only %s, which names no resource, gets the advice: %s", async (only, hint) => {
  const file = write("only.yaml", "dns: { b.example: { records: { www: { A: 192.0.2.1 } } } }\n");
  const { status, stderr } = await run("plan", "-f", file, "--only", only);
  expect([status, stderr]).toEqual([3, expect.stringContaining(hint)]);
});

test("a key and a file with one are not both taken from the environment; the flag comes first", async () => {
  const both = { HOSTFORM_API_KEY: account.env["HOSTFORM_API_KEY"] ?? "", HOSTFORM_KEY_FILE: at("absent.key") };
  const two = await runInProcess(account, ["plan", "-f", manifest], both);
  expect(exits(3, two).stderr).toContain("Both HOSTFORM_API_KEY and HOSTFORM_KEY_FILE");
  const flag = await runInProcess(account, ["plan", "-f", manifest, "--key-file", at("other.key")], both);
  expect(flag.stderr).toContain("other.key");
});
