import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileNameOf } from "../../src/import/file-names.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { record, service, zone, type Lists } from "../plan/build-input.ts";
import { lists } from "../plan/spelling-account.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { unseen, unseenText } from "../support/unseen-characters.ts";
import { draftOf, leftOver, nothingToDo, planOf } from "./draft.ts";
import { anyCharacter } from "../support/any-character.ts";
import { forDraws } from "../support/for-draws.ts";

/** Text that YAML, terminals, paths or interpolation could read as something else. */
const specials = [
  "",
  " ",
  "~",
  "null",
  "true",
  "on",
  "0123",
  "1e3",
  "0x1f",
  "*",
  "*.dev",
  "&a",
  "!x",
  "|",
  ">",
  "%",
  "@",
  "`",
  "'",
  '"',
  "\\",
  "#",
  " # x",
  "a: b",
  "- a",
  "? a",
  "{}",
  "[a]",
  "<<",
  "__proto__",
  "constructor",
  "---",
  "...",
  "${env:HOME}",
  "$${x}",
  "$$${x",
  "${",
  "${ref:service/example.com.id}",
  "a\nb",
  "a\r\nb",
  "\t",
  "\u0000",
  "\u0007",
  "\u001b[31m",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\u202e",
  "\u009b31m",
  "a\u200bb",
  "\u00ad",
  "\ufe0f",
  "\u{e0041}",
  "\ud800",
  "💥",
  "../../etc/passwd",
  "..",
  "/",
  "con",
  "a".repeat(300),
  "\\# 4 0a000001",
  "2026-01-01",
];
const odd = fc.oneof(
  fc.constantFrom(...specials),
  fc.tuple(fc.constantFrom(...specials), fc.constantFrom(...specials)).map(([a, b]) => a + b),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  unseenText,
);
const orOdd = (right: string) => fc.oneof({ arbitrary: fc.constant(right), weight: 3 }, { arbitrary: odd, weight: 1 });

/** The account of every kind, in which some texts are odd. */
const oddLists: fc.Arbitrary<Lists> = fc.gen().map((draw) => {
  const respell = (value: unknown, key: string): unknown => {
    if (["id", "etag", "status", "service_id", "created_at"].includes(key)) return value;
    if (typeof value === "string") return draw(orOdd, value);
    if (Array.isArray(value)) return value.map((each) => respell(each, ""));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, respell(each, name)]));
  };
  return Object.fromEntries(Object.entries(lists).map(([path, all]) => [path, respell(all, "") as JsonObject[]]));
});

describe("an account with odd texts", () => {
  test("becomes a manifest that plans to no change, and all that is not in it is named", () =>
    forDraws(60, oddLists, fc.constantFrom("folder" as const, "single" as const), async (odd, layout) => {
      const draft = await draftOf(odd, layout);
      expect(planOf(draft)).toMatchObject(nothingToDo);
      expect(leftOver(draft)).toEqual([]);
      for (const { text } of draft.sources) expect(text.replaceAll("\n", "")).not.toMatch(unseen);
      for (const { file } of draft.sources) expect(file).toMatch(/^(?!\.)[a-z0-9._%-]{1,210}\.yaml$/u);
      const names = draft.sources.map(({ file }) => file.toLowerCase());
      expect(new Set(names).size).toBe(names.length);
    }));
});

describe("records of every type", () => {
  const types = Object.keys(recordForms);
  const drawn = fc.array(
    fc
      .constantFrom(...types)
      .chain((type) =>
        fc.tuple(
          fc.constant(type),
          fc.oneof(recordForms[type]?.good ?? fc.constant(""), recordForms[type]?.bad ?? odd),
        ),
      ),
    { minLength: 1, maxLength: 30 },
  );

  test("in any form are declared so that nothing changes, or named", () =>
    forDraws(60, drawn, fc.boolean(), async (all, isShared) => {
      const records = all.map(([type, content], index) =>
        record(isShared ? `r${index % 4}` : `r${index}`, type, content, {
          ttl: index % 5 === 0 ? 60 : 3600,
          comment: index % 7 === 0 ? "${kept} by hand" : null,
          disabled: index % 6 === 0,
          priority: type === "MX" || type === "SRV" ? index : null,
        }),
      );
      const draft = await draftOf({ "/dns/zones": [zone], "/services": [service], "/dns/zones/z1/records": records });
      expect(planOf(draft)).toMatchObject(nothingToDo);
      expect(leftOver(draft)).toEqual([]);
    }));
});

describe("the file of a domain", () => {
  test("is its name, if that is safe on every system", () => {
    expect(fileNameOf("shop.example")).toBe("shop.example.yaml");
    expect(fileNameOf("0/25.2.0.192.in-addr.arpa")).toBe("0%2f25.2.0.192.in-addr.arpa.yaml");
    expect(fileNameOf("con.example")).toBe("%63on.example.yaml");
    expect(fileNameOf("../../x")).toBe("%2e.%2f..%2fx.yaml");
  });

  test("is another for another name, whatever the letter case, and is never too long", async () => {
    const name = fc.oneof(fc.domain(), odd, fc.constantFrom("nul.a", "%6eul.a", `${"a".repeat(60)}.`.repeat(4)));
    await forDraws({}, name, name, (a, b) => {
      const [left, right] = [fileNameOf(a), fileNameOf(b)];
      expect(left).toMatch(/^(?!\.)[a-z0-9._%-]{1,210}$/u);
      // Half a character is not UTF-8; a name with one is refused before.
      if (a !== b && !/\p{Surrogate}/u.test(a + b)) expect(left).not.toBe(right);
    });
  });
});
