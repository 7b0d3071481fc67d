import { matchesGlob } from "../model/glob.ts";

/** Returns a test of addresses by patterns. Those without a `*` are looked up, for there may be one for each resource. */
export function matchAny(patterns: readonly string[]): (address: string) => boolean {
  const written = new Set(patterns.map((each) => each.toLowerCase()));
  const globs = patterns.filter((each) => each.includes("*"));
  return (address) => written.has(address.toLowerCase()) || globs.some((glob) => matchesGlob(glob, address));
}
