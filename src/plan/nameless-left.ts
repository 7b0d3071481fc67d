import { isDeepStrictEqual } from "node:util";
import { locate, normaliseAddress } from "../kinds/derived/locate.ts";
import { nameSome } from "../lib/name-some.ts";
import { kindOf, type Address } from "../model/address.ts";
import { openValue } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { causeOfDeletion } from "../policy/cause-of-deletion.ts";
import type { PreparedInput } from "./context.ts";

/**
 * Returns a notice for each address of the inventory whose object may still stand on the server, where the API gives such objects no
 * name. Never a deletion: the inventory holds no values, and another person may have made an object with the same ones.
 */
export function namelessLeft(input: PreparedInput): Map<Address, Diagnostic> {
  const { contract, desired, live, ownership, undeclared } = input;
  const notices = new Map<Address, Diagnostic>();
  const then = ownership.lastApplyDirty === true ? undefined : ownership.declaredThen?.resources;
  for (const text of ownership.inventory?.addresses ?? []) {
    const field = contract.kinds[kindOf(text)]?.named_by;
    const address = field === undefined ? undefined : normaliseAddress(text);
    if (field === undefined || address === undefined || live.resources.has(address)) continue;
    const { kind, key } = locate(address);
    const former = openValue(then?.get(address)?.fields[field]);
    const left = undeclared
      .filter(
        (each) =>
          each.kind === kind.name &&
          kind.scope.every((part) => each.key[part] === key[part]) &&
          (former === undefined || isDeepStrictEqual(each.remotes[0]?.fields[field], former)) &&
          !desired.removed.has(each.address) &&
          causeOfDeletion(input, each) === undefined,
      )
      .map((each) => each.address)
      .sort();
    const [first] = left;
    if (first === undefined || desired.removed.get(address)?.action === "forget") continue;
    const giveUp = desired.resources.has(address)
      ? ""
      : `; to give it up instead:  [{ address: ${address}, action: forget }]`;
    notices.set(address, {
      severity: "notice",
      code: "ours_but_stays",
      summary: `An earlier ${address} may still be on the server, as ${nameSome(left, 5)}: the API gives it no name, so nothing proves that it is ours`,
      hint: `to delete it, add to the manifest  removed: [{ address: ${former === undefined ? "ADDRESS" : first}, action: delete }]${giveUp}`,
    });
  }
  return notices;
}
