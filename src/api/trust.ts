import { createSecureContext, type SecureContext } from "node:tls";

/**
 * Returns what a connection trusts: the authorities that Node trusts by itself, and those of a PEM text. As `ca`, the latter would replace
 * the former, and to name all of them takes 70 ms.
 */
export function trust(ca: string | undefined): SecureContext {
  const secureContext = createSecureContext();
  if (ca !== undefined) (secureContext.context as { addCACert: (pem: string) => void }).addCACert(ca);
  return secureContext;
}
