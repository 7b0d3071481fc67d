import { normaliseAddress } from "../kinds/derived/locate.ts";
import { parseSource } from "../manifest/parse.ts";
import { toJson, type SourceText } from "../manifest/written.ts";
import type { Address } from "../model/address.ts";
import type { Inventory, InventoryStore } from "../model/inventory.ts";
import { jsonText } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Desired } from "../model/resource.ts";

/**
 * Returns the addresses of which an entry under `removed:` consents to the deletion. The entry is committed in HEAD, in the file in which
 * it stands now, and is either of an address that is ours, or new since the last apply. Once it was carried out it consents to nothing.
 * @param paths the manifest files of this run, relative to the repository.
 */
export async function committedRemovals(
  store: InventoryStore,
  inventory: Inventory,
  paths: readonly string[],
  removed: Desired["removed"],
): Promise<ReadonlySet<Address>> {
  const wanted = [...removed.values()].filter(
    ({ address, action }) => action === "delete" && inventory.removed?.has(address) !== true,
  );
  if (wanted.length === 0 || store.head === undefined) return new Set();
  const files = await store.pathsInRepository([...new Set(wanted.map(({ at }) => at.file))]);
  const committed = (await removalsAt(store, store.head, files)) ?? new Set();
  const isOurs = (address: Address) => inventory.addresses.has(address);
  const found = wanted.map(({ address }) => address).filter((address) => committed.has(address));
  if (found.every(isOurs)) return new Set(found);
  const before = await removalsBefore(store, inventory, paths);
  return new Set(found.filter((address) => isOurs(address) || before?.has(address) === false));
}

/** The entries before this commit: those of the last apply, or, before the first, those of the first parent. Undefined where unknown. */
async function removalsBefore(
  store: InventoryStore,
  { lastApply }: Inventory,
  paths: readonly string[],
): Promise<ReadonlySet<Address> | undefined> {
  if (lastApply) {
    const { commit, manifests } = lastApply;
    return commit === undefined ? undefined : removalsAt(store, commit, [...new Set([...paths, ...manifests])]);
  }
  const parent = await store.parent();
  if (parent === "unknown") return undefined;
  return parent === "none" ? new Set() : removalsAt(store, parent.commit, paths);
}

/** The addresses that manifest files want deleted at a commit; undefined where one of them cannot be read. */
async function removalsAt(
  store: InventoryStore,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlySet<Address> | undefined> {
  const files = paths.length === 0 ? [] : await store.filesAt(commit, paths);
  const texts = files && (await store.manifestsAt(commit, files));
  const all = texts?.map(literalRemovals);
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
