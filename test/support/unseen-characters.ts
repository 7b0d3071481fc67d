import fc from "fast-check";

/** What a terminal, an editor or a reader obeys, reorders or does not show, by the Unicode properties that say so; line breaks are the printer's own. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff;

// The planes between hold ideographs alone, or nothing, and those behind are for private use.
const all = [
  ...Array.from({ length: 0x20000 }, (_, code) => code),
  ...Array.from({ length: 0x1000 }, (_, code) => 0xe0000 + code),
]
  .filter((code) => !isSurrogate(code))
  .map((code) => String.fromCodePoint(code))
  .filter((char) => unseen.test(char));

const named = [
  "\u009b",
  "\u0085",
  "\u202e",
  "\u200b",
  "\ufeff",
  "\u00ad",
  "\u115f",
  "\u180e",
  "\u2028",
  "\ufe0f",
  "\u{e0041}",
];

/** One of these characters. */
export const unseenChar = fc.oneof(fc.constantFrom(...named), fc.constantFrom(...all));

/** A text with some of these characters between letters. */
export const unseenText = fc
  .array(fc.tuple(fc.constantFrom("a", "b ", "c:", "# d", "é", ""), unseenChar), { minLength: 1, maxLength: 6 })
  .map((parts) => `x${parts.flat().join("")}x`);
