import { orUndefined } from "../../lib/or-undefined.ts";

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
export const decodeSpellings = (given: string): readonly [Decoded, ...Decoded[]] =>
  decodeLayers({ text: given, originOf: (index) => index }, anyDepth);

/**
 * The layers below a text in which each backslash escapes what follows it and nothing else: `\\\u0063` is a backslash and a c. None where
 * the layers of `decodeSpellings` are the same, because no backslash follows another.
 */
export function decodeSingly(given: Decoded): readonly Decoded[] {
  return given.text.includes("\\\\") ? decodeLayers(given, oneDepth).slice(1) : [];
}

/** The layers below a text in which a backslash escapes nothing: `%5C"` is a backslash and a quote. */
export const decodeWithoutBackslashes = (given: Decoded): readonly Decoded[] =>
  /[%&]/u.test(given.text) ? decodeLayers(given, webEscape).slice(1) : [];

const marks = /(?<mark>[\s!-/:-@[-`{-~]+)/gu;

/** Leaves white space and the punctuation of ASCII out of a text. */
export const withoutMarks = (text: string): Decoded => ({
  text: text.replaceAll(marks, ""),
  originOf: originsLater(() => decodeEscapes({ text, originOf: (index) => index }, marks)),
});

/** The places are asked for only where a secret stands. */
function originsLater(decode: () => Decoded): Decoded["originOf"] {
  let decoded: Decoded | undefined;
  return (index) => (decoded ??= decode()).originOf(index);
}

function decodeLayers(given: Decoded, escapes: RegExp): [Decoded, ...Decoded[]] {
  const layers: [Decoded, ...Decoded[]] = [given];
  let last = given;
  while (layers.length <= deepest && escaped.test(last.text)) {
    const next = decodeLayer(last, escapes);
    if (next.text === last.text) break;
    layers.push(next);
    last = next;
  }
  return layers;
}

const escaped = /[\\%&]/u;

/** Those of URLs and HTML. Bytes that are no UTF-8 stay, since a server may cut a text off inside a character. */
const withoutBackslash = [
  "(?<percent>%[0-7][0-9a-f]|%(?:[cd][0-9a-f]|e[0-9a-f]%[89ab][0-9a-f]|f[0-4](?:%[89ab][0-9a-f]){2})%[89ab][0-9a-f])",
  "&#x0*(?<hex>[0-9a-f]{1,6});?",
  String.raw`&#0*(?<decimal>\d{1,7});?`,
  String.raw`&(?<name>[a-z]{2,8}\d{0,2});`,
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

/** Any escape but a quote in JSON. */
const otherEscape = /[%&]|\\[^"]/u;

function decodeLayer(above: Decoded, escapes: RegExp): Decoded {
  if (escapes === webEscape || otherEscape.test(above.text)) return decodeEscapes(above, escapes);
  // In records nearly all escapes are quotes.
  return {
    text: above.text.replaceAll(String.raw`\"`, '"'),
    originOf: originsLater(() => decodeEscapes(above, escapes)),
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
function meaningOf(groups: Readonly<Record<string, string | undefined>>) {
  const { unit, byte, char, percent, hex, decimal, name, mark } = groups;
  if (mark !== undefined) return "";
  if (char !== undefined) return chars[char] ?? char;
  if (name !== undefined) return htmlNames.get(name) ?? htmlNames.get(name.toLowerCase());
  if (percent !== undefined) return orUndefined(() => decodeURIComponent(percent));
  const code = Number.parseInt(unit ?? byte ?? hex ?? decimal ?? "", decimal === undefined ? 16 : 10);
  return code > 0x10ffff ? undefined : String.fromCodePoint(code);
}

const ascii =
  "!excl \"quot #num $dollar %percnt &amp 'apos (lpar )rpar *ast +plus ,comma .period /sol :colon ;semi <lt =equals >gt ?quest @commat " +
  "[lbrack [lsqb \\bsol ]rbrack ]rsqb ^hat _lowbar `grave {lbrace {lcub |verbar |vert }rbrace }rcub \ttab \nnewline \u00a0nbsp";
/** The characters of ASCII by the names that HTML has for them. */
const htmlNames: ReadonlyMap<string, string> = new Map(
  ascii.split(" ").map((each) => [each.slice(1), each.charAt(0)] as const),
);

/** A part of a long secret without white space and punctuation, by which it is known however its lines are broken. */
interface Body {
  readonly text: string;
  /** The position in the secret: before all where the beginning of the secret says nothing of its own. */
  readonly start: number;
  /** One of these stands in each text that holds it: keys begin with letters and digits, and no line is as short. */
  readonly heads: readonly string[];
}

/** A secret of so many characters is broken into lines, where lines are short. */
const long = 48;
const shortestBody = 12;
/** The headers of a key in PEM, which tell its sort and its cipher. */
const label = /-----[\w ]+-----|^[\w-]+: .*$/gimu;

const unmarked = /[^\s!-/:-@[-`{-~]{3,4}/gu;

/** @param encoded the same in base64 */
export function bodiesOf(secret: string, encoded: readonly string[]): readonly Body[] {
  if (secret.length < long && !/[\r\n]/u.test(secret.trim())) return [];
  const parts = secret.includes("-----") ? secret.split(label) : [secret];
  const bodies = [
    ...parts.map((part) => ({
      text: withoutMarks(part).text,
      start: secret.indexOf(part),
      heads: part.trimStart().slice(0, shortestBody).match(unmarked) ?? [],
    })),
    ...encoded.map((each) => ({ text: withoutMarks(each).text, start: -Infinity, heads: [] })),
  ];
  return bodies.filter(({ text }) => text.length >= shortestBody);
}
