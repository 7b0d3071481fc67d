import { normaliseAddress } from "../../kinds/derived/normalise-address.ts";
import { openInventory } from "../../inventory/open-inventory.ts";
import type { Address } from "../../model/address.ts";
import type { AppliedBy, Inventory, InventoryStore, WroteInventory } from "../../model/inventory.ts";
import type { Desired } from "../../model/resource.ts";
import { chooseTarget, inventoryTarget } from "../../engine/choose-target.ts";
import type { Ending } from "../../engine/ending.ts";
import { inputError } from "../../engine/input-error.ts";
import type { Io } from "../../engine/io.ts";
import { loadDesired, withoutUnset, type FileOptions } from "../../engine/load-manifest.ts";
import type { TargetOptions } from "../../engine/open-target.ts";
import { makeOutput, type Output } from "../output.ts";

export interface InventoryOptions extends TargetOptions, FileOptions {
  readonly file: readonly string[];
  /** `--inventory` */
  readonly inventory?: string | undefined;
  /** An address whose history is shown. */
  readonly why?: string | undefined;
  readonly adopt: readonly string[];
  readonly forget: readonly string[];
  readonly unlock: boolean;
  readonly json: boolean;
}

/** Shows which addresses are ours, why, or changes that by hand. Asks nothing of the API. */
export async function inventory(options: InventoryOptions, io: Io): Promise<Ending> {
  const output = makeOutput(io, options);
  const wishes = readWishes(options);
  const { result, diagnostics } = await loadDesired(options.file, options, io);
  output.diagnostics(withoutUnset(diagnostics));
  if (!result) return "wrong_input";
  const chosen = await chooseTarget(options, result.provider, io.env);
  const target = inventoryTarget(result.desired.name, chosen, options);
  const store = await openInventory({ manifests: options.file, file: options.inventory, target }, io);
  try {
    if (options.unlock) return await unlock(store, output);
    if (wishes.adopt.size + wishes.forget.size > 0) return await change(store, wishes, result.desired, output);
    return wishes.why === undefined ? await list(store, output) : await why(store, wishes.why, output);
  } finally {
    await store.close();
  }
}

interface Wishes {
  readonly why: Address | undefined;
  readonly adopt: ReadonlySet<Address>;
  readonly forget: ReadonlySet<Address>;
}

function readWishes({ why, adopt, forget, unlock }: InventoryOptions): Wishes {
  const wishes = {
    why: why === undefined ? undefined : readAddress("--why", why),
    adopt: new Set(adopt.map((text) => readAddress("--adopt", text))),
    forget: new Set(forget.map((text) => readAddress("--forget", text))),
  };
  const asked = [why !== undefined, adopt.length + forget.length > 0, unlock].filter(Boolean);
  if (asked.length > 1)
    throw inputError(
      "bad_arguments",
      "Several things are asked for at once",
      "give only one of --why, --unlock, and --adopt with --forget",
    );
  const both = [...wishes.adopt].find((address) => wishes.forget.has(address));
  if (both !== undefined)
    throw inputError("bad_arguments", `${both} is to be adopted and forgotten at once`, "keep one of the two");
  return wishes;
}

function readAddress(flag: string, text: string): Address {
  const address = normaliseAddress(text);
  if (address !== undefined) return address;
  const hint = "write KIND/NAME, such as mailbox/old@example.com";
  throw inputError("bad_address", `${flag} ${text}: this is no address`, hint);
}

async function list(store: InventoryStore, output: Output): Promise<Ending> {
  const { inventory, notices } = await store.read();
  output.diagnostics(notices);
  const { addresses = new Set<Address>(), preventDestroy, lastApply, running } = inventory ?? {};
  const lines = [
    `Inventory: ${store.where}`,
    lastApply
      ? oneLine(`Last apply: ${lastApply.time} by ${lastApply.by}${commitText(lastApply.commit)}${planText(lastApply)}`)
      : "Last apply: none",
    ...(running
      ? [oneLine(`Not ended: an apply by ${running.by} since ${running.since}${commitText(running.commit)}`)]
      : []),
    `${addresses.size} ${addresses.size === 1 ? "address" : "addresses"}${addresses.size > 0 ? ":" : "."}`,
  ];
  output.say("inventory", lines.join("\n"), { where: store.where, count: addresses.size, lastApply, running });
  for (const address of [...addresses].sort()) {
    const marked = preventDestroy?.has(address) === true;
    output.say("inventory_address", `  ${address}${marked ? "  (prevent_destroy)" : ""}`, {
      address,
      preventDestroy: marked,
    });
  }
  return notices.some(({ code }) => code === "inventory_unreadable") ? "refused" : "done";
}

// Whoever may push to the inventory may write anything into it.
const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, " ");
const planText = ({ planHash }: AppliedBy) => (planHash === "" ? "" : `, plan ${planHash.slice(0, 39)}`);
const commitText = (commit: string | undefined) => (commit === undefined ? "" : ` at commit ${commit.slice(0, 12)}`);

async function why(store: InventoryStore, address: Address, output: Output): Promise<Ending> {
  const { inventory, notices } = await store.read();
  output.diagnostics(notices);
  const events = await store.history(address);
  const ours = inventory?.addresses.has(address) === true;
  const known = events ? "" : `, and ${store.where} keeps no history`;
  output.say("inventory_why", `${address} is ${ours ? "in" : "not in"} the inventory${known}.`, { address, ours });
  for (const event of events ?? []) {
    const { commit, time, subject, by, planHash, headCommit } = event;
    const text = [
      `  ${event.change} ${time} with ${commit.slice(0, 12)} "${subject}"`,
      ...(by === undefined ? [] : [`    by ${by}`]),
      ...(planHash === undefined ? [] : [`    plan ${planHash}`]),
      ...(headCommit === undefined ? [] : [`    manifest at commit ${headCommit}`]),
    ];
    output.say("inventory_event", text.join("\n"), { address, ...event });
  }
  return "done";
}

async function change(
  store: InventoryStore,
  { adopt, forget }: Wishes,
  desired: Desired,
  output: Output,
): Promise<Ending> {
  const { inventory, notices } = await store.read();
  const known = inventory?.addresses ?? new Set<Address>();
  if (!store.keeps)
    throw inputError(
      "no_inventory",
      `There is no inventory to change (${store.where})`,
      "run it in a git repository, or name a file with --inventory",
    );
  const marked = [...forget].find((address) => inventory?.preventDestroy.has(address));
  if (marked !== undefined)
    throw inputError(
      "prevent_destroy",
      `${marked} was declared with prevent_destroy, so it is not forgotten`,
      "declare it once more without prevent_destroy and apply that, then forget it",
    );
  const added = [...adopt].filter((address) => !known.has(address));
  const removed = [...forget].filter((address) => known.has(address));
  if (added.length + removed.length === 0) {
    output.diagnostics(notices);
    output.say("inventory_changed", "The inventory is so already. Nothing was changed.", {
      adopted: [],
      forgotten: [],
    });
    return "done";
  }
  for (const address of added.filter((each) => !desired.resources.has(each)))
    output.say("inventory_undeclared", `${address} is not declared: the next apply deletes it where it exists.`, {
      address,
    });
  const counts = [
    ...(added.length > 0 ? [`${added.length} adopted`] : []),
    ...(removed.length > 0 ? [`${removed.length} forgotten`] : []),
  ].join(", ");
  const wrote = await store.edit(
    (before) => withChanges(before, new Set(added), new Set(removed)),
    `inventory: ${counts}`,
  );
  return told(wrote, output, () =>
    output.say("inventory_changed", `${counts} in ${store.where}.`, { adopted: added, forgotten: removed }),
  );
}

function withChanges(before: Inventory, added: ReadonlySet<Address>, removed: ReadonlySet<Address>): Inventory {
  const stays = (address: Address) => !removed.has(address);
  return {
    ...before,
    addresses: new Set([...[...before.addresses].filter(stays), ...added]),
    preventDestroy: new Set([...before.preventDestroy].filter(stays)),
  };
}

async function unlock(store: InventoryStore, output: Output): Promise<Ending> {
  const { inventory, notices } = await store.read();
  // Taken, it was free, or that of a process of this machine that has ended.
  const taken = await store.lock({ timeout: 0 });
  if (taken.is === "ours") await taken.lock.release();
  const { by, since } = inventory?.running ?? (taken.is === "held" ? taken.by : undefined) ?? {};
  if (taken.is === "ours" && !inventory?.running) {
    output.diagnostics(notices);
    output.say("inventory_unlocked", "No apply is running. Nothing was changed.");
    return "done";
  }
  const whose = by === undefined ? "" : oneLine(` of the apply by ${by} since ${since}`);
  const wrote = await store.edit(
    ({ running: _cleared, ...rest }) => rest,
    `inventory: unlocked from ${by ?? "an unknown runner"}`,
    true,
  );
  return told(wrote, output, () => output.say("inventory_unlocked", `The lock${whose} is cleared.`, { by, since }));
}

function told(wrote: WroteInventory, output: Output, say: () => void): Ending {
  if (wrote.is === "held") {
    const who = wrote.by ? ` by ${wrote.by.by} has been running since ${wrote.by.since}` : " is running";
    output.say(
      "inventory_held",
      oneLine(`An apply${who}. Wait for it, or clear its lock with: hostform inventory --unlock`),
      { running: wrote.by },
    );
    return "refused";
  }
  if (wrote.is === "moved") {
    output.say("inventory_moved", "Other runs kept changing the inventory. Nothing was changed: try again.");
    return "refused";
  }
  output.diagnostics(wrote.notices);
  if (wrote.notices.some(({ code }) => code === "lock_not_cleared")) return "refused";
  if (!wrote.kept) return "wrong_input";
  say();
  return "done";
}
