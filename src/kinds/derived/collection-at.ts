import type { Address } from "../../model/address.ts";
import type { CollectionId } from "../../model/resource.ts";
import { collectionOf } from "./collection.ts";
import { locate } from "./locate.ts";

/** The collection in whose list an address stands. */
export function collectionAt(address: Address): CollectionId {
  const { kind, key } = locate(address);
  return collectionOf(kind, key).id;
}
