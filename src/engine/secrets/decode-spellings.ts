/** A text with escapes resolved, and where each of its characters stood. */
export interface Decoded {
  readonly text: string;
  /** The place in the text as it was; its length for the end. Characters of one escape stand in one place. */
  readonly originOf: (index: number) => number;
}

/** JSON within JSON within a query is as deep as servers go when they repeat what they were sent. */
const deepest = 4;

/**
 * Resolves the escapes of JSON, URLs and HTML wherever they stand (`\/`, `\u00e4`, `%2F`, `&#x2F;`), layer by layer: the text as it is,
 * then with one layer less, until there is none. It is for finding a text in whatever spelling; which of two that look alike was
 * meant, it cannot tell.
 */
export const decodeSpellings = (given: string): readonly [Decoded, ...Decoded[]] => decodeLayers(given, anyDepth);

/**
 * The layers below a text in which each backslash escapes what follows it and nothing else: `\\\u0063` is a backslash and a c. None where
 * the layers of `decodeSpellings` are the same, because no backslash follows another.
 */
export function decodeSingly(given: string): readonly Decoded[] {
  return given.includes("\\\\") ? decodeLayers(given, oneDepth).slice(1) : [];
}

/** The layers below a text in which a backslash escapes nothing: `%5C"` is a backslash and a quote. */
export const decodeWithoutBackslashes = (given: string): readonly Decoded[] =>
  /[%&]/u.test(given) ? decodeLayers(given, webEscape).slice(1) : [];

function decodeLayers(given: string, escapes: RegExp): [Decoded, ...Decoded[]] {
  const layers: [Decoded, ...Decoded[]] = [{ text: given, originOf: (index) => index }];
  let last = layers[0];
  while (layers.length <= deepest && escaped.test(last.text)) {
    const next = decodeLayer(last, escapes);
    if (next.text === last.text) break;
    layers.push(next);
    last = next;
  }
  return layers;
}

const escaped = /[\\%&]/u;

/** Those of URLs and HTML. */
const withoutBackslash = [
  "(?<percent>(?:%[0-9a-f]{2})+)",
  "&#x0*(?<hex>[0-9a-f]{1,6});?",
  String.raw`&#0*(?<decimal>\d{1,7});?`,
  "&(?<name>amp|lt|gt|quot|apos|sol);",
];
const webEscape = new RegExp(withoutBackslash.join("|"), "giu");

const escapesAfter = (backslashes: string) =>
  new RegExp(
    [
      `${backslashes}u(?<unit>[0-9a-f]{4})`,
      `${backslashes}x(?<byte>[0-9a-f]{2})`,
      `${backslashes}(?<char>["'/\\\\bfnrt])`,
      ...withoutBackslash,
    ].join("|"),
    "giu",
  );
/** Escapes of however many layers, and of one alone. */
const [anyDepth, oneDepth] = [escapesAfter(String.raw`\\+`), escapesAfter(String.raw`\\`)];

const chars: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", sol: "/" };

/** Any escape but a quote in JSON. */
const otherEscape = /[%&]|\\[^"]/u;

function decodeLayer(above: Decoded, escapes: RegExp): Decoded {
  if (escapes === webEscape || otherEscape.test(above.text)) return decodeEscapes(above, escapes);
  // In records nearly all escapes are quotes, and the places of those are asked for only where a secret stands.
  let decoded: Decoded | undefined;
  return {
    text: above.text.replaceAll(String.raw`\"`, '"'),
    originOf: (index) => (decoded ??= decodeEscapes(above, escapes)).originOf(index),
  };
}

function decodeEscapes({ text, originOf }: Decoded, pattern: RegExp): Decoded {
  const escapes: Escape[] = [];
  const pieces: string[] = [];
  let [length, read] = [0, 0];
  for (const match of text.matchAll(pattern)) {
    const { 0: escape, index: origin, groups = {} } = match;
    const meant = meaningOf(groups) ?? escape;
    pieces.push(text.slice(read, origin), meant);
    const start = length + origin - read;
    [length, read] = [start + meant.length, origin + escape.length];
    escapes.push({ start, end: length, origin, after: read });
  }
  pieces.push(text.slice(read));
  return { text: pieces.join(""), originOf: (index) => originOf(originAmong(escapes, index)) };
}

/** An escape: from where to where its meaning stands in the decoded text, and where it stood itself. */
interface Escape {
  readonly start: number;
  readonly end: number;
  readonly origin: number;
  readonly after: number;
}

function originAmong(escapes: readonly Escape[], index: number): number {
  let [low, high] = [0, escapes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((escapes[middle]?.start ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  const last = escapes[low - 1];
  if (!last) return index;
  return index < last.end ? last.origin : last.after + index - last.end;
}

/** Undefined for bytes that are no UTF-8, and numbers that are no character. */
function meaningOf({ unit, byte, char, percent, hex, decimal, name }: Readonly<Record<string, string | undefined>>) {
  if (char !== undefined) return chars[char] ?? char;
  if (name !== undefined) return names[name.toLowerCase()];
  if (percent !== undefined) return decodePercent(percent);
  const code = Number.parseInt(unit ?? byte ?? hex ?? decimal ?? "", decimal === undefined ? 16 : 10);
  return code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

function decodePercent(bytes: string): string | undefined {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return undefined;
  }
}
