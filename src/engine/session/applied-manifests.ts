import type { OutsideValues } from "../../manifest/templates/bind-variables.ts";
import type { AppliedBy, Inventory, OpenInventory } from "../../model/inventory.ts";
import type { Ownership } from "../../model/plan-input.ts";

/** The manifest of an apply, as the inventory keeps it. */
export type AppliedSource = Pick<AppliedBy, "dirty" | "partial" | "manifests"> & {
  readonly commit: string | undefined;
};

/**
 * Returns the manifest that an apply records. One of some addresses, of some of the files, of an undo, or of standard input keeps the files
 * that were recorded before, so that the next run misses one that it is not given.
 * @param given the files of this run that are in the repository.
 * @param missed files of the last apply that this run was not given.
 */
export function manifestsAfter(
  last: AppliedBy | undefined,
  source: AppliedSource,
  given: readonly string[],
  missed: readonly string[],
): AppliedSource {
  const manifests = [...new Set([...(last?.manifests ?? []), ...given])];
  const isWhole = source.manifests.length > 0 && missed.length === 0;
  return isWhole || manifests.length === 0 ? source : { ...source, partial: true, manifests };
}

/** Whether the last apply has recorded the same manifest. */
export const isRecorded = (last: AppliedBy | undefined, { partial, manifests }: AppliedSource): boolean =>
  last?.partial === partial &&
  new Set(last?.manifests).size === manifests.length &&
  new Set([...(last?.manifests ?? []), ...manifests]).size === manifests.length;

/** Manifest files of the last apply that HEAD still has, and that this run was not given. */
export async function leftOut(store: OpenInventory, inventory: Inventory | undefined, given: readonly string[]) {
  const { head } = store;
  const isGiven = new Set(given);
  const missing = (inventory?.lastApply?.manifests ?? []).filter((path) => !isGiven.has(path));
  const manifestsLeftOut = head === undefined ? [] : ((await store.filesAt(head, missing)) ?? []);
  return { manifestsLeftOut, manifestsMissing: manifestsLeftOut.filter((path) => !store.isInWorkTree(path)) };
}

/** Reads the manifest of the last apply, and the addresses of that of the last apply which was given all of it. */
export async function declaredBefore(
  store: OpenInventory,
  inventory: Inventory | undefined,
  outside: OutsideValues,
): Promise<Pick<Ownership, "declaredThen" | "declaredLast">> {
  const { commit, partial = false, manifests = [], removalsSince: whole = commit } = inventory?.lastApply ?? {};
  const declaredAt = async (at: string | undefined) => {
    if (at === undefined || at === "" || manifests.length === 0) return undefined;
    const files = at === commit && !partial ? manifests : await store.filesAt(at, manifests);
    const texts = files && (await store.manifestsAt(at, files));
    return texts ? (await import("./load-manifest.ts")).declaredIn(texts, outside) : undefined;
  };
  const last = await declaredAt(whole);
  const declaredThen = partial ? undefined : whole === commit ? last : await declaredAt(commit);
  return { declaredThen, declaredLast: last && new Set(last.resources.keys()) };
}
