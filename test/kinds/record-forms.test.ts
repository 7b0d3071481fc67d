import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readContent } from "../../src/emulator/dns/record-content.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { recordTypes } from "../../src/kinds/dns/record-types.ts";
import { jsonText } from "../../src/model/json.ts";
import { forDraws } from "../support/for-draws.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { size } from "../proofs/size.ts";

/**
 * Both readers of record contents, the client's and the service's, against forms drawn from the RFCs. They share no code, and neither is
 * the other's judge: what a grammar allows both accept, what it does not both refuse.
 */
const key = (type: string) => ({ zone: "example.com", name: "www", type });
const { content } = kindNamed("dns_record").fields;
const clientRefuses = (type: string, text: string) => content?.check?.(text, key(type));
const serviceRefuses = (type: string, text: string) => "problem" in readContent(type, text);
const normal = (type: string, text: string) => jsonText(content?.normalise?.(text, key(type)));
/** The content of a request: the normal form, in the spelling of the manifest as far as the API takes that. */
const sent = (type: string, text: string) =>
  jsonText(content?.sent?.(text, normal(type, text), key(type)) ?? normal(type, text));
/** The content that the service stores and returns. */
const stored = (type: string, text: string) => {
  const read = readContent(type, text);
  return "content" in read ? read.content : undefined;
};

/** Returns why a content that validate takes is refused by the service, or is planned again though the service holds it. */
function problemsOf(type: string, text: string): string[] {
  const once = normal(type, text);
  const again = normal(type, once);
  return [
    ...(again === once ? [] : [`the normal form of ${once} is ${again}`]),
    ...[...new Set([once, sent(type, text)])].flatMap((request) => {
      const back = stored(type, request);
      if (back === undefined) return [`the service refuses ${request}`];
      return normal(type, back) === once ? [] : [`the service returns ${back} for ${request}, which is not ${once}`];
    }),
  ];
}

const numRuns = size.recordForms;
const types = Object.keys(recordForms);

test("every type that Hostform reads has forms", () => {
  expect(types.filter((type) => !type.startsWith("TYPE")).sort()).toEqual([...recordTypes.keys()].sort());
});

test("blanks within the quotes of a parameter are sent as they are written", () => {
  expect(problemsOf("HTTPS", '1 a.test. key10000="a  b"')).toEqual([]);
});

describe.each(types)("%s", (type) => {
  const { good, bad } = recordForms[type] ?? { good: fc.constant(""), bad: fc.constant("") };

  test("a form that its grammar allows is taken by both, as it is written and as it is sent", () =>
    forDraws({ numRuns }, good, (text) => {
      expect(clientRefuses(type, text), `validate refuses ${text}`).toBeUndefined();
      expect(serviceRefuses(type, text), `the service refuses ${text}`).toBe(false);
      expect(problemsOf(type, text)).toEqual([]);
    }));

  test("a form that its grammar does not allow is refused by both", () =>
    forDraws({ numRuns }, bad, (text) => {
      expect(serviceRefuses(type, text), `the service takes ${text}`).toBe(true);
      expect(clientRefuses(type, text), `validate takes ${text}`).toBeDefined();
    }));

  test("a form that was altered anywhere is refused by validate if the service refuses it", () =>
    forDraws({ numRuns: 3 * numRuns }, fc.oneof(altered(fc.oneof(good, bad)), respelt(good)), (text) => {
      // What validate refuses is drawn anew: of some types that is nine alterations in ten.
      fc.pre(text !== "" && clientRefuses(type, text) === undefined);
      expect(problemsOf(type, text)).toEqual([]);
      // Only a manifest has @ and names in other alphabets.
      if (!/[^ -~\t]|@/u.test(text)) expect(serviceRefuses(type, text), `the service refuses ${text}`).toBe(false);
    }));
});

/** Dots between labels for IDNA only (RFC 3490 section 3.1), and characters that IDNA turns into dots. */
const dotsOfOtherScripts = ["\uff0e", "\u3002", "\uff61", "\uff0e.", ".\u3002", "\u2024", "\u2026", "\u2488"];
/** Blanks for JavaScript and YAML, not for a zone file. */
const blanksOfUnicode = ["\u00a0", "\ufeff", "\u2028", "\u2003", "\u200b", "\u000b", "\f", "\u0085"];
/** Letters that fold to k, s, i and x when case is ignored, and a digit of another script. */
const foldedToAscii = ["\u212a", "\u017f", "\u0130", "\uff38", "\u0661", "\u00df"];
const escapes = [
  String.raw`\256`,
  String.raw`\000`,
  String.raw`\032`,
  String.raw`\"`,
  String.raw`\.`,
  String.raw`\@`,
  "\u0000",
  "\u0001",
  "\u007f",
];

/** A text in which some dots are dots of other scripts, and some blanks are blanks of Unicode. */
const respelt = (texts: fc.Arbitrary<string>) =>
  fc.tuple(texts, fc.infiniteStream(fc.option(fc.nat({ max: 40 }), { freq: 2 }))).map(([text, picks]) =>
    text.replaceAll(/[. ]/gu, (char) => {
      const { value } = picks.next();
      const others = char === " " ? blanksOfUnicode : dotsOfOtherScripts;
      return typeof value === "number" ? (others[value % others.length] ?? char) : char;
    }),
  );

/** A text with a stretch of it replaced: by nothing, a character that means something somewhere, or its own double. */
function altered(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const odd = fc.constantFrom(
    "",
    " ",
    '"',
    "\\",
    ".",
    ",",
    "=",
    "-",
    "/",
    "%",
    "@",
    "*",
    "0",
    "9",
    "x",
    "A",
    "ä",
    "\t",
    ":",
    "::",
    "+",
    "_",
    "\n",
    ...dotsOfOtherScripts,
    ...blanksOfUnicode,
    ...foldedToAscii,
    ...escapes,
    "*.",
    " key3=",
    " key1=",
    " key0=",
  );
  return fc.tuple(texts, fc.nat(), fc.nat({ max: 3 }), odd, fc.boolean()).map(([text, at, size, piece, doubled]) => {
    const start = at % (text.length + 1);
    const cut = text.slice(start, start + size);
    return text.slice(0, start) + (doubled ? cut + cut : piece) + text.slice(start + size);
  });
}
