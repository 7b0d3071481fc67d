const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** A part of a reverse zone, such as 0/25 (RFC 2317 section 4). */
const slashed = /^[0-9]{1,3}\/[0-9]{1,3}$/;

/** A host name lower-cased and with its final dot, or undefined when it is not one (RFC 1035, `_` and the names of RFC 2317 allowed). */
export function readHostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, "");
  // A last label of digits only makes it an address, not a name (RFC 3696 section 2).
  return name.length <= 253 &&
    !/(^|\.)\d+$/.test(name) &&
    !/\/[^.]*$/.test(name) &&
    name.split(".").every((part) => label.test(part) || slashed.test(part))
    ? `${name}.`
    : undefined;
}

/** The same, or the root. */
export const readHostNameOrRoot = (text: string): string | undefined => (text === "." ? "." : readHostName(text));

/** A mailbox as a name (RFC 1183 section 2.2): its first label may hold what a local part may, with dots escaped. */
export function readMailboxName(text: string): string | undefined {
  let at = 0;
  while (at < text.length && text[at] !== ".") at += text[at] === "\\" ? 2 : 1;
  const local = text.slice(0, at);
  if (text === "." || !local.includes("\\")) {
    if (readHostNameOrRoot(text) !== undefined) return readHostNameOrRoot(text);
  }
  const domain = readHostName(text.slice(at + 1));
  const octets = local.replaceAll(/\\(\d{3}|.)/gs, "x");
  const valid = /^[^\s\\"();@]{1,63}$/.test(octets) && text[at] === ".";
  return valid && domain !== undefined ? `${local.toLowerCase()}.${domain}` : undefined;
}
