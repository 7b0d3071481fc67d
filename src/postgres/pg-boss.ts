import type { Connection } from "./connection.ts";
import { queueSchema } from "./tables.ts";

/** The queue of all jobs of fleets. */
export const queueName = "hostform";

/** Loads the library that makes the tables of the queue, and fills it. It does nothing by itself. */
export async function pgBoss(connection: Connection) {
  const { default: PgBoss } = await import("pg-boss");
  return new PgBoss({ ...runOn(connection), schema: queueSchema, supervise: false, schedule: false });
}

/** Returns the option by which pg-boss runs its statements on a connection, and so in the transaction of that. */
export const runOn = ({ query }: Connection) => ({
  db: { executeSql: async (text: string, values: unknown[]) => ({ rows: [...(await query(text, values))] }) },
});
