import { randomUUID } from "node:crypto";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { startEmbedded, type Embedded } from "../../src/postgres/embedded.ts";
import { migrate } from "../../src/postgres/migrate.ts";

const template = "hostform_template";

/** What a server of tests does without: that its data survives, and room for what it never does. */
export const quickly = [
  "fsync=off",
  "full_page_writes=off",
  "autovacuum=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "shared_buffers=16MB",
];

/** The PostgreSQL of all tests of this run: the first test that needs it starts it, and test/support/stop-postgres.ts ends it. */
let server: Promise<Embedded> | undefined;
const startServer = (): Promise<Embedded> => {
  const folder = process.env["HOSTFORM_TEST_POSTGRES"];
  if (folder === undefined)
    throw new Error("HOSTFORM_TEST_POSTGRES is not set: run the tests by test/vitest.config.ts");
  server ??= startEmbedded(folder, quickly);
  return server;
};

/** How to connect to a new database with all tables. `postgres`: the password stands in it. */
export async function newDatabaseUrl(tables: "migrated" | "empty" = "migrated"): Promise<string> {
  const { config } = await startServer();
  const admin = await connect({ ...config, max: 1 });
  try {
    // Whoever comes first makes the template, and the others wait for it.
    if (tables === "migrated")
      await admin.transaction(async ({ query }) => {
        await query("SELECT pg_advisory_xact_lock(1)");
        const found = await query("SELECT 1 FROM pg_database WHERE datname = $1", [template]);
        if (found.length === 0) await makeTemplate(config);
      });
    const name = `test_${randomUUID().replaceAll("-", "")}`;
    await admin.query(`CREATE DATABASE ${name}${tables === "migrated" ? ` TEMPLATE ${template}` : ""}`);
    return addressOf(config, name);
  } finally {
    await admin.close();
  }
}

/** Opens a new database. The caller closes it. */
export const newDatabase = async (tables: "migrated" | "empty" = "migrated"): Promise<Database> =>
  connect({ connectionString: await newDatabaseUrl(tables) });

export const addressOf = ({ user, password, host }: Embedded["config"], name: string): string =>
  `postgres://${user}:${String(password)}@localhost/${name}?host=${encodeURIComponent(host ?? "")}`;

async function makeTemplate(config: Embedded["config"]): Promise<void> {
  const draft = `${template}_draft`;
  const admin = await connect({ ...config, max: 1 });
  try {
    await admin.query(`DROP DATABASE IF EXISTS ${draft}`);
    await admin.query(`CREATE DATABASE ${draft}`);
    const database = await connect({ ...config, database: draft });
    await migrate(database);
    await database.close();
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  } finally {
    await admin.close();
  }
}
