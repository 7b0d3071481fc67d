import { looksSecret } from "../../kinds/derived/looks-secret.ts";
import { kindNamed, kinds } from "../../kinds/index.ts";
import { collectionAt } from "../../kinds/derived/collection.ts";
import { groupBy } from "../../lib/collect.ts";
import { kindOf, type Address } from "../../model/address.ts";
import { bodiesOf, isWrittenOut, partsOf, secretFields } from "../../model/body.ts";
import { jsonText, type Json } from "../../model/json.ts";
import type { LiveResource, Resource } from "../../model/resource.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { prepare } from "../../plan/prepare.ts";
import { marksByAddress } from "../../plan/owned-when-done.ts";
import type { Host } from "../session/host.ts";

/** The fields of each kind into which people put credentials. */
const credentialFields = new Map(
  kinds.map(({ name, fields }) => [name, Object.keys(fields).filter((each) => fields[each]?.mayHoldCredentials)]),
);

/**
 * Masks the live values that an earlier apply took from secrets, also where the manifest does not refer to these any more: by the marks
 * of the inventory, and by the manifest of the last apply where it can be read, else by that of this run. What looks like a credential is
 * masked, too, unless the manifest writes it in the open.
 */
export function keepFormerSecrets(
  input: Pick<PlanInput, "desired" | "ownership" | "contract" | "live">,
  { keepFormerSecret }: Pick<Host, "keepFormerSecret">,
): void {
  const { desired, ownership, live } = input;
  const marks = marksByAddress(ownership.inventory?.secretFields ?? new Set());
  const then = ownership.declaredThen?.resources ?? desired.resources;
  let objectsOf: ReturnType<typeof namedAsDeclared> | undefined;
  const objectsAt = (address: Address): readonly LiveResource[] => {
    const listed = live.resources.get(address);
    // Few are missing: most servers keep the names of the manifest.
    return listed ? [listed] : (objectsOf ??= namedAsDeclared(input))(address, then.get(address));
  };
  for (const address of new Set([...marks.keys(), ...then.keys()])) {
    const fields = new Set([...(marks.get(address) ?? []), ...secretFields(then.get(address))]);
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
 * Returns what finds the live object of a declared address; where the API gives objects no names, each that no block declares and that may
 * be it, as far as the manifest of the last apply tells.
 */
function namedAsDeclared(input: Pick<PlanInput, "desired" | "ownership" | "contract" | "live">) {
  const { resources } = prepare(input).live;
  const undeclared = [...resources.values()].filter(({ address }) => !input.desired.resources.has(address));
  const lists = groupBy(undeclared, ({ address }) => collectionAt(address));
  return (address: Address, then: Resource | undefined): readonly LiveResource[] => {
    const found = resources.get(address);
    const field = input.contract.kinds[kindOf(address)]?.named_by;
    if (found || field === undefined) return found ? [found] : [];
    const texts = (partsOf(then?.fields[field]) ?? []).filter((part) => typeof part === "string");
    const mayBeIt = (text: string) => texts.every((part) => text.includes(part));
    return (lists.get(collectionAt(address)) ?? []).filter(({ remotes: [remote] }) =>
      mayBeIt(jsonText(remote?.fields[field])),
    );
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
