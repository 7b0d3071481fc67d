import { type AnswerText, collectText } from "../../src/api/read-text.ts";

/** Returns the text of an answer that comes in these pieces. */
export function textOf(...chunks: readonly Uint8Array[]): AnswerText {
  const { add, end } = collectText(undefined);
  chunks.every(add);
  return end();
}
