import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

let place: string;
let repository: string;
beforeEach(() => {
  place = folderForTest();
  repository = join(place, "repository");
});

/** Writes a file of the repository, and the folders above it, and returns its path. */
function put(name: string, text: string): string {
  const path = join(repository, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** Makes a link in the repository. */
function link(name: string, target: string): string {
  const path = join(repository, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

/** Files that a checkout or a runner holds, and that are of no concern to a manifest: where they lie, and their text. */
const secretFiles: Readonly<Record<string, (token: string) => string>> = {
  "../k.key": (token) => `${token}\n`,
  "../credentials.json": (token) => `{ "type": "account", "private_key": "${token}" }\n`,
  "../.ssh/id_ed25519": (token) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${token}\n-----END OPENSSH PRIVATE KEY-----\n`,
  "../passwd": (token) => `root:x:0:0:${token}:/root:/bin/bash\n`,
  "../two.txt": (token) => `harmless: [\n${token}\n`,
  "../config/hosts.yaml": (token) => `github.test:\n    oauth: ${token}\n`,
  ".git/config": (token) => `[remote "origin"]\n\turl = https://x:${token}@git.test/a.git\n`,
  ".env": (token) => `HOSTFORM_SOMETHING=${token}\n`,
  ".secrets/all.yaml": (token) => `key ${token}\nsecond: 1\n`,
  ".secrets/ci/t.yml": (token) => `api: https://bob:${token}@db.internal/x\n`,
};

const good = "version: 1\nname: t\ndns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n";
const withProvider = (provider: string) => `version: 1\nname: t\nprovider: ${provider}\nservices: { a.example: {} }\n`;

/** A way by which a file comes into a command: puts it there, and returns the arguments that name it. */
type WayIn = (secret: string) => string[];

const manifestWays: Readonly<Record<string, WayIn>> = {
  "a link in the folder": (secret) => (put("hosting/a.yaml", good), ["-f", dirname(link("hosting/l.yaml", secret))]),
  "a link in a folder below": (secret) => (
    put("hosting/a.yaml", good),
    link("hosting/sub/deep/l.yml", secret),
    ["-f", join(repository, "hosting/")]
  ),
  "a link to the folder of the file": (secret) => (
    put("hosting/a.yaml", good),
    link("hosting/sub", dirname(secret)),
    ["-f", join(repository, "hosting")]
  ),
  "a link in the repository": (secret) => (put("a.yaml", good), link("l.yaml", secret), ["-f", repository]),
  "a link that is named": (secret) => ["-f", link("hosting/l.yaml", secret)],
  "a link to a folder that is named": (secret) => (
    put(".git/HEAD", "ref: refs/heads/main\n"),
    ["-f", link("hosting", dirname(secret))]
  ),
  "a folder below a link": (secret) => (
    put(".git/HEAD", "ref: refs/heads/main\n"),
    ["-f", join(link("hosting", dirname(dirname(secret))), basename(dirname(secret)))]
  ),
  "a link beside a good file": (secret) => ["-f", put("m.yaml", good), "-f", link("l.yaml", secret)],
  "a link to a link": (secret) => {
    link("hosting/one.yaml", secret);
    link("hosting/l.yaml", "one.yaml");
    put("hosting/a.yaml", good);
    return ["-f", join(repository, "hosting")];
  },
  "a file of variables": (secret) => ["-f", put("m.yaml", good), "--var-file", link("vars/prod.yaml", secret)],
  "a folder of variables": (secret) => (
    link("vars/prod.yaml", secret),
    ["-f", put("m.yaml", good), "--var-file", join(repository, "vars")]
  ),
  "a contract of the manifest": (secret) => [
    "-f",
    put("hosting/m.yaml", withProvider(`{ contract: ${JSON.stringify(secret)} }`)),
  ],
  "a contract behind a link": (secret) => (
    link("hosting/c.yaml", secret),
    ["-f", put("hosting/m.yaml", withProvider("{ contract: ./c.yaml }"))]
  ),
  "--contract": (secret) => ["-f", put("hosting/m.yaml", good), "--contract", link("c.yaml", secret)],
  "a secret of the manifest": (secret) => [
    "-f",
    put(
      "hosting/m.yaml",
      `version: 1\nname: t\ndns: { a.example: { records: { t: { TXT: "\${file:${secret}}" } } } }\n`,
    ),
  ],
};

const manifestCommands: readonly (readonly string[])[] = [
  ["validate"],
  ["validate", "--json"],
  ["plan", "--emulator"],
  ["plan", "--emulator", "--json"],
  ["plan", "--emulator", "--format", "markdown"],
  ["plan", "--emulator", "--html", "PAGE"],
  ["apply", "--emulator", "--auto-approve"],
  ["rehearse", "--emulator"],
  ["why", "dns_record/a.example/www/A", "--emulator"],
  ["status", "--emulator"],
  ["inventory", "--emulator"],
  ["snapshot", "--emulator", "--out", "OUT"],
  ["render"],
  ["export", "--zone-file"],
];

const zone = "$ORIGIN a.example.\n$TTL 60\nwww A 192.0.2.1\n";
const octodns = "www:\n  type: A\n  value: 192.0.2.1\n";
const otherWays: Readonly<Record<string, WayIn>> = {
  "a zone file": (secret) => ["import", "OUT", "--from", "zone-file", link("zones/a.zone", secret)],
  "an included file": (secret) => (
    link("zones/more", secret),
    ["import", "OUT", "--from", "zone-file", put("zones/a.zone", `${zone}$INCLUDE more\n`)]
  ),
  "an included path": (secret) => [
    "import",
    "OUT",
    "--from",
    "zone-file",
    put("a.zone", `${zone}$INCLUDE ${secret.replace(`${repository}/`, "")}\n`),
  ],
  "a folder of octoDNS": (secret) => (
    put("zones/a.example.yaml", octodns),
    link("zones/b.example.yaml", secret),
    ["import", "OUT", "--from", "octodns", join(repository, "zones")]
  ),
  "a folder of a zone in octoDNS": (secret) => (
    link("zones/a.example./b.yaml", secret),
    ["import", "OUT", "--from", "octodns", join(repository, "zones")]
  ),
  "a link to a folder in octoDNS": (secret) => (
    put("zones/a.example.yaml", octodns),
    link("zones/b.example.", dirname(secret)),
    ["import", "OUT", "--from", "octodns", join(repository, "zones")]
  ),
  "contract check": (secret) => ["contract", "check", link("c.yaml", secret)],
  "contract show": (secret) => ["contract", "show", "--contract", link("c.yaml", secret)],
  "a manifest to add to": (secret) => (
    put("hosting/a.yaml", good),
    link("hosting/l.yaml", secret),
    ["import", "--into", join(repository, "hosting"), "--emulator"]
  ),
  "a saved plan": (secret) => ["show", link("plan.json", secret)],
  "a snapshot": (secret) => ["plan", "-f", put("m.yaml", good), "--live", link("live.json", secret)],
  "a CA file of the manifest": (secret) => {
    const provider = `{ base_url: "https://127.0.0.1:9", ca_file: ${JSON.stringify(secret)} }`;
    return ["plan", "-f", put("hosting/m.yaml", withProvider(provider))];
  },
  "faults of the embedded service": (secret) => ["emulator", "--fault", link("faults.yaml", secret)],
  "a seed of the embedded service": (secret) => ["emulator", "--seed", link("seed.json", secret)],
  "a data file of the embedded service": (secret) => ["emulator", "log", "--data", link("data.db", secret)],
};

const token = fc.stringMatching(/^[a-km-z2-9]{24,40}$/u);

/** Expects that no part of a secret file was printed. */
function expectUnseen(printed: string, text: string): void {
  const parts = text
    .split(/[\s"{}[\]:=@/,]+/u)
    .filter((part) => part.length > 7 && !/-----|OPENSSH|PRIVATE/u.test(part));
  for (const part of parts)
    for (let at = 0; at + 7 <= part.length; at += 1) expect(printed).not.toContain(part.slice(at, at + 7));
}

async function runWithSecret(name: string, text: string, wayIn: WayIn, command: readonly string[], key: string) {
  rmSync(repository, { recursive: true, force: true });
  const secret = put(name, text);
  const out = mkdtempSync(join(place, "out-"));
  const paths: Record<string, string> = { PAGE: join(out, "page.html"), OUT: join(out, "out") };
  const args = [...command, ...wayIn(secret)].map((word) => paths[word] ?? word);
  const env = { HOSTFORM_API_KEY: key };
  return runInProcess({ flags: [], env }, args, {}, { onInterrupt: (handler) => handler() });
}

const secretFile = fc.tuple(fc.constantFrom(...Object.keys(secretFiles)), token);

describe("no part of a file that a link brings in from elsewhere is printed", () => {
  test("by a command of manifests", () =>
    forDraws(
      150,
      secretFile,
      fc.constantFrom(...Object.keys(manifestWays)),
      fc.constantFrom(...manifestCommands),
      fc.boolean(),
      async ([name, secret], way, command, isKey) => {
        const text = secretFiles[name]?.(secret) ?? "";
        const ran = await runWithSecret(
          name,
          text,
          manifestWays[way] ?? (() => []),
          command,
          isKey ? secret : "other-key",
        );
        // Commands that send nothing do not look a secret up.
        expect(way === "a secret of the manifest" ? 3 : ran.status).toBe(3);
        expect(ran.stdout + ran.stderr).not.toMatch(/This is a bug/u);
        expectUnseen(ran.stdout + ran.stderr, text);
      },
    ));

  test("by any other command", () =>
    forDraws(100, secretFile, fc.constantFrom(...Object.keys(otherWays)), async ([name, secret], way) => {
      const text = secretFiles[name]?.(secret) ?? "";
      const ran = exits(3, await runWithSecret(name, text, otherWays[way] ?? (() => []), [], "other-key"));
      expect(ran.stdout + ran.stderr).not.toMatch(/This is a bug/u);
      expectUnseen(ran.stdout + ran.stderr, text);
    }));
});

const elsewhere = "version: 1\nname: t\nservices: { b.example: {} }\n";

test.each(["a link to a folder that is named", "a folder below a link"])(
  "no part of a file in a hidden folder is printed by way of %s",
  async (way) => {
    const text = "api: https://bob:hunter2hunter2hunter2@db.internal/x\n";
    const ran = await runWithSecret(".secrets/ci/t.yml", text, manifestWays[way] ?? (() => []), ["validate"], "key");
    expect(ran.status).toBe(3);
    expectUnseen(ran.stdout + ran.stderr, text);
  },
);

describe("a link", () => {
  const validate = (...args: string[]) => runInProcess(noAccount, ["validate", ...args]);

  test("to a manifest below the folder that was named is followed", async () => {
    put("hosting/real/..data/a.yaml", good);
    link("hosting/a.yaml", "real/..data/a.yaml");
    link("hosting/again", "real");
    expect(await validate("-f", join(repository, "hosting"))).toMatchObject({ status: 0, stderr: "" });
    expect(await validate("-f", join(repository, "hosting/real/..data/a.yaml"))).toMatchObject({ status: 0 });
  });

  test("that leads out of it is followed below --allow-file only", async () => {
    put("../shared/m.yaml", elsewhere);
    link("hosting/l.yaml", "../../shared/m.yaml");
    const refused = await validate("-f", join(repository, "hosting"));
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("leads_out") });
    expect(refused.stderr).toContain("--allow-file");
    const allowed = await validate("-f", join(repository, "hosting"), "--allow-file", join(place, "shared"));
    expect(allowed).toMatchObject({ status: 0, stderr: "" });
  });

  test("to a manifest elsewhere is followed where the user names it, but its mistakes are not shown", async () => {
    const target = put("../shared/m.yaml", elsewhere);
    const named = link("link.yaml", target);
    expect(await validate("-f", named)).toMatchObject({ status: 0, stderr: "" });
    writeFileSync(target, `${elsewhere}wrong-word: 1\n`);
    const wrong = await validate("-f", named);
    expect(wrong).toMatchObject({ status: 3, stderr: expect.stringContaining("has mistakes, which are not shown") });
    expect(wrong.stderr).not.toContain("wrong-word");
    expect((await validate("-f", named, "--allow-file", join(place, "shared"))).stderr).toContain("wrong-word");
  });

  test("that a user elsewhere has made to a folder is followed", async () => {
    put("../configs/m.yaml", elsewhere);
    expect(await validate("-f", link("link", join(place, "configs")))).toMatchObject({ status: 0, stderr: "" });
  });

  test.each([
    ["hosting", "../configs", []],
    ["hosting", "../configs", ["-f", "hosting/"]],
    ["hosting", "../configs", ["-f", "hosting/m.yaml"]],
    ["hostform.yaml", "../configs/m.yaml", []],
    ["hostform.yaml", "../k.key", []],
    ["hostform.yaml", ".env", []],
  ])("in the working folder, %s -> %s, does not lead out of it: %j", async (name, target, args) => {
    put("../configs/m.yaml", elsewhere);
    put("../k.key", "a-live-key-of-the-api\n");
    put(".env", "TOKEN=another-secret-token\n");
    link(name, target);
    const ran = await runHostform(["validate", ...args], { cwd: repository });
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("leads_out") });
    expect(ran.stdout + ran.stderr).not.toMatch(/live-key|secret-token/u);
  });
});
