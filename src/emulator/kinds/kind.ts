import type { Fields } from "../fields.ts";
import { mergeErrors, type FieldErrors } from "../refusal.ts";
import type { Objects, ScheduledChange, StoredObject } from "../store/objects.ts";
import type { Validators } from "../document/validators.ts";
import { schemaOf, type KindName } from "./kind-name.ts";

/** The means of a kind to handle one request; all of it happens in the request's transaction. */
export interface Context {
  readonly objects: Objects;
  /** ms since 1970. */
  readonly now: number;
  /** The time for which pending things stay pending, in ms; 0: they are never pending. */
  readonly asyncMs: number;
  /** A name as this host gives it: with its prefix, where it has one. */
  readonly prefixed: (name: string) => string;
  /** Adds an object that another one's creation brings along. */
  readonly bring: (kind: KindName, draft: Draft) => StoredObject;
  /** Writes a changed record of an object; its scope and natural key follow. */
  readonly save: (object: StoredObject) => StoredObject;
  /** Digest of a text under the store's salt: the same text gives the same bytes. */
  readonly digest: (text: string, bytes: number) => Buffer;
}

/** A new object before it has an identifier. */
export interface Draft<Record extends Fields = Fields> {
  /** Default: a new one. */
  readonly id?: string;
  readonly record: Record;
  /** The parent that it belongs to, where the record itself does not say so: the zone of a DNS record. */
  readonly scope?: string;
  readonly schedule?: readonly ScheduledChange[];
}

/** Something a schema cannot say of a body. `scope` is the parent that the path names, or "". */
export interface Check<Input extends Fields = Fields> {
  /** The fields it looks at: it runs only when the schema found none of them wrong. */
  readonly fields: readonly string[];
  run(input: Input, context: Context, scope: string): Partial<FieldErrors>;
}

/**
 * The rules of a kind beyond its schemas in the OpenAPI document: checks of bodies, the making of records, and the
 * events of their life. Members are methods so that a kind may narrow its types: to the fields that its rules read, because the document
 * lists them all.
 */
export interface Kind<Input extends Fields = Fields, Record extends Fields = Input & Fields> {
  /** Beginning of its identifiers; undefined where the record has none (one per domain or zone). */
  readonly idPrefix?: string;
  readonly checks?: readonly Check<Input>[];
  /** Brings a body to the server's spelling, in place, before the checks. It may hold wrong types still. */
  normalise?(input: Fields): void;
  /** Its place among what may exist only once; default: it may repeat. */
  naturalKey?(record: Record, scope: string): string;
  /** Returns the scope that its lists are filtered by, default ""; `given` is the parent that the path names. */
  scope?(record: Record, given: string): string;
  /** A new record; default: the input. Write-only fields of the input that are left in it are dropped. */
  make?(input: Input, context: Context, scope: string): Draft<Record>;
  /** Returns the draft that a PUT lays over a record; default: the input. Write-only fields are dropped. */
  change?(before: Record, input: Input, context: Context, scope: string): Draft<Partial<Record>>;
  /** Refuses a write to this very object. */
  guard?(object: StoredObject): void;
  /** Adds what comes along with a new object. */
  made?(object: StoredObject, input: Input, context: Context): void;
  /** Brings others in line with an object that has been made, changed or deleted. */
  touched?(object: StoredObject, context: Context): void;
  /** Before it is deleted: refuses while others refer to it, and takes along what was brought with it. */
  removing?(object: StoredObject, context: Context): void;
}

/** The status that something pending has now, and the step that ends it. */
export function pending(
  { now, asyncMs }: Context,
  first: string,
  then: Fields,
): { readonly fields: Fields; readonly schedule: readonly ScheduledChange[] } {
  return asyncMs === 0
    ? { fields: then, schedule: [] }
    : { fields: { status: first }, schedule: [[now + asyncMs, then]] };
}

export const isoTime = (ms: number): string => new Date(ms).toISOString();

export function serviceExists(id: string, objects: Objects): FieldErrors {
  return objects.byId("service", id) === undefined ? { service_id: [`names no service; it was "${id}"`] } : {};
}

export const belongsToService: Check<{ readonly service_id: string }> = {
  fields: ["service_id"],
  run: ({ service_id }, { objects }) => serviceExists(service_id, objects),
};

/** The schema's errors together with those of the kind's own checks, which look only at fields that the schema let pass. */
export function checkBody(kind: Kind, body: Fields, context: Context, scope: string, errors: FieldErrors): FieldErrors {
  const wrong = Object.keys(errors).map((field) => field.split(".")[0]);
  const passed = (kind.checks ?? []).filter(
    ({ fields }) => !wrong.some((field) => field !== undefined && fields.includes(field)),
  );
  const found = passed.map((check) => check.run(body, context, scope)).filter((each) => Object.keys(each).length > 0);
  return found.length === 0 ? errors : mergeErrors(errors, ...found);
}

/** Returns those of some fields that the document's schema of a record shows, in its order: so nothing write-only is ever stored. */
export function shownFields(kind: KindName, fields: Fields, validators: Validators): Fields {
  const shown: Fields = {};
  for (const name of validators.fields(schemaOf(kind))) if (Object.hasOwn(fields, name)) shown[name] = fields[name];
  return shown;
}
