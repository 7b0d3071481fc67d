import { hasKind } from "../contract/entry.ts";
import { isWeakList } from "../contract/rules-of.ts";
import { unknownStatus } from "../kinds/derived/unknown-status.ts";
import { kindNamed } from "../kinds/index.ts";
import { addTo } from "../lib/collect.ts";
import { nameSome } from "../lib/shorten.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Returns one notice for all kinds whose lists were read without a count to compare them with. */
export function weakLists({ contract, live }: Pick<PlanInput, "contract" | "live">): Diagnostic[] {
  const read = [...live.collections.values()].map(({ kind }) => kind);
  const weak = [...new Set(read)].filter((name) => hasKind(contract, kindNamed(name)) && isWeakList(contract, name));
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

/** Returns a notice for each status that its kind does not know, with the declared resources that are in it. */
export function unknownStatuses({ desired, live }: PlanInput, concerns: (address: Address) => boolean): Diagnostic[] {
  const byStatus = new Map<string, Address[]>();
  for (const { address, kind, remotes } of live.resources.values()) {
    const status = unknownStatus(kindNamed(kind), remotes[0]?.fields ?? {});
    if (status === undefined || !desired.resources.has(address) || !concerns(address)) continue;
    addTo(byStatus, status, address);
  }
  return [...byStatus]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([status, addresses]) => ({
      severity: "notice",
      code: "unknown_status",
      summary: `the status ${JSON.stringify(status)} of ${nameSome(addresses.toSorted(), 3)} is unknown to this version of Hostform`,
      hint: "ask the vendor whether it can be used; a newer version of Hostform may know the word",
    }));
}
