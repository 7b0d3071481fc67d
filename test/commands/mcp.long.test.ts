import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Account, accountAsNew } from "../support/account.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { startMcp, type McpClient } from "../support/mcp-client.ts";
import { startRpc } from "../support/rpc-child.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { cli, exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

const account = accountAsNew();
/** One server for all tests that do not end it. */
let client: McpClient;

const manifest = (address: string, more = "") =>
  `version: 1\nname: t\nservices: { a.example: { plan: WEB-M, datacenter: MAD1 } }\ndns: { a.example: { records: { www: { A: ${address} } } } }\n${more}`;

const fill = (seed: Parameters<Account["mirror"]["fill"]>[0]) => expect(account.mirror.fill(seed)).toEqual([]);

const start = () => startMcp([account.folder, ...account.flags], { env: account.env });

beforeAll(async () => {
  client = await start();
});
beforeEach(() => writeFileSync(join(account.folder, "hostform.yaml"), manifest("192.0.2.1")));
afterAll(() => client.end());

test("an agent finds seven tools that only read", async () => {
  const { result } = await client.ask("tools/list");
  const { tools } = result as { tools: { name: string; annotations: unknown; inputSchema: unknown }[] };
  expect(tools.map(({ name }) => name)).toEqual(["validate", "plan", "drift", "why", "status", "snapshot", "rehearse"]);
  for (const { annotations, inputSchema } of tools) {
    expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    // Whoever started the server has chosen the API and the key, and no model consents.
    expect(JSON.stringify(inputSchema)).not.toMatch(
      /base.?url|key|contract|ca.?file|allow|approve|rollback|accept|"out"/iu,
    );
    expect(inputSchema).toMatchObject({ additionalProperties: false });
  }
});

test("the tools answer what the commands print, with the exit code", async () => {
  expect((await client.call("validate")).text).toMatch(/^Manifest: hostform.yaml.*\nValid: 3 resources/u);
  const planned = await client.call("plan");
  expect(planned.text).toContain("Plan: 3 to add, 0 to change, 0 to destroy.");
  expect(planned.text).toMatch(/Exit code 2 \(changes\)$/u);
  expect((await client.call("rehearse")).text).toContain("3 calls run; a second plan has no changes");
  expect(await account.writes()).toEqual([]);
  const file = join(account.folder, "hostform.yaml");
  expect((await runInProcess(account, ["apply", "-f", file, "--auto-approve"])).status).toBe(0);
  expect((await client.call("plan")).text).toMatch(/Exit code 0 \(done\)$/u);
  expect((await client.call("why", { address: "dns_record/a.example/www/A" })).text).toContain("hostform.yaml:4");
  expect((await client.call("status")).text).toContain("service/a.example");
  writeFileSync(file, manifest("192.0.2.1").replace("192.0.2.1", '"${env:TARGET}"'));
  expect((await client.call("snapshot", { kinds: ["dns_record"] })).text).not.toContain("192.0.2.1");
  expect(await client.call("snapshot", { kinds: ["mailboxx"] })).toMatchObject({
    isError: true,
    text: expect.stringContaining('"mailbox"'),
  });
  const { text } = await client.call("snapshot", { kinds: ["service"] });
  expect(text).toMatch(/"collections":\[\{"kind":"service","scope":\{\},"objects":\[\{"address":"service\/a.example"/u);
  const events = (await client.call("plan", { format: "json" })).text.split("\n");
  expect(JSON.parse(events[0] ?? "")).toMatchObject({ type: "version" });
});

test("a mistake is an answer, with its remedy, and the next call is as any other", async () => {
  const unknown = await client.call("why", { address: "mailbox/no@a.example" });
  expect(unknown).toMatchObject({ isError: true });
  expect(unknown.text).toContain("mailbox/no@a.example");
  const outside = await client.call("plan", { manifest: ["../a.yaml"] });
  expect(outside.text).toContain("../a.yaml: outside");
  expect(outside.text).toContain("help: name a file in that folder");
  expect((await client.call("plan", { allow_delete: ["*"] })).isError).toBe(true);
  const begun = client.printed().length;
  for (const line of ["this is not JSON", '{"jsonrpc":"2.0"', "[1, 2]", "null", '{"jsonrpc":"2.0","id":{}}'])
    client.write(`${line}\n`);
  expect((await client.call("validate")).isError).toBe(false);
  const said = client.printed().slice(begun);
  expect(said).toContain("A message of the client cannot be read: it is not JSON-RPC 2.0\n");
  expect(said).not.toMatch(/^\s+at /mu);
  expect(await client.call("apply")).toEqual({ text: "Tool apply not found", isError: true });
  expect((await client.ask("no/such/method")).error?.message).toBe("Method not found");
});

test("a mistake is an event where events are asked for, as that of the command is", async () => {
  for (const [tool, input, args] of [
    ["why", { address: "nothing" }, ["why", "nothing"]],
    ["plan", { manifest: ["absent.yaml"] }, ["plan", "-f", "absent.yaml"]],
    ["status", { address: ["none/*"] }, ["status", "none/*"]],
  ] as const) {
    const { text } = await client.call(tool, { ...input, format: "json" });
    const command = await runInProcess({ ...account, cwd: account.folder }, [...args, "--json"]);
    expect(text).toBe(`${command.printed}\nExit code 3 (wrong_input)`);
  }
});

test("a secret of the folder and the key are masked, also where a mistake quotes them", async () => {
  const key = account.env["HOSTFORM_API_KEY"] ?? "";
  writeFileSync(join(account.folder, "word"), "TopSecretWord1\n");
  const more = `mail: { a.example: { mailboxes: { x: { password: "\${file:word}" } } } }\nx-${key}: TopSecretWord1\n`;
  writeFileSync(join(account.folder, "hostform.yaml"), manifest("192.0.2.1", more));
  for (const tool of ["validate", "plan", "rehearse"])
    for (const format of ["text", "json"]) {
      const { text, isError } = await client.call(tool, { format });
      expect(isError).toBe(true);
      expect(text).not.toContain(key);
    }
  writeFileSync(join(account.folder, "hostform.yaml"), manifest("192.0.2.1", more.replace(/x-.*\n/u, "")));
  const { text } = await client.call("plan");
  expect(text).toContain("mailbox/x@a.example");
  expect(text).not.toContain("TopSecretWord1");
});

test.runIf(size.whole)("a long answer is cut, a snapshot that is too long becomes the sizes of its lists", async () => {
  const lines = Array.from({ length: 500 }, (_, index) => `      n${index}: { TXT: "${"t".repeat(200)}" }`).join("\n");
  writeFileSync(
    join(account.folder, "hostform.yaml"),
    `${manifest("192.0.2.1").replace(/dns: .*\n/u, "")}dns:\n  a.example:\n    records:\n${lines}\n`,
  );
  const { text } = await client.call("plan", { format: "json" });
  expect(text.length).toBeLessThan(100_500);
  expect(text.slice(-100)).toMatch(
    /\n… and \d+ more characters: ask for less, such as with only\.\nExit code 2 \(changes\)$/u,
  );
  const content = (index: number) => `"${String(index).padStart(250, "t")}"`;
  const name = "z.example";
  const records = Array.from({ length: 500 }, (_, index) => ({
    zone: name,
    name: "t",
    type: "TXT",
    content: content(index),
    ttl: 3600,
  }));
  fill({ dns_zone: [{ name }], dns_record: records });
  const { text: taken } = await client.call("snapshot");
  const line = taken.split("\n").find((each) => each.startsWith("{")) ?? "";
  expect(JSON.parse(line)).toMatchObject({
    sizes: expect.arrayContaining([{ kind: "dns_record", lists: 1, objects: 500 }]),
  });
});

test.runIf(size.whole)(
  "a client that sends more than a megabyte in one message, or too many calls at once, is refused",
  async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => client.call("validate")));
    expect(answers.filter(({ text }) => text.startsWith("Too many calls")).length).toBeGreaterThan(0);
    const own = await start();
    const begun = own.printed().length;
    own.write(`${" ".repeat(1_049_000)}\n`);
    expect(await own.ended).toBe(3);
    expect(own.printed().slice(begun)).toMatch(
      /^A message of the client cannot be read: [^\n]*maximum size of 1048576 bytes\n$/u,
    );
  },
);

test("links out of the folder are not followed, and nothing is written", async () => {
  const outside = join(dirname(account.folder), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.yaml"), manifest("192.0.2.77"));
  symlinkSync(outside, join(account.folder, "link"));
  const names = readdirSync(account.folder);
  for (const tool of ["validate", "plan", "drift", "status", "rehearse"]) {
    const { text, isError } = await client.call(tool, { manifest: ["link/a.yaml"] });
    expect(isError, tool).toBe(true);
    expect(text).not.toContain("192.0.2.77");
  }
  expect(readdirSync(account.folder)).toEqual(names);
  rmSync(outside, { recursive: true });
});

test("it ends with 0 when its input ends, also before the protocol has begun, and once it has answered", async () => {
  const idle = startRpc([cli, "mcp", account.folder]);
  expect(await idle.end()).toBe(0);
  expect(idle.printed()).toBe("");
  const own = await start();
  const asked = Promise.all(["plan", "status", "validate"].map(async (tool) => (await own.call(tool)).text));
  expect(await own.end()).toBe(0);
  expect(await asked).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/Exit code [02] /u)));
  expect(own.printed()).not.toMatch(/^\s+at /mu);
});

test("it ends with 0 when its input ends, also amid a call without a protocol", async () => {
  const own = startRpc([cli, "mcp", account.folder]);
  const params = { name: "plan", arguments: {} };
  own.write(`${JSON.stringify({ jsonrpc: "2.0", id: "own", method: "tools/call", params })}\n`);
  own.tell("notifications/cancelled", { requestId: "own" });
  expect(await own.end()).toBe(0);
});

test("a call that its client cancels while the API does not answer keeps no other call waiting, and not the end", async () => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const silent = await startHttpsServer(() => asked());
  const ca = join(account.folder, "silent.pem");
  writeFileSync(ca, silent.ca);
  const target = ["--base-url", silent.baseUrl.href, "--ca-file", ca];
  const own = await startMcp([account.folder, ...target], { env: account.env });
  const params = { name: "plan", arguments: {} };
  for (const id of ["first", "second"])
    own.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
  await isAsked;
  for (const requestId of ["first", "second"]) own.tell("notifications/cancelled", { requestId });
  expect((await own.call("validate")).text).toContain("Valid: 3 resources");
  own.write(`${JSON.stringify({ jsonrpc: "2.0", id: "last", method: "tools/call", params })}\n`);
  own.tell("notifications/cancelled", { requestId: "last" });
  expect(await own.end()).toBe(0);
  await silent.close();
  // A request may take 30 seconds, and with its repetitions five minutes.
}, 25_000);

test.each<[string, (path: string) => string[]]>(
  size.every(3, [
    [
      "an inventory with its lease, all by a link",
      (path) => [
        "--emulator-data",
        join(path, "link", "service.db"),
        "--inventory",
        join(path, "link", "inventory.json"),
      ],
    ],
    ["the data of an embedded service, which is there", (path) => ["--emulator-data", join(path, "service.db")]],
    ["a manifest", (path) => ["--emulator", "-f", join(path, "m.yaml")]],
  ]),
)("what the runner names outside of the folder is read at each call: %s", async (_what, flagsFor) => {
  const outside = folderForTest();
  symlinkSync(".", join(outside, "link"));
  const own = join(outside, "m.yaml");
  writeFileSync(own, manifest("192.0.2.77"));
  const target = ["--emulator-data", join(outside, "service.db"), "--inventory", join(outside, "inventory.json")];
  exits(0, await runInProcess(noAccount, ["apply", "-f", own, "--auto-approve", ...target]));
  const client = await startMcp([account.folder, ...flagsFor(outside)]);
  for (const tool of ["plan", "drift", "status"]) {
    const { text, isError } = await client.call(tool);
    expect(text, tool).not.toContain("outside the folder");
    expect(isError, text).toBe(false);
  }
  await client.end();
});

test("no manifest chooses the API that gets the key, unless an inventory knows it", async () => {
  const [baseUrl = ""] = account.flags.slice(1);
  const named = (url: string) => `provider: { base_url: "${url}" }\n`;
  const own = await startMcp([account.folder, "--ca-file", join(account.folder, "ca.pem")], { env: account.env });
  writeFileSync(join(account.folder, "hostform.yaml"), manifest("192.0.2.1", named(baseUrl)));
  for (const tool of ["plan", "drift", "why", "status", "rehearse"])
    expect((await own.call(tool, tool === "why" ? { address: "service/a.example" } : {})).text, tool).toMatch(
      /sends the API key to .*no inventory of this repository knows it[^]*Exit code 6 \(refused\)$/u,
    );
  expect(await account.operations()).toEqual([]);
  await own.end();
});

test("a folder that is not there, or is a file, ends with 3 and its whole path", async () => {
  const file = join(account.folder, "hostform.yaml");
  for (const path of [join(account.folder, "none", "here"), file]) {
    const ran = await runInProcess(noAccount, ["mcp", path]);
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining(`${path} is not a folder`) });
  }
});
