import { createHmac, randomBytes } from "node:crypto";
import { cpSync, readFileSync, statSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Account, accountForFile } from "../support/account.ts";
import { size } from "../proofs/size.ts";
import { endAdapter, startAdapter, type Adapter } from "../support/adapter.ts";
import { frontForFile, type Interfere } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { eventsOf, exits, type Ran, runHostform, runInProcess } from "../support/run-hostform.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const newSecret = (name: string) => `${name}-${randomBytes(12).toString("hex")}`;
const vendorKey = newSecret("vendor-key");
const vendorSecret = newSecret("vendor-secret");
const ownKey = newSecret("own-key");
const wrongKey = newSecret("wrong-key");
const password = newSecret("mailbox-password");

/** The headers that the vendor demands, by the vendor's own reading of its scheme. */
const sign = (method: string, path: string, body: string, nonce: string, secret = vendorSecret) => {
  const timestamp = Math.floor(Date.now() / 1000).toString();
  const signature = createHmac("sha256", secret)
    .update([timestamp, nonce, method, path, body].join("\n"))
    .digest("hex");
  return { "x-key": vendorKey, "x-timestamp": timestamp, "x-nonce": nonce, "x-signature": signature };
};

/** Checks signatures as a vendor does. Returns the reason for a refusal, or undefined. */
function makeSignatureCheck() {
  const seen = new Set<string>();
  return ({ method = "", url = "", headers }: IncomingMessage, body: string): string | undefined => {
    const { "x-key": key, "x-timestamp": timestamp, "x-nonce": nonce, "x-signature": signature } = headers;
    const text = [timestamp, nonce, method, url, body].join("\n");
    if (signature === undefined) return "unsigned";
    if (key !== vendorKey) return "unknown key";
    if (signature !== createHmac("sha256", vendorSecret).update(text).digest("hex")) return "wrong signature";
    if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return "stale";
    if (seen.has(String(nonce))) return "replayed";
    seen.add(String(nonce));
    return undefined;
  };
}

const account = accountForFile();
const vendor = frontForFile(account);
let adapter: Adapter;
let env: Record<string, string>;
let agent: Agent;
let signed: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
/** Each output of Hostform and of the adapters. */
const outputs: string[] = [];
const checkSignature = makeSignatureCheck();

/** The vendor: a check of the signature in front of the embedded service. */
const refuseUnsigned: Interfere = (asked, response, _pass, body) => {
  const refusal = checkSignature(asked, body);
  if (refusal !== undefined) {
    return answerJson(response, 401, { message: refusal });
  }
  signed.push({ method: asked.method ?? "", url: asked.url ?? "", headers: { ...asked.headers }, body });
  asked.headers.authorization = `Bearer ${account.env["HOSTFORM_API_KEY"]}`;
  return false;
};

const send = async (
  url: string,
  { method = "GET", headers = {}, body = null }: { method?: string; headers?: object; body?: string | null } = {},
) => {
  const answer = await request(url, {
    method: method as "GET",
    dispatcher: agent,
    headers: headers as Record<string, string>,
    body,
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

interface Asked {
  readonly key: string;
  readonly manifest: string;
  readonly run: (asked: Pick<Account, "flags" | "env">, args: readonly string[]) => Promise<Ran>;
}

/** In this process, which stands in another folder than the certificate that the flags name. */
const runHere: Asked["run"] = ({ flags, env }, args) => {
  const absolute = flags.map((flag) => (flag.endsWith(".pem") ? join(account.folder, flag) : flag));
  return runInProcess({ flags: absolute, env }, args);
};

/** By the built program. */
const runBuilt: Asked["run"] = ({ flags, env }, args) => runHostform([...args, ...flags], { env, cwd: account.folder });

const hostform = async (
  args: readonly string[],
  { key = ownKey, manifest = "site.yaml", run = runHere }: Partial<Asked> = {},
) => {
  const file = join(account.folder, "adapter", manifest);
  const env = { HOSTFORM_API_KEY: key, MAILBOX_PASSWORD: password };
  const ran = await run({ flags: adapter.flags, env }, [...args, "-f", file, "--json"]);
  outputs.push(ran.stdout, ran.stderr);
  return ran;
};

beforeAll(async () => {
  cpSync(join(examples, "adapter"), join(account.folder, "adapter"), { recursive: true });
  env = {
    HOSTFORM_API_KEY: ownKey,
    VENDOR_URL: new URL(vendor.baseUrl).origin,
    VENDOR_KEY: vendorKey,
    VENDOR_SECRET: vendorSecret,
    ADAPTER_PORT: "0",
    NODE_EXTRA_CA_CERTS: join(account.folder, "front.pem"),
  };
  adapter = await startAdapter("adapter.mjs", account.folder, env);
  const trusted = ["front.pem", ".adapter/cert.pem"].map((file) => readFileSync(join(account.folder, file), "utf8"));
  agent = new Agent({ connect: { ca: trusted } });
});

beforeEach(() => {
  vendor.interfere(refuseUnsigned);
  signed = [];
});

afterAll(async () => {
  await endAdapter(adapter);
  await agent.close();
});

test("a plan, its apply and the plan after it pass through the adapter, each request with a signature of its own", async () => {
  exits(2, await hostform(["plan", "--detailed-exitcode", "--debug"], { run: runBuilt }));

  exits(0, await hostform(["apply", "--auto-approve", "--debug"]));

  const again = exits(0, await hostform(["plan", "--detailed-exitcode", "--debug"]));
  expect(eventsOf(again).filter(({ type }) => type === "planned")).toEqual([]);

  expect(signed.length).toBeGreaterThan(10);
  expect(new Set(signed.map(({ headers }) => headers["x-signature"])).size).toBe(signed.length);
  expect(signed.some(({ method, headers }) => method === "POST" && headers["idempotency-key"] !== undefined)).toBe(
    true,
  );
  expect(JSON.stringify(signed.map(({ headers }) => headers))).not.toContain(ownKey);
});

test("a key that is not the adapter's own is refused before anything reaches the vendor", async () => {
  for (const key of [wrongKey, `${ownKey}x`, ownKey.slice(0, -1)]) {
    exits(4, await hostform(["plan"], { key }));
  }
  expect((await send(`${adapter.baseUrl}/v2026/services`)).status).toBe(401);
  expect((await send(`${adapter.baseUrl}/v2026/services`, { headers: { authorization: ownKey } })).status).toBe(401);
  expect(signed).toEqual([]);
});

test("the vendor of this test refuses unsigned, wrongly signed and replayed requests", async () => {
  const path = "/v2026/services";
  const ask = async (headers: object, from = path) =>
    (await send(vendor.baseUrl.slice(0, -1) + from, { headers })).text;
  expect(await ask({})).toContain("unsigned");
  expect(await ask(sign("GET", path, "", "n1", "another secret"))).toContain("wrong signature");
  expect(await ask(sign("POST", path, "", "n2"))).toContain("wrong signature");
  expect(await ask(sign("GET", path, "", "n3"), `${path}?page=2`)).toContain("wrong signature");
  const once = sign("GET", path, "", "n4");
  expect(await ask(once)).toContain("data");
  expect(await ask(once)).toContain("replayed");
});

test("method, query, body and status pass unchanged, and so do the headers of the answer that matter, with links to the adapter", async () => {
  vendor.interfere((asked, response, _pass, body) => {
    expect(checkSignature(asked, body)).toBeUndefined();
    const text = `${asked.method} ${asked.url} ${body}`;
    const headers = { location: `${new URL(vendor.baseUrl).origin}/jobs/1`, "retry-after": "1", "x-server": "secret" };
    response.writeHead(202, headers).end(text);
    return true;
  });
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    const body = method === "GET" ? null : '{"name":"Köln 日本"}';
    const answer = await send(`${adapter.baseUrl}/a%2Fb?q=%C3%A9&x=1+2`, { method, body, headers: bearer(ownKey) });
    expect(answer).toMatchObject({ status: 202, text: `${method} /a%2Fb?q=%C3%A9&x=1+2 ${body ?? ""}` });
    expect(answer.headers).toMatchObject({ location: "/jobs/1", "retry-after": "1" });
    expect(answer.headers).not.toHaveProperty("x-server");
  }
});

test("a redirect of the vendor is not followed", async () => {
  let requests = 0;
  vendor.interfere((_asked, response) => {
    requests += 1;
    response.writeHead(307, { location: "/elsewhere" }).end();
    return true;
  });
  expect((await send(`${adapter.baseUrl}/v2026/services`, { headers: bearer(ownKey) })).status).toBe(307);
  expect(requests).toBe(1);
});

test("a body that is too large is refused: from Hostform before it is sent, from the vendor before it is read", async () => {
  const body = "x".repeat(2 ** 20 + 1);
  const refused = await send(`${adapter.baseUrl}/v2026/services`, { method: "POST", body, headers: bearer(ownKey) });
  expect(refused.status).toBe(413);
  expect(signed).toEqual([]);

  vendor.interfere((_asked, response) => {
    response.writeHead(200).end(Buffer.alloc(17 * 2 ** 20, "x"));
    return true;
  });
  const cut = await send(`${adapter.baseUrl}/v2026/services`, { headers: bearer(ownKey) });
  expect(cut).toMatchObject({ status: 502, text: expect.stringContaining("UND_ERR_RES_EXCEEDED_MAX_SIZE") as string });
});

test("a vendor that breaks off its answer is a 502, and the adapter serves on", async () => {
  vendor.interfere((_asked, response) => {
    response.destroy();
    return true;
  });
  expect((await send(`${adapter.baseUrl}/v2026/services`, { headers: bearer(ownKey) })).status).toBe(502);
  vendor.interfere(refuseUnsigned);
  expect((await send(`${adapter.baseUrl}/v2026/services`, { headers: bearer(ownKey) })).status).toBe(200);
});

test.runIf(size.whole)(
  "creations whose answers are lost between the vendor and the adapter are made once",
  async () => {
    const manifest = "other.yaml";
    const site = readFileSync(join(examples, "adapter", "site.yaml"), "utf8");
    const other = site.replaceAll("florist.example", "baker.example").replace("name: example", "name: other");
    account.write(join("adapter", manifest), other);
    const lost = new Set<string>();
    vendor.interfere(async (asked, response, pass, body) => {
      if (await refuseUnsigned(asked, response, pass, body)) return true;
      if (asked.method !== "POST" || lost.has(body)) return false;
      lost.add(body);
      await pass();
      response.destroy();
      return true;
    });
    const countCommitted = async () =>
      (await account.operations()).filter(({ method, committed }) => method === "POST" && committed).length;
    const before = await countCommitted();
    exits(0, await hostform(["apply", "--auto-approve"], { manifest }));
    expect(lost.size).toBeGreaterThan(5);
    exits(0, await hostform(["plan", "--detailed-exitcode"], { manifest }));
    expect(await countCommitted()).toBe(before + lost.size);
  },
);

test("the adapter listens on 127.0.0.1 only, and keeps the key of its certificate to its owner, out of git", async () => {
  const port = Number(new URL(adapter.baseUrl).port);
  const reached = await new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.2" }, () => resolve(true)).on("error", () => resolve(false));
    socket.on("close", () => resolve(false)).setTimeout(5_000, () => socket.destroy());
  });
  expect(reached).toBe(false);
  const folder = join(account.folder, ".adapter");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, "key.pem")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, ".gitignore"), "utf8")).toBe("*\n");
});

test("a second start uses the same certificate", async () => {
  const cert = readFileSync(join(account.folder, ".adapter", "cert.pem"), "utf8");
  const second = await startAdapter("adapter.mjs", account.folder, env);
  outputs.push(second.output());
  await endAdapter(second);
  expect(second.flags).toHaveLength(4);
  expect(readFileSync(join(account.folder, ".adapter", "cert.pem"), "utf8")).toBe(cert);
});

const mistakes: [string, Record<string, string>, RegExp][] = [
  ["an environment variable that is not set", { VENDOR_SECRET: "", VENDOR_KEY: "" }, /VENDOR_KEY, VENDOR_SECRET/u],
  ["a short key of its own", { HOSTFORM_API_KEY: "short" }, /HOSTFORM_API_KEY is too short/u],
  ["a vendor that is not reached by https", { VENDOR_URL: "http://vendor.example" }, /VENDOR_URL must be https/u],
  ["a vendor's URL with a path", { VENDOR_URL: "https://vendor.example/v1" }, /VENDOR_URL must be https/u],
  ["a vendor's URL with a password", { VENDOR_URL: "https://u:p@vendor.example" }, /VENDOR_URL must be https/u],
  ["a port that is none", { ADAPTER_PORT: "many" }, /port/iu],
  ["no openssl", { ADAPTER_FOLDER: "fresh", PATH: "/nowhere" }, /openssl/u],
];

test.each(size.every(9, mistakes))("%s stops the adapter with one line", async (_name, mistake, expected) => {
  const stopped = await startAdapter("adapter.mjs", account.folder, { ...env, ...mistake });
  await endAdapter(stopped);
  outputs.push(stopped.output());
  expect(stopped.child.exitCode).toBe(1);
  expect(stopped.output()).toMatch(expected);
  expect(stopped.output().trimEnd()).not.toContain("\n");
});

test("no output of Hostform or of the adapter shows the vendor's key or secret, or a key of the adapter", () => {
  const all = [adapter.output(), ...outputs].join("\n");
  expect(all).toContain("base-url");
  for (const secret of [vendorSecret, vendorKey, ownKey, wrongKey, password]) expect(all).not.toContain(secret);
});

test("the adapter that signs stays under 100 lines with the half that all adapters share, its imports and comments aside", () => {
  const lines = ["adapter.mjs", "server.mjs"].flatMap((file) =>
    readFileSync(join(examples, "adapter", file), "utf8").split("\n"),
  );
  const code = lines.filter((line) => !/^(?:import .*|\s*\/[/*].*|\s*\*.*|\s*)$/u.test(line));
  expect(code.length).toBeLessThan(100);
});
