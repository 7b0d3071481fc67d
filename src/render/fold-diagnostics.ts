import { addTo } from "../lib/collect.ts";
import type { Diagnostic } from "../model/diagnostic.ts";

/**
 * A part of the printed diagnostics: one in full, those that repeat the cause of earlier ones, or those of all values that are missing.
 */
export type DiagnosticBlock =
  | { readonly is: "whole"; readonly diagnostic: Diagnostic }
  | { readonly is: "repeated" | "missing"; readonly diagnostics: readonly Diagnostic[] };

/** Diagnostics of one cause that are printed in full. */
const mostWhole = 3;

/** Returns the blocks in which diagnostics are printed, in their order: a block stands at the place of its first diagnostic. */
export function foldDiagnostics(diagnostics: readonly Diagnostic[]): DiagnosticBlock[] {
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) addTo(groups, causeOf(diagnostic), diagnostic);
  const blocks = new Map<Diagnostic, DiagnosticBlock>();
  for (const group of groups.values()) for (const [first, block] of blocksOf(group)) blocks.set(first, block);
  return diagnostics.flatMap((diagnostic) => blocks.get(diagnostic) ?? []);
}

const causeOf = ({ severity, code, source, detail, hint }: Diagnostic): string =>
  JSON.stringify(source === undefined ? [severity, code, detail, hint] : [severity, code]);

function* blocksOf(group: readonly Diagnostic[]): Generator<[first: Diagnostic, block: DiagnosticBlock]> {
  const [first] = group;
  if (first === undefined) return;
  if (first.source !== undefined && group.length > 1) return yield [first, { is: "missing", diagnostics: group }];
  // A single one that is left takes no more room in full.
  const whole = group.length <= mostWhole + 1 ? group.length : mostWhole;
  for (const diagnostic of group.slice(0, whole)) yield [diagnostic, { is: "whole", diagnostic }];
  const [repeated, ...others] = group.slice(whole);
  if (repeated) yield [repeated, { is: "repeated", diagnostics: [repeated, ...others] }];
}
