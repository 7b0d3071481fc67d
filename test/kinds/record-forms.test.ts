import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readContent } from "../../src/emulator/dns/record-content.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { recordTypes } from "../../src/kinds/shared/record-content.ts";
import { jsonText } from "../../src/model/json.ts";
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
const sent = (type: string, text: string) => jsonText(content?.normalise?.(text, key(type)));

const numRuns = size.recordForms;
const types = Object.keys(recordForms);

test("every type that Hostform reads has forms", () => {
  expect(types.filter((type) => !type.startsWith("TYPE")).sort()).toEqual(Object.keys(recordTypes).sort());
});

describe.each(types)("%s", (type) => {
  const { good, bad } = recordForms[type] ?? { good: fc.constant(""), bad: fc.constant("") };

  test("a form that its grammar allows is taken by both, as it is written and as it is sent", () => {
    fc.assert(
      fc.property(good, (text) => {
        expect(clientRefuses(type, text), `validate refuses ${text}`).toBeUndefined();
        expect(serviceRefuses(type, text), `the service refuses ${text}`).toBe(false);
        expect(serviceRefuses(type, sent(type, text)), `the service refuses ${sent(type, text)}`).toBe(false);
        expect(sent(type, sent(type, text))).toBe(sent(type, text));
      }),
      { numRuns },
    );
  });

  test("a form that its grammar does not allow is refused by both", () => {
    fc.assert(
      fc.property(bad, (text) => {
        expect(serviceRefuses(type, text), `the service takes ${text}`).toBe(true);
        expect(clientRefuses(type, text), `validate takes ${text}`).toBeDefined();
      }),
      { numRuns },
    );
  });

  test("a form that was altered anywhere is refused by validate if the service refuses it", () => {
    fc.assert(
      fc.property(altered(fc.oneof(good, bad)), (text) => {
        if (text !== "" && clientRefuses(type, text) === undefined) {
          expect(serviceRefuses(type, sent(type, text)), `the service refuses ${sent(type, text)}`).toBe(false);
          // Only a manifest has @ and names in other alphabets.
          if (!/[^ -~\t]|@/u.test(text)) expect(serviceRefuses(type, text), `the service refuses ${text}`).toBe(false);
        }
      }),
      { numRuns: 3 * numRuns },
    );
  });
});

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
  );
  return fc.tuple(texts, fc.nat(), fc.nat({ max: 3 }), odd, fc.boolean()).map(([text, at, size, piece, doubled]) => {
    const start = at % (text.length + 1);
    const cut = text.slice(start, start + size);
    return text.slice(0, start) + (doubled ? cut + cut : piece) + text.slice(start + size);
  });
}
