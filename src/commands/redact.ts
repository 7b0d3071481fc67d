import { decodeSpellings, type Decoded } from "./decode-spellings.ts";

/** Shorter values would mask words that mean nothing; what is written from them is masked where it is known to be secret. */
const shortest = 6;
const masked = "(sensitive)";

/**
 * A last net under what is printed: every secret that this run has read is masked, however it came into the text, such as by a server
 * that repeats what it was sent, in its own spelling: escaped for JSON, a URL or HTML, or as base64. `secrets` may grow meanwhile.
 */
export function redactor(secrets: ReadonlySet<string>): (text: string) => string {
  const known = new Map<string, Forms>();
  return (text) => {
    const forms = [...secrets].flatMap((secret) => {
      if (secret.length < shortest) return [];
      const found = known.get(secret) ?? formsOf(secret);
      known.set(secret, found);
      return [found];
    });
    return maskSpellings(maskLiterals(text, forms), forms);
  };
}

interface Forms {
  readonly secret: string;
  /** As it stands in a text as it is, the longest first. */
  readonly literal: readonly string[];
  /** As it stands in a text without any escapes: what looks like one in the secret is resolved in it, too. */
  readonly decoded: string;
}

function formsOf(secret: string): Forms {
  // In --json, and in quoted values, a secret stands with its quotes and line breaks escaped.
  const quoted = JSON.stringify(secret).slice(1, -1);
  // A server that repeats a JSON body inside a text of its JSON escapes it once more.
  const twice = JSON.stringify(quoted).slice(1, -1);
  const thrice = JSON.stringify(twice).slice(1, -1);
  return {
    secret,
    literal: [...new Set([thrice, twice, quoted, secret, ...base64Forms(secret)])],
    decoded: decodeSpellings(secret).at(-1)?.text ?? secret,
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

function maskLiterals(text: string, forms: readonly Forms[]): string {
  let result = text;
  for (const { literal } of forms) for (const form of literal) result = result.replaceAll(form, masked);
  return result;
}

/** Masks what is seen to be a secret only when escapes are resolved. */
function maskSpellings(text: string, forms: readonly Forms[]): string {
  const [whole, ...layers] = decodeSpellings(text);
  const plain = layers.at(-1) ?? whole;
  // In the fields of a form a blank is a plus.
  const spaced = { ...plain, text: withoutPlus(plain.text) };
  const found = forms.flatMap(({ secret, decoded }) => [
    ...layers.flatMap((layer) => rangesOf(secret, layer)),
    ...rangesOf(decoded, plain),
    ...(decoded.includes(" ") ? rangesOf(withoutPlus(decoded), spaced) : []),
  ]);
  return found.length === 0 ? text : maskRanges(text, found);
}

const withoutPlus = (text: string) => text.replaceAll("+", " ");

type Range = readonly [start: number, end: number];

function rangesOf(secret: string, { text, originOf }: Decoded): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length)) {
    let end = at + secret.length;
    // The whole of an escape goes, where the secret is only its beginning.
    while (end < text.length && originOf(end) === originOf(end - 1)) end += 1;
    ranges.push([originOf(at), originOf(end)]);
  }
  return ranges;
}

function maskRanges(text: string, ranges: readonly Range[]): string {
  let result = "";
  let done = 0;
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start >= done) result += text.slice(done, start) + masked;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}
