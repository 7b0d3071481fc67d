import { looksSecret } from "../../kinds/derived/looks-secret.ts";
import { kindNamed, kinds } from "../../kinds/index.ts";
import { groupBy } from "../../lib/collect.ts";
import { collectionAt } from "../../kinds/derived/collection.ts";
import { kindOf, type Address } from "../../model/address.ts";
import { bodiesOf, isWrittenOut, partsOf, secretFields } from "../../model/body.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { CollectionId, Live, LiveResource, Resource } from "../../model/resource.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { mayBeMadeOf } from "../../plan/compare-values.ts";
import { hasOtherName } from "../../plan/match.ts";
import { prepare } from "../../plan/prepare.ts";
import { marksByAddress } from "../../plan/owned-when-done.ts";
import type { Host } from "../session/host.ts";

/** The fields of each kind into which people put credentials. */
const credentialFields = new Map(
  kinds.map(({ name, fields }) => [name, Object.keys(fields).filter((each) => fields[each]?.mayHoldCredentials)]),
);

/**
 * Masks the live values that an earlier apply took from secrets, also where the manifest does not refer to these any more: by the marks
 * of the inventory, and by the manifest of the last apply where it can be read. What looks like a credential is masked, too, unless the
 * manifest writes it in the open.
 */
export function keepFormerSecrets(
  input: Pick<PlanInput, "desired" | "ownership" | "contract" | "live">,
  { keepFormerSecret }: Pick<Host, "keepFormerSecret">,
): void {
  const { desired, ownership, live } = input;
  const marks = marksByAddress(ownership.inventory?.secretFields ?? new Set());
  const declared = ownership.declaredThen?.resources;
  // Without it, a mark alone tells that a live value was secret: what the manifest takes from a secret now may have been open.
  const then = declared ?? desired.resources;
  const objectsAt = objectFinder(input, then);
  for (const address of new Set([...marks.keys(), ...(declared?.keys() ?? [])])) {
    const fields = new Set([...(marks.get(address) ?? []), ...secretFields(declared?.get(address))]);
    for (const remote of fields.size === 0 ? [] : objectsAt(address).flatMap(({ remotes }) => remotes))
      for (const field of fields) {
        const value = remote.fields[field];
        if (!isWrittenOut(desired.resources.get(address), field, value))
          for (const text of textsOf(value)) keepFormerSecret(text, beginningOf(then.get(address), field, text));
      }
  }
  for (const { address, kind, remotes } of live.resources.values())
    for (const field of credentialFields.get(kind) ?? [])
      for (const value of remotes.map(({ fields }) => fields[field]))
        if (
          looksSecret(kindNamed(kind), field, value ?? "") &&
          !isWrittenOut(desired.resources.get(address), field, value)
        )
          keepFormerSecret(jsonText(value), "");
}

/**
 * Returns a function that finds the live object of an address; where the API gives objects no names, each that no block declares and that may
 * be it, as far as the manifest of the last apply tells.
 */
function objectFinder(
  input: Pick<PlanInput, "contract" | "desired" | "live" | "ownership">,
  then: ReadonlyMap<Address, Resource>,
): (address: Address) => readonly LiveResource[] {
  const { contract, desired, live } = input;
  let named: Live["resources"] | undefined;
  let undeclared: ReadonlyMap<CollectionId, readonly LiveResource[]> | undefined;
  return (address) => {
    const kind = kindOf(address);
    const listed = live.resources.get(address);
    // Most objects have the name of the manifest, or are not live.
    if (listed || !hasOtherName(contract, kind)) return listed ? [listed] : [];
    named ??= prepare(input).live.resources;
    const found = named.get(address);
    const field = contract.kinds[kind]?.named_by;
    if (found || field === undefined) return found ? [found] : [];
    undeclared ??= groupBy(
      [...named.values()].filter((each) => !desired.resources.has(each.address)),
      (each) => collectionAt(each.address),
    );
    const value = then.get(address)?.fields[field];
    const inList = undeclared.get(collectionAt(address)) ?? [];
    return inList.filter(({ remotes: [remote] }) => remote && mayBeMadeOf(remote, field, value));
  };
}

/** Returns the text that the manifest of the last apply wrote before the secret in a value, such as the beginning of a command. */
function beginningOf(resource: Resource | undefined, field: string, value: string): string {
  const texts = bodiesOf(resource).flatMap(({ fields }) => {
    const [first] = partsOf(fields[field]) ?? [];
    return typeof first === "string" && value.startsWith(first) ? [first] : [];
  });
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), "");
}

/** A value as it may stand in a text; the text of a TXT record without its quotes, too. */
function textsOf(value: Json | undefined): string[] {
  if (typeof value === "number") return [String(value)];
  if (typeof value !== "string") return [];
  return /^".*"$/su.test(value) ? [value, value.slice(1, -1).replaceAll('" "', "")] : [value];
}
