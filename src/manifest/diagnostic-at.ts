import type { Diagnostic } from "../model/diagnostic.ts";
import { frameOf } from "./frame.ts";
import { positionOf, type Span } from "./written.ts";

/** A diagnostic with the place and the source line of a span. */
export function diagnosticAt(span: Span, fields: Omit<Diagnostic, "at" | "frame">): Diagnostic {
  return { ...fields, at: positionOf(span), frame: frameOf(span) };
}
