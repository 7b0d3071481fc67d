import { isDeepStrictEqual } from "node:util";
import { locate } from "../kinds/derived/locate.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Members } from "../kinds/kind.ts";
import { declaredNames, isFromOutside, knownValues, openValue, partsOf } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { kindOf } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Origin, Step } from "../model/plan.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import type { Body, Desired, LiveResource, Resource } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { hasMoved, indexLive, isSameDeclaration } from "./compare-values.ts";
import { mayBeUnread } from "./unread.ts";

/**
 * Why a step is needed, told from the manifest of the last apply: the manifest says something else now, the live state is not
 * what it was made to be then, or both; or it was declared then and never came to be ours. Undefined where that manifest is not known, where the live state is not (a list that was not
 * read whole), or where neither is the cause (a renewal).
 */
export function originOf({ desired, live, ownership }: PlanInput, planned: Step): Origin | undefined {
  const step = withoutRotation(planned);
  const { declaredThen, lastApplyDirty = false } = ownership;
  if (!declaredThen || lastApplyDirty || step.action === "renew" || isUnsure(live, step)) return undefined;
  if (isRotation(step)) return undefined;
  const then = declaredThen.resources.get(step.address);
  const now = desired.resources.get(step.address);
  const remote = live.resources.get(step.address);
  if (!then && !now) return wasExclusive(declaredThen, step) ? "drift" : "this_change";
  const ofManifest = !then || !now || !saysTheSame(then, now, step);
  const neverMade = !remote && ownership.inventory?.addresses.has(step.address) === false;
  const ofLive = then ? (remote ? hasDrifted(then, remote, step) : !neverMade) : remote !== undefined && !now;
  if (ofManifest) return ofLive ? "both" : "this_change";
  if (neverMade) return "not_made";
  return ofLive ? "drift" : undefined;
}

/** Returns whether a step only sends a secret again: its reason says why. */
const isRotation = ({ reason: { is } }: Step) =>
  is === "rotation_requested" || is === "rotation_due" || is === "secret_sent_again";

/** Leaves out the changes of a step that send a secret again. */
function withoutRotation(step: Step): Step {
  const { reason, changes } = step;
  if (reason.is !== "fields_differ" || !reason.rotation) return step;
  return { ...step, changes: changes.filter(({ path }) => reason.fields.includes(path)) };
}

/** An object of its own that was listed is known, whatever else was not. */
const isUnsure = (live: PlanInput["live"], { address, action }: Step) =>
  mayBeUnread({ live }, { kind: kindOf(address), key: locate(address).key }) &&
  (action === "create" || kindNamed(kindOf(address)).members !== undefined);

const wasExclusive = ({ collections }: Desired, { address }: Step) =>
  collections.get(collectionAt(address))?.exclusive === true;

/** Reports each field that the manifest declared at the last apply and no longer declares: it keeps its live value, which is told. */
export function noLongerDeclared({ desired, live, ownership }: PlanInput): Diagnostic[] {
  const { declaredThen, lastApplyDirty } = ownership;
  if (lastApplyDirty === true || !declaredThen) return [];
  return [...desired.resources.values()].flatMap((now) => {
    if (now.members) return [];
    const then = declaredThen.resources.get(now.address);
    const remote = live.resources.get(now.address)?.remotes[0];
    if (!then || !remote) return [];
    return declaredNames(then)
      .filter((field) => !declaredNames(now).includes(field) && isKept(now, field))
      .map((field): Diagnostic => ({
        severity: "notice",
        code: "no_longer_declared",
        summary: `${now.address}: ${field} is not declared any more and stays as it is: ${shown(then, remote.fields[field], field)}`,
        hint: "write the value that it should have, if this one is not meant to stay",
        at: now.at,
      }));
  });
}

const isKept = ({ kind }: Resource, field: string) => kindNamed(kind).fields[field]?.access === "mutable";

const shown = ({ fields }: Body, value: Json | undefined, field: string) =>
  isFromOutside(fields[field]) ? "(sensitive)" : JSON.stringify(value ?? null);

/** Returns the unresolved text of an interpolated value, else the value. A changed variable does not count as a change of the manifest. */
const declaredValue = ({ fields }: Body, field: string) => partsOf(fields[field]) ?? openValue(fields[field]);

export function saysTheSame(then: Resource, now: Resource, { changes }: Step): boolean {
  const { members } = kindNamed(now.kind);
  if (members) return isDeepStrictEqual(membersOf(then), membersOf(now));
  return changes.every(({ path }) => isSameDeclaration(then.fields[path], now.fields[path]));
}

function membersOf(resource: Resource): Json {
  const members = (resource.members ?? []).map((member) => JSON.stringify(declaredValues(member))).sort();
  return [JSON.stringify(declaredValues(resource)), members];
}

const declaredValues = (body: Body) => declaredNames(body).map((field) => [field, declaredValue(body, field)]);

function hasDrifted(then: Resource, live: LiveResource, { changes }: Step): boolean {
  const { members } = kindNamed(then.kind);
  if (members) return membersDrifted(then, live, members);
  const fields = live.remotes[0]?.fields ?? {};
  return changes.some(({ path }) => hasMoved(fields[path], then.fields[path]));
}

function membersDrifted(then: Resource, live: LiveResource, { identity, always }: Members): boolean {
  const remotes = ownObjects(kindNamed(then.kind), live.remotes);
  const declared = then.members ?? [];
  if (declared.some(({ fields }) => partsOf(fields[identity]))) return false;
  const sameAs = indexLive(remotes, identity);
  return (
    declared.length !== remotes.length ||
    declared.some(({ fields }) => {
      const remote = sameAs(fields[identity]).at(-1);
      const whole = Object.entries({ ...knownValues(always), ...then.fields, ...fields });
      return !remote || whole.some(([name, value]) => hasMoved(remote.fields[name] ?? always[name], value));
    })
  );
}
