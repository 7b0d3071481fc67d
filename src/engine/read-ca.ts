import { X509Certificate } from "node:crypto";
import { readText } from "../lib/read-file.ts";
import { InputError } from "./input-error.ts";

const mostBytes = 1024 * 1024;

/** The certificates of a CA file, as PEM; undefined without one. Throws an InputError where it cannot be read, or is none. `variable`: what names it. */
export function readCa(path: string | undefined, variable?: string): string | undefined {
  if (path === undefined) return undefined;
  const pem = readPem(path, variable);
  checkCertificates(path, pem);
  return pem;
}

function readPem(path: string, variable: string | undefined): string {
  try {
    return readText(path, mostBytes);
  } catch (error) {
    throw new InputError({ type: "unreadable", file: "ca", path, reason: (error as Error).message, variable });
  }
}

/** Throws an InputError for a text that would make the system trust nothing, and report nothing. */
function checkCertificates(path: string, pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu) ?? [];
  if (blocks.length === 0) throw new InputError({ type: "bad_ca_file", path });
  const wrong = blocks.findIndex((block) => !isCertificate(block));
  if (wrong >= 0) throw new InputError({ type: "bad_ca_file", path, block: wrong + 1 });
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== "";
  } catch {
    return false;
  }
}
