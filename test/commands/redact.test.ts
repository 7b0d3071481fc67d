import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactor } from "../../src/commands/redact.ts";

/** Ways in which a server may repeat what it was sent. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "in JSON": (text) => JSON.stringify(text).slice(1, -1),
  "in JSON as PHP writes it": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "in JSON of ASCII only": (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/[^ -~]/gu, (char) => char.replaceAll(/[^]/g, unit)),
  "in JSON within JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  "in JSON within JSON within JSON": (text) => JSON.stringify(JSON.stringify(JSON.stringify(text))).slice(1, -1),
  "in a URL": encodeURIComponent,
  "in a URL, every byte": (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "in a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "in JSON in a URL": (text) => encodeURIComponent(JSON.stringify(text)),
  "in HTML": (text) =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll('"', "&quot;")
      .replaceAll("/", "&#x2F;")
      .replaceAll("+", "&#43;"),
  "in HTML, every character": (text) => Array.from(text, (char) => `&#${char.codePointAt(0)};`).join(""),
};
const unit = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;

describe("a secret is masked", () => {
  const secret = 'pä/ss+w "ord" <1>%2F=';
  test.each(Object.entries(spellings))("%s", (_name, spell) => {
    const mask = redactor(new Set([secret]));
    const told = mask(`x=${spell(secret)}; id=7`);
    expect(told).toMatch(/^x=\S*\(sensitive\)\S*; id=7$/u);
    expect(told).not.toMatch(/ord|ss/u);
    expect(mask(`no secret: ${spell("another")}`)).toBe(`no secret: ${spell("another")}`);
  });

  test.each(["", "Bearer ", "a", "ab", "user:"])("in base64, after %j", (before) => {
    for (const encoding of ["base64", "base64url"] as const) {
      const text = Buffer.from(`${before}the-key/of+12 chars`).toString(encoding);
      const told = redactor(new Set(["the-key/of+12 chars"]))(`authorization: ${text}!`);
      expect(told).toMatch(/^authorization: [\w+/=-]{0,12}\(sensitive\)[\w=]{0,3}!$/u);
    }
  });

  test("whatever it is, and however it is spelt", () => {
    const way = fc.constantFrom(...Object.keys(spellings));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 6, maxLength: 30 }), way, (secret, name) => {
        const spelt = (spellings[name] ?? String)(secret);
        const told = redactor(new Set([secret]))(`before ${spelt} after`);
        expect(told).toContain("(sensitive)");
        expect(told).not.toContain(spelt);
        expect(told.startsWith("before ") && told.endsWith(" after")).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

test("what holds no secret stays as it is, character by character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.webUrl(), fc.json(), (text, url, json) => {
      const whole = `${text}${url}${json}`;
      expect(redactor(new Set(["never in it, whatever comes"]))(whole)).toBe(whole);
    }),
    { numRuns: 50 },
  );
});

test("many secrets and much text take little time", () => {
  const mask = redactor(new Set(Array.from({ length: 500 }, (_, index) => `password-${index}-of-many`)));
  const text = "  + mailbox/info@example.com \\n %2F &amp; = 12345\n".repeat(2_000);
  const started = performance.now();
  expect(mask(text)).toBe(text);
  expect(performance.now() - started).toBeLessThan(1000);
});
