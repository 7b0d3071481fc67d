/** The form of one part of a record's content. */
export interface ContentField {
  /** The normal form; text that cannot be read stays as it is. */
  readonly normalise: (text: string, zone: string) => string;
  /** The expected form, if the text is not acceptable. */
  readonly check: (text: string) => string | undefined;
  /** Whether it is the rest of the content, behind the parts before it; or, where it is the only part, all of it as written. */
  readonly takes?: "rest" | "all";
  /** Whether it may be left out. Only the last part can. */
  readonly isOptional?: boolean;
}

/** The form of the content of one record type (RFC 1035 presentation form; the priority of MX and SRV stands apart). */
export type ContentForm = Pick<ContentField, "normalise" | "check">;

/** The parts of a content in their order, and what makes a content of them. */
export interface FormOfParts {
  /** Names all parts in their order. */
  readonly expected: string;
  readonly parts: readonly ContentField[];
  /** Looks at the normal forms of all parts: what was expected, where they do not go together. */
  readonly rule?: (words: readonly string[]) => string | undefined;
}

/** Makes the form of a content whose parts have blanks between. */
export function makeForm({ expected, parts, rule }: FormOfParts): ContentForm {
  const [first] = parts;
  const only = parts.length === 1 && !rule ? first : undefined;
  const last = parts.at(-1);
  if (only?.takes === "all") return only;
  const split = (content: string) => splitWords(content, last?.takes === "rest" ? parts.length : undefined);
  const least = last?.isOptional === true ? parts.length - 1 : parts.length;
  const areAll = ({ length }: readonly string[]) => length >= least && length <= parts.length;
  const check = (content: string) => {
    const words = split(content);
    if (!areAll(words)) return expected;
    const wrong = words.flatMap((word, index) => parts[index]?.check(word) ?? []);
    return wrong.length > 0
      ? wrong.join("; ")
      : rule?.(words.map((word, index) => parts[index]?.normalise(word, "zone.example") ?? word));
  };
  return {
    check: (content) => {
      // Most contents are one word.
      if (only && oneWord.test(content)) return only.check(content);
      const wrong = check(content);
      return wrong === undefined || wrong === expected || parts.length === 1 ? wrong : `${expected}: ${wrong}`;
    },
    normalise: (content, zone) => {
      if (only && oneWord.test(content)) return only.normalise(content, zone);
      const words = split(content);
      const isBroken = words.some((word) => word === '"' || word === "\\");
      if (!areAll(words) || isBroken) return content;
      return words.map((word, index) => parts[index]?.normalise(word, zone) ?? word).join(" ");
    },
  };
}

const oneWord = /^[^ \t\r\n"\\]+$/u;

/** Splits at blanks outside quotes; what follows the word number `most` becomes part of it. */
export function splitWords(content: string, most = Infinity): string[] {
  if (oneWord.test(content)) return [content];
  const words: string[] = content.match(/(?:"(?:[^"\\]|\\.)*"|\\.|[^ \t\r\n"\\])+|["\\]/gsu) ?? [];
  return words.length <= most ? words : [...words.slice(0, most - 1), words.slice(most - 1).join(" ")];
}

export const isNumber = (text: string, most: number) => /^\d+$/u.test(text) && Number(text) <= most;

/** The bits that pad the last character are zero (RFC 4648 section 3.5). */
export const isBase64 = (characters: string) =>
  characters !== "" &&
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/u.test(characters);

/** An IPv6 address in the form of RFC 5952, which the URL parser writes; a zone index stays. */
export function compressIPv6(text: string): string {
  const [address = "", ...zoneIndex] = text.split("%");
  return [new URL(`http://[${address}]/`).hostname.slice(1, -1), ...zoneIndex].join("%");
}
