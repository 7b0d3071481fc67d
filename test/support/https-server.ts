import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator } from "../../src/emulator/index.ts";

export interface HttpsServer {
  readonly baseUrl: URL;
  readonly ca: string;
  readonly close: () => Promise<void>;
}

/** An HTTPS server that answers as a test wants, with a certificate such as the embedded service makes for itself. */
export async function startHttpsServer(listener: RequestListener): Promise<HttpsServer> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-tls-"));
  const dataFile = join(folder, "x.db");
  const emulator = await startEmulator(
    { dataFile, key: "unused-unused-unused" },
    { now: Date.now, random: randomBytes },
  );
  await emulator.close();
  const server = createServer(
    { cert: readFileSync(`${dataFile}.cert.pem`), key: readFileSync(`${dataFile}.key.pem`) },
    listener,
  );
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    baseUrl: new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ca: emulator.caPem,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          rmSync(folder, { recursive: true });
          resolve();
        });
      }),
  };
}
