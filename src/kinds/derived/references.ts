import type { Json } from "../../model/json.ts";
import type { Fields, Key } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import type { Kind, Parent, References } from "../kind.ts";

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

/** Returns a field's value with the names that the server gave; `actual` finds that of a resource, by the part of its key that is a name. */
export function withActualReferences(
  kind: Kind,
  { field, value, key }: { readonly field: string; readonly value: Json; readonly key: Key },
  actual: (parent: Parent, part: string) => string | undefined,
): Json {
  const { references } = kind.relations ?? {};
  const part = references && kindNamed(references.kind).naming.prefixed;
  if (!references || part === undefined || field !== references.field) return value;
  return references.rename(value, (name) => actual(parentOf(references, key, name), part) ?? name);
}
