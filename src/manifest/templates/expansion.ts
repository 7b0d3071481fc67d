import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt, type Mistake } from "../yaml/diagnostic-at.ts";
import type { Span, WrittenNode } from "../yaml/written.ts";
import { newSuggester, type Suggest } from "./suggester.ts";

/** The most that an expansion may make. */
export interface Limits {
  /** Uses of templates, nested ones and each item of for_each among them: they take their time, though nothing may come of them. */
  readonly uses: number;
  readonly resources: number;
  readonly nodes: number;
  readonly characters: number;
}

/** Thrown where an expansion grows too large. */
export class TooLarge extends Error {}

/** The results of an expansion, beside its trees. */
export interface Expansion {
  /** Adds a mistake. The same of the same place is added once, however often its template is used. */
  readonly report: (span: Span, mistake: Mistake) => void;
  /** Counts nodes and characters that are made. Throws `TooLarge` when there are too many. */
  readonly spend: (nodes: number, characters?: number) => void;
  readonly suggest: Suggest;
  /** Nodes that keep their placeholders, because these have no value: the reason is reported, and their content says nothing. */
  readonly broken: Set<WrittenNode>;
}

/** @param diagnostics receives the mistakes. */
export function newExpansion(diagnostics: Diagnostic[], limits: Limits): Expansion {
  const reported = new Set<string>();
  let nodes = 0;
  let characters = 0;
  return {
    broken: new Set(),
    suggest: newSuggester(),
    report: (span, mistake) => {
      const id = `${span.source.file}:${span.start}:${mistake.summary}`;
      if (!reported.has(id)) diagnostics.push(diagnosticAt(span, mistake));
      reported.add(id);
    },
    spend: (moreNodes, moreCharacters = 0) => {
      nodes += moreNodes;
      characters += moreCharacters;
      if (nodes > limits.nodes || characters > limits.characters) throw new TooLarge();
    },
  };
}
