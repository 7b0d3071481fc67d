import type { ApiResponse } from "../api/response.ts";
import { recordIn } from "../api/record-in.ts";
import { decodeRecord, entryOf } from "../contract/binding.ts";
import { isPrefixed } from "../contract/prefixed-name.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import { toAddress, type Address } from "../model/address.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { Key, RemoteId } from "../model/resource.ts";
import { nameOf } from "./find-by-key.ts";
import { isFree } from "./id-index.ts";
import type { RunContext } from "./run-context.ts";

type Context = Pick<RunContext, "live" | "made" | "contract" | "owners">;

/** The identity that a response record states: its id (empty if missing or unusable in a URL path) and its address. */
interface RecordIdentity {
  readonly id: RemoteId;
  /** The one that was meant, also where the server has lengthened the name; undefined where the record does not tell its name. */
  readonly address: Address | undefined;
}

/** Returns the identity of a record that is expected to describe the object at the address `meant`. */
export function identifyRecord(context: Context, meant: Address, raw: JsonObject): RecordIdentity {
  const { contract } = context;
  const { kind, key } = locate(meant);
  const { fields } = entryOf(contract, kind);
  const { scope } = collectionOf(kind, key);
  const decode = (isRelative: boolean) =>
    decodeRecord(contract, kind, raw, scope, (name, id) => nameOf(context, name, id), isRelative);
  const isMeant = (other: Key) => toAddress(kind.name, kind.naming.addressParts(other)) === meant;
  const whole = decode(false);
  // A record that comes alone does not tell how its name is meant.
  const relative = kind.naming.relative && !isMeant(whole.key) ? decode(true) : whole;
  const { key: own, remote } = isMeant(relative.key) ? relative : whole;
  const isTold = (field: string) => (remote.fields[field] ?? null) !== null;
  const names = Object.keys(kind.naming.toFields(key)).filter(
    (field) => !kind.scope.includes(field) && fields[field]?.id_of === undefined,
  );
  if (!names.every(isTold)) return { id: remote.id, address: undefined };
  // A list tells the parent by being its own; a record that comes alone may be another parent's.
  const parents = Object.fromEntries(kind.scope.filter(isTold).map((part) => [part, jsonText(remote.fields[part])]));
  const actual = kind.naming.normalise({ ...own, ...parents });
  const { prefixed: part } = kind.naming;
  const isLonger = part !== undefined && isPrefixed(contract, kind, actual[part] ?? "", key[part] ?? "");
  const named = isLonger ? { ...actual, [part]: key[part] ?? "" } : actual;
  return { id: remote.id, address: toAddress(kind.name, kind.naming.addressParts(named)) };
}

/** Returns the created object from the response to a POST, or undefined if the response contains no record or another object's record. */
export function createdRecord(context: Context, address: Address, { body }: ApiResponse): JsonObject | undefined {
  const record = recordIn(context.contract, body);
  return record && isCreated(context, address, record) ? record : undefined;
}

/** Returns the id from a response that contains an id but not the name of the object. */
export function idInResponse(context: Context, address: Address, { body }: ApiResponse): RemoteId | undefined {
  const record = recordIn(context.contract, body);
  const told = record && identifyRecord(context, address, record);
  return told?.address === undefined && told?.id !== "" ? told?.id : undefined;
}

/** Returns the address and id of an object that the response names otherwise than was asked, and that is not known as another. */
export function otherName(context: Context, address: Address, { body }: ApiResponse): string | undefined {
  const record = recordIn(context.contract, body);
  const told = record && identifyRecord(context, address, record);
  if (told?.address === undefined || told.id === "" || told.address === address) return undefined;
  return isFree(context, address, told.id) ? `${told.address} (${told.id})` : undefined;
}

/** Whether a record is of what a creation has made: named as was asked, by an id that nothing else has. */
export function isCreated(context: Context, address: Address, record: JsonObject): boolean {
  const told = identifyRecord(context, address, record);
  return told.id !== "" && told.address === address && isFree(context, address, told.id);
}

/** Whether a record is of what was updated: under the id that it was asked by, or under a new one. */
export function isUpdated(context: Context, address: Address, asked: string | undefined, record: JsonObject) {
  const told = identifyRecord(context, address, record);
  if (told.address !== undefined && told.address !== address) return false;
  return told.id === "" || told.id === asked || isCreated(context, address, record);
}
