import type { ParsedSource } from "./build-tree.ts";
import { parseAnyYaml } from "./parse-any-yaml.ts";
import { parseEverydayYaml } from "./parse-everyday-yaml.ts";
import type { SourceText } from "./written.ts";

/**
 * Reads one text: YAML 1.2 (core schema) with one document, whose root is a map. Without tags, merge keys, directives
 * and complex keys; aliases are copied. Every mistake is a diagnostic; nothing is thrown.
 */
export function parseSource(source: SourceText): ParsedSource {
  const root = parseEverydayYaml(source);
  return root ? { root, diagnostics: [] } : parseAnyYaml(source);
}
