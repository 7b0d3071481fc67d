import { openValue } from "../../model/body.ts";
import { clearValue } from "../../model/clear-values.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { Kind, Problem } from "../kind.ts";
import { isOpaque } from "./numbered-type.ts";
import { inlinePriority } from "./record-content.ts";
import { recordTypes } from "./record-types.ts";
import { type RecordSetCheck, unknownBesideCname } from "./set-rules.ts";
import { checkZoneCut } from "./zone-cut.ts";

const none: readonly Problem[] = [];

const valuesAreDistinct: RecordSetCheck = ({ key, members = [] }) => {
  if (members.length < 2) return none;
  const seen = new Set<Json>();
  const twice = members.filter(({ fields }) => {
    const content = clearValue(fields["content"]);
    return content !== undefined && seen.size === seen.add(content).size;
  });
  return twice.map(({ fields }) => ({
    code: "duplicate_value",
    summary: `${key["type"]} ${key["name"]} in ${key["zone"]} holds ${jsonText(openValue(fields["content"]) ?? "(sensitive)")} twice`,
    detail: "each value once (in normal form)",
    path: [],
  }));
};

/** The bytes of an MX or SRV record hold its priority, which is written beside them as well, or not at all. */
const samePriority: RecordSetCheck = ({ key: { zone, name, type = "" }, members = [] }) => {
  return members.flatMap(({ fields }): Problem[] => {
    const content = fields["content"]?.is === "known" ? fields["content"].written : undefined;
    const priority = openValue(fields["priority"]);
    const inBytes = typeof content === "string" && isOpaque(content) ? inlinePriority(type, content) : undefined;
    if (inBytes === undefined || priority === undefined || inBytes === priority) return [];
    return [
      {
        code: "priority_differs",
        summary: `${type} ${name} in ${zone} has the priority ${jsonText(priority)}, and ${inBytes} in its bytes`,
        hint: `write priority: ${inBytes}, or write the record in its usual form instead of \\# bytes`,
        path: [],
      },
    ];
  });
};

const oneTarget: RecordSetCheck = ({ key: { zone, name, type }, members = [] }) =>
  members.length < 2
    ? none
    : [
        {
          code: "several_targets",
          summary: `${type} ${name} in ${zone} has ${members.length} targets`,
          detail: "one item: a CNAME, DNAME or ALIAS has one target only",
          path: ["values"],
        },
      ];

/** The checks of each type in their order. */
const checks: ReadonlyMap<string, readonly RecordSetCheck[]> = new Map(
  [...recordTypes].map(([type, { setRule, isAlias = false, hasPriority = false }]) => [
    type,
    [
      ...(setRule ? [setRule] : []),
      ...(isAlias ? [oneTarget] : []),
      valuesAreDistinct,
      ...(hasPriority ? [samePriority] : []),
      checkZoneCut,
    ],
  ]),
);
const ofUnknownType = [unknownBesideCname, valuesAreDistinct, checkZoneCut];
const types = [...checks.keys()];

/** Returns the mistakes that can be seen in a record set only beside others, or as a whole. */
export function checkRecordSet(
  ...[resource, lookup, census]: Parameters<NonNullable<Kind["check"]>>
): readonly Problem[] {
  let found = none;
  for (const check of checks.get(resource.key["type"] ?? "") ?? ofUnknownType) {
    const problems = check(resource, lookup, census, types);
    if (problems.length > 0) found = found.concat(problems);
  }
  return found;
}
