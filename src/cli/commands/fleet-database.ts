import type { Ending } from "../../engine/session/host.ts";
import { DatabaseError } from "../../postgres/connection.ts";
import { openDatabase } from "../../postgres/database.ts";
import { migrate } from "../../postgres/migrate.ts";
import { grantsFor } from "../../postgres/tables.ts";
import { versionEvent } from "../../render/json-events.ts";
import { printMistake } from "../endings.ts";
import type { Io } from "../io.ts";

/** Says of a database that cannot be used what it answered. */
export async function orSayWhy(json: boolean, io: Io, work: () => Promise<Ending>): Promise<Ending> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    const { message: summary, isLost, code } = error;
    const hint = isLost
      ? "check HOSTFORM_DATABASE_URL and the network, and run the command again: a run goes on where it was"
      : code === "42501"
        ? "a role that owns the tables runs hostform fleet migrate, and grants what hostform fleet migrate --grants ROLE prints"
        : "check the user, the password and the database of HOSTFORM_DATABASE_URL";
    const diagnostics = [{ severity: "error", code: "database", summary, hint }] as const;
    await printMistake({ type: "diagnostics", diagnostics: [...diagnostics] }, { json, all: true }, io);
    return "api_unavailable";
  }
}

export async function fleetMigrate(
  { grants, json }: { readonly grants?: string | undefined; readonly json: boolean },
  io: Io,
): Promise<Ending> {
  if (grants !== undefined) {
    io.write(grantsFor(grants));
    return "done";
  }
  return orSayWhy(json, io, async () => {
    const database = await openDatabase(io.env, "any");
    try {
      await migrate(database);
      if (json)
        for (const event of [versionEvent(), { type: "database_migrated", database: database.name }] as const)
          io.writeEvent(event);
      else io.write(`The database ${database.name} has the tables of this version.\n`);
      return "done";
    } finally {
      await database.close();
    }
  });
}
