import type { Diagnostic } from "../../model/diagnostic.ts";
import { frameOf } from "./frame.ts";
import { positionOf, type Span } from "./written.ts";

/** A diagnostic without its place. */
export type Mistake = Omit<Diagnostic, "severity" | "at" | "frame">;

/** @param severity default: an error. */
type Fields = Mistake & Partial<Pick<Diagnostic, "severity">>;

/**
 * Returns a diagnostic with the place and the source line of a span. The line is cut out when it is asked for: of 100,000 mistakes only
 * the first are printed.
 */
export function diagnosticAt(span: Span, { severity = "error", ...fields }: Fields): Diagnostic {
  return {
    ...fields,
    severity,
    at: positionOf(span),
    get frame() {
      return frameOf(span);
    },
  };
}
