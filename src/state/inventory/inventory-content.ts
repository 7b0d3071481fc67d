import { nameSome } from "../../lib/shorten.ts";
import { firstMistake, loadValidator } from "../../lib/load-validator.ts";
import { findKind } from "../../kinds/index.ts";
import { normaliseAddress } from "../../kinds/derived/collection.ts";
import { escapeJson } from "../../lib/escape.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { splitAddress, type Address } from "../../model/address.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Json } from "../../model/json.ts";
import type { AppliedBy, Inventory } from "../../model/inventory.ts";
import type { CollectionId } from "../../model/resource.ts";
import type { LoadedInventory, StoreResult } from "./inventory-store.ts";
import { notice, warning } from "./inventory-notices.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

/** The largest text that is read or written, in bytes: some 180,000 addresses. */
export const maxInventoryBytes = 8 * 1024 * 1024;

const version = 1;

/** As it stands in `inventory.json` (schemas/inventory.schema.json). */
type StoredInventory = ReturnType<typeof stored>;

/** A stored text, as a place holds it. */
export type StoredContent =
  | { readonly is: "absent" }
  | { readonly is: "bytes"; readonly bytes: Uint8Array }
  | { readonly is: "unreadable"; readonly reason: string };

/**
 * An inventory, and the addresses left out, which this version does not know; or the reason why a text is not one of this target. `foreign`:
 * it belongs to someone else, so it must not be replaced.
 */
export type ParsedContent =
  | { readonly ok: true; readonly inventory: Inventory; readonly unknown: readonly string[] }
  | { readonly ok: false; readonly reason: string; readonly foreign: boolean };

/** The text of an inventory: JSON, sorted, an address a line, so that `git log -p` reads well. */
export const formatContent = (inventory: Inventory, target: string): string =>
  `${escapeJson(JSON.stringify(stored(inventory, target), undefined, 2))}\n`;

function stored(inventory: Inventory, target: string) {
  const { addresses, preventDestroy, exclusive, secretFields, removed, dropped, unreached, afterDue, unconfirmed } =
    inventory;
  const { lastApply, running } = inventory;
  return {
    version,
    target,
    addresses: [...addresses].sort(),
    prevent_destroy: [...preventDestroy].sort(),
    exclusive: sortedUnlessEmpty(exclusive),
    secret_fields: sortedUnlessEmpty(secretFields),
    removed: sortedUnlessEmpty(removed),
    dropped:
      dropped && dropped.size > 0
        ? Object.fromEntries([...dropped].toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : undefined,
    unreached: sortedUnlessEmpty(unreached),
    after_due: sortedUnlessEmpty(afterDue),
    unconfirmed: unconfirmed?.length === 0 ? undefined : unconfirmed,
    last_apply: lastApply && writtenApply(lastApply),
    running,
  };
}

const sortedUnlessEmpty = (texts: ReadonlySet<string> = new Set()) => (texts.size > 0 ? [...texts].sort() : undefined);

/** Reads what anyone may have pushed: checked against the schema, addresses in normal form, nothing thrown. */
export function parseContent(bytes: Uint8Array, target: string): ParsedContent {
  if (bytes.byteLength > maxInventoryBytes)
    return no(`it has ${bytes.byteLength} bytes, more than ${maxInventoryBytes}`, true);
  const value = readJson(bytes);
  if (value === undefined) return no("it is not JSON", false);
  const given = isObject(value) ? value["version"] : undefined;
  if (typeof given === "number" && given !== version) return no(`it is of version ${given}, expected ${version}`, true);
  const mistake = findMistake(value);
  if (mistake !== undefined) return no(mistake, false);
  const written = value as unknown as StoredInventory;
  if (written.target !== target) return no(`it is of another target, ${JSON.stringify(written.target)}`, true);
  const addresses = readAddresses(written.addresses);
  const marks = readAddresses(written.prevent_destroy);
  const { unconfirmed = [] } = written;
  const requested = readAddresses(unconfirmed.map(({ address }) => address));
  const removed = readAddresses(written.removed ?? []);
  const unknown = [...new Set([...addresses.unknown, ...marks.unknown, ...requested.unknown, ...removed.unknown])];
  return {
    ok: true,
    unknown,
    inventory: {
      addresses: addresses.known,
      preventDestroy: marks.known,
      ...(written.exclusive && { exclusive: new Set(written.exclusive as CollectionId[]) }),
      ...(written.secret_fields && { secretFields: new Set(written.secret_fields) }),
      ...(written.removed && { removed: removed.known }),
      ...(written.dropped && { dropped: new Map(Object.entries(written.dropped).filter(isDropped)) }),
      ...(written.unreached && { unreached: readAddresses(written.unreached).known }),
      ...(written.after_due && { afterDue: new Set(written.after_due as CollectionId[]) }),
      ...(unconfirmed.length > 0 && { unconfirmed: unconfirmed.filter(({ address }) => requested.known.has(address)) }),
      ...(written.last_apply && { lastApply: readApply(written.last_apply) }),
      ...(written.running && { running: written.running }),
    },
  };
}

/** Reads of which target an inventory is, and of which API its last apply was; undefined for another text. */
export function parseApplied(bytes: Uint8Array) {
  const value = readJson(bytes);
  if (value === undefined || findMistake(value) !== undefined) return undefined;
  const { target, last_apply: applied } = value as unknown as StoredInventory;
  return { target, api: applied?.api };
}

const no = (reason: string, foreign: boolean) => ({ ok: false, reason, foreign }) as const;

function writtenApply({ planHash, removalsSince, leftOut, ...rest }: AppliedBy) {
  return { ...rest, plan_hash: planHash, removals_since: removalsSince, left_out: leftOut };
}

function readApply({ plan_hash, removals_since, left_out, ...rest }: ReturnType<typeof writtenApply>): AppliedBy {
  return { ...rest, planHash: plan_hash, removalsSince: removals_since, leftOut: left_out };
}

function readAddresses(texts: readonly string[]): { known: ReadonlySet<Address>; unknown: readonly string[] } {
  const known = new Set<Address>();
  const unknown: string[] = [];
  for (const text of texts) {
    const address = findKind(splitAddress(text)?.kind ?? "") && normaliseAddress(text);
    if (address === undefined) unknown.push(text);
    else known.add(address);
  }
  return { known, unknown };
}

/** Whether this version knows an address that left a manifest: else it would be lost only for a warning. */
const isDropped = (entry: [string, string]): entry is [Address, string] => readAddresses([entry[0]]).known.size > 0;

/** The limit of nested levels; an inventory, as schemas/inventory.schema.json describes it, has 3. */
const deepest = 32;

const readJson = (bytes: Uint8Array): Json | undefined =>
  orUndefined(() => parseJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes), deepest) as Json);

function findMistake(value: Json): string | undefined {
  const validate = loadValidator<unknown>("inventory");
  return validate(value) ? undefined : firstMistake(validate);
}

/** Returns the inventory that a content is; undefined for another content. */
export function inventoryIn(content: StoredContent, key: string): Inventory | undefined {
  const parsed = content.is === "bytes" ? parseContent(content.bytes, key) : undefined;
  return parsed?.ok === true ? parsed.inventory : undefined;
}

/** Reads a content, and says what is wrong with it. `keepsHistory`: a content that is replaced can be found again. */
export function readContent(
  content: StoredContent,
  key: string,
  { where, keepsHistory }: { readonly where: string; readonly keepsHistory: boolean },
): Pick<LoadedInventory, "inventory" | "notices" | "mustStay"> {
  if (content.is === "absent") return { inventory: undefined, notices: [] };
  const parsed = content.is === "bytes" ? parseContent(content.bytes, key) : no(content.reason, false);
  if (parsed.ok) return { inventory: parsed.inventory, notices: unknownAddresses(parsed.unknown) };
  const summary = `The inventory (${where}) cannot be read: ${parsed.reason}`;
  const hint = "undeclared resources are not deleted until the inventory is readable again";
  return {
    inventory: undefined,
    mustStay: parsed.foreign || !keepsHistory,
    notices: [warning("inventory_unreadable", summary, hint)],
  };
}

function unknownAddresses(unknown: readonly string[]): Diagnostic[] {
  if (unknown.length === 0) return [];
  const texts = unknown.map((text) => JSON.stringify(text.slice(0, 100)));
  const summary = `The inventory holds ${nameSome(texts, 3)}, which this version does not know as an address`;
  return [notice("inventory_unknown_address", summary, "it is left out; a newer version may have written it")];
}

/** Returns the text of an inventory, or the failure to store one that is larger than any that is read. */
export function textToStore(inventory: Inventory, key: string): string | Extract<StoreResult, { is: "failed" }> {
  const text = formatContent(inventory, key);
  if (Buffer.byteLength(text) <= maxInventoryBytes) return text;
  const summary = `The inventory of ${inventory.addresses.size} addresses would have more than ${maxInventoryBytes} bytes`;
  const hint = "split the manifest into several, each with a name of its own";
  return { is: "failed", notices: [warning("inventory_not_kept", summary, hint)] };
}
