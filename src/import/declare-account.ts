import { isDeepStrictEqual } from "node:util";
import { bindKind, type BoundKind } from "../contract/bound-kind.ts";
import { isImplicit, tellsOwner } from "../contract/offered.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { collectionAt, locate } from "../kinds/derived/collection.ts";
import { isOff, keptElsewhere, ownObjects } from "../kinds/derived/server-made.ts";
import { sharedAddress } from "../kinds/derived/listed-object.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { toAddress, type Address } from "../model/address.ts";
import { openValue } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import { matchesGlob } from "../model/glob.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Desired, Fields, Key, Live, LiveCollection, LiveResource, Remote } from "../model/resource.ts";
import { holdsKnownSecret } from "../model/credentials.ts";
import { writtenValueText } from "../model/template-text.ts";
import { type Block, type Declared, type Omission, sortBlocks } from "./block.ts";
import { nameChooser } from "./choose-name.ts";
import { manifestPlaceOf, placeOfScope } from "./manifest-place.ts";
import { type BodyOptions, secretHeld, writeBody } from "./write-body.ts";

/** Options for the declaration of an account. */
export interface DeclareOptions extends BodyOptions {
  readonly contract: Contract;
  /** Whether a live resource is to be declared. */
  readonly isWanted: (address: Address) => boolean;
  /** Whether a manifest has a resource at an address already. */
  readonly isTaken: (address: Address) => boolean;
  /** The content of the manifest. Undefined for a new one. */
  readonly desired: Desired | undefined;
}

/** Records by which certificate authorities check a name come and go by themselves. */
const challenges = "_acme-challenge*";

/** Declares the resources of an account that a person could have declared: each with the fields that a creation would have to send. */
export function declareAccount(found: Live, options: DeclareOptions): Declared {
  const live = takeDoubles(found);
  const kept = new Set([...live.resources.values()].flatMap(keptElsewhere));
  const blocks: Block[] = [];
  const omissions: Omission[] = [];
  const keyFor = nameChooser(options.isTaken);
  const ignores = new Map<string, Block>();
  for (const collection of live.collections.values()) {
    const kind = bindKind(options.contract, collection.kind);
    const reason = reasonToLeaveOut(live, kind, collection, options.isTaken);
    if (reason !== undefined) {
      omissions.push(omitList(kind, collection, reason));
      continue;
    }
    for (const address of collection.addresses) {
      const resource = live.resources.get(address);
      if (!resource || (kept.has(address) && !tellsOwner(options.contract, kind)) || !options.isWanted(address))
        continue;
      if (isChallenge(kind, resource.key)) {
        const path = placeOfScope(kind, resource.key);
        ignores.set(path.join("\n"), ignoreChallenges(path));
        continue;
      }
      const named = { ...resource, key: keyFor(kind, resource) };
      const made = declare(live, kind, named, options);
      if (made?.block) blocks.push(made.block);
      omissions.push(...(made?.omissions ?? []));
    }
  }
  return { blocks: withParents(live, blocks, options.isTaken), ignores: [...ignores.values()], omissions };
}

/** @param path leads to the zone. */
const ignoreChallenges = (path: readonly string[]): Block => ({
  address: toAddress("dns_zone", [path.at(-1) ?? ""]),
  domain: path[1] ?? "",
  path: [...path, "ignore"],
  isItem: true,
  body: challenges,
});

/**
 * Returns the reason for which nothing of a list is declared: it could not be read to its end, or what it belongs to stands in a list that
 * could not, and what is declared below that would declare it, too.
 */
function reasonToLeaveOut(
  live: Live,
  kind: Kind,
  { scope, addresses, incomplete }: LiveCollection,
  isTaken: DeclareOptions["isTaken"],
): string | undefined {
  if (incomplete !== undefined) return `the list could not be read whole: ${incomplete}`;
  for (const alternatives of addresses.length > 0 ? parentsOf(kind, scope, {}) : []) {
    if (alternatives.some((each) => isTaken(each) || isUsableParent(live, each))) continue;
    const unsure = alternatives.find((each) => live.resources.has(each));
    if (unsure !== undefined) return `the list of the parent ${unsure} could not be read whole`;
  }
  return undefined;
}

/** Returns what was read, with the lists whole of which only several objects with one address are doubtful: they hide none of the others. */
function takeDoubles(live: Live): Live {
  const reasons = [...live.collections.values()].map(({ kind, addresses }) =>
    sharedAddress(
      kindNamed(kind),
      addresses.flatMap((address) => live.resources.get(address) ?? []),
    ),
  );
  const doubtful = new Set(reasons);
  const collections = [...live.collections].map(([id, { incomplete, ...rest }]) => {
    const isWhole = incomplete === undefined || doubtful.has(incomplete);
    return [id, isWhole ? rest : { ...rest, incomplete }] as const;
  });
  return { ...live, collections: new Map(collections) };
}

function omitList(kind: Kind, { id, scope }: LiveCollection, reason: string): Omission {
  const path = placeOfScope(kind, scope);
  return { of: id, reason, domain: path[1] ?? "", path, isList: true };
}

const isChallenge = ({ naming, scope }: Kind, { name = "" }: Key) =>
  naming.relative !== undefined && scope.length > 0 && matchesGlob(challenges, name);

interface DeclaredBlock {
  readonly block?: Block;
  readonly omissions: readonly Omission[];
}

function declare(
  live: Live,
  kind: BoundKind,
  resource: LiveResource,
  options: DeclareOptions,
): DeclaredBlock | undefined {
  const { key } = resource;
  const remotes = ownObjects(kind, resource.remotes);
  if (remotes.length === 0 || isPlatforms(options.contract, kind, key)) return undefined;
  const place = manifestPlaceOf(kind, key);
  const omit = (reason: string, field?: string): Omission => ({
    of: resource.address,
    ...(field !== undefined && { field }),
    reason,
    values: field === undefined ? remotes.map((remote) => options.mask(valuesOf(kind, remote))) : [],
    ...place,
  });
  if (kind.members && remotes.some(({ fields }) => holdsKnownSecret({ ...fields }, options.mask)))
    return { omissions: [omit(secretHeld)] };
  if (kind.members) return declareSet(live, { kind, members: kind.members, key, remotes }, options, omit);
  const [remote] = remotes;
  if (!remote || isOff(resource)) return undefined;
  if (sharedAddress(kind, [resource])) return { omissions: [omit(`${remotes.length} objects have this address`)] };
  if (hasFailed(kind, remote.fields)) return { omissions: [omit("it failed on the server")] };
  const { body, withheld } = writeBody(options, kind, key, remote);
  const omissions = withheld.map(({ field, reason }) => omit(reason, field));
  if (isImplicit(options.contract, kind) && isDeepStrictEqual(body, {})) return { omissions };
  const address = toAddress(kind.name, kind.naming.addressParts(key));
  return { block: { address, ...place, body }, omissions };
}

interface LiveSet {
  readonly kind: Kind;
  readonly members: Members;
  readonly key: Key;
  readonly remotes: readonly Remote[];
}

function declareSet(
  live: Live,
  { kind, members, key, remotes }: LiveSet,
  options: DeclareOptions,
  omit: (reason: string, field?: string) => Omission,
): DeclaredBlock {
  const shared: Record<string, Json> = {};
  for (const field of members.shared) {
    const values = remotes.map(({ fields }) => fields[field] ?? null);
    const [value = null] = values;
    if (values.some((each) => !isDeepStrictEqual(each, value)))
      return { omissions: [omit(`its records differ in their ${field}: ${values.map(jsonText).join(", ")}`)] };
    if (value !== null && !isDeepStrictEqual(value, inheritedValue(live, { kind, key }, field, options)))
      shared[field] = value;
  }
  const sorted = remotes.map(({ fields }) => fields).toSorted(byIdentity(members.identity));
  const body = writtenValueText(members.write(shared, sorted, key));
  const address = toAddress(kind.name, kind.naming.addressParts(key));
  return { block: { address, ...manifestPlaceOf(kind, key), body }, omissions: [] };
}

/** Returns the value that a field has where no block writes it: its parent's in the manifest, the manifest's default, or the live parent's. */
function inheritedValue(
  live: Live,
  { kind, key }: Pick<LiveSet, "kind" | "key">,
  field: string,
  { desired, defaults }: DeclareOptions,
): Json | undefined {
  const rule = kind.fields[field]?.fallback;
  const [parent] = parentsOf(kind, key, {}).flat();
  if (!rule || parent === undefined) return undefined;
  const declared = desired?.resources.get(parent);
  const theirs = live.resources.get(parent)?.remotes[0]?.fields[rule.parent];
  const own = defaults[rule.default];
  // A new block of the parent writes its value if the manifest has a default.
  return declared ? (openValue(declared.fields[rule.parent]) ?? own ?? theirs) : (theirs ?? own);
}

const byIdentity = (identity: string) => (a: Fields, b: Fields) => {
  const [one, other] = [a, b].map((fields) => [fields["priority"] ?? 0, jsonText(fields[identity])] as const);
  if (!one || !other) return 0;
  return Number(one[0]) - Number(other[0]) || (one[1] < other[1] ? -1 : Number(one[1] > other[1]));
};

/** Whether an object is the platform's by its key, where the API does not say whose it is. */
const isPlatforms = (contract: Contract, kind: Kind, key: Key): boolean =>
  !tellsOwner(contract, kind) && kind.serverMade?.mayBeOwn?.(key) === true;

/** An object that failed, and that a new one supersedes, is nothing to keep. */
const hasFailed = ({ listing, readiness }: Kind, fields: Fields) =>
  listing?.newest !== undefined && readiness?.failed.includes(jsonText(fields["status"])) === true;

/** Shows an object in one line: the fields that a manifest could have. */
const valuesOf = (kind: Kind, { fields }: Remote): string =>
  Object.entries(fields)
    .filter(
      ([name, value]) =>
        value !== null && kind.fields[name]?.access !== "read_only" && kind.fields[name]?.mayHoldCredentials !== true,
    )
    .map(([name, value]) => `${name} ${jsonText(value)}`)
    .join(", ");

/** Returns the objects of an address, each in one line. */
export function liveValues(live: Live, address: Address): string[] {
  const resource = live.resources.get(address);
  return (resource?.remotes ?? []).map((remote) => valuesOf(kindNamed(resource?.kind ?? ""), remote));
}

/**
 * Adds an empty block for each resource that another needs and that is live: it says only that it exists. None stands for a resource of a
 * list that was not read whole, because an import that reads it later would find it declared.
 */
function withParents(live: Live, blocks: readonly Block[], isTaken: DeclareOptions["isTaken"]): Block[] {
  const declared = new Map(blocks.map((block) => [block.address, block]));
  const queue = [...declared.keys()];
  for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
    const { kind, key } = locate(address);
    for (const alternatives of parentsOf(kind, key, live.resources.get(address)?.remotes[0]?.fields ?? {})) {
      if (alternatives.some((each) => declared.has(each) || isTaken(each))) continue;
      const found = alternatives.find((each) => isUsableParent(live, each));
      if (found === undefined) continue;
      const parent = locate(found);
      declared.set(found, { address: found, ...manifestPlaceOf(parent.kind, parent.key), body: {} });
      queue.push(found);
    }
  }
  return sortBlocks([...declared.values()]);
}

/** Whether a resource is live, and all of its list is known. */
function isUsableParent(live: Live, address: Address): boolean {
  const resource = live.resources.get(address);
  if (!resource || sharedAddress(kindNamed(resource.kind), [resource])) return false;
  return live.collections.get(collectionAt(address))?.incomplete === undefined;
}
