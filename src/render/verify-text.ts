import { counted, nameSome } from "../lib/shorten.ts";
import type { Mismatch, Verification } from "../verify/verification.ts";
import { joinSections, layOutText, paint, printable, type Page } from "./layout.ts";

/** Records of one answer that are printed: whoever answers chooses how many there are. */
const mostRecords = 10;

/** Characters of one record that are printed, and of the line of a terminal. */
const longestRecord = 400;

const marks = { differs: "✗", silent: "?", nobody: "?" } as const;
const colors = { differs: "red", silent: "yellow", nobody: "yellow" } as const;

/** Renders what servers answer differently than a manifest declares it, and what could not be compared. */
export function renderVerification({ mismatches, notCompared, matches }: Verification, page: Page): string {
  return joinSections([
    ...mismatches.map((each) => layOutMismatch(each, page)),
    notCompared.flatMap(({ address, reason }) =>
      layOutText(page, printable(page, `Not compared: ${address}: ${reason}`)),
    ),
    layOutText(page, paint(page, "bold", sumText(mismatches, matches))),
  ]);
}

function layOutMismatch({ address, is, server, serial, asked, expected, answered }: Mismatch, page: Page): string[] {
  const at = serial === undefined ? server : `${server}, serial ${serial}`;
  const line = (word: string, texts: readonly string[]) => layOutText(page, `    ${word}: ${listText(texts, page)}`, 6);
  return [
    ...layOutText(page, `${paint(page, colors[is], marks[is])} ${printable(page, `${address} at ${at}`)}`),
    ...line("asked", [asked]),
    ...line("expected", expected),
    ...line("answered", answered),
  ];
}

const listText = (texts: readonly string[], page: Page): string =>
  texts.length === 0
    ? "nothing"
    : nameSome(
        texts.map((text, index) => (index < mostRecords ? printable(page, text, longestRecord) : "")),
        mostRecords,
      );

function sumText(mismatches: readonly Mismatch[], matches: number): string {
  const count = (is: Mismatch["is"]) => mismatches.filter((each) => each.is === is).length;
  const [differ, silent] = [count("differs"), count("silent") + count("nobody")];
  const good = `${counted(matches, "answer")} as declared`;
  if (differ + silent === 0) return `Verified: ${good}.`;
  return `Not verified: ${differ} different, ${silent} missing; ${good}.`;
}

/** Renders what is waited for as a line of a terminal. */
export function renderVerifying(waiting: readonly Mismatch[], page: Pick<Page, "mask">): string {
  const [first] = waiting;
  if (first === undefined) return "";
  const text = `${first.asked} at ${first.server}`;
  return `Waiting for ${counted(waiting.length, "answer")}, first ${printable(page, text, longestRecord)}`;
}
