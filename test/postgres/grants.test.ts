import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failJob } from "../../src/fleet/store/job-store.ts";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { checkVersion } from "../../src/postgres/migrate.ts";
import { openQueue } from "../../src/postgres/queue.ts";
import { grantsFor } from "../../src/postgres/tables.ts";
import { newDatabaseUrl } from "../support/postgres.ts";

let owner: Database;
let worker: Database;
/** A name that has to be quoted. */
const role = `worker "${randomUUID()}"`;

beforeAll(async () => {
  const url = await newDatabaseUrl();
  owner = await connect({ connectionString: url });
  await owner.query(`CREATE ROLE "${role.replaceAll('"', '""')}" LOGIN PASSWORD 'none'`);
  const address = new URL(url);
  address.username = encodeURIComponent(role);
  address.password = "none";
  worker = await connect({ connectionString: address.href });
});
afterAll(async () => {
  await worker.close();
  await owner.query(`DROP OWNED BY "${role.replaceAll('"', '""')}"; DROP ROLE "${role.replaceAll('"', '""')}"`);
  await owner.close();
});

test("a role without grants is named, with what gives them to it", async () => {
  await expect(checkVersion(worker)).rejects.toThrow("may not read the tables of Hostform");
});

test("a role with the grants uses the tables, and makes, alters and drops none", async () => {
  await owner.query(grantsFor(role));
  await checkVersion(worker);
  const tables = await owner.query<{ name: string }>(
    "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname = 'hostform' AND tablename <> 'meta'",
  );
  for (const { name } of tables) await worker.query(`SELECT * FROM ${name}`);
  const forbidden = [
    "CREATE TABLE hostform.mine (n int)",
    "CREATE SCHEMA mine",
    "UPDATE hostform.meta SET version = 0",
    "SELECT hostform_queue.create_queue('mine', '{}')",
    "SELECT hostform_queue.delete_queue('hostform')",
    ...[...tables.map(({ name }) => name), "hostform_queue.job"].flatMap((name) => [
      `DROP TABLE ${name}`,
      `TRUNCATE ${name}`,
      `ALTER TABLE ${name} ADD COLUMN mine int`,
    ]),
  ];
  for (const text of forbidden) await expect(worker.query(text), text).rejects.toMatchObject({ code: "42501" });
});

test("a role with the grants does all that the queue does", async () => {
  const queue = await openQueue(worker);
  const jobs = ["a", "b", "c"].map((account) => ({
    id: randomUUID(),
    kind: "apply" as const,
    run: "r",
    account,
    owner: account,
    target: account,
  }));
  await worker.transaction((connection) => queue.enqueue(connection, jobs));
  const [first, second] = await queue.claim("w", 2);
  if (!first || !second) throw new Error("no job");
  expect([await queue.renew(first), await queue.renew(second)]).toEqual([true, true]);
  expect(await queue.finish(first, async () => undefined)).toBe(true);
  await worker.query("UPDATE hostform.lease SET until = clock_timestamp()");
  expect((await queue.sweep(failJob, 0)).again).toEqual([second.job]);
  const [again] = await queue.claim("w", 1);
  expect(again && (await queue.giveBack(again, 0, "why"))).toBe(true);
  expect(await worker.transaction((connection) => queue.withdraw(connection, "r", ["a", "b", "c"]))).toBeGreaterThan(0);
});
