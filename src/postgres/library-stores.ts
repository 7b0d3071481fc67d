import { nodeHost } from "../engine/session/node-host.ts";
import type { OpenStores } from "../library/open-stores.ts";
import { connectTo } from "./database.ts";
import { checkVersion, migrate } from "./migrate.ts";
import { inventoryStore, knownInventories } from "./stores/inventory.ts";
import { journalStore } from "./stores/journal.ts";
import { leaseRegister } from "./stores/lease-register.ts";
import { pacesInDatabase } from "./stores/pace.ts";

/** Connects to a database whose tables are those of this program. Rejects with an InputError where they are not, or the address is none. */
export async function storesInPostgres(url: string): Promise<OpenStores> {
  const database = await connectTo(url, checkVersion, "url");
  const host = nodeHost();
  const paceOf = pacesInDatabase(database, host);
  const holder = (lease: string, token: string) => ({ lease, token, newId: host.newId });
  return {
    inventory: (target) => inventoryStore(database, target),
    known: async ({ name, isByManifest }) => (isByManifest ? [await knownInventories(database, name)] : []),
    lease: (target, call) => leaseRegister(database, holder(target, call)),
    journal: (target, call) => journalStore(database, target, holder(target, call)),
    pace: (origin) => paceOf("apply", origin),
    close: database.close,
  };
}

/** Brings the tables of a database to the version of this program. */
export async function migrateDatabase(url: string): Promise<void> {
  await (await connectTo(url, migrate, "url")).close();
}
