import { isWholeName } from "../../kinds/dns/record-name.ts";
import { partNamed } from "../read/read-resources.ts";
import type { LintFinding, LintRule } from "./rule.ts";
import type { Span } from "../yaml/written.ts";

/** A record name that ends in its zone's name without a final dot: other tools put the zone's name behind it once more. */
export const ambiguousName: LintRule = {
  id: "ambiguous_name",
  find: ({ ofKind }) => {
    const reported = new Set<Span>();
    return ofKind("dns_record").flatMap(({ resource, kind, part }): LintFinding | [] => {
      const name = partNamed(part, kind.naming.chosen);
      const zone = resource.key["zone"];
      // Nearly all stand there as they are in the key, which never ends in the zone's name without a final dot.
      if (!name || name.text === resource.key["name"] || zone === undefined || reported.has(name.span)) return [];
      const text = name.text.trim();
      if (text.endsWith(".") || !isWholeName(text.toLowerCase(), zone)) return [];
      reported.add(name.span);
      const short = resource.key["name"] ?? "@";
      return {
        span: name.span,
        summary: `"${text}" in ${zone} is read as the whole name ${text}., not as ${text}.${zone}.`,
        hint: `write "${short}" or "${text}." if that is meant, and "${text}.${zone}." if not`,
      };
    });
  },
};
