import { advice } from "../messages/advice.ts";
import { collectionAt, locate } from "../kinds/derived/collection.ts";
import { hasIdentity, remotesAt } from "../kinds/derived/listed-object.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { BodyValue, HttpCall } from "../model/http-call.ts";
import type { Plan } from "../model/plan.ts";
import type { PreparedLive, Remote, RemoteId } from "../model/resource.ts";
import type { Unconfirmed } from "../model/inventory.ts";
import type { InFlight, Intent, AnsweredRequest, RecoveredOutcome } from "../model/journal.ts";

/** Looks for a write's effect in the live state, and for its step in a plan made from that. */
export function resolveInFlight(
  { intent, doneBeside, answered }: InFlight,
  live: PreparedLive,
  plan: Plan,
  contract: Pick<Contract, "kinds">,
): RecoveredOutcome {
  const { address, operation, set: mayRepeat = operation === "update" } = intent;
  const collection = live.collections.get(collectionAt(address));
  const calls = callsAt(plan, address).filter((call) =>
    call.operation === "set" ? mayRepeat : call.operation === operation,
  );
  const planned = calls.length > 0;
  const unread = collection ? collection.incomplete : "its list was not read";
  if (unread !== undefined) return { is: "untold", reason: unread, again: !mayRepeat && operation !== "delete" };
  const remotes = remotesAt(live, contract, address, [...(intent.ids ?? []), answered]);
  if (operation === "renew") return fateOfRenewal(intent, remotes);
  if (mayRepeat) return fateOfUpdate(intent, remotes, calls);
  const isDone = operation === "create" ? isThere(intent, doneBeside, remotes) : isGone(intent, remotes);
  if (isDone) return { is: "done" };
  const namedBy = contract.kinds[kindOf(address)]?.named_by;
  const isOther = valuesIn(calls).some(
    (each) => each.field === namedBy && "value" in each && ![undefined, each.value].includes(intent.identity),
  );
  if (operation === "create" && namedBy !== undefined && (!planned || isOther)) {
    const now = planned ? "declares it with another value" : "does not declare it";
    return { is: "untold", reason: `the API gives it no name, and the manifest ${now} now`, again: false };
  }
  const renamed = findRenamed(live, address, answered);
  if (renamed) return { ...renamed, wanted: planned || plan.leftOut.includes(address) };
  const reason = "no list shows its effect so far, and lists may be late";
  return intent.once ? { is: "untold", reason, again: true, late: true } : { is: "not_done", planned };
}

const callsAt = ({ steps }: Plan, address: Address): readonly HttpCall[] =>
  steps.flatMap((step) => (step.address === address ? step.calls : []));

const valuesIn = (calls: readonly HttpCall[]): readonly BodyValue[] =>
  calls.flatMap((call) => ("values" in call ? (call.values ?? []) : []));

/** The part of an answered request by which a list shows what it did. */
export type MadeObject = Pick<AnsweredRequest, "address" | "operation" | "id" | "identity" | "ids" | "before">;

/** Whether the live state shows what a creation made, its id, or an object of its address that was not there before; or a renewal. */
export function isConfirmed(sent: MadeObject | Unconfirmed, { resources }: Pick<PreparedLive, "resources">): boolean {
  const remotes = resources.get(sent.address)?.remotes ?? [];
  if (sent.operation === "renew") return fateOfRenewal(sent, remotes).is === "done";
  return remotes.some(({ id }) => id === sent.id) || isThere(sent, 0, remotes);
}

/** Returns the fate of a creation that was answered, or undefined if a list shows its object. A plan would create an unlisted object again. */
export function resolveMade(
  made: AnsweredRequest,
  live: PreparedLive,
  plan: Plan,
  contract: Pick<Contract, "kinds">,
): RecoveredOutcome | undefined {
  if (isConfirmed(made, live)) return undefined;
  if (remotesAt(live, contract, made.address, [made.id]).some(({ id }) => id === made.id)) return undefined;
  const { address, id, once } = made;
  const planned = callsAt(plan, address).some(({ operation }) => operation === "create");
  const renamed = findRenamed(live, address, id);
  if (renamed) return { ...renamed, wanted: once === true && planned };
  if (id !== undefined && !once) return { is: "unlisted", id, planned };
  const reason =
    id === undefined
      ? "the server answered that it was renewed, and no list shows that"
      : `the server answered that it was created, with the id ${id}, and no list shows it`;
  return { is: "untold", reason, again: true, late: true };
}

/** Finds the live object that has an id under another address, in the collection of this one. */
function findRenamed({ resources }: PreparedLive, near: Address, id: RemoteId | undefined) {
  if (id === undefined) return undefined;
  const collection = collectionAt(near);
  for (const { address: name, remotes } of resources.values())
    if (remotes.some((remote) => remote.id === id) && collectionAt(name) === collection)
      return { is: "renamed" as const, id, name };
  return undefined;
}

type Sought = Pick<Intent, "address" | "identity" | "ids">;

function isThere({ address, identity, ids = [] }: Sought, doneBeside: number, remotes: readonly Remote[]): boolean {
  const { kind } = locate(address);
  if (kind.members && identity !== undefined) return remotes.some((remote) => hasIdentity(kind, identity, remote));
  return remotes.filter(({ id }) => !ids.includes(id)).length > doneBeside;
}

const isGone = ({ ids }: Intent, remotes: readonly Remote[]) =>
  ids ? remotes.every(({ id }) => !ids.includes(id)) : remotes.length === 0;

/** It costs money, so what does not show is not taken for not done. */
function fateOfRenewal({ before }: Pick<Intent, "before">, [remote]: readonly Remote[]): RecoveredOutcome {
  if (before && isLater(remote?.fields[before.field], before.value)) return { is: "done" };
  const field = before?.field ?? "expiry";
  const reason = `its ${field} is still ${jsonText(remote?.fields[field]) || "not there"}, and a registry may need more time`;
  return { is: "untold", reason, again: true };
}

/**
 * An update may be sent twice. What it writes shows in the live state, so that a plan from that has it again, or nothing is left to do; but
 * a value that is never read is planned again only where something asks for it.
 */
function fateOfUpdate(
  { address, before, write_only: secret = [] }: Intent,
  [remote]: readonly Remote[],
  calls: readonly HttpCall[],
): RecoveredOutcome {
  const planned = calls.length > 0;
  const sent = new Set(valuesIn(calls).map(({ field }) => field));
  const hidden = secret.filter((name) => !sent.has(name));
  if (hidden.length === 0 || (before && isLater(remote?.fields[before.field], before.value)))
    return planned ? { is: "not_done", planned } : { is: "done" };
  const hint = advice.rotateFields(address, hidden);
  if (planned || before) return { is: "not_done", planned, hint };
  return { is: "untold", reason: `the API never returns its ${hidden.join(", ")}; ${hint}`, again: false };
}

function isLater(now: Json | undefined, before: Json): boolean {
  const [time, then] = [Date.parse(jsonText(now)), Date.parse(jsonText(before))];
  return !Number.isNaN(time) && (Number.isNaN(then) || time > then);
}
