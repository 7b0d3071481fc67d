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
  const found = references ? referencedBy(kind, key, fields).map((parent) => [addressOfParent(parent)]) : [];
  for (const alternatives of requires) addRequirement(found, alternatives, key, fields);
  return found;
}

/** The address of a parent whose key parts are values already. */
export function addressOfParent({ kind: name, key }: Parent): Address {
  const kind = kindNamed(name);
  return toAddress(name, kind.naming.addressParts(kind.naming.normalise(key)));
}

type Requirement = NonNullable<NonNullable<Kind["relations"]>["requires"]>[number][number];

const isNamedIn = (key: Key) => (alternatives: readonly Requirement[]) =>
  alternatives.every(({ key: parts }) => Object.values(parts).every((from) => key[from] !== undefined));

function addRequirement(found: Address[][], alternatives: readonly Requirement[], key: Key, fields: Fields): void {
  const addresses: Address[] = [];
  for (const parent of alternatives) {
    const address = addressOfRequirement(parent, key, fields);
    if (address !== undefined) addresses.push(address);
  }
  if (addresses.length > 0) found.push(addresses);
}

// A cache only, of one address for each requirement: resources of one parent are asked for it one after another.
const lastAddresses = new WeakMap<Requirement, { readonly values: readonly string[]; readonly address: Address }>();

function addressOfRequirement(parent: Requirement, key: Key, fields: Fields): Address | undefined {
  const parts: Record<string, string> = {};
  const values: string[] = [];
  for (const part in parent.key) {
    const from = parent.key[part] ?? "";
    const value = key[from] ?? fields[from] ?? null;
    if (typeof value !== "string" || value === "") return undefined;
    parts[part] = value;
    values.push(value);
  }
  const last = lastAddresses.get(parent);
  if (last && last.values.every((value, index) => value === values[index])) return last.address;
  const { name, naming } = kindNamed(parent.kind);
  const address = toAddress(name, naming.addressParts(parts));
  lastAddresses.set(parent, { values, address });
  return address;
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
