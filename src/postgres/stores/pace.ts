import { unknownLimit, type Bucket, type Work } from "../../api/bucket.ts";
import { sharedPace, type SharedBucket, type SharedPace } from "../../api/shared-pace.ts";
import { getOrMake } from "../../lib/collect.ts";
import type { Database } from "../connection.ts";

/** Returns the pace of a sort of work at an origin, the same for all who ask this function. */
export function pacesInDatabase(database: Database, host: Parameters<typeof sharedPace>[2]) {
  const paces = new Map<string, SharedPace>();
  return (work: Work, origin: string): SharedPace =>
    getOrMake(paces, `${work} ${origin}`, () => sharedPace(bucketInDatabase(database, origin), work, host));
}

/** The bucket of one origin in a row, by the clock of the database. */
const bucketInDatabase = (database: Database, origin: string): SharedBucket => ({
  change: (work) =>
    database.transaction(async ({ query }) => {
      await query("INSERT INTO hostform.pace (host, bucket) VALUES ($1, NULL) ON CONFLICT DO NOTHING", [origin]);
      const [row] = await query<{ bucket: Bucket | null; now: number }>(
        `SELECT bucket, extract(epoch FROM clock_timestamp())::float8 * 1000 AS now
         FROM hostform.pace WHERE host = $1 FOR UPDATE`,
        [origin],
      );
      const now = row?.now ?? 0;
      const { bucket, result } = work(row?.bucket ?? unknownLimit(now), now);
      await query("UPDATE hostform.pace SET bucket = $2 WHERE host = $1", [origin, JSON.stringify(bucket)]);
      return result;
    }),
});
