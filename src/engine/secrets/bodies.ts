import { withoutMarks } from "./decode-spellings.ts";

/** A part of a long secret without white space and punctuation, by which it is known however its lines are broken. */
export interface Body {
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
