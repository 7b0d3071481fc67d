import { orUndefined } from "../lib/or-undefined.ts";

declare const brand: unique symbol;

/** `kind/natural-key`, such as `dns_record/example.com/www/A`: what names a resource everywhere. `/`, `%` and blanks inside a part are percent-encoded. */
export type Address = string & { readonly [brand]: "Address" };

/** Makes an address; `withLastPart` makes others of it. */
export function toAddress(kind: string, parts: readonly string[]): Address {
  return parts.reduce((address, part) => `${address}/${encodePart(part)}`, kind) as Address;
}

/** Returns the address beside another whose last part is a plain word, such as a type of record. */
export const withLastPart = (address: Address, word: string): Address =>
  (address.slice(0, address.lastIndexOf("/") + 1) + word) as Address;

/** The kind and the decoded parts of an address, or undefined where the text is not one. */
export function splitAddress(text: string): { kind: string; parts: string[] } | undefined {
  const [kind, ...parts] = text.split("/");
  if (!kind || parts.length === 0 || parts.includes("")) return undefined;
  const decoded = text.includes("%") ? orUndefined(() => parts.map(decodeURIComponent)) : parts;
  return decoded && { kind, parts: decoded };
}

export const kindOf = (address: Address): string => address.slice(0, address.indexOf("/"));

const plainPart = /^[\w.@*-]*$/u;

function encodePart(part: string): string {
  if (plainPart.test(part)) return part;
  return part.replaceAll(/[%/\s\p{Cc}]/gu, (char) => encodeURIComponent(char));
}
