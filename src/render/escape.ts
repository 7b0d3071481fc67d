// Control characters (ANSI sequences begin with one), marks that reorder or hide text, and lone surrogates.
const unsafe = /\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udfff]/gu;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * The text with everything that could drive or deceive a terminal written as an escape (`\n`, `\x1b`, `\u202e`). Whatever
 * comes from a manifest or from the API passes through here before it is printed.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(unsafe, (char) => {
    const code = char.charCodeAt(0);
    return short[char] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
  });
}

/** JSON on one line with the same characters written as `\u009b`: the same value, and harmless where its text is shown. */
export const escapeJson = (json: string): string =>
  json.replaceAll(unsafe, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");

/**
 * Printed text with what a CI job's log reader would obey broken: `::error::` where a line begins (GitHub), `##[error]` and `##vso[…]`
 * anywhere (Azure). One character of each is written as `\u0023` or `\u003a`, which in JSON is still the same text. Beside these nothing
 * is changed, an IPv6 address neither.
 */
export function breakLogCommands(text: string): string {
  return text.replaceAll(/#(?=#(?:vso)?\[)/giu, "\\u0023").replaceAll(/^([^\S\n]*):(?=:[^\n]*::)/gmu, "$1\\u003a");
}
