import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { postJson } from "../../src/api/post-json.ts";
import { size } from "../proofs/size.ts";
import { accountAsNew } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { changeRecord } from "../support/live-records.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";

const account = accountAsNew({ seed: { domain: [{ name: "a.example", status: "active", expires_at: null }] } });
let hook: HttpsServer;
let ca: string;
/** What was posted, and how the server answers. */
let posted: { url: string | undefined; type: string | undefined; body: Record<string, unknown> }[] = [];
let answer: (response: ServerResponse) => void;
/** Whether this process trusts the hook, as one does that was started with its certificate in NODE_EXTRA_CA_CERTS. */
let isTrusted: boolean;
const { createSecureContext } = tls;

const none: (typeof posted)[number] = { url: undefined, type: undefined, body: {} };
const jobUrl = "https://ci.host.example/jobs/7";
const token = "T0K3N-of-the-hook";

beforeAll(async () => {
  hook = await startHttpsServer((request: IncomingMessage, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = JSON.parse(text) as Record<string, unknown>;
      if (method === "POST") posted.push({ url, type: headers["content-type"], body });
      answer(response);
    });
  });
  ca = join(account.folder, "hook.pem");
  writeFileSync(ca, hook.ca);
  execFileSync("git", ["init", "--quiet", account.folder]);
  tls.createSecureContext = (options) => {
    const made = createSecureContext(options);
    if (isTrusted) (made.context as { addCACert: (pem: string) => void }).addCACert(hook.ca);
    return made;
  };
  syncBuiltinESMExports();
});
afterAll(async () => {
  tls.createSecureContext = createSecureContext;
  syncBuiltinESMExports();
  await hook.close();
});
beforeEach(() => {
  isTrusted = true;
  posted = [];
  answer = (response) => void response.writeHead(204).end();
  manifest("hello");
});

const manifest = (text: string, password = "${env:PW}") =>
  account.write(
    "m.yaml",
    `version: 1\nname: notify\ndomains: { a.example: {} }\ndns: { a.example: { records: { t: { TXT: "${text}" } } } }\nmail: { a.example: { mailboxes: { info: { password: "${password}" } } } }\n`,
  );

const hookUrl = () => new URL(`/services/${token}?key=${token}`, hook.baseUrl).href;
const environment = () => ({ PW: "correct-horse-battery", NODE_EXTRA_CA_CERTS: ca, CI_JOB_URL: jobUrl });
const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runInProcess({ flags: account.flags, env: account.env, cwd: account.folder }, args, { ...environment(), ...env });
const applyArgs = ["apply", "-f", "m.yaml", "--auto-approve"];
const apply = (env: Record<string, string> = {}, ...args: string[]) => run([...applyArgs, ...args], env);

describe("an apply", () => {
  test("posts counts, hash and job, and nothing else", async () => {
    const { stdout } = exits(
      0,
      await account.hostform(applyArgs, { ...environment(), HOSTFORM_NOTIFY_URL: hookUrl() }),
    );
    const [{ url, type, body } = none, ...more] = posted;
    expect(more).toEqual([]);
    expect([url, type]).toEqual([`/services/${token}?key=${token}`, "application/json"]);
    const hash = /Plan hash: sha256:(\w+)/u.exec(stdout)?.[1] ?? "none";
    expect(body).toEqual({
      format: 1,
      command: "apply",
      ending: "done",
      counts: expect.objectContaining({ add: 3, change: 0, destroy: 0, refused: 0, done: 3, failed: 0, blocked: 0 }),
      hash: expect.stringContaining(`sha256:${hash}`),
      job: jobUrl,
      text: expect.stringMatching(/^hostform apply: done; add 3, .*done 3, failed 0.*; sha256:\w{32}; https:\/\/ci/u),
    });
    for (const count of Object.values(body["counts"] as object)) expect(typeof count).toBe("number");
    expect(JSON.stringify(posted)).not.toMatch(/a\.example|hello|correct-horse|127\.0\.0\.1/u);
  });

  test.runIf(size.whole)("posts how it ended in whatever way, also of a saved plan", async () => {
    const named = ["--notify-url", hookUrl()];
    await apply({}, ...named, "--policy-command", "false");
    await run(["plan", "-f", "m.yaml", "--out", "p.json"]);
    await run(["apply", "p.json", ...named]);
    await apply({}, ...named);
    const { status } = await apply({ HOSTFORM_API_KEY: "another-key-of-nobody" }, ...named);
    expect(posted.map(({ body: { ending, counts } }) => [ending, (counts as { done?: number }).done])).toEqual([
      ["refused", undefined],
      ["done", 3],
      ["done", undefined],
      [status === 4 ? "api_unavailable" : "refused", undefined],
    ]);
    expect(posted[1]?.body["hash"]).toMatch(/^sha256:/u);
  });

  test("that a person declined posts nothing", async () => {
    const path = join(account.folder, "m.yaml");
    const env = { ...environment(), HOSTFORM_NOTIFY_URL: hookUrl() };
    const ran = await runInProcess(account, ["apply", "-f", path], env, { interactive: true, ask: async () => "no" });
    expect([ran.status, ran.stderr, posted]).toEqual([0, expect.not.stringContaining("notif"), []]);
  });

  test("neither posts nor warns without a URL, and a plan never does", async () => {
    const url = { HOSTFORM_NOTIFY_URL: hookUrl() };
    const planned = await run(["plan", "-f", "m.yaml"], url);
    const { stderr } = await apply({ HOSTFORM_NOTIFY_URL: "" });
    expect([posted, planned.stderr + stderr]).toEqual([[], expect.not.stringContaining("notif")]);
  });
});

test.each<[string, string, number, string[], Record<string, string>]>([
  ["without a key", "drift", 3, ["drift", "-f", "m.yaml"], { HOSTFORM_API_KEY: "" }],
  ["of a plan that is not there", "apply", 3, ["apply", "none.json"], {}],
  ["that nobody can approve", "apply", 3, ["apply", "-f", "m.yaml"], {}],
  ["of two targets", "apply", 3, ["--json", "apply", "-f", "m.yaml", "--auto-approve", "--emulator"], {}],
  ["with a flag that there is not", "drift", 3, ["drift", "--no-such-flag"], {}],
  ["that accepts", "drift", 3, ["drift", "-f", "m.yaml", "--accept", "domain/b.example"], {}],
])("a run %s posts how it ended", async (_which, command, status, args, more) => {
  exits(status, await run(args, { HOSTFORM_NOTIFY_URL: hookUrl(), ...more }));
  const body = { command, ending: "wrong_input", job: jobUrl };
  expect(posted.map((each) => each.body)).toMatchObject([body]);
  exits(status, await run([...args, "--notify-url", hookUrl()], more));
  expect(posted.map((each) => each.body)).toMatchObject([body, body]);
});

test.runIf(size.whole)("drift posts how many resources have drifted", async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], { cwd: account.folder });
  git("add", "m.yaml");
  git("commit", "--quiet", "-m", "one");
  expect(await apply()).toMatchObject({ status: 0 });
  const drift = () => run(["drift", "-f", "m.yaml"], { HOSTFORM_NOTIFY_URL: hookUrl() });
  expect(await drift()).toMatchObject({ status: 0 });
  await changeRecord(account, ({ type }) => type === "TXT", '"by hand"');
  expect(await drift()).toMatchObject({ status: 2 });
  expect(posted.map(({ body }) => body)).toMatchObject([
    { command: "drift", ending: "done", counts: { drifted: 0, tolerated: 0 }, job: jobUrl },
    { command: "drift", ending: "changes", counts: { drifted: 1, tolerated: 0 } },
  ]);
  expect(JSON.stringify(posted)).not.toContain("by hand");
});

describe("a notification that fails", () => {
  test.each<[string, (response: ServerResponse) => void, string]>(
    size.every(6, [
      ["500", (response) => void response.writeHead(500).end(hookUrl()), "answered with 500"],
      ["a redirect", (response) => void response.writeHead(302, { location: hookUrl() }).end(), "answered with 302"],
      ["a broken answer", (response) => void response.socket?.destroy(), "no answer came back"],
    ]),
  )("is a warning, and changes no exit code: %s", async (_name, reply, words) => {
    answer = reply;
    const { status, stdout, stderr } = await apply({ HOSTFORM_NOTIFY_URL: hookUrl() }, "--debug");
    expect([status, posted.length]).toEqual([0, 1]);
    expect(stderr).toContain("warning[not_notified]: The notification to 127.0.0.1:");
    expect(stderr).toContain(words);
    expect(stdout + stderr).not.toContain(token);
  });

  test("because its certificate is not trusted, or nobody listens", async () => {
    isTrusted = false;
    const untrusted = await apply({ HOSTFORM_NOTIFY_URL: hookUrl() }, "--json");
    const closed = await apply({ HOSTFORM_NOTIFY_URL: `https://127.0.0.1:1/${token}` }, "--json");
    for (const [ran, words] of [
      [untrusted, "certificate"],
      [closed, "the connection was refused"],
    ] as const) {
      expect(ran.status).toBe(0);
      expect(ran.stdout + ran.stderr).not.toContain(token);
      const warnings = eventsOf(ran).filter(({ code }) => code === "not_notified");
      expect(warnings).toMatchObject([{ severity: "warning", summary: expect.stringContaining(words) }]);
    }
    expect(posted).toEqual([]);
  });

  test.runIf(size.whole)("because its time is over", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      silent.listen(0, "127.0.0.1", resolve);
    });
    const { port } = silent.address() as AddressInfo;
    expect(await postJson(new URL(`https://127.0.0.1:${port}/${token}`), {}, 200)).toContain("in time");
    silent.close();
  });

  test.each([["http://127.0.0.1/"], ["https://user:word@127.0.0.1/"], ["127.0.0.1/"], ["ftp://127.0.0.1/"]])(
    "is refused before anything runs: %s",
    async (url) => {
      const { status, stdout, stderr } = await apply({ HOSTFORM_NOTIFY_URL: url + token });
      expect([status, stderr]).toEqual([3, expect.stringContaining("expected an https URL without a user")]);
      expect(stdout + stderr).not.toContain(token);
    },
  );
});

test("the address of the API is shown, though a URL of the same host is notified", async () => {
  const { stdout } = await apply({ HOSTFORM_NOTIFY_URL: `https://127.0.0.1:1/${token}` });
  expect(stdout).toMatch(/^Target: \S+ at https:\/\/127\.0\.0\.1:\d+\/ /mu);
});

test("whatever is secret is not posted, and whatever the URL, its path is not printed", async () => {
  const word = fc.string({ unit: fc.constantFrom(...Array.from("abXY09%-_.~/=&")), minLength: 12, maxLength: 40 });
  await forDraws(40, word, word, async (secret, path) => {
    account.putBack();
    posted = [];
    answer = (response) => void response.writeHead(404).end(path);
    manifest("x ${env:PW}");
    const url = `${hook.baseUrl.href}${path}`;
    const env = { HOSTFORM_NOTIFY_URL: url, PW: secret, CI_JOB_URL: `${jobUrl}/${secret}` };
    const { stdout, stderr } = await apply(env, "--debug");
    expect(posted).toHaveLength(1);
    expect(JSON.stringify(posted[0]?.body)).not.toContain(secret);
    expect(stdout + stderr).not.toContain(path);
    expect(stdout + stderr).not.toContain(new URL(url).pathname.slice(1));
  });
});
