const label = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** A host name lower-cased and with its final dot, or undefined when it is not one (RFC 1035, `_` allowed). */
export function readHostName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, "");
  // A last label of digits only makes it an address, not a name (RFC 3696 section 2).
  return name.length <= 253 && !/(^|\.)\d+$/.test(name) && name.split(".").every((part) => label.test(part))
    ? `${name}.`
    : undefined;
}
