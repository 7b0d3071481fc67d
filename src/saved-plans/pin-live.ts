import { hash } from "node:crypto";
import { collectionAt, collectionNamed, locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { groupBy } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import { bodiesOf, isWrittenOut, partsOf, pickValues, secretFields } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import type { Plan, Step } from "../model/plan.ts";
import { type PlanInput, nothingAllowed } from "../model/plan-input.ts";
import type { Fields, Live, LiveResource, Remote, RemoteId, Resource } from "../model/resource.ts";
import type { PinnedObject, PinnedResource, PlanFile, SavedPlan, UnsealedFile } from "../model/saved-plan.ts";
import { templateText } from "../model/template-text.ts";
import { differs } from "../plan/compare-values.ts";
import { hasOtherName } from "../plan/match.ts";
import { type Prepared, prepare } from "../plan/prepare.ts";
import { addConsent } from "./approved-consent.ts";
import { isSame } from "./lines.ts";
import { plan } from "../plan/plan.ts";
import { byItself, desiredFrom, sealedSource } from "./portable-desired.ts";
import { asInFile, saveStep } from "./save-step.ts";

type Pinned = Pick<PlanFile, "live" | "lists">;

/** The least that a file may hold first. */
export const leftOut = ["resources and values", "resources", "nothing"] as const;

export interface PinOptions {
  readonly prepared: Prepared;
  /** The addresses whose objects are distinguished from others by their ids. */
  readonly identified: ReadonlySet<Address>;
  /** Leaves out resources that no step touches or needs, and values that no step changes and nobody declares, but for their fingerprints. */
  readonly without: (typeof leftOut)[number];
  readonly holdsSecret: (value: Json) => boolean;
  /** Returns a resource with the sources of its secrets as the file names them. */
  readonly moved: (resource: Resource) => Resource;
}

/** Returns the part of the live state from which a plan follows: all that its steps touch, take along or need, without ids and secrets. */
export function pinLive(
  input: PlanInput,
  steps: Plan["steps"],
  needed: readonly Address[],
  options: PinOptions,
): Pinned {
  const { contract, ownership } = input;
  const { prepared } = options;
  const { desired, live } = prepared;
  const isWhole = options.without === "nothing";
  const touched = steps.flatMap(({ address, takesAlong = [], on_refusal: ends = [] }) => [
    address,
    ...takesAlong,
    ...ends.map((end) => end.address),
  ]);
  const seen = withParents([...touched, ...needed], prepared);
  const lists = new Set([...seen].map(collectionAt));
  const isPinned = ({ address, kind }: LiveResource) =>
    isWhole || seen.has(address) || (hasOtherName(contract, kind) && lists.has(collectionAt(address)));
  const stepsAt = groupBy(steps, ({ address }) => address);
  const pinned = [...live.resources.values()].filter(isPinned).map((resource): PinnedResource => {
    const { address, key } = resource;
    const declared = desired.resources.get(address);
    const secret = secretFields(declared, ownership.declaredThen?.resources.get(address));
    const hide = hider(declared && options.moved(declared), secret, options.holdsSecret);
    const mayLeaveOut =
      options.without === "resources and values"
        ? valuesLeftOut(resource.kind, declared, stepsAt.get(address) ?? [])
        : () => false;
    const pin = (remote: Remote) => pinObject(remote, mayLeaveOut, hide, options.identified.has(address));
    return {
      address,
      ...(!isSame(key, locate(address).key) && { key }),
      objects: resource.remotes.map(pin),
    };
  });
  return {
    live: pinned.toSorted((a, b) => (a.address < b.address ? -1 : 1)),
    lists: [...live.collections.values()]
      .filter(({ id }) => isWhole || lists.has(id))
      .map(({ id, incomplete, isMissing = false, lookups }) => ({
        id,
        incomplete,
        isMissing: isMissing || undefined,
        lookups: lookups && Object.keys(lookups),
      })),
  };
}

/** Tells which texts of a resource that stays are neither declared nor changed: they may be what nobody who reads the plan is to see. */
function valuesLeftOut(name: LiveResource["kind"], declared: Resource | undefined, own: readonly Step[]) {
  const kind = kindNamed(name);
  const stays = kind.members === undefined && own.every(({ action, replaces }) => action === "update" && !replaces);
  const changed = new Set(own.flatMap(({ changes }) => changes.map(({ path }) => path)));
  const bodies = bodiesOf(declared);
  return (field: string, value: Json): boolean =>
    stays &&
    typeof value === "string" &&
    kind.fields[field]?.access === "mutable" &&
    !changed.has(field) &&
    !bodies.some(({ fields }) => field in fields);
}

/** Adds the parents of resources, and theirs, as far as they are known. */
function withParents(addresses: readonly Address[], { desired, live }: Prepared): Set<Address> {
  const all = new Set(addresses);
  for (const address of all) {
    const { kind, key } = locate(address);
    const fields = live.resources.get(address)?.remotes[0]?.fields ?? {};
    for (const parent of parentsOf(kind, key, fields, desired.resources.get(address)?.fields).flat()) all.add(parent);
  }
  return all;
}

/** Returns the template of the value that a secret field equals, "" if it equals none, and undefined for a value that is not secret. */
type Hide = (name: string, value: Json) => string | undefined;

function hider(
  declared: Resource | undefined,
  secret: ReadonlySet<string>,
  holdsSecret: PinOptions["holdsSecret"],
): Hide {
  const values = bodiesOf(declared);
  return (name, value) => {
    const mayBeSecret = secret.has(name) || holdsSecret(value);
    if (!mayBeSecret || isWrittenOut(declared, name, value)) return undefined;
    const same = values.map(({ fields }) => fields[name]).find((each) => partsOf(each) && !differs(value, each));
    return templateText(partsOf(same) ?? []);
  };
}

function pinObject(
  { id, fields, redacted }: Remote,
  mayLeaveOut: (name: string, value: Json) => boolean,
  hide: Hide,
  isIdentified: boolean,
): PinnedObject {
  const open: Record<string, Json> = {};
  const hidden: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    const source = hide(name, value);
    if (source === undefined) open[name] = mayLeaveOut(name, value) ? valueFingerprint(value) : value;
    else hidden[name] = source;
  }
  return {
    fields: open,
    ...(Object.keys(hidden).length > 0 && { hidden }),
    ...(redacted && { redacted }),
    ...(isIdentified && redacted === undefined && { id: idFingerprint(id) }),
  };
}

export const idFingerprint = (id: RemoteId): string => hash("sha256", id).slice(0, 16);

/** Returns what a file holds of a value that it leaves out: no value of an API has its first character. */
export const valueFingerprint = (value: Json | undefined): string =>
  `\u0001${hash("sha256", JSON.stringify(value ?? null)).slice(0, 16)}`;

/** The mark of a stand-in for a secret: no value of an API has this character. */
const mark = "\u0000";

/** Returns what stands for a secret while a file is planned: equal sources have equal stand-ins. */
export const standInFor = (template: string): string => mark + template;

/** Whether a value is a stand-in, or is made of one. */
export const holdsStandIn = (value: Json | undefined): boolean => JSON.stringify(value ?? null).includes("\\u0000");

/** Returns a live object of which only a plan is made, never a request: its fields distinguish it from others where its id is not known. */
export const remoteOf = (fields: Fields, id: string | undefined): Remote => ({
  id: (id ?? standInFor(JSON.stringify(fields))) as RemoteId,
  etag: undefined,
  raw: {},
  fields,
});

/** Returns the live state that a file holds. */
export function unpinLive({ live, lists }: Pinned): Live {
  const resources = new Map(live.map((each) => [each.address, unpin(each)]));
  const byList = groupBy(resources.keys(), collectionAt);
  const collections = lists.flatMap(({ id, lookups, ...list }) => {
    const { kind, scope } = collectionNamed(id) ?? {};
    if (!kind || !scope) return [];
    const found = lookups && { lookups: Object.fromEntries(lookups.map((name) => [name, name])) };
    return [
      [id, { id, kind: kind.name, scope, list: id, addresses: byList.get(id) ?? [], ...list, ...found }] as const,
    ];
  });
  return { resources, collections: new Map(collections), reads: 0 };
}

function unpin({ address, key, objects }: PinnedResource): LiveResource {
  const { kind, key: own } = locate(address);
  const remotes = objects.map(({ id, fields, hidden = {}, redacted }): Remote => {
    const standIns = Object.entries(hidden).map(([name, template]) => [name, standInFor(template)]);
    const all = { ...fields, ...(Object.fromEntries(standIns) as Record<string, string>) };
    return { ...remoteOf(all, id), ...(redacted && { redacted }) };
  });
  return { address, kind: kind.name, key: key ?? own, remotes };
}

/**
 * Plans the input that a file holds. Returns the steps in the order of the file, and what they lead from; undefined if the file orders
 * other steps than those.
 */
export function replan(file: UnsealedFile, contract: Contract): Pick<SavedPlan, "steps" | "was"> | undefined {
  const input = inputOf(file, contract);
  const planned = new Map(plan(input).steps.map((step) => [step.id, step]));
  const steps = file.order.flatMap(({ step: id, after, gaps }): Step[] => {
    const step = planned.get(id);
    if (!step || !planned.delete(id)) return [];
    const declared = input.desired.resources.get(step.address);
    const { gaps: _gaps, ...planAgain } = step;
    const placed = { ...planAgain, after, ...(gaps && { gaps }) };
    return [asInFile(file.undo === true, saveStep(placed, declared, secretFields(declared), holdsStandIn))];
  });
  if (planned.size > 0 || steps.length !== file.order.length) return undefined;
  return { steps, was: prepare(input).live };
}

function inputOf(file: UnsealedFile, contract: Contract): PlanInput {
  const resources = file.resources.map(({ carried = [], fields, ...resource }) => ({
    ...resource,
    fields: pickValues(fields, (name) => !carried.includes(name)),
  }));
  const desired = desiredFrom({ ...file, resources }, (source) =>
    sealedSource(source, source.unset ? undefined : standInFor(templateText(source.parts))),
  );
  const alone = byItself(desired, undefined);
  const [names, others] = [alone.ownership.names ?? [], file.others ?? []];
  return {
    desired,
    live: unpinLive(file),
    contract,
    target: file.target,
    consent: addConsent(nothingAllowed, file.consent),
    ...alone,
    ownership: { ...alone.ownership, names: new Set([...names].filter((name) => !others.includes(name))) },
    now: Date.parse(file.created_at),
  };
}
