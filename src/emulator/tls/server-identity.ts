import { X509Certificate, createPrivateKey } from "node:crypto";
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { readText } from "../../lib/read-file.ts";
import { writeFile } from "../../lib/write-file.ts";
import { makeServerIdentity, type ServerIdentity } from "./certificate.ts";

const maxBytes = 1024 * 1024;

/**
 * The certificate kept beside a data file as `FILE.ca.pem`, `FILE.cert.pem` and `FILE.key.pem` (mode 0600). It covers
 * localhost, 127.0.0.1, ::1 and the host; it is made anew when it is absent, unreadable, expired or does not cover the host.
 * Errors of writing the files are thrown as they are.
 */
export function keepServerIdentity(
  dataFile: string,
  host: string,
  { now, random }: { now: number; random: (bytes: number) => Uint8Array },
) {
  const files = { ca: `${dataFile}.ca.pem`, cert: `${dataFile}.cert.pem`, key: `${dataFile}.key.pem` };
  const kept = readIdentity(files);
  if (kept !== undefined && isUsable(kept, host, now)) return { ...kept, caFile: files.ca };
  const made = makeServerIdentity([...new Set(["localhost", "127.0.0.1", "::1", host])], now, random);
  writeFile(files.key, made.key, 0o600);
  writeFile(files.cert, made.cert, 0o644);
  writeFile(files.ca, made.ca, 0o644);
  return { ...made, caFile: files.ca };
}

function readIdentity(files: Record<keyof ServerIdentity, string>): ServerIdentity | undefined {
  if (!Object.values(files).every((file) => existsSync(file))) return undefined;
  return {
    ca: readText(files.ca, maxBytes),
    cert: readText(files.cert, maxBytes),
    key: readText(files.key, maxBytes),
  };
}

function isUsable({ ca, cert, key }: ServerIdentity, host: string, now: number): boolean {
  try {
    const authority = new X509Certificate(ca);
    const server = new X509Certificate(cert);
    const covered = isIP(host) ? server.checkIP(host) : server.checkHost(host);
    const valid = [authority, server].every(
      ({ validFrom, validTo }) => Date.parse(validFrom) <= now && now < Date.parse(validTo),
    );
    return (
      valid &&
      covered !== undefined &&
      server.verify(authority.publicKey) &&
      server.checkPrivateKey(createPrivateKey(key))
    );
  } catch (error) {
    // Files that do not parse are replaced like expired ones; anything else is a bug to be seen.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
