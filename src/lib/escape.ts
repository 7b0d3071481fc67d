/**
 * Matches each character that drives or deceives a terminal, an editor or a reader: control characters (ANSI sequences begin with one),
 * marks that reorder text, characters that nobody sees, line separators that are no line break, half characters, and none at all.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;

/** Returns whether a text holds one of these characters. */
export const hasUnsafe = (text: string): boolean => text.search(unsafe) !== -1;

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * The text with everything that could drive or deceive a terminal written as an escape (`\n`, `\x1b`, `\u202e`). Whatever
 * comes from a manifest or from the API passes through here before it is printed.
 */
export const escapeControls = (text: string): string =>
  text.replaceAll(
    unsafe,
    (char) => short[char] ?? (char < "\u0100" ? `\\x${hex(char.charCodeAt(0), 2)}` : units(char)),
  );

/** JSON with the same characters written as `\u009b`: the same value, and harmless where its text is shown. Its line breaks stay. */
export const escapeJson = (json: string): string =>
  json.replaceAll(unsafe, (char) => (char === "\n" ? char : units(char)));

/** YAML in which the same characters stand only in double quotes and in comments, with each written as an escape of YAML. */
export const escapeYaml = (yaml: string): string =>
  yaml.replaceAll(unsafe, (char) => {
    if (char === "\n") return char;
    return char.length === 1 ? units(char) : `\\U${hex(char.codePointAt(0) ?? 0, 8)}`;
  });

/** A zone file with the same characters written as bytes, `\226\128\174`. Its tabs and line breaks stay. */
export const escapeZoneFile = (text: string): string =>
  text.replaceAll(unsafe, (char) =>
    char === "\n" || char === "\t"
      ? char
      : [...Buffer.from(char)].map((byte) => `\\${String(byte).padStart(3, "0")}`).join(""),
  );

/** The text with a visible stand-in for each of these characters, so that the carets below it stay in place. */
export const standIns = (text: string): string =>
  text.replaceAll(unsafe, (char) => {
    const code = char.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });

/** Half by half, as JSON writes a character that needs two: so the masking of secrets resolves it. */
const units = (char: string) =>
  Array.from({ length: char.length }, (_, index) => `\\u${hex(char.charCodeAt(index), 4)}`).join("");

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");

/**
 * Printed text with what a CI job's log reader would obey broken: `::error::` where a line begins (GitHub), `##[error]` and `##vso[…]`
 * anywhere (Azure). One character of each is written as `\u0023` or `\u003a`, which in JSON is still the same text. Beside these nothing
 * is changed, an IPv6 address neither.
 */
export function breakLogCommands(text: string): string {
  return text.replaceAll(/#(?=#(?:vso)?\[)/giu, "\\u0023").replaceAll(/^([^\S\n]*):(?=:[^\n]*::)/gmu, "$1\\u003a");
}

/** Returns a word as a POSIX shell takes it. */
export const quoted = (text: string) =>
  /^[\w.@/%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
