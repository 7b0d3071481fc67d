import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  contents,
  drawNames,
  findFaults,
  nameDrawer,
  none,
  seeds,
  type Account,
  type Drawn,
} from "../plan/drawn-account.ts";
import { forDraws } from "../support/for-draws.ts";

const drawName = nameDrawer(contents);
const hostTypes = ["A", "AAAA", "CNAME", "MX", "TXT"];

describe("whatever changes, no name misses an answer unless the plan tells", () => {
  const oneZone = drawNames(
    drawName("@", ["A", "ALIAS", "MX"]),
    drawName("www", [...hostTypes, "ALIAS"]),
    drawName("mail", ["A", "CNAME", "NS"]),
  );
  test("in a zone", () =>
    forDraws(60, oneZone, oneZone, seeds, async (before, after, seed) => {
      expect(await findFaults({ "example.com": before }, { "example.com": after }, seed)).toEqual(none);
    }));

  const withWildcard = drawNames(drawName("*", ["A", "TXT", "CNAME"]), drawName("www", ["A", "TXT", "CNAME"]));
  test("in a zone with a wildcard", () =>
    forDraws(60, withWildcard, withWildcard, seeds, async (before, after, seed) => {
      // Of wishes that close a circle one is dropped, so that a wildcard may miss its time to answer between two records. The plan tells that.
      const faults = await findFaults({ "example.com": before }, { "example.com": after }, seed);
      expect({ ...faults, avoidable: 0 }).toEqual(none);
    }));

  const parent = drawNames(
    drawName("sub", ["A", "NS"]),
    drawName("x.sub", ["A", "TXT", "CNAME"]),
    drawName("www", ["CNAME"]),
  );
  const child = fc.option(drawNames(drawName("@", ["A"]), drawName("x", ["A", "TXT", "CNAME"])));
  const family = fc
    .tuple(parent, child)
    .map(([above, below]): Account => ({ "example.com": above, ...(below && { "sub.example.com": below }) }));
  // A manifest may have nothing but the delegation in the parent of a zone that it declares.
  const declared = family.map((drawn): Account => {
    if (!drawn["sub.example.com"]) return drawn;
    const above = drawn["example.com"] ?? [];
    return { ...drawn, "example.com": above.filter(({ name, type }) => !name.endsWith("sub") || type === "NS") };
  });
  test("where names move between a zone and one below it", () =>
    forDraws(60, family, declared, seeds, async (before, after, seed) => {
      expect(await findFaults(before, after, seed)).toEqual(none);
    }));
});

describe("whatever the pace, no name misses an answer unless the plan tells", () => {
  const has = (name: string, type: string, content = contents[type]?.[0] ?? ""): Drawn => ({
    name,
    type,
    content,
    disabled: false,
    comment: null,
  });
  const cases: [string, Account, Account][] = [
    [
      "when a wildcard that is to go answers between an A and a CNAME",
      { "example.com": [has("*", "A"), has("www", "A")] },
      { "example.com": [has("www", "CNAME", "elsewhere.example.net.")] },
    ],
    [
      "when a wildcard that is to come answers between a CNAME and an A",
      { "example.com": [has("www", "CNAME", "elsewhere.example.net.")] },
      { "example.com": [has("*", "A"), has("www", "A")] },
    ],
    [
      "when a wildcard does not reach below a name that is there",
      { "example.com": [has("*", "A"), has("dev", "TXT"), has("x.dev", "A")] },
      { "example.com": [has("*", "A"), has("dev", "TXT"), has("x.dev", "CNAME", "elsewhere.example.net.")] },
    ],
    [
      "when a zone below answers while the one above changes its mind",
      { "example.com": [has("x.sub", "CNAME")], "sub.example.com": [has("x", "CNAME", "elsewhere.example.net.")] },
      { "example.com": [has("x.sub", "TXT")] },
    ],
    [
      "when one name of two zones leaves the one and changes its type in the other",
      { "example.com": [has("x.sub", "TXT")], "sub.example.com": [has("x", "A")] },
      { "example.com": [], "sub.example.com": [has("x", "CNAME", "elsewhere.example.net.")] },
    ],
    [
      "when a zone comes back from other servers",
      { "example.com": [has("sub", "NS", "ns2.example.net.")] },
      { "example.com": [has("sub", "NS")], "sub.example.com": [has("@", "A"), has("x", "A")] },
    ],
    [
      "when a pointer to another account gives way to one to a name of other servers",
      { "example.com": [has("www", "CNAME", "elsewhere.example.net.")] },
      { "example.com": [has("www", "CNAME", "mail.example.com."), has("mail", "NS", "ns2.example.net.")] },
    ],
    [
      "when a chain of pointers is laid anew",
      { "example.com": [has("www", "CNAME", "old.example.com."), has("old", "A")] },
      {
        "example.com": [
          has("www", "CNAME", "mail.example.com."),
          has("mail", "CNAME", "new.example.com."),
          has("new", "A"),
        ],
      },
    ],
  ];
  test.each(cases)("%s", (_title, before, after) =>
    forDraws(15, seeds, async (seed) => {
      expect(await findFaults(before, after, seed)).toEqual(none);
    }),
  );
});
