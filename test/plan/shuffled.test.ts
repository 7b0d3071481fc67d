import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { account } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { addresses, buildInput } from "./build-input.ts";
import {
  contents,
  drawNames,
  nameDrawer,
  namingHosts,
  planBetween,
  type Account,
  type Drawn,
} from "./drawn-account.ts";
import { shuffleAll, shuffled, told } from "./shuffle.ts";

describe("a plan and its hash do not depend on the order of keys and of live records", () => {
  /** The values of a set stay as they are: they are a list, which is printed as it is written. */
  const shuffleSets = (drawn: readonly Drawn[], seed: number) =>
    shuffled([...new Set(drawn.map(({ name, type }) => `${name} ${type}`))], seed).flatMap((set) =>
      drawn.filter(({ name, type }) => `${name} ${type}` === set),
    );
  const shuffle = (records: Account, seed: number): Account =>
    Object.fromEntries(
      shuffled(Object.entries(records), seed).map(([name, drawn]) => [name, shuffleSets(drawn, seed)]),
    );

  const drawName = nameDrawer(contents);
  const types = ["A", "AAAA", "CNAME", "MX", "TXT"];
  const zone = drawNames(
    drawName("@", ["A", "AAAA", "ALIAS", "MX"]),
    drawName("*", ["A", "AAAA", "TXT", "CNAME"]),
    drawName("www", [...types, "ALIAS"]),
    drawName("mail", ["A", "AAAA", "CNAME", "NS"]),
  ).map((drawn): Account => ({ "example.com": drawn }));
  const drawHost = nameDrawer(namingHosts);
  const pointing = fc
    .tuple(
      drawNames(
        drawHost("w", ["MX", "SRV", "HTTPS", "CNAME", "ALIAS", "DNAME"]),
        drawHost("h1", ["A", "AAAA", "CNAME"]),
        drawHost("h2", ["A", "AAAA"]),
        drawHost("sub", ["NS", "DS"]),
      ),
      drawNames(drawHost("h3", ["A", "AAAA", "CNAME"]), drawHost("t", ["DNAME", "TXT"])),
    )
    .map(([own, other]): Account => ({ "example.com": own, "example.org": other }));

  test.each([
    ["where names change their types", zone],
    ["where records name hosts", pointing],
  ])("%s", (_where, drawn) =>
    forDraws(60, drawn, drawn, fc.nat(), async (before, after, seed) => {
      const first = await planBetween(before, after);
      const second = await planBetween(shuffle(before, seed), shuffle(after, seed + 1));
      expect(told(second.input, second.made)).toEqual(told(first.input, first.made));
    }),
  );

  test("where two sets of addresses take the place of an alias", async () => {
    const one = { disabled: false, comment: null };
    const host = [
      { ...one, name: "t", type: "A", content: "192.0.2.1" },
      { ...one, name: "t", type: "AAAA", content: "2001:db8::1" },
    ];
    const before = [...host, { ...one, name: "w", type: "CNAME", content: "t.example.com." }];
    const wanted = ["A", "AAAA"].map((type) => ({ ...one, name: "w", type, content: contents[type]?.[1] ?? "" }));
    const [first, second] = await Promise.all(
      [wanted, wanted.toReversed()].map((own) =>
        planBetween({ "example.com": before }, { "example.com": [...host, ...own] }),
      ),
    );
    expect(second && told(second.input, second.made)).toEqual(first && told(first.input, first.made));
  });

  const sectionsOf = (drawn: readonly object[]) => {
    const sections: Record<string, object> = {};
    for (const [number, own] of drawn.entries())
      for (const [key, value] of Object.entries(
        JSON.parse(
          JSON.stringify(own)
            .replaceAll(/\bNAME\b/gu, `n${number}.example`)
            .replaceAll("SHORT", String(number)),
        ) as Record<string, object>,
      ))
        sections[key] = { ...sections[key], ...value };
    return sections;
  };

  test("where an account is built", async () => {
    const consent = { purchases: addresses("service/n0.example", "service/n1.example") };
    const planOf = async (sections: unknown) => {
      const written = Object.entries(sections as object).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
      const input = await buildInput(written.join("\n"), {}, consent, 0, {}, { PW: "a password" });
      return told(input, plan(input));
    };
    await forDraws(120, fc.array(account, { minLength: 2, maxLength: 2 }), fc.nat(), async (drawn, seed) => {
      const sections = sectionsOf(drawn);
      expect(await planOf(shuffleAll(sections, seed))).toEqual(await planOf(sections));
    });
  });
});
