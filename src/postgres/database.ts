import { join, resolve } from "node:path";
import type { Host } from "../engine/session/host.ts";
import { inputError } from "../engine/session/input-error.ts";
import { makeStateFolder, stateFolder } from "../engine/session/state-folder.ts";
import { badAddress, connect, type Database } from "./connection.ts";
import { startEmbedded } from "./embedded.ts";
import { checkVersion, migrate } from "./migrate.ts";

/**
 * Opens the database of the fleet: that of HOSTFORM_DATABASE_URL, else the PostgreSQL of the working folder, which is started and brought to
 * the version of this program. Throws an InputError where there is none, and where its tables are of another version.
 * @param need `any`: also without tables of this version, for the command that makes them.
 */
export async function openDatabase(env: Host["env"], need: "migrated" | "any" = "migrated"): Promise<Database> {
  const url = env["HOSTFORM_DATABASE_URL"];
  if (url === undefined) return openEmbedded();
  if (url === "")
    throw inputError(
      "bad_database_url",
      "HOSTFORM_DATABASE_URL is set to an empty text, as CI does for a secret that it does not have",
      "give it postgres://USER:PASSWORD@HOST:5432/DATABASE; or unset it, for a PostgreSQL in the working folder",
    );
  return connectTo(url, need === "any" ? async () => undefined : checkVersion, "HOSTFORM_DATABASE_URL");
}

/** Opens the database at an address, if `check` lets it. Throws an InputError for a text that is none. */
export async function connectTo(
  url: string,
  check: (database: Database) => Promise<unknown>,
  addressIn: string,
): Promise<Database> {
  if (!/^postgres(?:ql)?:\/\//u.test(url)) throw badAddress(addressIn);
  const database = await connect({ connectionString: url }, addressIn);
  return closedUnless(database, () => check(database));
}

async function openEmbedded(): Promise<Database> {
  makeStateFolder();
  const { config, stop } = await startEmbedded(resolve(join(stateFolder, "postgres")));
  // A connection that is idle shows the others that this process still needs it.
  const pool = await connect({ ...config, idleTimeoutMillis: 0 });
  const database: Database = {
    ...pool,
    close: async () => {
      await pool.close();
      await stop();
    },
  };
  return closedUnless(database, () => migrate(database));
}

async function closedUnless(database: Database, work: () => Promise<unknown>): Promise<Database> {
  try {
    await work();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
