import { sealLine } from "../../src/journal/seal-line.ts";

/** The text of a journal with these records. */
export const sealedLines = (records: readonly object[]): string =>
  records.map((each, index) => `${sealLine(JSON.stringify(each), index + 1)}\n`).join("");

/** The records of a journal, without their seals. */
export const recordsIn = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { line: _line, sum: _sum, ...record } = JSON.parse(line) as Record<string, unknown>;
      return record;
    });
