const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/gu, (character) => entities[character] ?? "");

/** The style that a sequence of `styleText` begins, by its number. */
const styles: Readonly<Record<string, string>> = {
  1: "font-weight: bold",
  2: "opacity: 0.7",
  31: "color: light-dark(#b3261e, #ff8a80)",
  32: "color: light-dark(#1b6e20, #81c995)",
  33: "color: light-dark(#8a5a00, #fdd663)",
  34: "color: light-dark(#1a56b0, #8ab4f8)",
  35: "color: light-dark(#8e24aa, #e0a3f0)",
  36: "color: light-dark(#00696f, #78d9e0)",
};

/** The characters with which `styleText` begins each sequence. */
const begin = "\u001b[";

/**
 * Returns a page that a browser shows of a text for a terminal, in its colours. It loads nothing and runs no script.
 * @param colored text with the sequences of `styleText`, and with no others: what is foreign in it is escaped.
 */
export function renderHtml(title: string, colored: string): string {
  const [first = "", ...others] = escapeHtml(colored).split(begin);
  const body = first + others.map((text) => text.replace(/^(\d+)m/u, tagFor)).join("");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
pre { max-width: 102ch; margin: 2rem auto; padding: 0 1rem; font-size: 0.9rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
<pre>${body}</pre>
</html>
`;
}

/** Returns the tag that begins or ends a style. */
function tagFor(_: string, number: string): string {
  const { [number]: style } = styles;
  return style === undefined ? "</span>" : `<span style="${style}">`;
}
