import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { InputError } from "../../src/engine/session/input-error.ts";
import { mistakeDiagnostics } from "../../src/messages/mistakes.ts";
import { connect } from "../../src/postgres/connection.ts";
import { openDatabase } from "../../src/postgres/database.ts";
import { startEmbedded } from "../../src/postgres/embedded.ts";
import { newDatabase, newDatabaseUrl, quickly } from "../support/postgres.ts";
import { size } from "../proofs/size.ts";

const made: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "hostform-postgres-"));
  made.push(folder);
  return join(folder, "postgres");
};
afterAll(() => made.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const wordsOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof InputError)
    return mistakeDiagnostics(error.mistake).map(({ summary, hint }) => `${summary}: ${hint}`);
  return [String(error)];
};

test("an address that names an absent file of certificates is refused with the name of that file", async () => {
  const url = "postgres://a:b@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/absent/ca.pem";
  expect(await wordsOf(openDatabase({ HOSTFORM_DATABASE_URL: url }))).toEqual([
    "/absent/ca.pem cannot be used: there is no such file: check the path and the disk",
  ]);
});

test("the PostgreSQL of a folder is started once, is used by others, and ends with the last of them", async () => {
  const folder = newFolder();
  const [first, second] = await Promise.all([startEmbedded(folder, quickly), startEmbedded(folder, quickly)]);
  expect(second.config).toEqual(first.config);
  expect(statSync(join(folder, "password")).mode & 0o777).toBe(0o600);
  const [one, two] = [await connect(first.config), await connect(second.config)];
  const started = "SELECT pg_postmaster_start_time() AS at";
  expect(await one.query(started)).toEqual(await two.query(started));
  await one.close();
  await first.stop();
  expect(await two.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await two.close();
  await second.stop();
  const gone = await connect(first.config);
  await expect(gone.query("SELECT 1")).rejects.toThrow("cannot be reached");
  await gone.close();
  const again = await startEmbedded(folder);
  const third = await connect(again.config);
  expect(await third.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await third.close();
  await again.stop();
});

test.runIf(size.whole)(
  "without HOSTFORM_DATABASE_URL each process uses the PostgreSQL of its working folder, however long its path is",
  async () => {
    const before = process.cwd();
    const folder = join(newFolder(), "a".repeat(100));
    mkdirSync(folder, { recursive: true });
    process.chdir(folder);
    try {
      const [first, second] = [await openDatabase({}), await openDatabase({})];
      await first.query("INSERT INTO hostform.pace (host) VALUES ('api')");
      await first.close();
      expect(await second.query("SELECT host FROM hostform.pace")).toEqual([{ host: "api" }]);
      await second.close();
      expect(existsSync(".hostform/postgres/data/postmaster.pid")).toBe(false);
      expect(statSync(".hostform").mode & 0o777).toBe(0o700);
    } finally {
      process.chdir(before);
    }
  },
);

test("a database of HOSTFORM_DATABASE_URL is opened only with the tables of this program", async () => {
  const [ready, empty] = [await newDatabaseUrl(), await newDatabaseUrl("empty")];
  await (await openDatabase({ HOSTFORM_DATABASE_URL: ready })).close();
  await (await openDatabase({ HOSTFORM_DATABASE_URL: empty }, "any")).close();
  expect(await wordsOf(openDatabase({ HOSTFORM_DATABASE_URL: empty }))).toEqual([
    expect.stringMatching(/has no tables of Hostform: run hostform fleet migrate/u),
  ]);
});

test("no message about an address holds its password", async () => {
  const secret = "s3cret%2Dword";
  const addresses = [
    "mysql://a:SECRET@db/x",
    "postgres://a:SECRET@db:notaport/x",
    "postgres://a:SECRET@127.0.0.1:1/x",
    "SECRET",
  ];
  for (const address of addresses) {
    const [words] = await wordsOf(openDatabase({ HOSTFORM_DATABASE_URL: address.replace("SECRET", secret) }));
    expect(words, address).not.toMatch(/s3cret/u);
    expect(words, address).toMatch(/HOSTFORM_DATABASE_URL is not the address|a@127\.0\.0\.1:1\/x cannot be reached/u);
  }
});

test("a transaction takes effect whole or not at all", async () => {
  const database = await newDatabase("empty");
  await database.query("CREATE TABLE t (n int)");
  const failing = database.transaction(async ({ query }) => {
    await query("INSERT INTO t VALUES (1)");
    throw new Error("stop");
  });
  await expect(failing).rejects.toThrow("stop");
  await database.transaction(({ query }) => query("INSERT INTO t VALUES ($1)", [2]));
  expect(await database.query("SELECT n FROM t")).toEqual([{ n: 2 }]);
  await database.close();
});

test("a statement on a connection that the server has ended fails as lost, and the next one has another connection", async () => {
  const url = await newDatabaseUrl("empty");
  const [database, other] = [await connect({ connectionString: url }), await connect({ connectionString: url })];
  const end =
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  const working = database.transaction(async ({ query }) => {
    await query("SELECT 1");
    await other.query(end);
    await query("SELECT 2");
  });
  await expect(working).rejects.toMatchObject({ name: "DatabaseError", isLost: true });
  expect(await database.query("SELECT 3 AS three")).toEqual([{ three: 3 }]);
  await database.close();
  await other.close();
});

test("an error of a statement has its code, and does not count as a lost connection", async () => {
  const database = await newDatabase("empty");
  await expect(database.query("SELECT * FROM nothing")).rejects.toMatchObject({ code: "42P01", isLost: false });
  await database.close();
});

test("a database that does not answer in time counts as lost, whatever ends the statement", async () => {
  const connectionString = await newDatabaseUrl("empty");
  const database = await connect({ connectionString, max: 2 });
  await database.query(
    "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 100', current_database()); END$$",
  );
  await database.query("CREATE TABLE a (n int); CREATE TABLE b (n int)");
  const statement = await connect({ connectionString, statement_timeout: 100 });
  const client = await connect({ connectionString, query_timeout: 100 });
  const isLate = { isLost: true, message: expect.stringContaining("did not answer in time") as string };
  const sleep = "SELECT pg_sleep(2)";
  await expect(statement.query(sleep)).rejects.toMatchObject({ ...isLate, code: "57014" });
  await expect(client.query(sleep)).rejects.toMatchObject(isLate);
  const locking = (first: string, second: string, meanwhile: Promise<unknown>, done: () => void) =>
    database.transaction(async ({ query }) => {
      await query(`LOCK TABLE ${first}`);
      done();
      await meanwhile;
      await query(`SET LOCAL lock_timeout = 5000; LOCK TABLE ${second}`);
    });
  let [hasA, hasB] = [() => {}, () => {}];
  const [a, b] = [new Promise<void>((resolve) => (hasA = resolve)), new Promise<void>((resolve) => (hasB = resolve))];
  const ended = await Promise.allSettled([locking("a", "b", b, hasA), locking("b", "a", a, hasB)]);
  expect(ended.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: { ...isLate, code: "40P01" } }]);
  const holding = database.transaction(async ({ query }) => {
    await query("LOCK TABLE a");
    const waiting = database.query("SET lock_timeout = 100; SELECT * FROM a");
    await expect(waiting).rejects.toMatchObject({ ...isLate, code: "55P03" });
  });
  await holding;
  await Promise.all([database, statement, client].map(({ close }) => close()));
});
