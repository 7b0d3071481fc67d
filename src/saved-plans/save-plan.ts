import { costlyAddresses, standingOf } from "./approved-consent.ts";
import { liveSpelling } from "../contract/body-values.ts";
import { contractHash } from "../contract/load-contract.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { addTo } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import { bodiesOf, knownValues, mapValues, partsOf, referencesIn, secretFields } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import type { Plan, Shown, Step } from "../model/plan.ts";
import type { Desired, Fields, PreparedLive, TemplatePart, Resource } from "../model/resource.ts";
import type { ManifestSource, SavedCall, SavedPlan, SavedStep } from "../model/saved-plan.ts";
import { countScopes, isNamed } from "../policy/delete-scopes.ts";
import { isCommitted } from "../policy/deletions.ts";
import { refusedByKind } from "../policy/consent.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import { inheritValues, prepare } from "../plan/prepare.ts";
import { seenAt, seenIds } from "./fingerprint.ts";
import { hiddenOwnership } from "./ownership-change.ts";
import { hashOneByOne, sealPlan } from "./plan-hash.ts";
import { plainSecrets, saveResource } from "./portable-desired.ts";

export interface SaveOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether a value holds a secret that this run knows: then it is not written, whatever it stands in. */
  readonly holdsSecret: (value: Json) => boolean;
  /** The path of a secret's file as whoever applies the plan is to find it. */
  readonly filePath: (path: string) => string;
  readonly source?: ManifestSource | undefined;
}

export interface Saved {
  readonly hash: string;
  /** Made when it is first asked for: most runs need the hash alone. */
  readonly saved: SavedPlan;
  /** Steps that would send a secret which the manifest writes out, so that no file can hold them. */
  readonly unsaveable: readonly { readonly resource: Resource; readonly field: string }[];
}

/** A plan as data that can leave this run: the part of the manifest that its steps need, the steps, and what they saw. */
export function savePlan(input: PlanInput, made: Plan, options: SaveOptions): Saved {
  const prepared = prepare(input);
  const { live } = prepared;
  const touched = [...new Set(made.steps.map(({ address }) => address))].sort();
  const { resources: whole } = inheritValues(input.desired, input.live);
  const declared = touched.flatMap((address) => whole.get(address) ?? []);
  const keeping = new Set(made.steps.filter(keepsLive).map(({ address }) => address));
  const stepsOf = new Map<Address, Step[]>();
  for (const step of made.steps) if (keeping.has(step.address)) addTo(stepsOf, step.address, step);
  const resourceOf = (resource: Resource) => {
    const steps = stepsOf.get(resource.address) ?? [];
    const kept = withKept(resource, live, { steps, contract: input.contract }, options.holdsSecret);
    return saveResource(movedFiles(kept, options.filePath));
  };
  // A secret of the last apply's manifest is one still, though it is declared no more.
  const secretAt = (address: Address) =>
    secretFields(input.desired.resources.get(address), input.ownership.declaredThen?.resources.get(address));
  const stepOf = (step: Step) =>
    saveStep(step, input.desired.resources.get(step.address), secretAt(step.address), options.holdsSecret);
  const { inventory } = input.ownership;
  const ownership = hiddenOwnership(inventory, made);
  const { deleted, bought } = costlyAddresses(made.steps);
  // An object that Hostform itself has put back has a new id, and the same file goes on with it.
  const restored = new Set(
    made.steps.flatMap(({ on_refusal: ends = [] }) =>
      ends.flatMap(({ is, address }) => (is === "put_back" ? address : [])),
    ),
  );
  const standing = standingOf(inventory, new Set([...deleted, ...bought]));
  const ownContract = contractHash(input.contract);
  const head = {
    format: 1 as const,
    created_at: new Date(options.now).toISOString(),
    target: { ...made.target, ...(ownContract && { contractHash: ownContract }) },
    ...(options.source && { source: options.source }),
    consent: usedConsent({ ...input, ...prepared }, made),
    protect: input.desired.protect,
  };
  const middle = {
    removals: made.steps.flatMap(({ action, replaces, address, at }) =>
      action === "delete" && !replaces ? [{ address, ...(at && { at }) }] : [],
    ),
    needs: neededBy(declared, input.desired, live, new Set(touched)),
  };
  const tail = { refusals: made.refusals, ...(standing && { standing }), ...(ownership && { ownership }) };
  const seen = () =>
    touched.map((address) => {
      const found = seenAt(address, live.resources.get(address), secretAt(address));
      const ids =
        deleted.has(address) && !restored.has(address) ? seenIds(address, live.resources.get(address)) : undefined;
      const objects = found.objects.map((fields) => withoutSecrets(fields, options.holdsSecret));
      return { ...found, objects, ...(ids && { ids }) };
    });
  const hash = hashOneByOne(
    { ...head, ...middle, ...tail, resources: declared, steps: made.steps },
    {
      step: stepOf,
      resource: (address) => {
        const resource = whole.get(address);
        return resource && resourceOf(resource);
      },
    },
  );
  const seal = () => {
    const [resources, steps] = [declared.map(resourceOf), made.steps.map(stepOf)];
    return sealPlan({ ...head, resources, ...middle, steps, seen: seen(), ...tail }, hash);
  };
  let saved: SavedPlan | undefined;
  return {
    hash,
    get saved() {
      return (saved ??= seal());
    },
    get unsaveable() {
      return unsaveable(declared, made.steps);
    },
  };
}

/** Whether a step may make anew what has live values that the manifest does not write. */
const keepsLive = ({ changes, detaches = false }: Step) => detaches || changes.some(({ carried }) => carried);

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
  const kept = paths.flatMap(({ path }) => {
    const value = fields[path];
    return value === undefined || holdsSecret(value) || partsOf(resource.fields[path]) ? [] : [[path, value] as const];
  });
  if (kept.length === 0 || !remote) return resource;
  const unwritten = kept.flatMap(([name]) => (name in resource.fields ? [] : [name]));
  const spelt = liveSpelling(contract, { kind: kindNamed(resource.kind), key: resource.key }, remote, unwritten);
  return { ...resource, fields: { ...knownValues(Object.fromEntries(kept), spelt), ...resource.fields } };
}

function movedFiles(resource: Resource, filePath: SaveOptions["filePath"]): Resource {
  const movePart = (part: TemplatePart): TemplatePart =>
    typeof part === "object" && "file" in part ? { file: filePath(part.file) } : part;
  return mapValues(resource, (value) =>
    value.is === "known" || !value.parts ? value : { ...value, parts: value.parts.map(movePart) },
  );
}

function saveStep(
  { calls, on_refusal: refusals, ...step }: Step,
  declared: Resource | undefined,
  secret: ReadonlySet<string>,
  holdsSecret: SaveOptions["holdsSecret"],
): SavedStep {
  const { members } = kindNamed(kindOf(step.address));
  const isSecret = (path: string) => secret.has(members !== undefined && path === "value" ? members.identity : path);
  const mask = (path: string, shown: Shown): Shown =>
    shown.is === "value" && (isSecret(path) || holdsSecret(shown.value)) ? { is: "sensitive" } : shown;
  // A value that the file declares is shown as the file has it, or the plan would hide its effect.
  const isDeclared = (path: string) => members !== undefined || declared?.fields[path] !== undefined;
  return {
    ...step,
    reason: step.reason.is,
    changes: step.changes.map((change) => ({
      ...change,
      before: mask(change.path, change.before),
      after: isDeclared(change.path) ? change.after : mask(change.path, change.after),
    })),
    calls: calls.map(saveCall),
    ...(refusals && {
      on_refusal: refusals.map((each) => (each.is === "lost" ? each : { ...each, calls: each.calls.map(saveCall) })),
    }),
  };
}

const saveCall = ({ method, path }: SavedCall): SavedCall => ({ method, path });

const withoutSecrets = (fields: Fields, holdsSecret: SaveOptions["holdsSecret"]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !holdsSecret(value)));

/** The consents that this plan has used, each by its address. */
function usedConsent(input: PlanInput, { steps, refusals }: Plan): SavedPlan["consent"] {
  const { consent } = input;
  const { deletes, purchases, retries, rotations } = consent;
  const counted = countScopes(consent, steps);
  // An entry under removed: is consent to less than a flag, so it lifts no refusal.
  const refused = new Set(refusals.map(({ address }) => address));
  const isAllowed = (step: Plan["steps"][number]) =>
    isNamed(consent, counted, step) || (isCommitted(input, step) && !refused.has(step.address));
  const going = steps.flatMap((step) => (step.action === "delete" && isAllowed(step) ? [step.address] : []));
  const held = refusedByKind({ ...input, consent: nothingAllowed }, steps);
  const updated = held.flatMap(({ address, flag }) => (flag && address && deletes.has(address) ? [address] : []));
  const needed = new Set([...going, ...updated]);
  const touched = [...new Set(steps.map(({ address }) => address))].sort();
  const among = (named: ReadonlySet<Address>) => touched.filter((address) => named.has(address));
  return {
    deletes: among(needed),
    purchases: among(purchases),
    retries: among(retries),
    rotations: among(rotations),
  };
}

/** Lists the resources that the touched ones need, and that are declared, live and left as they are. */
function neededBy(
  resources: readonly Resource[],
  { resources: declared }: Desired,
  live: PreparedLive,
  touched: ReadonlySet<Address>,
): SavedPlan["needs"] {
  const wanted = resources.flatMap((resource) => {
    const kind = kindNamed(resource.kind);
    return [
      ...parentsOf(kind, resource.key, {}, resource.fields).flat(),
      ...referencesIn(bodiesOf(resource)).map(({ ref }) => ref),
    ];
  });
  const needed = new Set([...wanted, ...prefixedSiblings(resources, declared)]);
  return [...needed].sort().flatMap((address) => {
    const resource = declared.get(address);
    if (!resource || touched.has(address) || !live.resources.has(address) || kindNamed(resource.kind).members)
      return [];
    return [{ address, key: resource.key }];
  });
}

/** A live `u123_shop` that is declared by that name must not be taken for the `shop` that a step makes. */
function prefixedSiblings(resources: readonly Resource[], declared: Desired["resources"]): Address[] {
  const prefixed = resources.filter(({ kind }) => kindNamed(kind).naming.prefixed !== undefined);
  if (prefixed.length === 0) return [];
  const lists = new Set(prefixed.map(({ kind, key }) => collectionOf(kindNamed(kind), key).id));
  return [...declared.values()].flatMap(({ address, kind, key }) =>
    lists.has(collectionOf(kindNamed(kind), key).id) ? [address] : [],
  );
}

function unsaveable(declared: readonly Resource[], steps: readonly Step[]): Saved["unsaveable"] {
  const sent = new Set(steps.flatMap(({ address, changes }) => changes.map(({ path }) => `${address} ${path}`)));
  return declared.flatMap((resource) =>
    plainSecrets(resource).flatMap((field) => (sent.has(`${resource.address} ${field}`) ? [{ resource, field }] : [])),
  );
}
