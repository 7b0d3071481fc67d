import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failJob } from "../../src/fleet/store/job-store.ts";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { startEmbedded, type Embedded } from "../../src/postgres/embedded.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { openQueue, type Queue } from "../../src/postgres/queue.ts";
import { quickly } from "../support/postgres.ts";
import { folderForFile } from "../support/temporary-folder.ts";
import { size } from "../proofs/size.ts";

const folder = folderForFile();
const start = () => startEmbedded(join(folder, "postgres"), quickly);
let server: Embedded;
let database: Database;
let queue: Queue;

/** How many statements of transactions are left until the server is killed. */
let left = Infinity;
let serverId = 0;
const kill = () => {
  serverId = Number(readFileSync(join(folder, "postgres/data/postmaster.pid"), "utf8").split("\n")[0]);
  process.kill(serverId, "SIGQUIT");
};
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

beforeAll(async () => {
  server = await start();
  const pool = await connect(server.config);
  database = {
    ...pool,
    transaction: (work) =>
      pool.transaction(({ query }) =>
        work({
          query: async (text, values) => {
            left -= 1;
            if (left === 0) {
              kill();
              // A statement that is faster than the end of its server would be done.
              while (isRunning(serverId)) await nextTurn();
            }
            return query(text, values);
          },
        }),
      ),
  };
  await migrate(database);
  await database.query("CREATE TABLE done (id uuid)");
  queue = await openQueue(database);
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

const isLost = { name: "DatabaseError", isLost: true };
const job = { id: randomUUID(), kind: "plan", run: "r", account: "a", owner: "a", target: "t" } as const;
const restart = async () => {
  left = Infinity;
  await start();
};

test("a server that is away is an error of every function, and none of them says that nothing waits", async () => {
  await database.transaction((connection) => queue.enqueue(connection, [job]));
  kill();
  await expect(queue.claim("w", 1)).rejects.toMatchObject(isLost);
  await expect(queue.sweep(failJob, 0)).rejects.toMatchObject(isLost);
  await expect(queue.renew({ job, token: randomUUID(), attempt: 1 })).rejects.toMatchObject(isLost);
  await restart();
  expect(await queue.sweep(failJob)).toEqual({ again: [], failed: [] });
});

test("a server that is killed at any statement of a claim or of an end leaves both done or not at all", async () => {
  for (const [what, statements] of [
    ["claim", 3],
    ["finish", 3],
  ] as const)
    for (let at = 1; at <= statements; at += size.whole ? 1 : 2) {
      const [claim] = what === "finish" ? await queue.claim("w", 1) : [];
      left = at;
      const work = claim
        ? queue.finish(claim, ({ query }) => query("INSERT INTO done VALUES ($1)", [job.id]))
        : queue.claim("w", 1);
      await expect(work, `${what} at ${at}`).rejects.toMatchObject(isLost);
      await restart();
      expect(await database.query("SELECT 1 FROM done")).toEqual([]);
      const leases = await database.query("SELECT 1 FROM hostform.lease");
      expect(leases).toHaveLength(claim ? 1 : 0);
      // Its worker has still the token, and gives it back.
      if (claim) expect(await queue.giveBack(claim, 0, "the database was away")).toBe(true);
      await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 s'");
    }
  expect(await queue.claim("w", 1)).toMatchObject([{ job }]);
});
