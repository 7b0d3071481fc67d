import { normaliseAddress } from "../../kinds/derived/collection.ts";
import { parseSource } from "../../manifest/yaml/parse.ts";
import { toJson, type SourceText } from "../../manifest/yaml/written.ts";
import type { Address } from "../../model/address.ts";
import type { Inventory, OpenInventory } from "../../model/inventory.ts";
import { jsonText } from "../../model/json.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { WhyNoConsent } from "../../messages/refusals.ts";
import type { Ownership } from "../../model/plan-input.ts";
import type { Desired, Removal } from "../../model/resource.ts";

/** The entries under `removed:` of a run, and where they stand. */
export interface GivenRemovals {
  readonly removed: Desired["removed"];
  /** The manifest files of this run, relative to the repository. */
  readonly paths: readonly string[];
  /** Those that HEAD does not hold as they are; undefined where that is not known. */
  readonly uncommitted: readonly string[] | undefined;
  /** The reason why no entry consents in this run; undefined where each is judged by itself. */
  readonly doubt?: WhyNoConsent | undefined;
}

type JudgedRemovals = Pick<Required<Ownership>, "removals" | "uncounted"> & Pick<Ownership, "carriedOut">;

/**
 * Returns the addresses of which an entry under `removed:` consents to the deletion. The entry is committed in HEAD, in the file in which
 * it stands now, and is either of an address that is ours, or new since the last apply. Once it was carried out it consents to nothing.
 * Of each other entry it returns why it does not consent, or when it was carried out.
 */
export async function committedRemovals(
  store: OpenInventory,
  inventory: Inventory,
  given: GivenRemovals,
): Promise<JudgedRemovals> {
  const { removed, doubt } = given;
  const isSpent = ({ address }: Removal) => inventory.removed?.has(address) === true;
  const all = [...removed.values()].filter(({ action }) => action === "delete");
  const wanted = all.filter((each) => !isSpent(each));
  if (doubt !== undefined)
    return { removals: new Set(), uncounted: new Map(wanted.map(({ address }) => [address, doubt])) };
  const carriedOut = await timesOf(store, all.filter(isSpent));
  const judged = await judge(store, inventory, { ...given, wanted });
  return {
    carriedOut,
    removals: new Set(judged.flatMap(([address, why]) => (why === undefined ? [address] : []))),
    uncounted: new Map(judged.flatMap(([address, why]) => (why === undefined ? [] : [[address, why]]))),
  };
}

/** Each lookup walks the history. */
const mostLookedUp = 10;

/** Returns when addresses left the inventory, ISO 8601, where its history shows that. */
async function timesOf(store: OpenInventory, spent: readonly Removal[]): Promise<ReadonlyMap<Address, string>> {
  const found = await Promise.all(
    spent.slice(0, mostLookedUp).map(async ({ address }): Promise<[Address, string][]> => {
      const [last] = (await store.history(address)) ?? [];
      return last?.change === "left" ? [[address, last.time]] : [];
    }),
  );
  return new Map(found.flat());
}

/** Returns for each entry why it does not consent; undefined for an entry that does. */
async function judge(
  store: OpenInventory,
  inventory: Inventory,
  { wanted, paths, uncommitted }: GivenRemovals & { readonly wanted: readonly Removal[] },
): Promise<[Address, WhyNoConsent | undefined][]> {
  if (wanted.length === 0) return [];
  const files = new Map<string, string | undefined>();
  for (const file of new Set(wanted.map(({ at }) => at?.file ?? ""))) {
    const [path] = await store.pathsInRepository([file]);
    files.set(file, path);
  }
  const inGit = [...files.values()].flatMap((path) => path ?? []);
  const committed = (store.head !== undefined && (await removalsAt(store, store.head, inGit))) || new Set<Address>();
  const isOurs = (address: Address) => inventory.addresses.has(address);
  const isNewToo = wanted.some(({ address }) => committed.has(address) && !isOurs(address));
  const before = isNewToo ? await removalsBefore(store, inventory, paths) : undefined;
  return wanted.map(({ address, at }) => {
    const path = files.get(at?.file ?? "");
    if (committed.has(address)) return [address, isOurs(address) ? undefined : whyNotNew(address, inventory, before)];
    if (path === undefined) return [address, "not_in_git"];
    const isAsCommitted = store.head !== undefined && uncommitted?.includes(path) === false;
    return [address, isAsCommitted ? "not_literal" : "not_committed"];
  });
}

/** Returns why an entry of an address that is not ours does not consent: only a new entry is. */
function whyNotNew(
  address: Address,
  { lastApply }: Inventory,
  before: ReadonlySet<Address> | undefined,
): WhyNoConsent | undefined {
  if (before?.has(address) === false) return undefined;
  if (before) return lastApply ? "not_new" : "not_in_this_commit";
  return lastApply && lastApply.commit === undefined ? "no_commit_recorded" : "history_unknown";
}

/**
 * Returns the commit whose entries are not new: that of the last apply which held all that consent, or, before the first apply, the first
 * parent. Empty if there is none, undefined where it is unknown.
 */
export async function removalsSince(store: OpenInventory, { lastApply }: Inventory): Promise<string | undefined> {
  if (lastApply) return lastApply.removalsSince ?? lastApply.commit;
  const parent = await store.parent();
  if (parent === "unknown") return undefined;
  return parent === "none" ? "" : parent.commit;
}

/** The entries that are not new, in whichever of the files they stood. Undefined where unknown. */
async function removalsBefore(
  store: OpenInventory,
  inventory: Inventory,
  paths: readonly string[],
): Promise<ReadonlySet<Address> | undefined> {
  const { manifests = [] } = inventory.lastApply ?? {};
  const commit = await removalsSince(store, inventory);
  if (commit === undefined) return undefined;
  return commit === "" ? new Set() : removalsAt(store, commit, [...new Set([...paths, ...manifests])]);
}

/** The addresses that manifest files want deleted at a commit; undefined where one of them cannot be read. */
async function removalsAt(
  store: OpenInventory,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<Address> | undefined> {
  const all = (await store.manifestsAt(commit, paths))?.map(literalRemovals);
  return all?.every((each) => each !== undefined) === true ? new Set(all.flatMap((each) => each ?? [])) : undefined;
}

/** The entries of one file as they are written: nothing is expanded, so that nothing from outside decides what is deleted. */
function literalRemovals(text: SourceText): Address[] | undefined {
  const { root } = parseSource(text);
  if (!root) return undefined;
  const node = root.entries.get("removed")?.value;
  const items = node?.type === "list" ? node.items.map((item) => toJson(item)) : [];
  return items.flatMap((item) => {
    if (!isObject(item) || item["action"] !== "delete") return [];
    const written = jsonText(item["address"]);
    return written.includes("${") ? [] : (normaliseAddress(written) ?? []);
  });
}
