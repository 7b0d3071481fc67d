import type { Emit } from "./session/events.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic, Severity } from "../model/diagnostic.ts";
import { emptyInventory, type Inventory, type OpenInventory, type WroteInventory } from "../model/inventory.ts";
import { didYouMean, nearest } from "../model/nearest.ts";
import type { Desired } from "../model/resource.ts";
import { chooseTarget, inventoryTarget } from "./session/choose-target.ts";
import type { Ending, Session } from "./session/host.ts";
import { InputError } from "./session/input-error.ts";
import { isKept, isUnreadable } from "./session/ownership-notices.ts";
import type { ManifestOptions } from "./session/load-manifest.ts";
import { loadUsableManifest } from "./session/open-manifest.ts";
import type { OpenTargetOptions } from "./session/open-target.ts";
import { withInventory } from "./session/ownership.ts";

export interface InventoryOptions extends OpenTargetOptions, ManifestOptions {
  readonly wishes: Wishes;
}

/** The changes and the questions of a user. */
export interface Wishes {
  /** An address whose history is shown. */
  readonly why: Address | undefined;
  readonly adopt: ReadonlySet<Address>;
  readonly forget: ReadonlySet<Address>;
  readonly unlock: boolean;
}

/** Shows which addresses are ours, why, or changes that by hand. Asks nothing of the API. */
export async function editInventory(options: InventoryOptions, io: Session): Promise<Ending> {
  const { wishes } = options;
  const manifest = await loadUsableManifest(options, io);
  if (!manifest) return "wrong_input";
  const { desired, provider } = manifest;
  const chosen = await chooseTarget(options, provider, io.env);
  io.emit({ type: "settings_overridden", overridden: chosen.overridden });
  const target = inventoryTarget(desired.name, chosen, options);
  return withInventory(options, target, io, async (store) => {
    if (wishes.unlock) return unlock(store, io.emit);
    if (wishes.adopt.size + wishes.forget.size > 0) return change(store, wishes, desired, io.emit);
    const { inventory = emptyInventory, notices } = await store.read();
    io.emit({ type: "diagnostics", diagnostics: notices });
    if (isUnreadable(notices)) return "refused";
    await (wishes.why === undefined ? list(store, inventory, io.emit) : why(store, inventory, wishes.why, io.emit));
    return "done";
  });
}

function list(
  { where }: OpenInventory,
  { addresses, preventDestroy, lastApply, running }: Inventory,
  emit: Emit,
): void {
  emit({ type: "inventory", where, count: addresses.size, lastApply, running });
  for (const address of [...addresses].sort())
    emit({ type: "inventory_address", address, preventDestroy: preventDestroy.has(address) });
}

async function why(store: OpenInventory, { addresses }: Inventory, address: Address, emit: Emit): Promise<void> {
  const events = await store.history(address);
  const hasHistory = events !== undefined;
  emit({ type: "inventory_why", address, ours: addresses.has(address), where: store.where, hasHistory });
  for (const event of events ?? []) emit({ type: "inventory_event", address, ...event });
}

async function change(store: OpenInventory, wishes: Wishes, desired: Desired, emit: Emit): Promise<Ending> {
  const { inventory = emptyInventory, notices } = await store.read();
  if (isUnreadable(notices)) {
    emit({ type: "diagnostics", diagnostics: notices });
    return "refused";
  }
  if (!store.keeps) throw new InputError({ type: "no_inventory", where: store.where });
  const changes = changesOf(inventory, wishes);
  const { added, removed, dropped } = changes;
  const forgotten = [...removed, ...dropped];
  const changed = { type: "inventory_changed", adopted: added, forgotten, where: store.where } as const;
  const missing = [...wishes.forget].filter((address) => !forgotten.includes(address));
  const nothing = added.length + forgotten.length === 0;
  const absent = missing.map((address) => notOwned(address, inventory, nothing ? "error" : "warning"));
  if (nothing && missing.length > 0) throw new InputError({ type: "diagnostics", diagnostics: absent });
  emit({ type: "diagnostics", diagnostics: absent });
  for (const address of removed) {
    const at = desired.resources.get(address)?.at;
    if (at) emit({ type: "still_declared", address, at });
  }
  if (nothing) {
    emit({ type: "diagnostics", diagnostics: notices });
    emit(changed);
    return "done";
  }
  for (const address of added.filter((each) => !desired.resources.has(each)))
    emit({ type: "inventory_undeclared", address });
  const wrote = await store.edit((before) => withChanges(before, changes), `inventory: ${countsOf(changes)}`);
  return reported(store, wrote, emit, () => emit(changed));
}

function notOwned(address: Address, { addresses }: Inventory, severity: Severity): Diagnostic {
  return {
    severity,
    code: "not_owned",
    summary: `${address} is not in the inventory, so it is not forgotten`,
    hint: didYouMean(nearest(address, [...addresses]), "") ?? "hostform inventory lists it",
  };
}

type Changes = ReturnType<typeof changesOf>;

/**
 * Returns the addresses that become ours, that are ours no more, and whose request is dropped: they stay ours. Throws an InputError for a
 * resource that must not be forgotten.
 */
function changesOf(
  { addresses, preventDestroy, dropped: undeclared, unconfirmed = [] }: Inventory,
  { adopt, forget }: Wishes,
) {
  const requested = new Set(unconfirmed.map(({ address }) => address));
  const dropped = [...forget].filter((address) => requested.has(address));
  const others = [...forget].filter((address) => !requested.has(address));
  const marked = others.find((address) => preventDestroy.has(address));
  if (marked !== undefined) throw new InputError({ type: "prevent_destroy", address: marked });
  const added = [...adopt].filter((address) => !addresses.has(address));
  return { added, removed: others.filter((each) => addresses.has(each) || undeclared?.has(each) === true), dropped };
}

const countsOf = ({ added, removed, dropped }: Changes) =>
  [
    ...(added.length > 0 ? [`${added.length} adopted`] : []),
    ...(removed.length > 0 ? [`${removed.length} forgotten`] : []),
    ...(dropped.length > 0 ? [`${dropped.length} may be requested again`] : []),
  ].join(", ");

function withChanges(before: Inventory, { added, removed, dropped }: Changes): Inventory {
  const [gone, sent] = [new Set(removed), new Set(dropped)];
  const stays = (address: Address) => !gone.has(address);
  return {
    ...before,
    addresses: new Set([...[...before.addresses].filter(stays), ...added]),
    preventDestroy: new Set([...before.preventDestroy].filter(stays)),
    dropped: new Map([...(before.dropped ?? [])].filter(([address]) => stays(address))),
    unconfirmed: (before.unconfirmed ?? []).filter(({ address }) => !sent.has(address)),
  };
}

async function unlock(store: OpenInventory, emit: Emit): Promise<Ending> {
  const { inventory, notices } = await store.read();
  // Taken, it was free, or that of a process of this machine that has ended.
  const taken = await store.lock({ timeout: 0 });
  if (taken.is === "ours") await taken.lock.release();
  const { by, since } = inventory?.running ?? (taken.is === "held" ? taken.by : undefined) ?? {};
  if (taken.is === "ours" && !inventory?.running) {
    emit({ type: "diagnostics", diagnostics: notices });
    emit({ type: "inventory_unlocked" });
    return isUnreadable(notices) ? "refused" : "done";
  }
  const wrote = await store.edit(
    ({ running: _cleared, ...rest }) => rest,
    `inventory: unlocked from ${by ?? "an unknown runner"}`,
    true,
  );
  return reported(store, wrote, emit, () => emit({ type: "inventory_unlocked", lock: { by, since } }));
}

function reported({ where }: OpenInventory, wrote: WroteInventory, emit: Emit, say: () => void): Ending {
  if (wrote.is === "held") {
    emit({ type: "locked", ...wrote, where, unwatched: false });
    return "refused";
  }
  if (wrote.is === "moved") {
    emit({ type: "inventory_moved" });
    return "refused";
  }
  const isKeptSomewhere = wrote.is !== "not_shared" && wrote.kept;
  const asError = (each: Diagnostic): Diagnostic =>
    !isKeptSomewhere && each.severity === "warning" ? { ...each, severity: "error" } : each;
  emit({ type: "diagnostics", diagnostics: wrote.notices.map(asError) });
  if (wrote.notices.some(({ code }) => code === "lock_not_cleared")) return "refused";
  if (!isKeptSomewhere) return "wrong_input";
  say();
  return isKept(wrote.notices) ? "done" : "failed_in_part";
}
