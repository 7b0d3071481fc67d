import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import type { Address } from "../../src/model/address.ts";
import { lookAtHost } from "../../src/verify/certificates.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { missing, startNsd } from "./name-servers.ts";

const manifest = `
version: 1
name: a
services: { shop.example: {} }
certificates: { shop.example: [{ domains: [www.shop.example, "*.shop.example"] }] }
dns: { shop.example: { records: { www: { A: 127.0.0.1 } } } }
`;
const zone = "$TTL 300\n@ SOA ns h 7 1 1 1 1\n@ NS ns\nns A 127.0.0.1\nwww A 127.0.0.1\n";

/** The time at which hosts are looked at: TLS itself does not refuse a certificate for its dates here. */
const now = Date.UTC(2026, 5, 15);

/** Starts a server on loopback whose certificate is for a name, and was made some days ago for a year; returns its port. */
async function startTls(name: string, days: number): Promise<number> {
  const server = createServer(makeServerIdentity([name], now - days * 86_400_000, randomBytes), (socket) =>
    socket.end(),
  );
  return listen(server);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function verify(name: string, days: number, ...flags: string[]) {
  const folder = folderForTest();
  const server = await startNsd({ "shop.example": zone });
  onTestFinished(() => server.stop());
  const port = await startTls(name, days);
  writeFileSync(join(folder, "a.yaml"), manifest);
  const args = ["verify", "-f", join(folder, "a.yaml"), "--resolver", server.place, "--timeout", "0"];
  return runInProcess(noAccount, [...args, "--tls-port", String(port), ...flags], {}, { now: () => now });
}

test.skipIf(missing !== undefined).each([
  ["www.shop.example", 0, 0, "2 answers as declared"],
  ["*.shop.example", 0, 0, "2 answers as declared"],
  ["other.example", 0, 2, "answered: a certificate for DNS:other.example"],
  ["www.shop.example", -30, 2, "answered: a certificate that is valid from "],
  ["www.shop.example", 400, 2, "answered: a certificate that expired at "],
])(
  `a certificate for %s that is %i days old ends verify --tls with %i (${missing ?? "asked"})`,
  async (name, days, status, text) => {
    const ran = await verify(name, days, "--tls");
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ status });
    expect(ran.stdout).toContain(text);
    expect(ran.stdout).toContain("*.shop.example stands for any host");
  },
);

test.skipIf(missing !== undefined)(`without --tls no host is connected to (${missing ?? "asked"})`, async () => {
  const ran = await verify("other.example", 0);
  expect(ran).toMatchObject({ status: 0, stdout: "Verified: 1 answer as declared.\n" });
});

describe("a host", () => {
  const look = (ip: string, port: number) =>
    lookAtHost(
      { address: "certificate/a+b" as Address, host: "www.shop.example" },
      { ip, port, stop: new AbortController().signal, now: () => 0 },
    );

  // No connection to many hosts at once has a route, whatever the network.
  test.each(["224.0.0.1", "ff02::1"])("without a route (%s) is not known to have another certificate", async (ip) => {
    const found = await look(ip, 443);
    expect(found).toMatchObject({ is: "nobody", server: ip, answered: [expect.stringMatching(/\bE[A-Z]{6,}/u)] });
  });

  test("that says nothing is not, either", async () => {
    const port = await listen(createTcpServer());
    expect(await look("127.0.0.1", port)).toMatchObject({ is: "nobody", answered: ["no answer"] });
  });

  test("that closes the connection has none", async () => {
    const port = await listen(createTcpServer((socket) => socket.destroy()));
    expect(await look("127.0.0.1", port)).toMatchObject({ is: "differs" });
  });
});
