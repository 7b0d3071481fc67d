import { connect as connectTcp } from "node:net";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import { apiForFile, serviceBody, type Api } from "./open-api.ts";

const openApi = apiForFile();

const mebibyte = 1024 * 1024;

/** Sends bytes over TLS and returns all that comes back until the connection ends. */
function raw({ emulator }: Api, write: (send: (bytes: string) => void, leave: () => void) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(emulator.baseUrl);
    const socket = connect({ host: hostname, port: Number(port), ca: emulator.caPem }, () =>
      write(
        (bytes) => socket.write(bytes),
        () => socket.end(),
      ),
    );
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString("latin1")));
    socket.on("close", () => resolve(text)).on("error", (error) => (text === "" ? reject(error) : resolve(text)));
  });
}

const head = ({ emulator }: Api, request: string, ...headers: string[]): string =>
  [request, "Host: x", `Authorization: Bearer ${emulator.key ?? ""}`, ...headers, "", ""].join("\r\n");

test.each([
  ["nothing", ""],
  ["half an object", '{"name":'],
  ["two objects", "{}{}"],
  ["a comment", '{"name": "a.test" /* b */}'],
  ["a byte order mark", '\ufeff{"name":"a.test"}'],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ["brackets without end", "[".repeat(500_000)],
])("a body of %s is malformed, and not repeated", async (_, body) => {
  const { call } = await openApi();
  const answer = await call("POST", "/v2026/dns/zones", body);
  expect(answer.status).toBe(400);
  expect(answer.body["code"]).toBe("malformed_request");
  expect(answer.text.length).toBeLessThan(300);
});

test.each(["[]", "null", '"text"', "17", "true"])("the body %s is JSON but no object", async (body) => {
  const { call } = await openApi();
  const answer = await call("POST", "/v2026/dns/zones", body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors)).toEqual(["body"]);
});

test.each([
  '{"name":"a.test","__proto__":{"ttl":60,"polluted":true}}',
  '{"name":"a.test","constructor":{"prototype":{"polluted":true}}}',
])("%s changes nothing but the zone", async (body) => {
  const { call } = await openApi();
  const { status, data } = await call("POST", "/v2026/dns/zones", body);
  expect(status).toBe(201);
  expect(data["ttl"]).toBe(3600);
  expect(data).not.toHaveProperty("polluted");
  expect({}).not.toHaveProperty("polluted");
});

test("prototype names inside a known object are dropped", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("a.test"));
  const body = '{"hosting":{"id_service_type":"X"},"settings":{"__proto__":{"php_version":"1.0"},"toString":"x"}}';
  const { data } = await call("PUT", `/v2026/services/${id}`, body);
  expect(data["settings"]).toEqual({ php_version: "8.3", https_redirect: true, backups: true });
});

test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
  "%s is refused as an identifier, a kind, a switch and a query",
  async (name) => {
    const { call } = await openApi();
    expect((await call("GET", `/v2026/services/${name}`)).status).toBe(404);
    expect((await call("GET", `/_emulator/${name}`)).status).toBe(404);
    expect((await call("GET", `/v2026/${name}`)).status).toBe(404);
    expect((await call("GET", `/v2026/services?${name}=1`)).status).toBe(200);
    expect((await call("POST", "/_emulator/transitions", { kind: name, id: "x" })).status).toBe(422);
    expect((await call("POST", "/_emulator/seed", `{"${name}":[{}]}`)).status).toBe(422);
  },
);

test.each([
  ["/v2026/services/%zz", 400],
  ["/v2026/services/%", 400],
  ["/v2026/services/%c0%af", 400],
  ["/v2026/services/%00", 404],
  ["/v2026/services/..%2f..%2fetc", 404],
  ["/v2026/services/%27%20OR%201=1", 404],
  ["/v2026/mail/settings/%2e%2e", 404],
  ["/v2026/services?page=%zz", 422],
  ["/v2026/services?page[]=1&page[$gt]=", 200],
  [`/v2026/services/${"a".repeat(8000)}`, 404],
])("the path %s is answered with %d", async (path, status) => {
  const { call } = await openApi();
  expect((await call("GET", path)).status).toBe(status);
});

test.each([
  ["text/plain", 415],
  ["application/x-www-form-urlencoded", 415],
  ["application/jsonp", 415],
  ["application/json; charset=latin1", 415],
  ["", 415],
  ["application/json; charset=UTF-8", 201],
  ["APPLICATION/JSON", 201],
])("the content type %j is answered with %d", async (type, status) => {
  const { call } = await openApi();
  const answer = await call("POST", "/v2026/dns/zones", '{"name":"a.test"}', { "content-type": type });
  expect(answer.status).toBe(status);
});

test("a body of just 1 MiB is read, one byte more is not", async () => {
  const { call } = await openApi();
  const body = (length: number): string =>
    `{"name":"a.test","x":"${"y".repeat(length - '{"name":"a.test","x":""}'.length)}"}`;
  const tooLarge = await call("POST", "/v2026/dns/zones", body(mebibyte + 1));
  expect(tooLarge.status).toBe(413);
  expect(tooLarge.body["code"]).toBe("body_too_large");
  expect((await call("POST", "/v2026/dns/zones", body(mebibyte))).status).toBe(201);
});

test("a chunked body is cut off at the limit, however much more is to come", async () => {
  const api = await openApi();
  const chunk = `${(64 * 1024).toString(16)}\r\n${" ".repeat(64 * 1024)}\r\n`;
  const text = await raw(api, (send) => {
    send(head(api, "POST /v2026/dns/zones HTTP/1.1", "Content-Type: application/json", "Transfer-Encoding: chunked"));
    for (let sent = 0; sent < 20; sent += 1) send(chunk);
  });
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(text).toContain('"code":"body_too_large"');
});

test("a body that is announced as too large is refused before it is sent", async () => {
  const api = await openApi();
  const text = await raw(api, (send) =>
    send(
      head(api, "POST /v2026/dns/zones HTTP/1.1", "Content-Type: application/json", `Content-Length: ${50 * mebibyte}`),
    ),
  );
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
});

test("a client that goes away in mid-body changes nothing and harms no one", async () => {
  const api = await openApi();
  const text = await raw(api, (send, leave) => {
    send(head(api, "POST /v2026/dns/zones HTTP/1.1", "Content-Type: application/json", "Content-Length: 100"));
    send('{"name":"a.test"');
    leave();
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect((await api.call("GET", "/v2026/dns/zones")).items).toEqual([]);
});

test.each(["NONSENSE\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "\u0000\u0001\r\n"])(
  "the bytes %j, which are not a request, are refused in JSON",
  async (bytes) => {
    const text = await raw(await openApi(), (send) => send(bytes));
    const [headers = "", body = ""] = text.split("\r\n\r\n");
    expect(headers).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(headers).toContain("Content-Type: application/json");
    expect(headers).toMatch(/X-Request-Id: req_[0-9a-z]{16}/);
    expect(JSON.parse(body)).toMatchObject({ code: "malformed_request" });
  },
);

test("line breaks in what is sent never become headers", async () => {
  const api = await openApi();
  const { text, headers, status } = await api.call("GET", "/v2026/services/a%0d%0aSet-Cookie:%20x=1");
  expect(status).toBe(404);
  expect(headers["set-cookie"]).toBeUndefined();
  expect(text).toContain("\\r\\n");
  const answer = await api.call("POST", "/v2026/dns/zones", { name: "a.test\r\nX-Evil: 1" });
  expect([answer.status, answer.headers["x-evil"]]).toEqual([422, undefined]);
});

test("SQL in a value stays a value", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("a.test"));
  const name = "x'); DROP TABLE objects; --";
  await make("/v2026/crons", { service_id: id, name, schedule: "0 3 * * *", command: "true" });
  expect((await call("GET", "/v2026/crons")).items).toMatchObject([{ name }]);
});

test("plain HTTP gets the answer that this port speaks HTTPS", async () => {
  const { emulator, call } = await openApi();
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connectTcp({ host: "127.0.0.1", port: Number(new URL(emulator.baseUrl).port) }, () =>
      socket.write("GET /v2026/services HTTP/1.1\r\nHost: x\r\n\r\n"),
    );
    let received = "";
    socket.on("data", (bytes: Buffer) => (received += bytes.toString()));
    socket.on("close", () => resolve(received)).on("error", reject);
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 [^]*HTTPS only\.\n$/);
  expect((await call("GET", "/v2026/services")).status).toBe(200);
});

test("a body is malformed from 65 levels on, whatever it is nested in, and judged by its fields up to 64", async () => {
  const { call } = await openApi();
  const nest = (levels: number, isList: (level: number) => boolean): string => {
    let body = "1";
    for (let level = levels; level > 1; level -= 1) body = isList(level) ? `[${body}]` : `{"a":${body}}`;
    return `{"name":${body}}`;
  };
  for (const [levels, status] of [
    [2, 422],
    [63, 422],
    [64, 422],
    [65, 400],
    [66, 400],
    [20_000, 400],
  ] as const)
    for (const isList of [() => true, () => false, (level: number) => level % 2 === 0]) {
      const answer = await call("POST", "/v2026/dns/zones", nest(levels, isList));
      expect(answer.status, `${levels} levels`).toBe(status);
      if (status === 400) expect(answer.text).toContain("more than 64 levels");
    }
  // Brackets within a text are no levels.
  expect((await call("POST", "/v2026/dns/zones", `{"name":"${"[{".repeat(100)}"}`)).status).toBe(422);
});
