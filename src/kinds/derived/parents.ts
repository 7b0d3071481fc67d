import { referencedBy } from "./references.ts";
import { type Address, toAddress } from "../../model/address.ts";
import { clearFields } from "../../model/clear-values.ts";
import type { Fields, Key, Live, Values } from "../../model/resource.ts";
import { kindNamed, kinds } from "../index.ts";
import type { Kind, Parent } from "../kind.ts";

/** Returns the requirements of a resource, by its live values and the desired ones over them: for each the addresses of which any one will do. Void requirements (nothing written) are left out. */
export function parentsOf(kind: Kind, key: Key, live: Fields, desired?: Values): Address[][] {
  const fields = desired ? { ...live, ...clearFields(desired) } : live;
  const needed = referencedBy(kind, key, fields).map((parent) => [addressOfParent(parent)]);
  return [...needed, ...requirementsOf(kind, key, fields)];
}

/** The address of a parent whose key parts are values already. */
export function addressOfParent({ kind: name, key }: Parent): Address {
  const kind = kindNamed(name);
  return toAddress(name, kind.naming.addressParts(kind.naming.normalise(key)));
}

function requirementsOf(kind: Kind, key: Key, fields: Fields): Address[][] {
  return (kind.relations?.requires ?? []).flatMap((alternatives) => {
    const addresses = alternatives.flatMap((parent) => {
      const values = Object.entries(parent.key).map(
        ([part, from]) => [part, key[from] ?? fields[from] ?? null] as const,
      );
      if (values.some(([, value]) => typeof value !== "string" || value === "")) return [];
      const parentKind = kindNamed(parent.kind);
      return [
        toAddress(parentKind.name, parentKind.naming.addressParts(Object.fromEntries(values as [string, string][]))),
      ];
    });
    return addresses.length > 0 ? [addresses] : [];
  });
}

/** The collections in which something may belong to the given resource, by their scope or by a field. */
export function childCollections(kind: Kind, key: Key): { kind: Kind; scope: Key }[] {
  return kinds.flatMap((child) => {
    const scopes = (child.relations?.requires ?? []).flat().flatMap((parent) => {
      if (parent.kind !== kind.name) return [];
      return [Object.fromEntries(Object.entries(parent.key).map(([part, from]) => [from, key[part] ?? ""]))];
    });
    // What only its fields tie to others (a grant to a database) stands beside them, in the same scope.
    const candidates = child.relations?.references?.kind === kind.name ? [...scopes, key] : scopes;
    const selecting = candidates.find((scope) => child.scope.every((part) => Object.hasOwn(scope, part)));
    return selecting ? [{ kind: child, scope: selecting }] : [];
  });
}

/** An address, and the address by which others refer to a resource that the server has given a longer name. */
export function namesOf(live: Live): (address: Address) => Address[] {
  return (address) => {
    const resource = live.resources.get(address);
    return resource ? [...new Set([address, addressOfParent(resource)])] : [address];
  };
}
