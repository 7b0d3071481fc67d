import { getOrMake } from "../../lib/collect.ts";
import { type Address, toAddress } from "../../model/address.ts";
import { clearFields } from "../../model/clear-values.ts";
import type { Fields, Key, Live, Values } from "../../model/resource.ts";
import { kindNamed, kinds } from "../index.ts";
import type { Kind, Parent, References } from "../kind.ts";
import type { Json } from "../../model/json.ts";
import { normalValue } from "./normal-value.ts";

/** Returns the requirements of a resource, by its live values and the desired ones over them: for each the addresses of which any one will do. Void requirements (nothing written) are left out. */
export function parentsOf(kind: Kind, key: Key, live: Fields, desired?: Values): readonly (readonly Address[])[] {
  // Most resources only need what their key names, every one is asked, and those of one parent one after another.
  const last = lastParents.get(kind);
  if (last && hasSame(last.parts, key, last.key)) return last.parents;
  const { references, requires = [] } = kind.relations ?? {};
  const parts = references ? undefined : requires.flat().flatMap((parent) => Object.values(parent.key));
  const isInKey = parts?.every((part) => key[part] !== undefined) === true;
  const fields = desired && !isInKey ? { ...live, ...clearFields(desired) } : live;
  const required = requires.map((alternatives) => addressesOfRequirement(alternatives, key, fields));
  const found = required.filter((addresses) => addresses.length > 0);
  if (parts && isInKey) lastParents.set(kind, { parts, key, parents: found });
  if (!references) return found;
  return [...referencedBy(kind, key, fields).map((parent) => [addressOfParent(parent)]), ...found];
}

interface LastParents {
  /** The parts of a key that name parents. */
  readonly parts: readonly string[];
  readonly key: Key;
  readonly parents: readonly (readonly Address[])[];
}

// A cache only: the parents of the last key that names all of them.
const lastParents = new WeakMap<Kind, LastParents>();

const hasSame = (parts: readonly string[], one: Key, other: Key): boolean =>
  parts.every((part) => one[part] === other[part]);

/** The address of a parent whose key parts are values already. */
export function addressOfParent({ kind: name, key }: Parent): Address {
  const kind = kindNamed(name);
  return toAddress(name, kind.naming.addressParts(kind.naming.normalise(key)));
}

function addressesOfRequirement(alternatives: readonly Parent[], key: Key, fields: Fields): Address[] {
  const addresses = alternatives.map((parent) => addressOfRequirement(parent, key, fields));
  return addresses.includes(undefined) ? addresses.filter((each) => each !== undefined) : (addresses as Address[]);
}

function addressOfRequirement(parent: Parent, key: Key, fields: Fields): Address | undefined {
  const ofParent: Record<string, string> = {};
  for (const part in parent.key) {
    const value = valueAt(parent.key[part] ?? "", key, fields);
    if (value === undefined) return undefined;
    ofParent[part] = value;
  }
  const { name, naming } = kindNamed(parent.kind);
  return toAddress(name, naming.addressParts(ofParent));
}

function valueAt(from: string, key: Key, fields: Fields): string | undefined {
  const value = key[from] ?? fields[from] ?? null;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the kinds whose resources may belong to one of this kind. */
export const childKinds = (kind: Kind): readonly Kind[] =>
  getOrMake(childrenOf, kind, () =>
    kinds.filter(({ relations: { references, requires = [] } = {} }) =>
      [references, ...requires.flat()].some((parent) => parent?.kind === kind.name),
    ),
  );

// A cache only.
const childrenOf = new WeakMap<Kind, readonly Kind[]>();

/** The collections in which something may belong to the given resource, by their scope or by a field. */
export function childCollections(kind: Kind, key: Key): { kind: Kind; scope: Key }[] {
  return childKinds(kind).flatMap((child) => {
    const scopes = (child.relations?.requires ?? []).flat().flatMap((parent) => {
      if (parent.kind !== kind.name) return [];
      return [Object.fromEntries(Object.entries(parent.key).map(([part, from]) => [from, key[part] ?? ""]))];
    });
    // A resource that only its fields tie to others (a grant to a database) stands beside them, in the same scope.
    const candidates = child.relations?.references?.kind === kind.name ? [...scopes, key] : scopes;
    const selecting = candidates.find((scope) => child.scope.every((part) => Object.hasOwn(scope, part)));
    return selecting ? [{ kind: child, scope: selecting }] : [];
  });
}

const parentOf = ({ kind, keyOf }: References, key: Key, name: string): Parent => ({ kind, key: keyOf(name, key) });

/** Returns the resources that a field's value names. */
export function referencedBy({ relations: { references } = {} }: Kind, key: Key, fields: Fields): Parent[] {
  const names: string[] = [];
  references?.rename(fields[references.field] ?? null, (name) => {
    names.push(name);
    return name;
  });
  return references ? names.map((name) => parentOf(references, key, name)) : [];
}

/** Returns the field that names resources which go, without their names; none where nothing goes. */
export function withoutReferences(kind: Kind, key: Key, live: Fields, goes: (parent: Parent) => boolean): Fields {
  const { references } = kind.relations ?? {};
  if (!references || !referencedBy(kind, key, live).some(goes)) return {};
  const stays = (name: string) => (goes(parentOf(references, key, name)) ? undefined : name);
  return { [references.field]: references.rename(live[references.field] ?? null, stays) };
}

/** Whether the server may give the resources that a field names other names. */
export const mayBeRenamed = ({ relations: { references } = {} }: Kind): boolean =>
  references !== undefined && kindNamed(references.kind).naming.prefixed !== undefined;

/** Finds another name of a resource, by the part of its key that it is; undefined where there is none. */
type NameOf = (parent: Parent, part: string) => string | undefined;

interface NamedField {
  readonly field: string;
  readonly value: Json;
  readonly key: Key;
}

/** Returns a field's value with the names that the server has given to what it refers to. `live`: by the addresses that are declared. */
export const withServersNames = (kind: Kind, named: NamedField, live: Live["resources"] | undefined): Json =>
  live ? withNames(kind, named, (parent, part) => live.get(addressOfParent(parent))?.key[part]) : named.value;

/** Returns a field's value with other names in it. */
export function withNames(kind: Kind, { field, value, key }: NamedField, nameOf: NameOf): Json {
  const { references } = kind.relations ?? {};
  const part = references && kindNamed(references.kind).naming.prefixed;
  if (!references || part === undefined || field !== references.field) return value;
  const renamed = references.rename(value, (name) => nameOf(parentOf(references, key, name), part) ?? name);
  // The order of a set follows from the names.
  return normalValue(kind, field, renamed, key);
}
