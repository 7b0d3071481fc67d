import { hash } from "node:crypto";

/** Names that some systems keep for devices, whatever ending follows. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/u;

/** File systems take 255 bytes. */
const longest = 200;

/**
 * Returns a file name for a domain name: the name itself, if it is safe on every file system. Whatever else stands in it is
 * percent-encoded, so that different names have different files.
 */
export function fileNameOf(domain: string): string {
  const encoded = domain === "" ? "%" : domain.replaceAll(/[^a-z0-9._-]|^[.-]/gu, encode);
  const safe = devices.test(encoded) ? encode(encoded.slice(0, 1)) + encoded.slice(1) : encoded;
  if (safe.length <= longest) return `${safe}.yaml`;
  const digest = hash("sha256", domain).slice(0, 16);
  return `${safe.slice(0, longest - 17)}%${digest}.yaml`;
}

const encode = (text: string) =>
  [...Buffer.from(text, "utf8")].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
