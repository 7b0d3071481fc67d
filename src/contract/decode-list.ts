import { toAddress, type Address } from "../model/address.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { Key, Remote } from "../model/resource.ts";
import type { BoundKind, BoundList } from "./bound-kind.ts";
import { recordDecoder, saysWholeness, type NameOf } from "./decode-record.ts";
import { fieldReader } from "./spelling/read-field.ts";

interface ListedObject {
  /** Empty where the object has no name. */
  readonly address: Address;
  readonly key: Key;
  readonly remote: Remote;
}

const nameless = "" as Address;

export function decodeList({ kind, scope }: BoundList, items: readonly JsonObject[], nameOf: NameOf): ListedObject[] {
  const isRelative = hasRelativeNames(kind, items, scope);
  const decode = recordDecoder(kind, { scope, nameOf, isRelative });
  return items.map((raw) => {
    const { key, isNamed, remote } = decode(raw);
    return { address: isNamed ? toAddress(kind.name, kind.naming.addressParts(key)) : nameless, key, remote };
  });
}

/** Whether a list has its names relative to its scope: where one record alone does not tell, all of them do. */
function hasRelativeNames(kind: BoundKind, items: readonly JsonObject[], scope: Key): boolean {
  const { field = "", areListed } = kind.naming.relative ?? {};
  if (!areListed || saysWholeness(kind)) return false;
  const read = fieldReader({ kind, key: scope }, field);
  return areListed(
    items.map((raw) => jsonText(read(raw))),
    scope,
  );
}
