import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { describe, expect, test } from "vitest";
import { connect } from "../../src/api/connection.ts";
import { networkFailure } from "../../src/api/network-failure.ts";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import type { Failure } from "../../src/model/failure.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const year = 365 * 86_400_000;
const identity = (hosts: string[], now = Date.now()) => makeServerIdentity(hosts, now, randomBytes);

/** What a POST to the URL fails with. */
async function failureOf(baseUrl: URL, ca: string | undefined): Promise<Failure> {
  const { now, sleep } = virtualClock();
  const deps = { now, sleep, random: () => 0 };
  const connection = connect({ baseUrl, ca, key: "k", rules: builtIn, parallelism: 1, attemptTimeout: 30_000, deps });
  const result = await connection.send({ method: "POST", path: "/x", body: {} });
  await connection.close();
  if (result.ok) throw new Error("Expected a failure");
  return result.error;
}

describe("a certificate that is not accepted", () => {
  test.each([
    [
      "of another authority",
      identity(["127.0.0.1"]),
      identity(["127.0.0.1"]).ca,
      /not signed by a trusted certificate authority/u,
    ],
    ["for another host", identity(["api.test"]), undefined, /it is for another host .*127\.0\.0\.1/u],
    ["that has expired", identity(["127.0.0.1"], Date.now() - 2 * year), undefined, /it has expired/u],
    [
      "that is not valid yet",
      identity(["127.0.0.1"], Date.now() + year),
      undefined,
      /not valid yet; is this machine's clock/u,
    ],
  ])("%s", async (_name, served, ca, words) => {
    const server = await startHttpsServer((_request, response) => response.end("{}"), served);
    const failure = await failureOf(server.baseUrl, ca ?? served.ca);
    await server.close();
    expect(failure).toMatchObject({ sort: "untrusted", attempts: 1, message: expect.stringMatching(words) });
    expect(failure.message).toContain(server.baseUrl.host);
  });
});

describe("a server that is not there as expected", () => {
  test("speaks plain HTTP", async () => {
    const server = createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(new URL(`https://127.0.0.1:${port}`), undefined);
    server.close();
    expect(failure).toMatchObject({ sort: "unreachable", attempts: 1 });
    expect(failure.message).toBe(`127.0.0.1:${port} does not speak TLS: is plain HTTP behind it?`);
  });

  test("does not listen", async () => {
    // A port that was free a moment ago may be another's by now; this one is given to nobody who does not ask for it.
    const failure = await failureOf(new URL("https://127.0.0.1:1"), undefined);
    expect(failure).toMatchObject({ sort: "unreachable", code: "ECONNREFUSED", attempts: 6 });
    expect(failure.message).toBe("127.0.0.1:1 cannot be reached: the connection was refused");
  });

  test("hangs up before TLS: the POST was surely not sent", async () => {
    const server = createTcpServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const failure = await failureOf(new URL(`https://127.0.0.1:${port}`), undefined);
    server.close();
    expect(failure).toMatchObject({ sort: "unreachable", attempts: 6 });
  });
});

describe("an attempt that failed", () => {
  const asked = { method: "POST", path: "/x", attempts: 1 };
  const told = (error: unknown, method = "POST", begun = {}) =>
    networkFailure(error, { ...asked, method, ...begun }, "api.test", 30_000);
  const withCode = (code: string) => Object.assign(new Error("words"), { code });

  test("at a name that does not resolve is not repeated", () => {
    expect(told(withCode("ENOTFOUND"))).toMatchObject({ sort: "unreachable", lasting: true });
    expect(told(withCode("EAI_AGAIN"))).not.toHaveProperty("lasting");
  });

  test.each(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_BODY_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", ""])(
    "with %s may have been carried out, unless it only read",
    (code) => {
      expect(told(withCode(code))).toMatchObject({ sort: "unknown_outcome" });
      expect(told(withCode(code), "GET")).toMatchObject({ sort: "unreachable" });
    },
  );

  test("may have been carried out once it was on its way, whatever breaks then, unless it only read", () => {
    const codes = ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EPROTO", "ERR_SSL_WRONG_VERSION_NUMBER"];
    for (const code of [...codes, "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "CERT_HAS_EXPIRED"]) {
      expect(told(withCode(code), "PUT", { isSent: true }).sort, code).toBe("unknown_outcome");
      expect(told(withCode(code), "GET", { isSent: true }).sort, code).toBe(told(withCode(code), "GET").sort);
    }
  });

  test("after the answer had begun does not make the server unreachable, but what was written is unknown", () => {
    const begun = { status: 200, requestId: "r1" };
    expect(told(withCode("UND_ERR_SOCKET"), "GET", begun)).toMatchObject({
      ...begun,
      sort: "server_error",
      message: "the answer broke off: words",
    });
    expect(told(withCode("UND_ERR_SOCKET"), "POST", begun)).toMatchObject({ ...begun, sort: "unknown_outcome" });
  });

  test.each(["UND_ERR_BODY_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"])("with %s came too late, as any other", (code) => {
    expect(told(withCode(code)).message).toBe("no whole answer within 30 s");
  });

  test("in time says how long that is, without a number for a code", () => {
    const failure = told(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
    expect(failure).toMatchObject({ sort: "unknown_outcome", message: "no whole answer within 30 s" });
    expect(failure).not.toHaveProperty("code");
  });
});
