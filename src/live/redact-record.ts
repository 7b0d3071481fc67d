import { entryOf } from "../contract/entry.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";
import { holdsCredentials, looksLikeCredentials } from "../model/credentials.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { placesOf } from "../contract/spelling/read-field.ts";
import { getPointer, omitPointer, setPointer } from "../model/json-pointer.ts";

/** Knowledge of secrets beyond the record itself. */
export interface RecordSecrets {
  /** Fields whose value the manifest takes from outside. */
  readonly fields: ReadonlySet<string>;
  /** Masks the secrets of this run in a text; a text without any stays as it is. */
  readonly mask: (text: string) => string;
}

/**
 * The part of a live record that may be kept in a file: what the contract names, since a server may send anything beside it, less
 * write-only fields and what is or looks secret. `redacted` names the fields that are there and are left out.
 */
export function redactRecord(
  contract: Contract,
  kind: Kind,
  raw: JsonObject,
  secrecy: RecordSecrets,
): { readonly record: JsonObject; readonly redacted: readonly string[] } {
  const { id, etag, managed_when, fields } = entryOf(contract, kind);
  const told = [id, etag, ...(managed_when ?? []).map(({ pointer }) => pointer)].flatMap((at) =>
    at === undefined || at === "" ? [] : [{ name: at.slice(1), at }],
  );
  const named = Object.entries(fields).flatMap(([name, field]) => placesOf(field).map((at) => ({ name, at })));
  const isSecret = secretTest(kind, raw, secrecy);
  // They go first, since one may stand within another field.
  const writeOnly = named.filter(({ name, at }) => isWriteOnly(kind, name) && (getPointer(raw, at) ?? null) !== null);
  const readable = writeOnly.reduce((rest, { at }) => omitPointer(rest, at), raw);
  const redacted = writeOnly.map(({ name }) => name);
  let record: JsonObject = {};
  for (const { name, at } of [...told, ...named]) {
    const value = getPointer(readable, at);
    if (value === undefined) continue;
    if (isSecret(name, value)) redacted.push(name);
    else record = setPointer(record, at, value);
  }
  return { record, redacted: [...new Set(redacted)] };
}

const isWriteOnly = (kind: Kind, name: string) => kind.fields[name]?.access === "write_only";

function secretTest(
  kind: Kind,
  raw: JsonObject,
  { fields, mask }: RecordSecrets,
): (name: string, value: Json) => boolean {
  // Most records hold no secret of the run, and one look at the whole tells so.
  const whole = JSON.stringify(raw);
  const isMasked = mask(whole) === whole ? () => false : (text: string) => mask(text) !== text;
  return (name, value) => {
    const field = kind.fields[name];
    if (value === null) return false;
    if (fields.has(name)) return true;
    const test = field?.mayHoldCredentials === true ? looksLikeCredentials : () => false;
    return holdsCredentials(value, (text) => isMasked(text) || test(text));
  };
}
