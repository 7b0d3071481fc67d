import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { apply, postgresStores, type Stores } from "../../src/index.ts";
import { connect, type Database } from "../../src/postgres/connection.ts";
import { openAccount, type Account } from "../support/account.ts";
import { aMinuteLater, crashingStores } from "../support/crashing-stores.ts";
import { newDatabaseUrl } from "../support/postgres.ts";
import { size } from "../proofs/size.ts";

/** Applies by the library over a real database that is full, that takes no writes, that is slow, or that is an older copy. */
let account: Account;
let url: string;
let owner: Database;
beforeEach(async () => {
  account = await openAccount({ lax: true });
  url = await newDatabaseUrl();
  owner = await connect({ connectionString: url });
});
afterEach(async () => {
  await owner.close();
  await account.close();
});

const zone = (records: string) => `version: 1\nname: troubled\ndns: { a.example: { records: { ${records} } } }\n`;
const applied = async (records: string, wrap: (stores: Stores) => Stores = (stores) => stores) => {
  const stores = await postgresStores({ url });
  try {
    const { ending, diagnostics, report } = await apply({
      manifests: [account.write("site.yaml", zone(records))],
      baseUrl: account.baseUrl,
      caFile: join(account.folder, "ca.pem"),
      env: { ...account.env },
      stores: wrap(stores),
      settle: 5,
      lockTimeout: 0,
      approve: () => true,
      parallelism: 1,
    });
    return { ending, said: JSON.stringify([diagnostics, report?.outcomes.map(({ outcome }) => outcome)]) };
  } finally {
    await stores.close();
  }
};
const writes = async () => (await account.operations()).filter(({ method }) => method !== "GET").length;
const records = "a: { A: 192.0.2.1 }, b: { A: 192.0.2.2 }";

/** Fails, or delays, what is written to a table. */
const atWrites = (table: string, statement: string) =>
  owner.query(`CREATE FUNCTION hostform.trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${statement}; RETURN NEW; END $$;
    CREATE TRIGGER trouble BEFORE INSERT OR UPDATE ON hostform.${table} FOR EACH ROW EXECUTE FUNCTION hostform.trouble()`);
const full = "RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'";
const mend = (table: string) =>
  owner.query(`DROP TRIGGER trouble ON hostform.${table}; DROP FUNCTION hostform.trouble()`);

test.each(size.every(3, ["journal", "lease", "inventory"]))(
  "a database whose disk is full at the %s is named, nothing is written past the journal, and an apply goes on once there is room",
  async (table) => {
    await atWrites(table, full);
    const { ending, said } = await applied(records);
    expect(said).toContain("No space left on device (make room on its disk)");
    if (table !== "inventory") expect([ending === "done", await writes()]).toEqual([false, 0]);
    await mend(table);
    expect((await applied(records)).ending).toBe("done");
    expect(await writes()).toBe(3);
  },
);

test.runIf(size.whole)("a database that is read-only lets no write out, and says so", async () => {
  await owner.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`);
  const { ending, said } = await applied(records);
  expect([ending, await writes()]).toEqual(["refused", 0]);
  expect(said).toMatch(/read-only transaction \(it is a standby.*mend that, then apply again/u);
  await owner.query(`SET default_transaction_read_only = off`);
  await owner.query(
    `BEGIN READ WRITE; ALTER DATABASE ${new URL(url).pathname.slice(1)} RESET default_transaction_read_only; COMMIT`,
  );
  expect((await applied(records)).ending).toBe("done");
});

test.runIf(size.whole)("a role that may only read lets no write out, and says so", async () => {
  const role = `reader_${randomUUID().replaceAll("-", "")}`;
  await owner.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'none'; GRANT USAGE ON SCHEMA hostform TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA hostform TO ${role}`,
  );
  const reader = new URL(url);
  [reader.username, reader.password] = [role, "none"];
  const own = url;
  url = reader.href;
  const { ending, said } = await applied(records);
  url = own;
  await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  expect([ending, await writes()]).toEqual(["refused", 0]);
  expect(said).toMatch(/permission denied .* \(give its role the rights/u);
});

test("a lease that has less time left than a write may take lets no write out", async () => {
  const late = "UPDATE hostform.lease SET until = clock_timestamp() + interval '4 s'";
  await atWrites("inventory", late);
  const { said } = await applied(records);
  expect(await writes()).toBe(0);
  expect(said).toContain("does not hold the lease");
  await mend("inventory");
  await owner.query("UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s'");
  expect((await applied(records)).ending).toBe("done");
});

/** Names the same database in another way, as a new process has seen nothing of it. */
function forgetSeen() {
  const seenByNobody = new URL(url);
  seenByNobody.hostname = "127.0.0.1";
  seenByNobody.searchParams.set("host", `${seenByNobody.searchParams.get("host")}/.`);
  url = seenByNobody.href;
}

describe.each(
  size.every(2, [
    ["inventory", "is an older copy"],
    ["journal", "did not end. It is taken over"],
  ] as const),
)("where the %s of an interrupted apply is that of an older copy, and the rest is not,", (table, told) => {
  test.each(["process that saw the newer one", "new process"])("a %s repeats and loses nothing", async (who) => {
    await applied(records);
    await owner.query(`CREATE TABLE kept AS SELECT * FROM hostform.${table}`);
    const next = "a: { A: 192.0.2.9 }, c: { A: 192.0.2.3 }, d: { A: 192.0.2.4 }";
    // The third write has arrived, and its answer is not known.
    const crash = { at: 17, when: "after", loses: "process" } as const;
    const crashed = await applied(next, (stores) => crashingStores(stores, crash).stores);
    expect(crashed.said).toContain("the process has ended");
    const before = await writes();
    await owner.query(`DELETE FROM hostform.${table}; INSERT INTO hostform.${table} SELECT * FROM kept`);
    await owner.query("UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s'");
    const isNew = who === "new process";
    if (isNew) forgetSeen();
    const { said } = await applied(next, aMinuteLater);
    if (table === "journal" || !isNew) expect(said).toContain(told);
    expect(said).not.toContain("belongs to another target");
    // What the older inventory may take for ours wrongly stays.
    const isKept = table === "inventory" && !isNew;
    const since = (await account.operations()).filter(({ method }) => method !== "GET").slice(before);
    expect(since.map(({ method }) => method)).toEqual(isKept ? [] : ["DELETE"]);
    expect((await applied(next)).ending).toBe(isKept ? "failed_in_part" : "done");
    expect(await writes()).toBe(before + since.length);
  });
});

test("an older copy that a new process sees deletes nothing that it does not know to be ours, and makes nothing again", async () => {
  await applied(records);
  await owner.query("CREATE TABLE kept AS SELECT * FROM hostform.inventory");
  await applied("a: { A: 192.0.2.9 }, b: { A: 192.0.2.2 }, c: { A: 192.0.2.3 }, d: { A: 192.0.2.4 }");
  const before = await writes();
  await owner.query("DELETE FROM hostform.inventory; INSERT INTO hostform.inventory SELECT * FROM kept");
  forgetSeen();
  const third = await applied("a: { A: 192.0.2.9 }, b: { A: 192.0.2.2 }, c: { A: 192.0.2.3 }");
  const since = (await account.operations()).filter(({ method }) => method !== "GET").slice(before);
  expect([third.ending, since.map(({ method }) => method)]).toEqual(["done", []]);
});
