import { collectionAt, locate } from "../../kinds/derived/collection.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import { hasField, offeredParents } from "../../contract/offered.ts";
import { kindNamed } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import type { Fields, Key } from "../../model/resource.ts";

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

interface Needing {
  readonly kind: string;
  readonly key: Key;
  readonly fields: Fields;
}

/**
 * Returns the parents of which nothing is known: the first alternative of each, and theirs in turn. Those of live resources whose lists
 * were not read, and those of declared ones that the API does not have at all.
 */
export function findStandIns({ live, desired, contract }: Pick<PlanInput, "live" | "desired" | "contract">): Address[] {
  const found = new Set<Address>();
  const known = new Set(live.resources.keys());
  const queue = [...live.resources.values()].flatMap(({ kind, key, remotes }) =>
    remotes.map(({ fields }): Needing => ({ kind, key, fields })),
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
