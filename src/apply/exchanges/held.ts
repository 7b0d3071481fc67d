import { placesOf } from "../../contract/spelling/read-field.ts";
import type { HeldRecord } from "../../model/journal.ts";
import { bindKind, type BoundAddress } from "../../contract/bound-kind.ts";
import { writesSets, recordOfSet } from "../../contract/sets.ts";
import { kindNamed } from "../../kinds/index.ts";
import { kindOf, type Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import { holdsCredentials, looksLikeCredentials, namesSecret } from "../../model/credentials.ts";
import { type RestoreCall, isCreation } from "../../model/http-call.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { omitPointer, setPointer } from "../../model/json-pointer.ts";
import type { Failure, Result } from "../../model/failure.ts";
import { fillCall, idNow } from "../build-body.ts";
import { findObjects, readNow } from "../find-objects.ts";
import type { RunContext } from "../run-context.ts";
import { collectionAt } from "../../kinds/derived/collection.ts";
import { isNameless, remotesAt } from "../../kinds/derived/listed-object.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, PlanInput } from "../../model/plan-input.ts";
import type { PreparedLive } from "../../model/resource.ts";
import { isSameObject, takesPlace } from "../object-identity.ts";

export interface HeldObject extends HeldRecord {
  /** Absent for what an earlier apply has left. */
  readonly call?: RestoreCall;
}

/** Knowledge of secrets beyond the record itself. */
export interface ManifestSecrets {
  /** Fields whose value a manifest takes from outside, or took at the last apply. */
  readonly fields: (address: Address) => ReadonlySet<string>;
  /** Takes the secrets of this run out of a text. */
  readonly mask: (text: string) => string;
}

/** Returns whether the value of a field is or looks secret. */
export function isSecretField(secrets: ManifestSecrets, address: Address, name: string, value: Json): boolean {
  if (value === null) return false;
  if (secrets.fields(address).has(name) || namesSecret(name)) return true;
  return holdsSecret(secrets, value, kindNamed(kindOf(address)).fields[name]?.mayHoldCredentials === true);
}

/** @param mayHold whether credentials may stand in it, so that what looks like one counts. */
const holdsSecret = ({ mask }: ManifestSecrets, value: Json, mayHold: boolean): boolean =>
  holdsCredentials(value, (text) => mask(text) !== text || (mayHold && looksLikeCredentials(text)));

/** Returns the member of a record that holds a place: a record is withheld by its members. */
const memberOf = (at: string) => at.replace(/(?<=.)\/.*$/su, "");

/** The held record, without values that are or look secret. */
export function withholdSecrets(contract: Contract, held: HeldObject, known: ManifestSecrets): HeldRecord {
  const { call: _call, ...rest } = held;
  const { address, record } = rest;
  const kind = bindKind(contract, kindOf(address));
  const own = Object.entries(kind.entry.fields);
  const pointersOf = (is: (name: string) => boolean) =>
    new Set(own.flatMap(([name, field]) => (is(name) ? placesOf(field).map(memberOf) : [])));
  const texts = pointersOf((name) => kind.fields[name]?.mayHoldCredentials === true);
  const secrets = pointersOf((name) => known.fields(address).has(name));
  const isSet = writesSets(kind.entry);
  const withheld = Object.entries(record).flatMap(([name, value]) => {
    const pointer = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const isLeftOut =
      secrets.has(pointer) ||
      (isSet && secrets.size > 0) ||
      namesSecret(name) ||
      known.mask(name) !== name ||
      holdsSecret(known, value, texts.has(pointer));
    return isLeftOut && value !== null ? [pointer] : [];
  });
  return {
    ...rest,
    record: withheld.reduce((open, pointer) => omitPointer(open, pointer), record),
    withheld: [...new Set([...held.withheld, ...withheld])],
  };
}

/** The record as it may be printed: what is withheld is named, not shown. */
export const showRecord = ({ record, withheld }: HeldRecord): JsonObject =>
  withheld.reduce((rest, pointer) => setPointer(rest, pointer, "(sensitive)"), record);

/**
 * Reads an object just before it is deleted, so that it can be created again with all that it had. Undefined if it is gone already: then
 * nothing is to come back. Fails if it cannot be read, because then it could not be put back.
 */
export async function holdRecord(
  context: RunContext,
  bound: BoundAddress,
  successor: Address,
  call: RestoreCall,
): Promise<Result<HeldObject | undefined>> {
  const { address, kind } = bound;
  const id = idNow(context, kind.name, call.id);
  const raw = writesSets(kind.entry)
    ? await readSet(context, bound, call.read)
    : await readNow(context, bound, { request: call.read && fillCall(context, kind, call.read), id });
  if (!raw.ok) return raw.error.sort === "not_found" ? { ok: true, value: undefined } : notDeleted(address, raw.error);
  if (!raw.value) return { ok: true, value: undefined };
  const record = call.omit.reduce((rest, pointer) => omitPointer(rest, pointer), raw.value);
  const key = context.deps.newIdempotencyKey();
  const { method, path, query } = fillCall(context, kind, { ...call, operation: "create" });
  return { ok: true, value: { method, path, query, address, successor, id, key, record, withheld: [], call } };
}

async function readSet(
  context: RunContext,
  bound: BoundAddress,
  read: RestoreCall["read"],
): Promise<Result<JsonObject | undefined>> {
  const found = await findObjects(context, bound, read);
  return found.ok ? { ok: true, value: recordOfSet(bound.kind.entry, found.value.remotes) } : found;
}

function notDeleted(address: Address, failure: Failure): { ok: false; error: Failure } {
  const message = `${address} was not deleted, because it could not be read to be put back: ${failure.message}`;
  return { ok: false, error: { ...failure, message } };
}

/**
 * The state of an object that an earlier apply was about to delete for a successor. `settled`: it, or the successor, is there.
 * `awaited`: the plan makes the successor. `missing`: neither is there, nor will be. `unread`: its list was not read whole. `lagging`: a
 * list shows it although the server answered that it is deleted. `unsure`: it is there, and an unanswered deletion may still show.
 * `dropped`: neither is there, and what was ours has left the inventory since, or the manifest where the API gives it no name.
 */
export type HeldState = "settled" | "awaited" | "missing" | "unread" | "lagging" | "unsure" | "dropped";

export function resolveHeld(
  held: HeldRecord,
  live: PreparedLive,
  { steps, leftOut }: Plan,
  { contract, desired, inventory }: Pick<PlanInput, "contract" | "desired"> & Pick<Ownership, "inventory">,
): HeldState {
  const { address, successor, id } = held;
  const unread = [address, successor].some((each) => {
    const collection = live.collections.get(collectionAt(each));
    return !collection || collection.incomplete !== undefined;
  });
  if (unread) return "unread";
  const own = remotesAt(live, contract, address, [id]);
  if (own.some((remote) => remote.id !== id && isSameObject({ contract }, held, remote))) return "settled";
  if (own.some((remote) => remote.id === id))
    return held.deletion === undefined ? "settled" : held.deletion.is === "done" ? "lagging" : "unsure";
  const others = live.resources.get(successor)?.remotes.filter((remote) => remote.id !== id) ?? [];
  if (others.map(({ fields }) => fields).some(takesPlace({ contract }, held))) return "settled";
  if (steps.some((step) => step.address === successor && step.calls.some(isCreation))) return "awaited";
  const isDeclared = desired.resources.has(address);
  // An apply elsewhere, without this journal, may have made the address as it is declared now.
  if (isDeclared && !leftOut.includes(address) && steps.every((step) => step.address !== address)) return "settled";
  // A successor without a name does not show any more, once no manifest declares it.
  const hasLeft = isNameless(contract, address) || inventory?.addresses.has(address) === false;
  return !isDeclared && held.ours && hasLeft ? "dropped" : "missing";
}
