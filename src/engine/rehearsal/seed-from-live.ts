import { tellsOwner, hasField, offeredParents } from "../../contract/offered.ts";
import { locate, collectionAt } from "../../kinds/derived/collection.ts";
import { kindNamed } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import { addTo } from "../../lib/collect.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import { jsonText, type JsonObject } from "../../model/json.ts";
import { setPointer } from "../../model/json-pointer.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import type { Fields, Key, LiveResource } from "../../model/resource.ts";
import { prepare } from "../../plan/prepare.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";

type SeedInput = Pick<PlanInput, "live" | "desired" | "contract" | "ownership">;

/** One object of a seed, as the embedded service lists it. */
interface SeedItem {
  readonly address: Address;
  readonly record: JsonObject;
}

export type LiveSeed = ReturnType<typeof seedFromLive>;

/**
 * Live state, as it was read through any contract, as a seed of the embedded service: what belongs to others names them, since ids are
 * another server's. Write-only fields are not in it: the embedded service makes them up.
 * `items`: by kind, as the embedded service is filled; `standIns`: resources that others need and of which nothing was read, so that they are
 * taken to be there.
 * @param contract the built-in one; `input` has that of the real API.
 */
export function seedFromLive(input: SeedInput, contract: Contract) {
  const items = new Map<string, SeedItem[]>();
  const add = (kind: Kind, address: Address, key: Key, fields: Fields) => {
    addTo(items, kind.name, { address, record: toRecord(contract, kind, key, fields) });
  };
  for (const { address, kind: name, key, remotes } of namedAsPlanned(input)) {
    const kind = kindNamed(name);
    const lacking = lackingValues(input.contract, kind);
    const known = { ...lacking, ...unstatedOwner(input, kind, { address, key }) };
    for (const { fields } of remotes) add(kind, address, key, { ...known, ...withoutWaiting(kind, fields) });
  }
  const missing = findStandIns(input);
  for (const address of missing) {
    const { kind, key } = locate(address);
    add(kind, address, key, standIns[kind.name] ?? {});
  }
  return { items, standIns: missing };
}

/** Returns what is live. Objects to which the real API gives no names have those of the manifest here, as far as the planner knows which they are. */
function namedAsPlanned({ live, desired, contract, ownership }: SeedInput): LiveResource[] {
  const isNameless = ({ kind }: LiveResource) => contract.kinds[kind]?.named_by !== undefined;
  const listed = [...live.resources.values()];
  if (!listed.some(isNameless)) return listed;
  const matched = prepare({ desired, live, contract, ownership }).live.resources;
  const named = [...matched.values()].filter(isNameless).map((each) => ({ ...each, key: locate(each.address).key }));
  return [...listed.filter((each) => !isNameless(each)), ...named];
}

/** Objects that an API lists without saying whose they are, and that no manifest declares, are the platform's own: they go with their parent. */
function unstatedOwner(
  { contract, desired }: Pick<PlanInput, "desired" | "contract">,
  kind: Kind,
  { address, key }: { readonly address: Address; readonly key: Key },
): Fields {
  const { ownFlag, mayBeOwn } = kind.serverMade ?? {};
  const isOwn = mayBeOwn?.(key) === true && !desired.resources.has(address) && !tellsOwner(contract, kind);
  return ownFlag !== undefined && isOwn ? { [ownFlag]: true } : {};
}

function toRecord(contract: Contract, kind: Kind, key: Key, fields: Fields): JsonObject {
  const scope: JsonObject = Object.fromEntries(kind.scope.map((part) => [part, key[part] ?? ""]));
  return Object.entries({ ...fields, ...kind.naming.toFields(key) }).reduce((record, [name, value]) => {
    const { at, id_of: parent } = contract.kinds[kind.name]?.fields[name] ?? {};
    if (at === undefined) return record;
    return parent === undefined || value === null
      ? setPointer(record, at, value)
      : { ...record, [parent]: jsonText(value) };
  }, scope);
}

/** Removes the status of work in progress: it would last for ever in a rehearsal, so it counts as done. A wait for a person stays. */
function withoutWaiting({ readiness }: Kind, fields: Fields): Fields {
  const status = readiness && jsonText(fields["status"]);
  if (status === undefined || !readiness?.awaited.includes(status) || readiness.external?.(status, {}) !== undefined)
    return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "status"));
}

/** Fields that the embedded service creates nothing without, by kind. */
export const standIns: Readonly<Record<string, Fields>> = {
  service: { plan: "stand-in", datacenter: "stand-in" },
  database: { engine: "mariadb" },
  database_user: { password: "stand-in-password" },
  ftp_account: { password: "stand-in-password" },
  mailbox: { password: "stand-in-password" },
  mail_alias: { destinations: ["stand-in@example.com"] },
  cron: { schedule: "0 0 * * *", command: "stand-in" },
};

/** Those that the real API does not have. */
export const lackingValues = (real: Contract, kind: Kind): Fields =>
  Object.fromEntries(Object.entries(standIns[kind.name] ?? {}).filter(([name]) => !hasField(real, kind, name)));

/**
 * Returns the parents of which nothing is known: the first alternative of each, and theirs in turn. Those of live resources whose lists
 * were not read, and those of declared ones that the API does not have at all.
 */
function findStandIns({ live, desired, contract }: Pick<PlanInput, "live" | "desired" | "contract">): Address[] {
  const found = new Set<Address>();
  const known = new Set(live.resources.keys());
  const queue = [...live.resources.values()].flatMap(({ kind, key, remotes }) =>
    remotes.map(({ fields }) => ({ kind, key, fields })),
  );
  const add = (parent: Address) => {
    known.add(parent);
    found.add(parent);
    const { kind, key } = locate(parent);
    queue.push({ kind: kind.name, key, fields: {} });
  };
  for (const { kind: name, key, fields } of desired.resources.values()) {
    for (const alternatives of parentsOf(kindNamed(name), key, {}, fields)) {
      const [first] = alternatives;
      const isLacking = offeredParents(contract, [alternatives]).length === 0;
      if (isLacking && first !== undefined && !alternatives.some((address) => known.has(address))) add(first);
    }
  }
  for (const { kind, key, fields } of queue) {
    for (const alternatives of parentsOf(kindNamed(kind), key, fields)) {
      if (alternatives.some((address) => known.has(address))) continue;
      const unread = alternatives.find((address) => !live.collections.has(collectionAt(address)));
      if (unread !== undefined) add(unread);
    }
  }
  return [...found];
}
