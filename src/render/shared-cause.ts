import type { Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import { harmless } from "../lib/shorten.ts";
import { addTo } from "../lib/collect.ts";

/** From so many on, what shares a cause is printed once, and of its addresses at most so many are listed. */
const fewestTogether = 3;
const mostListed = 10;

/** A report about an address. Two reports have one cause if their `words` differ only in the address. */
export interface AddressReport {
  readonly address?: Address | undefined;
  readonly words: readonly string[];
}

/** Groups items with the same cause, in order of first occurrence. Groups that are too small are split into single items. */
export function groupByCause<T>(all: readonly T[], tell: (each: T) => AddressReport): T[][] {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const { address, words } = tell(each);
    const cause = JSON.stringify(words.map((text) => replaceAddress(text, address, "\0")));
    addTo(groups, cause, each);
  }
  return [...groups.values()].flatMap((group) =>
    group.length < fewestTogether ? group.map((each) => [each]) : [group],
  );
}

/** The text with another word for its own address. An address may be the beginning of another one: www/A of www/ALIAS. */
export function replaceAddress(text: string, address: Address | undefined, word: string): string {
  if (address === undefined) return text;
  const start = text.indexOf(address);
  const rest = text.slice(start + address.length);
  return start === -1 || /^[^\s:,;]/u.test(rest) ? text : `${text.slice(0, start)}${word}${rest}`;
}

/** A line for each, or for the first ten and what is left. */
export function listSome<T>(group: readonly T[], lineOf: (each: T) => string): string[] {
  const more = group.length - mostListed;
  return [...group.slice(0, mostListed).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** ` (FILE:LINE)` in a manifest, or nothing. */
export const positionText = (at: Position | undefined) => (at ? ` (${harmless(at.file)}:${at.line})` : "");
