import { offers } from "../contract/entry.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { isOff, isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import { isNameless } from "../kinds/derived/listed-object.ts";
import { groupBy } from "../lib/collect.ts";
import { nameSome } from "../lib/shorten.ts";
import { kindOf, type Address } from "../model/address.ts";
import { openValue } from "../model/body.ts";
import type { LiveResource, Remote } from "../model/resource.ts";
import { differs, mayBeMadeOf } from "./compare-values.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { causeOfDeletion } from "../policy/deletions.ts";
import type { PreparedInput } from "./context.ts";

/**
 * Returns a diagnostic for each address that the manifest no longer declares, or declares otherwise, and whose object stays on the server.
 * @param touched addresses that the plan changes, or takes along with a change.
 */
export const findStaying = (input: PreparedInput, touched: ReadonlySet<Address>): Map<Address, Diagnostic> =>
  new Map([...stayingReferred(input, touched), ...stayingNameless(input)]);

/** Warns of each resource to which the last applied manifest referred, without values that would have made it ours. */
function stayingReferred({ contract, desired, live, ownership }: PreparedInput, touched: ReadonlySet<Address>) {
  const { declaredLast = [], inventory, rolledBack } = ownership;
  const warnings = new Map<Address, Diagnostic>();
  // A branch behind the last apply declares less without dropping anything.
  if (rolledBack) return warnings;
  for (const address of declaredLast) {
    const found = live.resources.get(address);
    if (!found || desired.resources.has(address) || desired.removed.has(address)) continue;
    if (touched.has(address) || inventory?.addresses.has(address) === true) continue;
    if (isWhollyPlatformOwned(found) || isOff(found)) continue;
    const isDeletable = offers(contract, kindNamed(found.kind), "delete");
    warnings.set(address, {
      severity: "warning",
      code: "no_longer_declared",
      summary: `${address} was declared at an earlier apply, is not declared any more, and stays on the server: it is not in the inventory`,
      hint: isDeletable
        ? `to delete it, add to the manifest  removed: [{ address: ${address}, action: delete }]; to leave it:  removed: [{ address: ${address}, action: forget }]`
        : `the API offers no deletion: remove it in the vendor's panel, or add to the manifest  removed: [{ address: ${address}, action: forget }]`,
    });
  }
  return warnings;
}

/**
 * Returns a notice for each address of the inventory whose object may still stand on the server, where the API gives such objects no
 * name. Never a deletion: the inventory holds no values, and another person may have made an object with the same ones.
 */
function stayingNameless(input: PreparedInput): Map<Address, Diagnostic> {
  const { contract, desired, live, ownership, undeclared } = input;
  const notices = new Map<Address, Diagnostic>();
  const listAt = (address: Address) => `${kindOf(address)} ${live.collections.get(collectionAt(address))?.list}`;
  const isOpen = ({ address }: LiveResource) => isNameless(contract, address) && !desired.removed.has(address);
  const open = undeclared.filter((each) => isOpen(each) && causeOfDeletion(input, each) === undefined);
  const lists = groupBy(open, ({ address }) => listAt(address));
  const then = ownership.lastApplyDirty === true ? undefined : ownership.declaredThen?.resources;
  for (const address of ownership.inventory?.addresses ?? []) {
    const field = contract.kinds[kindOf(address)]?.named_by;
    if (field === undefined || live.resources.has(address)) continue;
    const declared = then?.get(address)?.fields[field];
    const former = openValue(declared);
    // The secret of then may be another than that of now.
    const isFormer = (remote: Remote) =>
      former === undefined ? mayBeMadeOf(remote, field, declared) : !differs(remote.fields[field], declared);
    const candidates = (lists.get(listAt(address)) ?? [])
      .filter(({ remotes }) => remotes.some(isFormer))
      .map((each) => each.address)
      .sort();
    const [first] = candidates;
    if (first === undefined || desired.removed.get(address)?.action === "forget") continue;
    const giveUp = desired.resources.has(address)
      ? ""
      : `; to give it up instead:  [{ address: ${address}, action: forget }]`;
    notices.set(address, {
      severity: "notice",
      code: "ours_but_stays",
      summary: `The server may still have an earlier ${address}, as ${nameSome(candidates, 5)}: the API gives it no name, so Hostform cannot prove ownership`,
      hint: `to delete it, add to the manifest  removed: [{ address: ${former === undefined ? "ADDRESS" : first}, action: delete }]${giveUp}`,
    });
  }
  return notices;
}
