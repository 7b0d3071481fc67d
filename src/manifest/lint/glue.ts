import { spanOf } from "./declared-sets.ts";
import { type LintFinding, type LintRule, absence, nameOfRecord } from "./rule.ts";

/** A name server at or below the name that it serves: without its address in the zone above, no resolver finds it (RFC 9471). */
export const glueMissing: LintRule = {
  id: "glue_missing",
  find: ({ zones }) =>
    zones
      .recordsOf(["NS"])
      .filter(({ owner, zone }) => owner !== zone)
      .flatMap((record) =>
        record.targets.flatMap((target): LintFinding[] => {
          if (target !== record.owner && !target.endsWith(`.${record.owner}`)) return [];
          const found = zones.held(record.zone, target, ["A", "AAAA"]);
          if (found.is !== "absent") return [];
          const { clause, ...more } = absence(found.zone, found.surely, `address record in ${found.zone}`);
          return [
            {
              span: spanOf(record),
              summary: `${nameOfRecord(record)} delegates to ${target}., ${clause}`,
              ...more,
              hint: `declare A or AAAA of ${target} in ${found.zone}: only the address there leads to this name server`,
            },
          ];
        }),
      ),
};
