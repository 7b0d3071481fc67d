import type { Declaration } from "../../model/explanation.ts";
import { frameOf } from "../yaml/frame.ts";
import type { WrittenResource } from "./read-resources.ts";
import { endOfLine, lineStarts, positionOf, type SourceText } from "../yaml/written.ts";

/** Lines that are shown of one resource. */
const longest = 12;

/** The place of a resource in its manifest with its source lines, secrets masked, and the last line that it takes. */
export function declarationOf({ keySpan, body }: WrittenResource): Declaration & { readonly lastLine: number } {
  const { source } = keySpan;
  const at = positionOf(keySpan);
  // A block that is merged from two files has its body elsewhere.
  const end = body.source === source ? Math.max(keySpan.end, body.end) : keySpan.end;
  const lastLine = positionOf({ source, start: lastCharacter(source, keySpan.start, end), end }).line;
  const shown = Math.min(lastLine - at.line + 1, longest);
  const lines = Array.from({ length: shown }, (_, index) => ({
    number: at.line + index,
    text: lineOf(source, at.line + index),
  }));
  return { at, lines, more: lastLine - at.line + 1 - shown, lastLine };
}

const lastCharacter = ({ text }: SourceText, start: number, end: number) =>
  start + Math.max(0, text.slice(start, end).trimEnd().length - 1);

function lineOf(source: SourceText, number: number): string {
  const start = lineStarts(source)[number - 1] ?? 0;
  const line = source.text.slice(start, endOfLine(source, number - 1));
  const indent = line.length - line.trimStart().length;
  return frameOf({ source, start: start + indent, end: start + indent }).split("\n")[0] ?? "";
}
