import type { LastApplyUnknown } from "../../messages/findings.ts";
import type { Address } from "../../model/address.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import { declaredIn } from "./load-manifest.ts";
import type { OutsideValues } from "../../manifest/templates/bind-variables.ts";
import type { AppliedBy, Inventory, MissedApply, OpenInventory } from "../../model/inventory.ts";
import type { Ownership } from "../../model/plan-input.ts";
import type { Desired } from "../../model/resource.ts";

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

/** What the last apply declared. `applied`: by its commit, and by those since the last apply of the whole manifest. */
export type LastApplied =
  | { readonly is: "applied"; readonly by: AppliedBy; readonly desired: readonly [Desired, ...Desired[]] }
  /** No commit is recorded: the manifest is kept outside of git. */
  | { readonly is: "not_in_git"; readonly by: AppliedBy }
  | { readonly is: "unknown"; readonly why: LastApplyUnknown };

/**
 * Reads what the files of this run declared at the last apply. After an apply of a part, one of several commits stands for each address.
 * @param whyNone why it is not known, where the inventory holds no apply.
 */
export async function lastApplied(
  store: OpenInventory,
  { lastApply: by }: Inventory,
  outside: OutsideValues,
  leftOut: readonly string[],
  readSecret: ReadSecret,
  whyNone: LastApplyUnknown,
): Promise<LastApplied> {
  if (!by) return { is: "unknown", why: whyNone };
  if (by.commit === undefined && store.head === undefined) return { is: "not_in_git", by };
  const applies = by.partial === true ? await store.appliesToWhole() : [by];
  if (!applies) return { is: "unknown", why: "partial" };
  // Before the first commit of a repository all is uncommitted.
  if (applies.some(({ dirty, commit }) => dirty === true || !commit)) return { is: "unknown", why: "dirty" };
  const commits = new Set(applies.map(({ commit }) => commit));
  const own = by.manifests.filter((path) => !leftOut.includes(path));
  // A command that today's runner does not offer leaves its value out without a word.
  const offered: ReadSecret = (part) => ({ ...readSecret(part), refused: undefined });
  const read = await Promise.all([...commits].map((commit) => declaredAt(store, commit, own, outside, offered)));
  const declared = read.flatMap(({ together }) => together ?? []);
  const [desired, ...others] = [...commits].reduceRight<Desired[]>((older, commit, index) => {
    const then = declared[index];
    const here = applies.filter((each) => each.commit === commit).map((each) => new Set(each.leftOut));
    const never = [...(here[0] ?? [])].filter((address) => here.every((omitted) => omitted.has(address)));
    return then ? [withOlder(then, older[0], never), ...older] : older;
  }, []);
  if (!desired || others.length + 1 < commits.size) return { is: "unknown", why: "unreadable" };
  return { is: "applied", by, desired: [desired, ...others] };
}

/** Returns a declared state with that of an older commit at some addresses. */
function withOlder(desired: Desired, older: Desired | undefined, addresses: readonly Address[]): Desired {
  if (!older || addresses.length === 0) return desired;
  const resources = new Map(desired.resources);
  for (const address of addresses) {
    const then = older.resources.get(address);
    if (then) resources.set(address, then);
    else resources.delete(address);
  }
  return { ...desired, resources };
}

/** Manifest files of the last apply that HEAD still has, and that this run was not given. */
export async function leftOut(store: OpenInventory, inventory: Inventory | undefined, given: readonly string[]) {
  const { head } = store;
  const isGiven = new Set(given);
  const missing = (inventory?.lastApply?.manifests ?? []).filter((path) => !isGiven.has(path));
  const manifestsLeftOut = head === undefined ? [] : ((await store.filesAt(head, missing)) ?? []);
  return { manifestsLeftOut, manifestsMissing: manifestsLeftOut.filter((path) => !store.isInWorkTree(path)) };
}

/**
 * Reads what files declared at a commit. Files that are applied one by one may declare the same domain each: then only those that can be
 * read by themselves are in `all`, and `together` is undefined.
 */
async function declaredAt(
  store: OpenInventory,
  commit: string | undefined,
  paths: readonly string[],
  outside: OutsideValues,
  readSecret?: ReadSecret,
): Promise<{ readonly together: Desired | undefined; readonly all: readonly Desired[] }> {
  const texts = commit === undefined || paths.length === 0 ? [] : ((await store.manifestsAt(commit, paths)) ?? []);
  const together = texts.length === 0 ? undefined : declaredIn(texts, outside, readSecret);
  const all = together ? [together] : texts.flatMap((text) => declaredIn([text], outside, readSecret) ?? []);
  return { together, all };
}

/**
 * Returns the addresses that a manifest declared at an earlier apply and none declares at the commit of this one, each with its file: those
 * that the inventory holds already, and those since the last apply. What is ours is not among them: a plan deletes it.
 */
export async function droppedUntil(
  { commit: to, manifests: given }: AppliedSource,
  store: OpenInventory,
  { addresses, lastApply, dropped = new Map<Address, string>() }: Inventory,
  outside: OutsideValues,
): Promise<ReadonlyMap<Address, string>> {
  const { commit, manifests = [] } = lastApply ?? {};
  if (commit === undefined || to === undefined || to === commit) return dropped;
  const { all: then } = await declaredAt(store, commit, manifests, outside);
  const { all: now } = await declaredAt(store, to, [...new Set([...manifests, ...given])], outside);
  const all = new Map(dropped);
  for (const { address, at } of then.flatMap(({ resources }) => [...resources.values()]))
    all.set(address, at?.file ?? "");
  const still = [...addresses, ...now.flatMap(({ resources }) => [...resources.keys()])];
  for (const address of still) all.delete(address);
  return all;
}

/**
 * Reads the manifest of the last apply, and which addresses an earlier apply declared and no manifest does any more but perhaps that of
 * this run: manifests that are applied file by file leave each other out.
 * @param leftOut the files of the last apply that this run was not given.
 */
export async function declaredBefore(
  store: OpenInventory,
  inventory: Inventory | undefined,
  outside: OutsideValues,
  leftOut: readonly string[],
): Promise<Pick<Ownership, "declaredThen" | "declaredLast">> {
  const { commit, partial = false, manifests = [] } = inventory?.lastApply ?? {};
  const others = new Set(leftOut);
  const own = manifests.filter((path) => !others.has(path));
  const then = await declaredAt(store, commit, own, outside);
  const { all: elsewhere } = await declaredAt(store, store.head, leftOut, outside);
  const dropped = [...(inventory?.dropped ?? [])].flatMap(([address, file]) => (others.has(file) ? [] : [address]));
  const isKnown = others.size === 0 || elsewhere.length > 0;
  const declared = [...dropped, ...then.all.flatMap(({ resources }) => [...resources.keys()])];
  const isElsewhere = (address: Address) => elsewhere.some(({ resources }) => resources.has(address));
  return {
    declaredThen: partial ? undefined : then.together,
    declaredLast: isKnown ? new Set(declared.filter((address) => !isElsewhere(address))) : undefined,
  };
}

/** Reads the manifest of an apply whose commit HEAD does not contain, and that of the last commit before both. */
export async function readMissed(
  store: OpenInventory,
  { base, ...missed }: MissedApply,
  { lastApply }: Inventory,
  { paths, outside }: { readonly paths: readonly string[]; readonly outside: OutsideValues },
): Promise<NonNullable<Ownership["missed"]>> {
  const { partial = false, manifests = [], dirty = false } = lastApply ?? {};
  // Without the names of its files, what a commit declared cannot be distinguished from what it did not.
  const named = partial || manifests.length === 0 ? [] : [...new Set([...manifests, ...paths])];
  const declared = async (commit: string | undefined) => (await declaredAt(store, commit, named, outside)).together;
  // An apply with uncommitted changes did more than its commit declares.
  const isKnown = !(dirty && missed.commit === lastApply?.commit);
  return { ...missed, there: isKnown ? await declared(missed.commit) : undefined, base: await declared(base) };
}
