import type { Fields, Key, LiveResource } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import type { CollectionRef } from "./collection.ts";

/** Returns the part of its scope in which an object differs from the list that holds it; undefined where it belongs there. */
export const strayPart = ({ kind, scope }: Pick<CollectionRef, "kind" | "scope">, key: Key, fields: Fields) =>
  kind.scope.find(
    (part) => key[part] !== scope[part] || (typeof fields[part] === "string" && fields[part] !== scope[part]),
  );

// Half of a pair cannot be written in UTF-8; dots alone are a way through folders, not a name, where a name stands in a path.
const unusable = /\p{Surrogate}|^\.{1,2}$/u;

/** Whether an object can be named by its address, and asked for by it. */
export function hasUsableName({ kind, key, address }: Pick<LiveResource, "kind" | "key" | "address">): boolean {
  if (address === "") return false;
  const { naming } = kindNamed(kind);
  const parts = naming.addressParts(key);
  return naming.fromParts(parts) !== undefined && !parts.some((part) => part === "" || unusable.test(part));
}
