import type { Kind } from "../kinds/kind.ts";
import { toAddress, type Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { Key, Remote } from "../model/resource.ts";
import { entryOf } from "./entry.ts";
import { recordDecoder, saysWholeness, type NameOf } from "./decode-record.ts";
import { fieldReader } from "./spelling/read-field.ts";
import { type CollectionRef } from "../kinds/derived/collection.ts";

interface ListedObject {
  /** Empty where the object has no name. */
  readonly address: Address;
  readonly key: Key;
  readonly remote: Remote;
}

const nameless = "" as Address;

export function decodeList(
  contract: Contract,
  { kind, scope }: Pick<CollectionRef, "kind" | "scope">,
  items: readonly JsonObject[],
  nameOf: NameOf,
): ListedObject[] {
  const isRelative = hasRelativeNames(contract, kind, items, scope);
  const decode = recordDecoder(contract, kind, { scope, nameOf, isRelative });
  return items.map((raw) => {
    const { key, isNamed, remote } = decode(raw);
    return { address: isNamed ? toAddress(kind.name, kind.naming.addressParts(key)) : nameless, key, remote };
  });
}

/** Whether a list has its names relative to its scope: where one record alone does not tell, all of them do. */
function hasRelativeNames(contract: Contract, kind: Kind, items: readonly JsonObject[], scope: Key): boolean {
  const { field = "", areListed } = kind.naming.relative ?? {};
  const entry = entryOf(contract, kind);
  if (!areListed || saysWholeness(entry, kind)) return false;
  const read = fieldReader({ entry, kind, key: scope }, field);
  return areListed(
    items.map((raw) => jsonText(read(raw))),
    scope,
  );
}
