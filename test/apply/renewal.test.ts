import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server with one domain whose renewals go wrong in a way that each test says: what a registrar's API does on a bad day. */
let server: HttpsServer;
let folder: string;
let expiresAt: string;
let renewals: number;
let renew: (response: ServerResponse) => void;
let onRead: () => void;

const soon = () => new Date(Date.now() + 5 * 86_400_000).toISOString();
const later = () => new Date(Date.now() + 370 * 86_400_000).toISOString();
const answer = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hostform-renewal-"));
  server = await startHttpsServer((request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET") onRead();
    const domain = { id: "d1", name: "example.com", service_id: null, status: "active", expires_at: expiresAt };
    if (request.method === "POST") {
      renewals += 1;
      renew(response);
    } else if (request.url?.startsWith("/v2026/domains/d1")) answer(response, 200, { data: domain });
    else if (request.url?.startsWith("/v2026/domains")) answer(response, 200, { data: [domain], meta: { total: 1 } });
    else answer(response, 200, { data: [], meta: { total: 0 } });
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
  writeFileSync(join(folder, "m.yaml"), "version: 1\nname: renewal\ndomains: { example.com: { renew_before: 30d } }\n");
});
beforeEach(() => {
  expiresAt = soon();
  renewals = 0;
  onRead = () => undefined;
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const apply = () =>
  runInProcess(
    { flags: ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem")], env: { HOSTFORM_API_KEY: "k" } },
    [
      "apply",
      "-f",
      join(folder, "m.yaml"),
      "--auto-approve",
      "--settle",
      "0",
      "--allow-purchase",
      "domain/example.com",
    ],
    {},
    virtualClock(),
  );

describe("a renewal whose answer is lost", () => {
  test("is not sent again, and is known to be done by its new expiry", async () => {
    renew = (response) => {
      expiresAt = later();
      response.socket?.destroy();
    };
    const { status, stdout } = await apply();
    expect(stdout).toContain("renewed  domain/example.com");
    expect(renewals).toBe(1);
    expect(status).toBe(0);
  });

  test("is read again where reads lag behind", async () => {
    let reads = 0;
    renew = (response) => {
      onRead = () => {
        reads += 1;
        if (reads === 4) expiresAt = later();
      };
      response.socket?.destroy();
    };
    const { status, stdout } = await apply();
    expect(stdout).toContain("renewed  domain/example.com");
    expect(renewals).toBe(1);
    expect(status).toBe(0);
  });

  test("and was not done is said so, and is still not sent again", async () => {
    renew = (response) => response.socket?.destroy();
    const { status, stdout } = await apply();
    expect(stdout).toContain("expires_at is unchanged");
    expect(renewals).toBe(1);
    expect(status).toBe(5);
  });
});

test("a renewal that the server refuses is told in its words", async () => {
  renew = (response) => answer(response, 422, { message: "no money left", code: "quota_exceeded" });
  const { status, stdout } = await apply();
  expect(stdout).toContain("422 quota_exceeded: no money left");
  expect(renewals).toBe(1);
  expect(status).toBe(5);
});
