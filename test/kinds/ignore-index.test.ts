import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { firstIgnoring, ignoringPatterns, matchesIgnore } from "../../src/kinds/derived/matches-ignore.ts";
import { kindNamed, kinds } from "../../src/kinds/index.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import type { CollectionPolicy, Key } from "../../src/model/resource.ts";
import { forDraws } from "../support/for-draws.ts";

const policyOf = (kind: Kind, scope: Key, ignore: readonly string[]): CollectionPolicy => ({
  kind: kind.name,
  scope,
  exclusive: true,
  ignore,
});

const word = fc.string({ unit: fc.constantFrom(..."abAB.*/@%_".split("")), minLength: 1, maxLength: 4 });
const name = fc.oneof(word, fc.constantFrom("@", "www", "example.com", "www.example.com", "WWW.Example.COM.", "a%2Fb"));
const pattern = fc.oneof(
  name,
  fc.tuple(name, fc.constantFrom("A", "a", "*", "M*", "TXT")).map((parts) => parts.join("/")),
  fc.tuple(word, word).map((parts) => parts.join("*")),
);

test("the index finds the patterns that a comparison with each of them finds, for every kind", async () => {
  const drawn = fc.record({
    kind: fc.constantFrom(...kinds),
    patterns: fc.array(pattern, { maxLength: 12 }),
    names: fc.array(name, { minLength: 1, maxLength: 6 }),
    type: fc.constantFrom("A", "MX", "TXT", "*"),
  });
  await forDraws({ numRuns: 200 }, drawn, ({ kind, patterns, names, type }) => {
    const inner = { zone: "example.com", domain: "example.com", service: "example.com" };
    const scope = Object.fromEntries(kind.scope.map((part) => [part, "example.com"]));
    const unique = [...new Set(patterns)];
    const policy = policyOf(kind, scope, unique);
    for (const text of names) {
      const key = kind.naming.normalise({
        ...inner,
        name: text,
        type,
        local: text,
        username: text,
        domains: text,
        host: "localhost",
        ...scope,
      });
      const expected = [...unique.keys()].filter((place) => matchesIgnore(kind, key, unique[place] ?? ""));
      expect([...ignoringPatterns(kind, policy, key)]).toEqual(expected);
      const repeated = policyOf(kind, scope, [...patterns, ...patterns]);
      const first = firstIgnoring(kind, repeated, key);
      expect(first === undefined ? undefined : repeated.ignore[first]).toBe(unique[expected[0] ?? -1]);
    }
  });
});

/** Lists of patterns that grow, and the names that they are compared with. */
const lists: Readonly<Record<string, (index: number) => readonly [pattern: string, name: string]>> = {
  names: (index) => [`n${index}`, `m${index}`],
  "names that match": (index) => [`n${index}`, `n${index}`],
  "whole names": (index) => [`n${index}.example.com.`, `n${index}`],
  "names and types": (index) => [`n${index}/A`, `n${index}`],
  "one name and types": (index) => [`www/TYPE${index}`, "www"],
  "all names and a type": (index) => [`*/TYPE${index}`, `m${index}`],
  "names and all types": (index) => [`n${index}/*`, `m${index}`],
  beginnings: (index) => [`begin-${index}-*`, `m${index}`],
  "beginnings with one end": (index) => [`b-${index}-*.in.one.end`, `b-${index}-x.in.one.end`],
  "ends with one beginning": (index) => [`_acme-challenge.*.e${index}x`, `_acme-challenge.m${index}`],
  middles: (index) => [`*-${index}-*`, `x-${index}-x`],
};

describe.each(Object.entries(lists))("a list of %s", (_, write) => {
  test("twice as long over twice as many names makes twice the comparisons", () => {
    const [small, large] = [work(write, 200), work(write, 400)];
    expect(large).toBeLessThanOrEqual(2.5 * small + 10);
  });
});

/** Counts comparisons of a name with a pattern, each of which asks for the parts of the name. */
function work(write: (index: number) => readonly [string, string], count: number): number {
  const records = kindNamed("dns_record");
  let asked = 0;
  const kind: Kind = {
    ...records,
    naming: {
      ...records.naming,
      addressParts: (key) => {
        asked += 1;
        return records.naming.addressParts(key);
      },
    },
  };
  const all = Array.from({ length: count }, (_, index) => write(index));
  const policy = policyOf(
    kind,
    { zone: "example.com" },
    all.map(([text]) => text),
  );
  for (const [index, [, text]] of all.entries())
    firstIgnoring(kind, policy, { zone: "example.com", name: text, type: `TYPE${index + count}` });
  return asked;
}
