import { unknownStatus } from "../kinds/derived/unknown-status.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { addTo } from "../lib/collect.ts";
import { nameSome } from "../lib/shorten.ts";

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
    .map(([status, addresses]) => {
      // An account may have thousands in one state.
      const named = nameSome(addresses.toSorted(), 3);
      return {
        severity: "notice",
        code: "unknown_status",
        summary: `the status ${JSON.stringify(status)} of ${named} is unknown to this version of Hostform`,
        hint: "ask the vendor whether it can be used; a newer version of Hostform may know the word",
      };
    });
}
