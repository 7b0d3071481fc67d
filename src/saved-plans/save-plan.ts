import { isDeepStrictEqual } from "node:util";
import { bindKind } from "../contract/bound-kind.ts";
import { costlyAddresses, forConsents, ownedAmong } from "./approved-consent.ts";
import { liveSpelling } from "../contract/request.ts";
import { contractHash } from "../contract/load-contract.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { collectionOf, locate } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { groupBy } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import { bodiesOf, knownValues, openValue, mapValues, partsOf, referencesIn, secretFields } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { Desired, PreparedLive, TemplatePart, Resource } from "../model/resource.ts";
import type { ManifestSource, SavedPlace, SavedPlan } from "../model/saved-plan.ts";
import { refusedByKind } from "../policy/consent.ts";
import { countScopes, isNamed } from "../policy/delete-scopes.ts";
import { isCommitted } from "../policy/deletions.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import { prepare, withInherited } from "../plan/prepare.ts";
import { hiddenOwnership } from "./ownership-change.ts";
import { hasOtherName } from "../plan/match.ts";
import { leftOut, pinLive, replan } from "./pin-live.ts";
import { planHash, sealPlan } from "./plan-hash.ts";
import { saveResource } from "./portable-desired.ts";
import { asInFile, saveStep } from "./save-step.ts";

export interface SaveOptions {
  /** Whether a value holds a secret that this run knows: then it is not written, whatever it stands in. */
  readonly holdsSecret: (value: Json) => boolean;
  /** The path of a secret's file as whoever applies the plan is to find it. */
  readonly filePath: (path: string) => string;
  readonly source?: ManifestSource | undefined;
  /** Of a plan that takes another back. No manifest has what it desires, so no place is named; no ids are, because others make its objects. */
  readonly undo?: Pick<SavedPlan, "cannot_undo" | "ownership">;
}

export interface Saved {
  readonly hash: string;
  /** Made when it is first asked for: most runs need the hash alone. */
  readonly saved: SavedPlan;
  /** Whether the plan follows from what the file would hold. */
  readonly follows: boolean;
  /** Steps that would send a secret which the manifest writes out, so that no file can hold them. */
  readonly unsaveable: readonly { readonly resource: Resource; readonly field: string }[];
}

/** A plan as data that can leave this run: the part of the manifest that its steps need, the steps, and what they saw. */
export function savePlan(input: PlanInput, made: Plan, options: SaveOptions): Saved {
  const prepared = prepare(input);
  const { live } = prepared;
  const touched = [...new Set(made.steps.map(({ address }) => address))].sort();
  const { resources: all } = input.desired;
  const declared = touched.flatMap((address) => all.get(address) ?? []).map((each) => withInherited(each, input));
  const stepsOf = groupBy(made.steps, ({ address }) => address);
  const resourceOf = (resource: Resource) => {
    const steps = stepsOf.get(resource.address) ?? [];
    const kept = withKept(resource, live, { steps, contract: input.contract }, options.holdsSecret);
    const carried = Object.keys(kept.fields).filter((name) => !(name in resource.fields));
    const saved = saveResource(movedFiles(kept, options.filePath));
    return { ...saved, ...(carried.length > 0 && { carried }) };
  };
  // A secret of the last apply's manifest is one still, though it is declared no more.
  const secretAt = (address: Address) =>
    secretFields(input.desired.resources.get(address), input.ownership.declaredThen?.resources.get(address));
  const stepOf = (step: Step) => {
    const declaredNow = input.desired.resources.get(step.address);
    const saved = saveStep(step, declaredNow, secretAt(step.address), options.holdsSecret);
    return options.undo ? asInFile(true, saved) : saved;
  };
  const { inventory } = input.ownership;
  const { undo = { ownership: hiddenOwnership(inventory, made) } } = options;
  const { deleted, bought } = costlyAddresses(made.steps);
  // An object that Hostform itself has put back has a new id, and the same file goes on with it.
  const restored = new Set(
    made.steps.flatMap(({ on_refusal: ends = [] }) =>
      ends.flatMap(({ is, address }) => (is === "put_back" ? address : [])),
    ),
  );
  const ownContract = contractHash(input.contract);
  const head = {
    format: 3 as const,
    created_at: new Date(input.now).toISOString(),
    target: { ...made.target, ...(ownContract && { contractHash: ownContract }) },
    ...(ownContract && { contract: input.contract }),
    ...(options.source && { source: withLeftOut(options.source, made) }),
    ...(options.undo && { undo: true }),
    consent: usedConsent({ ...input, ...prepared }, made),
    protect: input.desired.protect,
  };
  const middle = {
    removals: made.steps.flatMap(({ action, replaces, address, at }) =>
      action === "delete" && !replaces ? [{ address, at }] : [],
    ),
    needs: neededBy(options.undo ? [...all.values()] : declared, input, live, new Set(touched)),
  };
  const known = inventory?.addresses ?? input.ownership.names;
  const others = known ? [...touched, ...middle.needs.map(({ address }) => address)].filter(isUnknownName(known)) : [];
  const tail = {
    ...(others.length > 0 && { others }),
    refusals: made.refusals.map(({ address, code, flag, at, from }) => ({
      address,
      code,
      flag,
      at,
      from,
    })),
    standing: ownedAmong(inventory, new Set([...deleted, ...bought])),
    ...undo,
  };
  const resources = declared.map(resourceOf);
  const steps = made.steps.map(stepOf);
  const hash = planHash({ ...head, resources, ...middle, ...tail, steps });
  const seal = (): Pick<Saved, "saved" | "follows"> => {
    const needed = [...declared, ...middle.needs].map(({ address }) => address);
    const pins = {
      prepared,
      identified: new Set(options.undo ? [] : [...deleted].filter((address) => !restored.has(address))),
      holdsSecret: options.holdsSecret,
      moved: (resource: Resource) => movedFiles(resource, options.filePath),
    };
    const pinned = (without: (typeof leftOut)[number]) => {
      const seen = pinLive(input, made.steps, needed, { ...pins, without });
      return { ...head, resources, ...middle, ...seen, order: made.steps.map(placeOf), ...tail };
    };
    // Rarely more decides about a plan than what it touches and needs.
    for (const without of leftOut) {
      const file = pinned(without);
      const planned = replan(file, input.contract);
      if (planned && planHash({ ...file, ...planned }) === hash)
        return { saved: sealPlan({ ...file, ...planned }, hash), follows: true };
    }
    return { saved: sealPlan({ ...pinned(leftOut[0]), steps, was: live }, hash), follows: false };
  };
  let sealed: ReturnType<typeof seal> | undefined;
  return {
    hash,
    get saved() {
      return (sealed ??= seal()).saved;
    },
    get follows() {
      return (sealed ??= seal()).follows;
    },
    unsaveable: unsaveable(declared, made.steps),
  };
}

const withLeftOut = (source: ManifestSource, { leftOut: omitted }: Plan): ManifestSource =>
  source.left_out || omitted.length === 0 ? source : { ...source, left_out: omitted };

/** Tells whether an address has a name to which the server may add a prefix, and is not known to be ours. */
const isUnknownName = (known: ReadonlySet<Address>) => (address: Address) =>
  !known.has(address) && kindNamed(kindOf(address)).naming.prefixed !== undefined;

const placeOf = ({ id, after, gaps }: Step): SavedPlace => ({ step: id, after, ...(gaps && { gaps }) });

/**
 * Adds the live values that a plan keeps while it makes things anew: they are lost once it is half done, so the file declares them.
 * @param means.steps those of the resource.
 */
function withKept(
  resource: Resource,
  live: PreparedLive,
  { steps, contract }: { readonly steps: readonly Step[]; readonly contract: Contract },
  holdsSecret: SaveOptions["holdsSecret"],
): Resource {
  const detached = steps.some(({ detaches }) => detaches);
  const paths = steps.flatMap(({ changes }) => changes.filter(({ carried }) => carried === true || detached));
  const [remote] = live.resources.get(resource.address)?.remotes ?? [];
  const fields = remote?.fields ?? {};
  const kept = paths.flatMap(({ path, after }) => {
    const value = after.is === "value" ? after.value : fields[path];
    return value === undefined || holdsSecret(value) || partsOf(resource.fields[path]) ? [] : [[path, value] as const];
  });
  if (kept.length === 0 || !remote) return resource;
  // A value that goes for good is in the live spelling, and not among those that are kept.
  const asLive = kept.filter(([name, value]) => isDeepStrictEqual(value, fields[name])).map(([name]) => name);
  const spelling = liveSpelling({ kind: bindKind(contract, resource.kind), key: resource.key }, remote, asLive);
  return { ...resource, fields: { ...knownValues(Object.fromEntries(kept), spelling), ...resource.fields } };
}

function movedFiles(resource: Resource, filePath: SaveOptions["filePath"]): Resource {
  const movePart = (part: TemplatePart): TemplatePart =>
    typeof part === "object" && "file" in part ? { file: filePath(part.file) } : part;
  return mapValues(resource, (value) =>
    value.is === "known" || !value.parts ? value : { ...value, parts: value.parts.map(movePart) },
  );
}

/** The consents that this plan has used, each by its address. */
function usedConsent(input: PlanInput, { steps, refusals }: Plan): SavedPlan["consent"] {
  const { consent } = input;
  const counted = countScopes(consent, steps);
  // An entry under removed: is consent to less than a flag, so it lifts no refusal.
  const refused = new Set(refusals.map(({ address }) => address));
  const isAllowed = (step: Plan["steps"][number]) =>
    isNamed(consent, counted, step) || (isCommitted(input, step) && !refused.has(step.address));
  const going = steps.flatMap((step) => (step.action === "delete" && isAllowed(step) ? [step.address] : []));
  const held = refusedByKind({ ...input, consent: nothingAllowed }, steps);
  const updated = held.flatMap(({ address, flag }) =>
    flag && address && consent.deletes.has(address) ? [address] : [],
  );
  const needed = new Set([...going, ...updated]);
  const touched = [...new Set(steps.map(({ address }) => address))].sort();
  return forConsents((by) => touched.filter((address) => (by === "deletes" ? needed : consent[by]).has(address)));
}

/**
 * Lists the resources that the touched ones need, and that are declared, live and left as they are. An undo needs all that it declares:
 * what the other plan makes again, and so it does not, may not be made after all.
 */
function neededBy(
  resources: readonly Resource[],
  { contract, desired: { resources: declared } }: PlanInput,
  live: PreparedLive,
  touched: ReadonlySet<Address>,
): SavedPlan["needs"] {
  const wanted = resources.flatMap((resource) => {
    const kind = kindNamed(resource.kind);
    return [
      resource.address,
      ...parentsOf(kind, resource.key, {}, resource.fields).flat(),
      ...referencesIn(bodiesOf(resource)).map(({ ref }) => ref),
    ];
  });
  const needed = new Set([...wanted, ...siblingsOf(resources, declared, contract, live)]);
  return [...needed].sort().flatMap((address) => {
    const resource = declared.get(address);
    if (!resource || touched.has(address) || !live.resources.has(address) || kindNamed(resource.kind).members)
      return [];
    const { named_by: named = "" } = contract.kinds[resource.kind] ?? {};
    const value = openValue(resource.fields[named]);
    const fields = value === undefined ? undefined : { [named]: value };
    return [{ address, key: locate(address).key, ...(fields && { fields }) }];
  });
}

/**
 * A live `u123_shop` that is declared by that name must not be taken for the `shop` that a step makes, and a live object without a name
 * that another declared one has found not for the one that a step makes: also in a list that several parents share.
 */
function siblingsOf(
  resources: readonly Resource[],
  declared: Desired["resources"],
  contract: Contract,
  { collections }: PreparedLive,
): Address[] {
  const renamed = resources.filter(({ kind }) => hasOtherName(contract, kind));
  if (renamed.length === 0) return [];
  const listOf = ({ kind, key }: Resource) => {
    const { id } = collectionOf(kindNamed(kind), key);
    return `${kind} ${collections.get(id)?.list ?? id}`;
  };
  const lists = new Set(renamed.map(listOf));
  return [...declared.values()].flatMap((resource) => (lists.has(listOf(resource)) ? [resource.address] : []));
}

/** Finds the secrets that a step would send and that the manifest writes out. */
function unsaveable(declared: readonly Resource[], steps: readonly Step[]): Saved["unsaveable"] {
  const sent = new Set(steps.flatMap(({ address, changes }) => changes.map(({ path }) => `${address} ${path}`)));
  return declared.flatMap((resource) =>
    Object.entries(resource.fields).flatMap(([field, value]) =>
      value.is === "secret" && !value.parts && sent.has(`${resource.address} ${field}`) ? [{ resource, field }] : [],
    ),
  );
}
