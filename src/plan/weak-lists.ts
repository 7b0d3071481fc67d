import { hasKind } from "../contract/entry.ts";
import { isWeakList } from "../contract/rules-of.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Returns one notice for all kinds whose lists were read without a count to compare them with. */
export function weakLists({ contract, live }: Pick<PlanInput, "contract" | "live">): Diagnostic[] {
  const names = new Set([...live.collections.values()].map(({ kind }) => kind));
  const weak = [...names].filter((name) => hasKind(contract, kindNamed(name)) && isWeakList(contract, name));
  if (weak.length === 0) return [];
  return [
    {
      severity: "notice",
      code: "weak_list",
      summary: `The API does not count its lists of ${weak.toSorted().join(", ")}: a list that it cuts short looks like a complete one`,
      hint: "if its responses include a total, describe it under paging.total or paging.total_header",
    },
  ];
}
