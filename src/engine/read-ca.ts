import { X509Certificate } from "node:crypto";
import { readText } from "../lib/read-file.ts";
import { inputError } from "./input-error.ts";

const mostBytes = 1024 * 1024;

/** The certificates of a CA file, as PEM; undefined without one. Throws an InputError where it cannot be read, or is none. */
export function readCa(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const pem = readPem(path);
  const wrong = findMistake(pem);
  if (wrong === undefined) return pem;
  throw inputError(
    "bad_ca_file",
    `The CA file ${path} holds ${wrong}`,
    "it is PEM: -----BEGIN CERTIFICATE-----, lines of base64, -----END CERTIFICATE-----; several may follow each other",
  );
}

function readPem(path: string): string {
  try {
    return readText(path, mostBytes);
  } catch (error) {
    throw inputError(
      "no_ca_file",
      `The CA file ${path} cannot be read: ${(error as Error).message}`,
      "check the path given with --ca-file",
    );
  }
}

/** What would make the system trust nothing, without a word. */
function findMistake(pem: string): string | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu) ?? [];
  if (blocks.length === 0) return "no certificate";
  const wrong = blocks.findIndex((block) => !isCertificate(block));
  return wrong < 0 ? undefined : `something else than a certificate in its block ${wrong + 1}`;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).fingerprint256 !== "";
  } catch {
    return false;
  }
}
