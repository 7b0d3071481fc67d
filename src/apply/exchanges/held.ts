import { placesOf } from "../../contract/spelling/read-field.ts";
import type { HeldRecord } from "../../model/journal.ts";
import { bindKind } from "../../contract/bound-kind.ts";
import { writesSets } from "../../contract/sets.ts";
import { kindNamed } from "../../kinds/index.ts";
import { kindOf, type Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import { holdsCredentials, looksLikeCredentials, namesSecret } from "../../model/credentials.ts";
import type { RestoreCall } from "../../model/http-call.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { omitPointer, setPointer } from "../../model/json-pointer.ts";

export interface HeldObject extends HeldRecord {
  /** Undefined for what an earlier apply has left. */
  readonly call: RestoreCall | undefined;
}

/** Knowledge of secrets beyond the record itself. */
export interface ManifestSecrets {
  /** Fields whose value a manifest takes from outside, or took at the last apply. */
  readonly fields: (address: Address) => ReadonlySet<string>;
  /** Takes the secrets of this run out of a text. */
  readonly mask: (text: string) => string;
}

/** Returns whether the value of a field is or looks secret. */
export function isSecretField({ fields, mask }: ManifestSecrets, address: Address, name: string, value: Json): boolean {
  const kind = kindNamed(kindOf(address));
  const isMasked = (text: string) => mask(text) !== text;
  const mayHold = kind.fields[name]?.mayHoldCredentials === true;
  if (value === null) return false;
  if (fields(address).has(name) || namesSecret(name)) return true;
  return holdsCredentials(value, (text) => isMasked(text) || (mayHold && looksLikeCredentials(text)));
}

/** Returns the member of a record that holds a place: a record is withheld by its members. */
const memberOf = (at: string) => at.replace(/(?<=.)\/.*$/su, "");

/** The held record, without values that are or look secret. */
export function withholdSecrets(contract: Contract, held: HeldRecord, { fields, mask }: ManifestSecrets): HeldRecord {
  const { address, successor, id, method, path, query, key, record } = held;
  const kind = bindKind(contract, kindOf(address));
  const own = Object.entries(kind.entry.fields);
  const pointersOf = (is: (name: string) => boolean) =>
    new Set(own.flatMap(([name, field]) => (is(name) ? placesOf(field).map(memberOf) : [])));
  const texts = pointersOf((name) => kind.fields[name]?.mayHoldCredentials === true);
  const secrets = pointersOf((name) => fields(address).has(name));
  const isSet = writesSets(kind.entry);
  const isMasked = (text: string) => mask(text) !== text;
  const isSecret = (pointer: string, value: Json) =>
    holdsCredentials(value, (text) => isMasked(text) || (texts.has(pointer) && looksLikeCredentials(text)));
  const withheld = Object.entries(record).flatMap(([name, value]) => {
    const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const isLeftOut =
      secrets.has(pointer) ||
      (isSet && secrets.size > 0) ||
      namesSecret(name) ||
      isMasked(name) ||
      isSecret(pointer, value);
    return isLeftOut && value !== null ? [pointer] : [];
  });
  return {
    address,
    successor,
    id,
    method,
    path,
    query,
    key,
    record: withheld.reduce((rest, pointer) => omitPointer(rest, pointer), record),
    withheld: [...new Set([...held.withheld, ...withheld])],
  };
}

/** The record as it may be printed: what is withheld is named, not shown. */
export const showRecord = ({ record, withheld }: HeldRecord): JsonObject =>
  withheld.reduce((rest, pointer) => setPointer(rest, pointer, "(sensitive)"), record);
