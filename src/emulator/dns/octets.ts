import { isIPv6 } from "node:net";

/** Whether octets are a substitution: delimiter, pattern, delimiter, replacement, delimiter, flags (RFC 3402 section 3.2). */
export function isSubstitution(octets: Buffer): boolean {
  const text = octets.toString("latin1");
  const delimiter = text[0] ?? "";
  if (/[0-9\\i]/.test(delimiter)) return false;
  const parts = [""];
  for (let at = 1; at < text.length; at += 1) {
    const char = text[at] ?? "";
    if (char === delimiter) parts.push("");
    else if (char === "\\") {
      if (at + 1 >= text.length) return false;
      parts.push(`${parts.pop()}${text.slice(at, at + 2)}`);
      at += 1;
    } else parts.push(`${parts.pop()}${char}`);
  }
  const [pattern = "", , flags = "x", ...more] = parts;
  return pattern !== "" && more.length === 0 && /^i*$/.test(flags);
}

const hostCharacters = /^(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

/** Whether octets are a URI: a scheme and something after it; an authority must be of RFC 3986 section 3.2. */
export function isUri(octets: Buffer): boolean {
  const text = octets.toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 1 || colon === text.length - 1 || !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(text.slice(0, colon))) return false;
  if (!text.startsWith("//", colon + 1)) return true;
  const [authority = ""] = text.slice(colon + 3).split(/[/?#]/, 1);
  const userEnd = authority.indexOf("@");
  const hostAndPort = authority.slice(userEnd + 1);
  if (hostAndPort.includes("@") || authority.slice(0, Math.max(userEnd, 0)).includes("[")) return false;
  const literal = hostAndPort.startsWith("[") ? hostAndPort.slice(1, hostAndPort.indexOf("]")) : undefined;
  const end = literal === undefined ? hostAndPort.indexOf(":") : literal.length + 2;
  const after = end < 0 ? "" : hostAndPort.slice(end);
  const isHost =
    literal === undefined
      ? hostCharacters.test(hostAndPort.slice(0, hostAndPort.length - after.length))
      : isIPv6(literal) && hostAndPort.includes("]");
  return isHost && /^(?::[0-9]*)?$/.test(after) && Number(after.slice(1)) <= 65_535;
}

/** The eight groups of an IPv6 address. */
export const groupsOf = (octets: Buffer | undefined): string | undefined =>
  octets && [0, 2, 4, 6, 8, 10, 12, 14].map((at) => octets.readUInt16BE(at).toString(16)).join(":");

/** Each octet that `special` finds, as `\DDD`. */
export const escapeAll = (octets: Buffer | undefined, special: RegExp): string | undefined =>
  octets
    ?.toString("latin1")
    .replaceAll(special, (char) => `\\${(char.codePointAt(0) ?? 0).toString().padStart(3, "0")}`);

/** Returns the eight groups of an IPv6 address, each of four digits. */
export function expandIpv6(address: string): string[] {
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [before, after] = [head, tail].map((text) => (text ? text.split(":") : [])) as [string[], string[]];
  const zeros = Array<string>(8 - before.length - after.length).fill("");
  return [...before, ...zeros, ...after].map((group) => group.padStart(4, "0"));
}
