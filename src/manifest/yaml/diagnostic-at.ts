import type { Diagnostic } from "../../model/diagnostic.ts";
import { frameOf } from "./frame.ts";
import { positionOf, type Span } from "./written.ts";

/**
 * Returns a diagnostic with the place and the source line of a span. The line is cut out when it is asked for: of 100,000 mistakes only
 * the first are printed.
 */
export function diagnosticAt(span: Span, fields: Omit<Diagnostic, "at" | "frame">): Diagnostic {
  return {
    ...fields,
    at: positionOf(span),
    get frame() {
      return frameOf(span);
    },
  };
}
