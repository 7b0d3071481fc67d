import { createSecureContext } from "node:tls";
import Pool from "undici/lib/dispatcher/pool.js";

/**
 * Opens connections to an origin. They trust the authorities that Node trusts by itself, and those of a PEM text: as `ca`, the latter would
 * replace the former, and to name all of them takes 70 ms.
 * @param timeout milliseconds for each part of an answer.
 */
export function openPool(origin: string, connections: number, timeout: number, ca?: string): Pool {
  // Reading the authorities takes milliseconds: once, not for each connection.
  const secureContext = createSecureContext();
  if (ca !== undefined) (secureContext.context as { addCACert: (pem: string) => void }).addCACert(ca);
  return new Pool(origin, {
    connections,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    // Verification is said aloud, since NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the default off.
    connect: { timeout: Math.min(timeout, 10_000), rejectUnauthorized: true, secureContext },
  });
}
