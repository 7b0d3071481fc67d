import type { Word } from "./scan.ts";

/** A word as it is stored, or undefined when it is not of this form. */
export type ReadWord = (word: Word) => string | undefined;
/** The words of a content as they are stored, or undefined when they are not of this form. */
export type ReadWords = (words: readonly Word[]) => readonly string[] | undefined;

export const uint =
  (maximum: number): ReadWord =>
  ({ raw }) =>
    /^[0-9]+$/.test(raw) && Number(raw) <= maximum ? raw : undefined;
export const uint8 = uint(255);
export const uint16 = uint(65_535);

/** A name that `read` knows; names are not quoted. */
export const name =
  (read: (text: string) => string | undefined): ReadWord =>
  ({ raw, shape }) =>
    shape === "bare" ? read(raw) : undefined;

/** A `<character-string>`, stored in quotes; `fits` says which octets it may hold. */
export const string =
  (maximum: number, fits: (octets: Buffer) => boolean = () => true): ReadWord =>
  ({ raw, octets, shape }) => {
    if (shape === "mixed" || octets.length > maximum || !fits(octets)) return undefined;
    return shape === "quoted" ? raw : `"${raw}"`;
  };

/** Exactly these words. */
export const row =
  (...readers: readonly ReadWord[]): ReadWords =>
  (words) => {
    if (words.length !== readers.length) return undefined;
    const read = words.flatMap((word, index) => readers[index]?.(word) ?? []);
    return read.length === words.length ? read : undefined;
  };

/** These words, and data that may be split by blanks; `decode` gives its octets, and `fits` looks at all of it. */
export const rowAndData =
  (
    readers: readonly ReadWord[],
    decode: (text: string) => Buffer | undefined,
    fits: (octets: Buffer, head: readonly string[]) => boolean = () => true,
  ): ReadWords =>
  (words) => {
    const head = row(...readers)(words.slice(0, readers.length));
    const text = words
      .slice(readers.length)
      .map(({ raw }) => raw)
      .join("");
    const octets = decode(text);
    if (head === undefined || octets === undefined || octets.length === 0 || octets.length > 65_535) return undefined;
    return fits(octets, head) ? [...head, decode === fromHex ? text.toLowerCase() : text] : undefined;
  };

export const fromHex = (text: string): Buffer | undefined => {
  const octets = Buffer.from(text, "hex");
  return octets.length * 2 === text.length ? octets : undefined;
};

/** Base64 in its only canonical spelling (RFC 4648 section 3.5). */
export const fromBase64 = (text: string): Buffer | undefined => {
  const octets = Buffer.from(text, "base64");
  return octets.toString("base64") === text ? octets : undefined;
};

/** Whether a digest is as long as its type says; other types may have any length. */
export const isDigest =
  (lengths: Readonly<Record<string, number>>, place: number) => (octets: Buffer, head: readonly string[]) =>
    octets.length === (lengths[Number(head[place])] ?? octets.length);
