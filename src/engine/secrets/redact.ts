import {
  bodiesOf,
  decodeSingly,
  decodeSpellings,
  decodeWithoutBackslashes,
  withoutMarks,
  type Decoded,
} from "./decode-spellings.ts";

/** A secret is masked wherever it stands from so many characters on. */
const shortest = 6;
/** Shorter ones would mask parts of words: from so many characters on they are masked as a whole word, below as a whole text or in quotes. */
const shortestWord = 3;
/** A secret is also recognised by its beginning, where a server cuts it off, from so many characters on. */
const shortestPart = 12;
/** Words that turn something on or off: they keep nothing secret. */
const switches: ReadonlySet<string> = new Set(["true", "false", "yes", "no", "on", "off", "null", "none"]);
const masked = "(sensitive)";

/** For each secret the length up to which its beginning is public, because the manifest writes the same text. */
export type PublicLengths = ReadonlyMap<string, number>;

/**
 * A last net under what is printed: every secret that this run has read is masked, however it came into the text, such as by a server
 * that repeats what it was sent, whole or cut off, in its own spelling: escaped for JSON, a URL or HTML, or as base64. `secrets` and
 * `publicLengths` may grow meanwhile.
 */
export function redactor(
  secrets: ReadonlySet<string>,
  publicLengths: PublicLengths = new Map(),
): (text: string) => string {
  const forms: Forms[] = [];
  const short: string[] = [];
  const heads = new Set<string>();
  const quotedHeads = new Set<string>();
  const known = new Set<string>();
  const learn = (secret: string) => {
    known.add(secret);
    if (secret.trim() === "" || switches.has(secret.toLowerCase())) return;
    if (secret.length < shortest) return void short.push(secret);
    const found = formsOf(secret);
    forms.push(found);
    const whole = [...found.literal, ...found.encoded, secret, found.decoded, withBlanks(found.decoded)];
    for (const head of [...whole.map(headOf), ...found.bodies.flatMap(({ heads }) => heads)]) {
      heads.add(head);
      if (/["\\]/u.test(head)) quotedHeads.add(head);
    }
  };
  return (text) => {
    if (known.size < secrets.size) for (const secret of secrets) if (!known.has(secret)) learn(secret);
    if (forms.length + short.length === 0) return text;
    // Nearly every text holds the beginning of no secret, and no escape but those of quotes, as records have them.
    const holdsNone = (each: string) => !mayBeEncoded.test(each) && !holdsAny(each, heads);
    // A head without quotes stands in the text as it is where it stands in that without escapes.
    if (short.length === 0 && !holdsAny(text, quotedHeads) && holdsNone(text.replaceAll(String.raw`\"`, '"')))
      return text;
    const withLengths = forms.map((each) => ({ ...each, publicLength: publicLengths.get(each.secret) ?? 0 }));
    return maskForms(text, withLengths, short);
  };
}

/** Finds the characters that stand for others: those of escapes, and those that stand for a blank. */
const mayBeEncoded = /[\\%&+\u00a0]/u;

function holdsAny(text: string, heads: ReadonlySet<string>): boolean {
  for (const head of heads) if (text.includes(head)) return true;
  return false;
}

/** Returns the beginning of a secret by which it is found. */
const headOf = (form: string) => form.slice(0, shortestPart);

type Forms = ReturnType<typeof formsOf>;

function formsOf(secret: string) {
  // In JSON, and in quoted values, a secret stands with its quotes and line breaks escaped.
  const quoted = JSON.stringify(secret).slice(1, -1);
  // A server that repeats a JSON body inside a text of its JSON escapes it once more.
  const twice = JSON.stringify(quoted).slice(1, -1);
  const thrice = JSON.stringify(twice).slice(1, -1);
  const bare = decodeSpellings(secret).at(-1)?.text ?? secret;
  const encoded = [...new Set(base64Forms(secret))];
  return {
    secret,
    /** As it stands in a text as it is. */
    literal: [...new Set([thrice, twice, quoted, secret])],
    /** The same in base64. */
    encoded,
    /** As it stands in a text without any escapes: what looks like one in the secret is resolved in it, too, unless little is left. */
    // Of nothing but escapes a single character may be left, and that stands everywhere.
    decoded: bare.length < shortest ? secret : bare,
    /** The same without blanks and marks, as it is left where its lines are broken in another way. */
    bodies: bodiesOf(bare, encoded),
  };
}

/** As part of something longer in base64, such as a header's value: the three ways in which bytes can fall into its groups of three. */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    // Only the characters that hold nothing but bits of the secret.
    const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Masks each secret as it stands, and as it is seen only when escapes are resolved. */
function maskForms(
  text: string,
  forms: readonly (Forms & { readonly publicLength: number })[],
  short: readonly string[],
): string {
  const [whole, ...layers] = decodeSpellings(text);
  const plain = layers.at(-1) ?? whole;
  const inWhole = finderIn(whole);
  const inPlain = finderIn(plain);
  // JSON in a URL or in HTML keeps its backslashes there, and a secret of backslashes differs from its escapes only in its length.
  const withBackslashes = decodeWithoutBackslashes(whole);
  const inBackslashes = [whole, ...withBackslashes].map(finderIn);
  const lower = [...layers, ...withBackslashes, ...[whole, ...withBackslashes].flatMap(decodeSingly)];
  const inLayers = lower.map(finderIn);
  // In the fields of a form a blank is a plus, and in HTML one that does not break.
  const spaced = forms.some(hasBlank) ? [whole, ...lower] : [];
  const inSpaced = spaced.map((layer) => finderIn({ ...layer, text: withBlanks(layer.text) }));
  const inBare = forms.some(({ bodies }) => bodies.length > 0) ? [whole, ...lower].map(bareFinderIn) : [];
  const found = forms.flatMap((form) => {
    const { secret, literal, encoded, decoded, bodies, publicLength } = form;
    const spellings = hasBlank(form) ? [withBlanks(decoded), withBlanks(secret)] : [];
    return [
      ...literal.flatMap((each) => inBackslashes.flatMap((inLayer) => inLayer(each, publicLength))),
      ...[inWhole, ...inLayers].flatMap((inLayer) =>
        encoded.flatMap((each) => inLayer(each, publicLength === 0 ? 0 : Infinity)),
      ),
      ...inLayers.flatMap((inLayer) => inLayer(secret, publicLength)),
      ...inPlain(decoded, publicLength),
      ...inSpaced.flatMap((inLayer) => spellings.flatMap((each) => inLayer(each, publicLength))),
      ...inBare.flatMap((inLayer) =>
        bodies.flatMap(({ text, start }) => inLayer(text, publicLength === 0 ? 0 : publicLength - start)),
      ),
    ];
  });
  found.push(...short.flatMap((secret) => [whole, ...lower].flatMap((layer) => findWord(layer, secret))));
  return found.length === 0 ? text : maskRanges(text, found);
}

const hasBlank = ({ secret, decoded }: Forms) => secret.includes(" ") || decoded.includes(" ");
const withBlanks = (text: string) => text.replaceAll(/[+\u00a0]/gu, " ");

type Range = readonly [start: number, end: number];

type Finder = (form: string, publicLength: number) => readonly Range[];

/** Finds where a form stands in a text without white space and punctuation. */
function bareFinderIn(layer: Decoded): Finder {
  const bare = withoutMarks(layer.text);
  return finder(bare.text, (start, end) => rangeIn(layer, bare.originOf(start), bare.originOf(end - 1) + 1));
}

const finderIn = (layer: Decoded) => finder(layer.text, (start, end) => rangeIn(layer, start, end));

/** Finds where a form stands in a text, whole or only its beginning, unless that beginning is public. Many forms begin alike. */
function finder(text: string, rangeOf: (start: number, end: number) => Range): Finder {
  const absent = new Set<string>();
  return (form, publicLength) => {
    const head = headOf(form);
    if (absent.has(head)) return [];
    const found = occurrencesOf(form, text);
    if (found.length === 0) absent.add(head);
    return found
      .filter(({ length }) => length === form.length || length > publicLength)
      .map(({ at, length }) => rangeOf(at, at + length));
  };
}

function rangeIn({ text, originOf }: Decoded, start: number, stop: number): Range {
  let end = stop;
  // The whole of an escape goes, where the secret is only its beginning.
  while (end < text.length && originOf(end) === originOf(end - 1)) end += 1;
  return [originOf(start), originOf(end)];
}

const opening = String.raw`(?<=^|[\s"'\x60()[\]{}<>,;=:!?&|+])`;
const closing = String.raw`(?=$|[\s"'\x60()[\]{}<>,;=:!?&|+]|\.(?:\s|$))`;

/** Finds a short secret where it stands by itself: as a word, or the shortest as the whole text or in quotes. */
function findWord({ text, originOf }: Decoded, secret: string): readonly Range[] {
  const forms = [...new Set([secret, JSON.stringify(secret).slice(1, -1)])].filter((form) => text.includes(form));
  return forms.flatMap((form) => {
    const escaped = form.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
    const [before, after] = form.length < shortestWord ? ['(?<=^|")', '(?=$|")'] : [opening, closing];
    return [...text.matchAll(new RegExp(before + escaped + after, "gu"))].map(
      ({ index }) => [originOf(index), originOf(index + form.length)] as const,
    );
  });
}

/** Returns where the beginning of a form stands in a text, and how many of its characters stand there. */
function occurrencesOf(form: string, text: string): { readonly at: number; readonly length: number }[] {
  const head = headOf(form);
  const found: { at: number; length: number }[] = [];
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
    let length = 0;
    while (length < form.length && text[at + length] === form[length]) length += 1;
    found.push({ at, length });
  }
  return found;
}

/** Returns the length of the longest beginning of a secret that a text holds, if it is long enough to be masked, else 0. */
export const publicLengthIn = (text: string, secret: string): number =>
  secret === "" ? 0 : occurrencesOf(secret, text).reduce((longest, { length }) => Math.max(longest, length), 0);

function maskRanges(text: string, ranges: readonly Range[]): string {
  let result = "";
  let done = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start >= done) result += text.slice(done, start) + masked;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}
