import type { BoundKind } from "../contract/bound-kind.ts";
import { hasServersValue, isComparable } from "../contract/taken-values.ts";
import type { FieldScope } from "../contract/spelling/read-field.ts";
import { kinds } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { looksSecret } from "../kinds/derived/looks-secret.ts";
import { type Json, type JsonObject } from "../model/json.ts";
import { holdsKnownSecret } from "../model/credentials.ts";
import { setPointer } from "../model/json-pointer.ts";
import { writtenValueText } from "../model/template-text.ts";
import type { Fields, Key, Remote } from "../model/resource.ts";

export interface WrittenBody {
  readonly body: Json;
  /** Fields that the manifest does not have though they differ from the server's own value. */
  readonly withheld: readonly { readonly field: string; readonly reason: string }[];
}

/** Why a value is not written that holds a secret of the manifest. */
export const secretHeld = 'it holds a secret: write it as "${env:NAME}"';
const secretLike = 'it looks like a secret: write it as "${env:NAME}"';

export interface BodyOptions {
  /** The `defaults` of the manifest. */
  readonly defaults: JsonObject;
  /** Masks the secrets that it has from outside. */
  readonly mask: (text: string) => string;
}

/** Writes the body of one object: the fields whose values a creation would have to send to get them again. */
export function writeBody({ defaults, mask }: BodyOptions, kind: BoundKind, key: Key, remote: Remote): WrittenBody {
  const { fields, redacted = [] } = remote;
  const ofKey = new Set(Object.keys(kind.naming.toFields(key)));
  let body: JsonObject = kind.naming.toBody?.(key) ?? {};
  const withheld: { field: string; reason: string }[] = [];
  for (const [name, field] of Object.entries(kind.fields)) {
    if (ofKey.has(name) || name === kind.naming.beside || !isComparable(field)) continue;
    if (redacted.includes(name)) withheld.push({ field: name, reason: "the snapshot does not have it" });
    const value = fields[name];
    if (value === undefined || isServersOwn({ kind, key }, defaults, name, fields)) continue;
    const isHeld = holdsKnownSecret(value, mask);
    if (isHeld || looksSecret(kind, name, value)) {
      withheld.push({ field: name, reason: isHeld ? secretHeld : secretLike });
      continue;
    }
    const text = field.spell?.(value) ?? value;
    body = setPointer(
      body,
      `/${(field.from ?? name).replaceAll(".", "/")}`,
      typeof text === "string" ? writtenValueText(text) : text,
    );
  }
  return { body, withheld };
}

/** Whether the server sets the value by itself. Nothing can be created without a required field, so that is always written. */
function isServersOwn(fieldScope: FieldScope, defaults: JsonObject, name: string, fields: Fields): boolean {
  const { kind } = fieldScope;
  if (kind.fields[name]?.required === true || isReplaced(kind, name, defaults)) return false;
  return hasServersValue(fieldScope, name, fields);
}

/** Whether a default of the manifest would stand for the value of this field in the resources that inherit it. */
const isReplaced = (kind: Kind, name: string, defaults: JsonObject): boolean =>
  kinds.some(({ fields, relations: { requires = [] } = {} }) =>
    Object.values(fields).some(
      ({ fallback }) =>
        fallback?.parent === name &&
        defaults[fallback.default] !== undefined &&
        requires.flat().some((parent) => parent.kind === kind.name),
    ),
  );
