import type { Span, WrittenEntry, WrittenMap, WrittenNode } from "../yaml/written.ts";

/** A placeholder in a text, such as `${var:ttl}`. `${each}` has no name. */
export interface Placeholder {
  readonly source: "var" | "param" | "each";
  readonly name: string;
  /** The placeholder as it is written. */
  readonly text: string;
  /** False where the closing brace is missing. */
  readonly closed: boolean;
  /** True inside of another `${…}`, such as `${ref:…}`. */
  readonly inside: boolean;
}

export type TextPart = string | Placeholder;

// An escaped `$${` comes first, so that its second half is not taken for a beginning.
const tokens = /\$\$\{|\$\{(?:(var|param):([^{}$]*)(\}?)|(each)\})|\$\{|\}/gu;

/** Divides a text at its placeholders. All else stays as it is written: `$${`, and `${env:…}`, `${file:…}` and `${ref:…}`. */
export function divideText(text: string): readonly TextPart[] {
  if (!text.includes("${")) return [text];
  const parts: TextPart[] = [];
  let inside = false;
  let from = 0;
  for (const { 0: token, 1: source, 2: name = "", 3: brace = "", 4: each, index } of text.matchAll(tokens)) {
    if (token === "}") inside = false;
    if (token === "${") inside = true;
    if (source === undefined && each === undefined) continue;
    if (index > from) parts.push(text.slice(from, index));
    const closed = each !== undefined || brace !== "";
    parts.push({ source: (source ?? "each") as Placeholder["source"], name, text: token, closed, inside });
    from = index + token.length;
  }
  return from < text.length || parts.length === 0 ? [...parts, text.slice(from)] : parts;
}

/** A text of a tree that holds placeholders. */
export interface FoundText {
  readonly span: Span;
  readonly isKey: boolean;
  readonly placeholders: readonly Placeholder[];
}

/** Whether a tree of one source can hold placeholders: an escape may stand for a part of one. */
export const mayHavePlaceholders = ({ source }: WrittenMap): boolean => /\$\{|\\/u.test(source.text);

/** Finds the texts with placeholders in a tree, keys among them. `${each}` counts only where `withEach` is set. */
export function findTexts(node: WrittenNode, withEach = false): readonly FoundText[] {
  const found: FoundText[] = [];
  const visit = (here: WrittenNode): void => {
    if (here.type === "list") here.items.forEach(visit);
    else if (here.type === "map") here.entries.forEach(visitEntry);
    else if (typeof here.value === "string") look(here.value, here, false);
  };
  const visitEntry = (entry: WrittenEntry) => {
    look(entry.key, entry, true);
    visit(entry.value);
  };
  const look = (text: string, span: Span, isKey: boolean) => {
    // Nearly no text has any.
    if (!text.includes("${")) return;
    const all = divideText(text).filter((part) => typeof part === "object");
    const placeholders = withEach ? all : all.filter(({ source }) => source !== "each");
    if (placeholders.length > 0) found.push({ span, isKey, placeholders });
  };
  visit(node);
  return found;
}
