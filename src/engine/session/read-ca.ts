import { X509Certificate } from "node:crypto";
import { readText } from "../../lib/read-file.ts";
import { placeText, type Setting } from "./choose-setting.ts";
import type { Host } from "./host.ts";
import { InputError } from "./input-error.ts";

const mostBytes = 1024 * 1024;

/** The certificates of a CA file, as PEM; undefined without one. Throws an InputError where it cannot be read, or is none. */
export function readCa(file: Setting | undefined): string | undefined {
  if (file === undefined) return undefined;
  const pem = readPem(file);
  checkCertificates(file.value, pem);
  return pem;
}

function readPem(file: Setting): string {
  try {
    return readText(file.value, mostBytes);
  } catch (error) {
    const where = placeText(file);
    throw new InputError({ type: "unreadable", file: "ca", path: file.value, reason: (error as Error).message, where });
  }
}

/** Returns the certificates of a CA file together with those of NODE_EXTRA_CA_CERTS, which Node leaves out once others are added to its own. */
export function withExtraCa(ca: string | undefined, { NODE_EXTRA_CA_CERTS: extra }: Host["env"]): string | undefined {
  if (ca === undefined || extra === undefined) return ca;
  try {
    return `${ca}\n${readText(extra, mostBytes)}`;
  } catch {
    // Node warns of it.
    return ca;
  }
}

/** Throws an InputError for a text that would make the system trust nothing, and report nothing. */
function checkCertificates(path: string, pem: string): void {
  const blocks = certificatesIn(pem);
  if (blocks.length === 0) throw new InputError({ type: "bad_ca_file", path });
  const wrong = blocks.findIndex((block) => !isCertificate(block));
  if (wrong >= 0) throw new InputError({ type: "bad_ca_file", path, block: wrong + 1 });
}

/** Returns the blocks of a PEM text. */
export const certificatesIn = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu) ?? [];

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== "";
  } catch {
    return false;
  }
}
