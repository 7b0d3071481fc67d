import { expect, test } from "vitest";
import { fleetForTest, namesOf, shopManifest } from "../support/fleet.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

test("an address of the database that is an empty text is refused, and no database is begun in its place", async () => {
  const ran = exits(3, await runInProcess({ flags: [], env: { HOSTFORM_DATABASE_URL: "" } }, ["fleet", "migrate"]));
  expect(ran.printed).toContain("HOSTFORM_DATABASE_URL is set to an empty text");
  expect(ran.printed).toContain("give it postgres://");
});

test.each(size.every(4, ["inventory", "journal", "lease", "run_account"]))(
  "an account whose %s cannot be written in time is done again, and each of its writes is sent once",
  async (table) => {
    const shops = await fleetForTest(namesOf(2));
    const { database, api } = shops;
    const noPause = async () => {
      await database.query("UPDATE hostform_queue.job SET start_after = now() WHERE state < 'active'").catch(() => []);
    };
    const run = (...args: string[]) => shops.fleet(["run", "--auto-approve", ...args], { sleep: noPause });
    expect((await run()).status).toBe(0);
    for (const name of namesOf(2)) shops.write(name, shopManifest(name, "192.0.2.9"));
    // The numbers of a sequence stay taken where a statement takes no effect.
    await database.query(`CREATE SEQUENCE hostform.trouble;
      CREATE FUNCTION hostform.trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('hostform.trouble') BETWEEN 3 AND 8 THEN RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014'; END IF;
        RETURN NEW; END $$;
      CREATE TRIGGER trouble BEFORE INSERT OR UPDATE ON hostform.${table} FOR EACH ROW EXECUTE FUNCTION hostform.trouble()`);
    const { status, printed } = { printed: "", ...(await run()) };
    expect([status, printed]).toEqual([0, expect.not.stringMatching(/failed|error/u)]);
    const [row] = await database.query<{ last: string }>("SELECT last_value AS last FROM hostform.trouble");
    expect(Number(row?.last)).toBeGreaterThanOrEqual(3);
    const methods = (await api.operations()).map(({ method }) => method).filter((method) => method !== "GET");
    expect(methods).toEqual([...Array<string>(4).fill("POST"), "PUT", "PUT"]);
  },
);
