import { execFileSync } from "node:child_process";
import fc from "fast-check";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { openFront, type Front } from "../support/front.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { startMcp, type McpClient } from "../support/mcp-client.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "./size.ts";

/** Whatever a client sends, and whatever the folder holds: the API sees GET alone, and no file outside the folder is opened, and none is written. */
const canary = "KANARI-of-another-customer";
const root = realpathSync(fileURLToPath(new URL("../../", import.meta.url)));
const hook = join(root, "test/support/log-files.cjs");
const outsideFiles: Readonly<Record<string, string>> = {
  "outside.yaml": `version: 1\nname: other\ndns: { ${canary.toLowerCase()}.example: {} }\n`,
  "wrong.yaml": `${canary}: [\n`,
  "contract.yaml": `extends: v2026\nname: ${canary}\nnonsense: ${canary}\n`,
  "live.json": `{"snapshot":1,"hostform":"0","taken_at":"2026-01-01T00:00:00.000Z","target":{"base_url":"https://${canary.toLowerCase()}.example/","contract":"v2026","emulator":false},"collections":[]}`,
  secret: `${canary}\n`,
  ".env": `${canary}\n`,
};

let place: string;
let folder: string;
let account: Account;
let front: Front;
let stranger: Awaited<ReturnType<typeof startHttpsServer>>;
let client: McpClient;
const methods: string[] = [];
let strange = 0;

const manifestFor = (base: string) => `version: 1
name: agency
services: { shop.example: { plan: WEB-M, datacenter: MAD1 } }
dns: { shop.example: { records: { "@": { A: ${base} }, www: { CNAME: shop.example. } } } }
`;

beforeAll(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "hostform-mcp-")));
  folder = join(place, "repository");
  mkdirSync(join(folder, "hosting"), { recursive: true });
  mkdirSync(join(folder, "links"));
  mkdirSync(join(place, "tmp"));
  mkdirSync(join(place, "outside"));
  for (const [name, text] of Object.entries(outsideFiles)) writeFileSync(join(place, "outside", name), text);
  for (const name of Object.keys(outsideFiles))
    symlinkSync(`../../outside/${name}`, join(folder, "links", `link-${name}`));
  symlinkSync("../outside", join(folder, "out"));
  symlinkSync("..", join(folder, "links/up"));
  writeFileSync(join(folder, ".env"), "INNER=1\n");
  writeFileSync(join(folder, "near.yaml"), "extends: ../outside/contract.yaml\nname: near\n");
  account = await openAccount();
  front = await openFront(account);
  front.interfere(({ method = "" }) => {
    methods.push(method);
    return false;
  });
  stranger = await startHttpsServer((_request, response) => {
    strange += 1;
    response.end("{}");
  });
  cpSync(join(account.folder, "front.pem"), join(folder, "front.pem"));
  writeFileSync(join(folder, "stranger.pem"), stranger.ca);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@t.example", ...args], { cwd: folder });
  writeFileSync(join(folder, "hosting/main.yaml"), manifestFor("192.0.2.1"));
  git("init", "--quiet");
  git("add", "hosting/main.yaml");
  git("commit", "--quiet", "-m", "first");
  const args = [
    "apply",
    "-f",
    join(folder, "hosting/main.yaml"),
    "--auto-approve",
    "--journal",
    join(place, "journal"),
  ];
  exits(0, await runInProcess(account, args));
  client = await start({ HOSTFORM_BASE_URL: front.baseUrl, HOSTFORM_CA_FILE: join(folder, "front.pem") });
});

const start = (env: Readonly<Record<string, string>>) =>
  startMcp([folder], {
    env: {
      ...account.env,
      ...env,
      // What a job of CI gives each command: its secrets, and places where commands leave something.
      SECRET: canary,
      HOSTFORM_EXEC_VAULT: `echo ${canary}`,
      HOSTFORM_NOTIFY_URL: stranger.baseUrl.href,
      NODE_EXTRA_CA_CERTS: join(folder, "stranger.pem"),
      GITHUB_ACTIONS: "true",
      GITHUB_STEP_SUMMARY: join(place, "outside", "summary.md"),
      FILES_LOG: join(place, "files.log"),
      HOME: place,
      TMPDIR: join(place, "tmp"),
    },
    node: ["--require", hook],
  });

afterAll(async () => {
  await client?.end();
  await front?.close();
  await stranger?.close();
  await account?.close();
  rmSync(place, { recursive: true, force: true });
});

const pathsTo = (name: string) => [
  `../outside/${name}`,
  `links/link-${name}`,
  `out/${name}`,
  `hosting/../../outside/${name}`,
];
const outsidePaths = Object.keys(outsideFiles).flatMap(pathsTo);

const path = fc.oneof(
  fc.constantFrom(...outsidePaths),
  fc.constantFrom(...Object.keys(outsideFiles)).map((name) => `${place}/outside/${name}`),
  fc.constantFrom(
    "hosting",
    "hosting/main.yaml",
    "out",
    "links/up",
    "links",
    "..",
    "/",
    "-",
    ".env",
    ".git/config",
    "",
  ),
  fc.constantFrom(
    "/etc/passwd",
    "/proc/self/environ",
    "/dev/stdin",
    "~/secret",
    "file:///etc/passwd",
    "--out=x",
    "a\0b",
  ),
  fc.string({ maxLength: 30 }),
);

const pattern = fc.oneof(
  fc.constantFrom("*", "dns_record/*", "service/shop.example", "mailbox/x@shop.example"),
  fc.string(),
  path,
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const input = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      manifest: maybe(fc.array(path, { maxLength: 2 })),
      format: maybe(fc.constantFrom("text", "json")),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom("out", "accept", "base_url", "key_file", "env", "allow_delete", "file"),
      path,
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const own = {
  live: maybe(path),
  only: maybe(fc.array(pattern, { maxLength: 2 })),
  except: maybe(fc.array(pattern, { maxLength: 2 })),
  show_unmanaged: maybe(fc.boolean()),
  only_drift: maybe(fc.boolean()),
  tolerate: maybe(fc.array(pattern, { maxLength: 2 })),
  unmanaged: maybe(fc.boolean()),
  address: maybe(fc.oneof(pattern, fc.array(pattern, { maxLength: 2 }))),
  kinds: maybe(fc.array(pattern, { maxLength: 2 })),
};
const inputsOf: Readonly<Record<string, readonly (keyof typeof own)[]>> = {
  validate: [],
  plan: ["live", "only", "except", "show_unmanaged", "only_drift"],
  drift: ["live", "tolerate", "unmanaged"],
  why: ["address"],
  status: ["address"],
  snapshot: ["kinds"],
  rehearse: ["only", "except"],
  apply: ["only"],
};
/** Calls that reach the API. */
const usual = fc.constantFrom(
  { tool: "plan", input: { show_unmanaged: true } },
  { tool: "plan", input: { only: ["dns_record/*"], format: "json" } },
  { tool: "drift", input: { unmanaged: true } },
  { tool: "why", input: { address: "dns_record/shop.example/@/A" } },
  { tool: "status", input: {} },
  { tool: "snapshot", input: {} },
  { tool: "rehearse", input: {} },
);
const hostile = fc.constantFrom(...Object.keys(inputsOf)).chain((tool) =>
  fc
    .tuple(input, fc.record(Object.fromEntries((inputsOf[tool] ?? []).map((name) => [name, own[name]]))))
    .map(([some, more]) => ({
      tool,
      input: typeof some === "object" && some !== null && !Array.isArray(some) ? { ...some, ...more } : some,
    })),
);

/** Lines of a manifest that name a file, for those who may write it. */
const namingLines = (value: string) => [
  `provider: { contract: ${JSON.stringify(value)} }`,
  `provider: { ca_file: ${JSON.stringify(value)} }`,
  `mail: { shop.example: { mailboxes: { x: { password: ${JSON.stringify(`\${file:${value}}`)} } } } }`,
];
/** Lines of a manifest that put a secret of the environment, or of a command, where answers show values. */
const secretLines = ["env:SECRET", "exec:VAULT"].flatMap((name) => [
  `mail: { shop.example: { mailboxes: { x: { password: "\${${name}}" } } } }`,
  `dns: { shop.example: { records: { s: { TXT: "\${${name}}" } } } }`,
  `dns: { shop.example: { records: { "\${${name}}": { TXT: t } } } }`,
  `orders: { shop.example: { note: "\${${name}}" } }`,
]);
const line = fc.oneof(
  fc.constantFrom(...secretLines),
  path.chain((value) => fc.constantFrom(...namingLines(value))),
  fc.constant("").map(() => `provider: { base_url: ${JSON.stringify(stranger.baseUrl.href)} }`),
  fc.constant("provider: { contract: near.yaml }"),
  fc.constant('removed: [{ address: "service/shop.example", action: delete }]'),
);

/** Files that Node, its SQLite and git's lock look at about this machine. */
const ofMachine = /^\/(?:proc\/(?:sys\/kernel\/random\/boot_id|\d+\/stat)|dev\/null|usr\/bin\/ldd)$/u;

/**
 * Returns what was read outside the folder, the package and the folder of temporary files, and what was written outside the latter. Throws
 * if nothing was seen at all.
 */
function touchedOutside(): readonly string[] {
  const lines = [...new Set(readFileSync(join(place, "files.log"), "utf8").split("\n"))];
  expect(lines.length).toBeGreaterThan(1);
  const isIn = (places: readonly string[]) => (path: string) =>
    places.some((each) => path === each || path.startsWith(`${each}/`));
  const mayRead = isIn([folder, root, realpathSync(process.execPath), join(place, "tmp")]);
  const mayWrite = isIn([join(place, "tmp")]);
  return lines.filter((line) => {
    const [, use = "", path = ""] = /^(read|write) (.*)$/u.exec(line) ?? [];
    return line !== "" && !ofMachine.test(path) && !(use === "read" ? mayRead : mayWrite)(path);
  });
}

/** Throws unless the answers to a call hold nothing of what no client may see. */
async function check(asked: McpClient, tool: string, given: unknown): Promise<boolean> {
  const { text, isError } = await asked.call(tool, given);
  expect(text.toLowerCase(), `${tool} ${JSON.stringify(given)}`).not.toContain(canary.toLowerCase());
  expect(text).not.toContain(account.env["HOSTFORM_API_KEY"]);
  expect(text).not.toMatch(/This is a bug|^\s+at /mu);
  return isError;
}

/** The names of the files of the folder, with its refs. */
const namesIn = (top: string) => [
  ...(readdirSync(top, { recursive: true }) as string[]).filter((name) => !name.startsWith(".git/")).toSorted(),
  execFileSync("git", ["for-each-ref"], { cwd: top, encoding: "utf8" }),
];

test("no input makes it send another method than GET, read outside its folder, or write to it", async () => {
  const names = namesIn(folder);
  let planned = 0;
  methods.length = 0;
  await forDraws(
    { numRuns: size.mcpRuns },
    fc.array(fc.oneof(usual, hostile), { minLength: 1, maxLength: 4 }),
    fc.option(line, { nil: "" }),
    fc.ipV4(),
    async (calls, more, address) => {
      writeFileSync(join(folder, "hosting/main.yaml"), manifestFor(address) + more);
      for (const { tool, input: given } of calls) {
        const isError = await check(client, tool, given);
        if (tool === "plan" && !isError) planned += 1;
      }
      expect(methods.filter((method) => method !== "GET")).toEqual([]);
      expect(touchedOutside()).toEqual([]);
    },
  );
  expect(readFileSync(join(place, "files.log"), "utf8")).toContain(`read ${join(folder, "hosting/main.yaml")}\n`);
  expect(client.printed().toLowerCase()).not.toContain(canary.toLowerCase());
  expect(namesIn(folder)).toEqual(names);
  expect(strange).toBe(0);
  expect(planned).toBeGreaterThan(0);
  expect(methods.length).toBeGreaterThan(0);
});

test("each place of a path refuses each way out of the folder", async () => {
  const unbound = await start({});
  const absolute = Object.keys(outsideFiles).map((name) => `${place}/outside/${name}`);
  const ways = size.every(15, [...outsidePaths, ...absolute]);
  for (const way of ways) {
    writeFileSync(join(folder, "hosting/main.yaml"), manifestFor("192.0.2.1"));
    expect(await check(client, "validate", { manifest: [way] }), way).toBe(true);
    expect(await check(client, "plan", { live: way }), way).toBe(true);
    for (const more of namingLines(way)) {
      writeFileSync(join(folder, "hosting/main.yaml"), manifestFor("192.0.2.1") + more);
      for (const asked of [client, unbound]) await check(asked, "validate", {});
      // The password is read when it would be sent.
      if (more.includes("${file")) await check(client, "rehearse", {});
    }
  }
  await unbound.end();
  expect(touchedOutside()).toEqual([]);
  expect(methods.filter((method) => method !== "GET")).toEqual([]);
});
