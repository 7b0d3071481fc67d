import { Scalar, visit, type Document, type ToStringOptions } from "yaml";
import { escapeYaml, hasUnsafe } from "./escape.ts";

/** Prints a document of YAML. A text with characters that nobody sees, or that a terminal obeys, stands in double quotes, escaped. */
export function writeYaml(document: Document, options: ToStringOptions = {}): string {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && hasUnsafe(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0, ...options }));
}
