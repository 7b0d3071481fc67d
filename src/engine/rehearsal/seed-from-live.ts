import { entryOf } from "../../contract/entry.ts";
import { collectionAt } from "../../kinds/derived/collection.ts";
import { locate } from "../../kinds/derived/locate.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import { kindNamed } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import { jsonText, type JsonObject } from "../../model/json.ts";
import { setPointer } from "../../model/json-pointer.ts";
import type { Fields, Key, Live, Resource } from "../../model/resource.ts";

/** One object of a seed, as the embedded service lists it. */
interface SeedItem {
  readonly address: Address;
  readonly record: JsonObject;
}

export interface LiveSeed {
  /** By kind, as the embedded service is filled. */
  readonly items: ReadonlyMap<string, readonly SeedItem[]>;
  /** What nothing was read of and others need: it is taken to be there. */
  readonly standIns: readonly Address[];
}

/**
 * Live state, as it was read through any contract, as a seed of the embedded service: what belongs to others names them, since ids are
 * another server's. Write-only fields are not in it: the embedded service makes them up.
 * @param contract the built-in one.
 */
export function seedFromLive(live: Live, contract: Contract): LiveSeed {
  const items = new Map<string, SeedItem[]>();
  const add = (kind: Kind, address: Address, key: Key, fields: Fields) => {
    const item = { address, record: toRecord(contract, kind, key, fields) };
    const listed = items.get(kind.name);
    if (listed) listed.push(item);
    else items.set(kind.name, [item]);
  };
  for (const { address, kind: name, key, remotes } of live.resources.values()) {
    const kind = kindNamed(name);
    for (const { fields } of remotes) add(kind, address, key, withoutWaiting(kind, fields));
  }
  const standIns = findStandIns(live);
  for (const address of standIns) {
    const { kind, key } = locate(address);
    add(kind, address, key, made[kind.name] ?? {});
  }
  return { items, standIns };
}

/** What a creation needs beside a name. */
const made: Readonly<Record<string, Fields>> = {
  service: { plan: "stand-in", datacenter: "stand-in" },
  database: { engine: "mariadb" },
};

function toRecord(contract: Contract, kind: Kind, key: Key, fields: Fields): JsonObject {
  const entry = entryOf(contract, kind);
  const scope: JsonObject = Object.fromEntries(kind.scope.map((part) => [part, key[part] ?? ""]));
  return Object.entries({ ...fields, ...kind.naming.toFields(key) }).reduce((record, [name, value]) => {
    const { at, id_of: parent } = entry.fields[name] ?? {};
    if (at === undefined) return record;
    return parent === undefined || value === null
      ? setPointer(record, at, value)
      : { ...record, [parent]: jsonText(value) };
  }, scope);
}

/** What the server is at work on would wait for ever in a rehearsal: it counts as done. What waits for a person stays. */
function withoutWaiting({ readiness }: Kind, fields: Fields): Fields {
  const status = readiness && jsonText(fields["status"]);
  if (status === undefined || !readiness?.awaited.includes(status) || readiness.external?.(status, {}) !== undefined)
    return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "status"));
}

type Needing = Pick<Resource, "kind" | "key"> & { readonly fields: Fields };

/** Parents of which nothing is known, since their lists were not read: the first alternative of each, and theirs in turn. */
function findStandIns(live: Live): Address[] {
  const found = new Set<Address>();
  const known = new Set(live.resources.keys());
  const queue = [...live.resources.values()].flatMap(({ kind, key, remotes }) =>
    remotes.map(({ fields }): Needing => ({ kind, key, fields })),
  );
  for (const { kind, key, fields } of queue) {
    for (const alternatives of parentsOf(kindNamed(kind), key, fields)) {
      if (alternatives.some((address) => known.has(address))) continue;
      const unread = alternatives.find((address) => !live.collections.has(collectionAt(address)));
      if (unread === undefined) continue;
      known.add(unread);
      found.add(unread);
      const parent = locate(unread);
      queue.push({ kind: parent.kind.name, key: parent.key, fields: {} });
    }
  }
  return [...found];
}
