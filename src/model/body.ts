import { isDeepStrictEqual } from "node:util";
import type { Address } from "./address.ts";
import type { Json } from "./json.ts";
import type { Body, Fields, KnownValue, Resource, TemplatePart, Value, Values } from "./resource.ts";

export const knownValue = (value: Json): KnownValue => ({ is: "known", value });

/** Returns plain values as those of a body. `written`: their text in the manifest, if that is not their normal form. */
export function knownValues(fields: Fields, written: Fields = {}): Values {
  const values: Record<string, Value> = {};
  for (const [name, value] of Object.entries(fields)) {
    const text = written[name];
    values[name] = text === undefined ? { is: "known", value } : { is: "known", value, written: text };
  }
  return values;
}

/** Returns values that are managed though no manifest writes them. */
export const impliedValues = (fields: Fields): Values =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { is: "known", value, implied: true }]));

/** Returns a value that may be shown; undefined for a secret, and while it is not known. */
export const openValue = (value: Value | undefined): Json | undefined =>
  value?.is === "secret" ? undefined : value?.value;

/** Returns a value that may be shown as it was written. */
export const writtenValue = (value: Value | undefined): Json | undefined =>
  value?.is === "known" ? (value.written ?? value.value) : openValue(value);

/** Returns the values that may be shown. */
export const openFields = (values: Values): Fields => readFields(values, openValue);

/** Returns the values that a function reads. */
export function readFields(values: Values, read: (value: Value | undefined) => Json | undefined): Fields {
  const fields: Record<string, Json> = {};
  for (const name in values) {
    const value = read(values[name]);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** Returns the template of a value that does not stand in the manifest as it is. */
export const partsOf = (value: Value | undefined): readonly TemplatePart[] | undefined =>
  value?.is === "known" ? undefined : value?.parts;

/** Whether only apply will know a value, or a variable of it is not set. */
export const isUnknown = (value: Value | undefined): boolean =>
  value !== undefined && (value.is === "secret" ? value.secret : value.value) === undefined;

/** Whether a value comes from a variable or a file: such a one is masked wherever it is live, too. */
export const isFromOutside = (value: Value | undefined): boolean => value?.is === "secret" && value.parts !== undefined;

export const bodiesOf = (resource: Resource | undefined): readonly Body[] =>
  resource ? [resource, ...(resource.members ?? [])] : [];

/** Returns whether a manifest writes this value of a field in the open, so that it need not be masked; undefined stands for a field not written. */
export const isWrittenOut = (resource: Resource | undefined, field: string, value: Json | undefined): boolean =>
  bodiesOf(resource).some(({ fields: { [field]: declared } }) =>
    value === undefined ? declared === undefined : declared?.is === "known" && isDeepStrictEqual(declared.value, value),
  );

export const declaredNames = (...bodies: readonly Body[]): string[] =>
  [...new Set(bodies.flatMap(({ fields }) => Object.keys(fields)))].sort();

/** Returns the fields of resources, or of any of their members, whose value comes from outside: so is the live one secret, old or new. */
export const secretFields = (...resources: readonly (Resource | undefined)[]): ReadonlySet<string> =>
  new Set(
    resources
      .flatMap(bodiesOf)
      .flatMap(({ fields }) => Object.keys(fields).filter((name) => isFromOutside(fields[name]))),
  );

/** Returns whether a value of a body passes a test. */
function someValue({ fields }: Body, test: (value?: Value) => boolean): boolean {
  for (const name in fields) if (test(fields[name])) return true;
  return false;
}

const hasSecret = (body: Body) => someValue(body, (value) => value?.is === "secret");
const hasReference = (body: Body) => someValue(body, (value) => partsOf(value)?.some(isReference) === true);

/** Whether a value of a resource, or of any of its members, is secret; and whether one refers to another resource. */
export const holdsSecrets = (all: Resource) => hasSecret(all) || all.members?.some(hasSecret) === true;
export const refersToOthers = (all: Resource) => hasReference(all) || all.members?.some(hasReference) === true;

export const referencesIn = (bodies: readonly Body[]) =>
  bodies.flatMap(({ fields }) => Object.values(fields).flatMap((value) => partsOf(value)?.filter(isReference) ?? []));

export const isReference = (part: TemplatePart): part is Extract<TemplatePart, { readonly ref: Address }> =>
  typeof part === "object" && "ref" in part;

/** Returns a resource with other values, its own and those of its members. */
export function mapValues(resource: Resource, map: (value: Value, name: string) => Value): Resource {
  const mapBody = ({ fields }: Body): Body => ({
    fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, map(value, name)])),
  });
  return { ...resource, ...mapBody(resource), ...(resource.members && { members: resource.members.map(mapBody) }) };
}

/** Returns those of named values that pass a test. */
export const pickValues = <V>(values: Readonly<Record<string, V>>, test: (name: string, value: V) => boolean) =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => test(name, value)));
