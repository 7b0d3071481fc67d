import { referencedBy } from "./references.ts";
import { type Address, toAddress } from "../../model/address.ts";
import { clearFields } from "../../model/clear-values.ts";
import type { Fields, Key, Live, Values } from "../../model/resource.ts";
import { kindNamed, kinds } from "../index.ts";
import type { Kind, Parent } from "../kind.ts";

/** Returns the requirements of a resource, by its live values and the desired ones over them: for each the addresses of which any one will do. Void requirements (nothing written) are left out. */
export function parentsOf(kind: Kind, key: Key, live: Fields, desired?: Values): Address[][] {
  const { references, requires = [] } = kind.relations ?? {};
  // Most resources only need what their key names, and every one is asked.
  const isInKey = !references && requires.every(isNamedIn(key));
  const fields = desired && !isInKey ? { ...live, ...clearFields(desired) } : live;
  const required = requires.map((alternatives) => addressesOfRequirement(alternatives, key, fields));
  const found = required.every((addresses) => addresses.length > 0)
    ? required
    : required.filter((addresses) => addresses.length > 0);
  if (!references) return found;
  return [...referencedBy(kind, key, fields).map((parent) => [addressOfParent(parent)]), ...found];
}

/** The address of a parent whose key parts are values already. */
export function addressOfParent({ kind: name, key }: Parent): Address {
  const kind = kindNamed(name);
  return toAddress(name, kind.naming.addressParts(kind.naming.normalise(key)));
}

type Requirement = NonNullable<NonNullable<Kind["relations"]>["requires"]>[number][number];

const isNamedIn = (key: Key) => (alternatives: readonly Requirement[]) =>
  alternatives.every(({ key: parts }) => Object.values(parts).every((from) => key[from] !== undefined));

function addressesOfRequirement(alternatives: readonly Requirement[], key: Key, fields: Fields): Address[] {
  const addresses = alternatives.map((parent) => addressOfRequirement(parent, key, fields));
  return addresses.includes(undefined) ? addresses.filter((each) => each !== undefined) : (addresses as Address[]);
}

// A cache only, of one address for each requirement: resources of one parent are asked for it one after another.
const lastAddresses = new WeakMap<Requirement, { readonly key: Key; readonly address: Address }>();

function addressOfRequirement(parent: Requirement, key: Key, fields: Fields): Address | undefined {
  const last = lastAddresses.get(parent);
  let isLast = last !== undefined;
  for (const part in parent.key) {
    const value = valueAt(parent.key[part] ?? "", key, fields);
    if (value === undefined) return undefined;
    isLast &&= last?.key[part] === value;
  }
  if (last && isLast) return last.address;
  const parts = Object.entries(parent.key).map(([part, from]) => [part, valueAt(from, key, fields) ?? ""]);
  const { name, naming } = kindNamed(parent.kind);
  const ofParent: Key = Object.fromEntries(parts);
  const address = toAddress(name, naming.addressParts(ofParent));
  lastAddresses.set(parent, { key: ofParent, address });
  return address;
}

function valueAt(from: string, key: Key, fields: Fields): string | undefined {
  const value = key[from] ?? fields[from] ?? null;
  return typeof value === "string" && value !== "" ? value : undefined;
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
export function addressesOf(live: Live): (address: Address) => Address[] {
  return (address) => {
    const resource = live.resources.get(address);
    return resource ? [...new Set([address, addressOfParent(resource)])] : [address];
  };
}
