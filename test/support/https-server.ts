import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../src/emulator/index.ts";
import type { ServerIdentity } from "../../src/emulator/tls/certificate.ts";

export interface HttpsServer {
  readonly baseUrl: URL;
  readonly ca: string;
  readonly close: () => Promise<void>;
}

/** A certificate for 127.0.0.1 with its key and authority, as the embedded service makes them for itself. */
export async function makeCertificate(): Promise<{ cert: string; key: string; ca: string }> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-tls-"));
  try {
    const dataFile = join(folder, "x.db");
    const emulator = await startEmulator(
      { dataFile, key: "unused-unused-unused" },
      { now: Date.now, random: randomBytes },
    );
    await emulator.close();
    return {
      cert: readFileSync(`${dataFile}.cert.pem`, "utf8"),
      key: readFileSync(`${dataFile}.key.pem`, "utf8"),
      ca: emulator.caPem,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An HTTPS server that answers as a test wants; with a certificate for 127.0.0.1, unless it is given another. */
export async function startHttpsServer(listener: RequestListener, identity?: ServerIdentity): Promise<HttpsServer> {
  const { cert, key, ca } = identity ?? (await makeCertificate());
  const server = createServer({ cert, key }, listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    baseUrl: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ca,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Answers with JSON, or without a body. Returns true, as whoever stands in for a service does. */
export function answerJson(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): true {
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(body === undefined ? undefined : JSON.stringify(body));
  return true;
}
