import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { exits } from "../support/run-hostform.ts";
import { namesOf, shopManifest, withWorker } from "../support/fleet.ts";

const account = "accounts/shop-001";

/** A fleet of one account that is applied, and has another address to apply. */
async function withChange() {
  const opened = await withWorker(namesOf(1));
  await opened.fleet(["apply", "--auto-approve"]);
  opened.write("shop-001", shopManifest("shop-001", "192.0.2.2"));
  return opened;
}

// Its settle time is half a minute.
test.runIf(size.whole)(
  "an account that does not converge names what still differs, in its run and in its history",
  async () => {
    const { fleet, api } = await withChange();
    await api.inject({ match: { method: "PUT" }, fault: { clamp_ttl: 7200 } });
    const applied = exits(7, await fleet(["apply", "--auto-approve"]));
    const reason = /not converged +\S*shop-001 +~1\n? +what still differs: dns_record\/shop-001\.example\/www\/A/u;
    expect(applied.stdout).toMatch(reason);
    expect((await fleet(["history", account])).stdout).toContain(
      "what still differs: dns_record/shop-001.example/www/A",
    );
  },
);

test("an account whose inventory the database does not take says why it failed", async () => {
  const { fleet, database } = await withChange();
  await database.query(
    `CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = '53100'; END$$;
     CREATE TRIGGER full_disk BEFORE INSERT ON hostform.inventory FOR EACH ROW EXECUTE FUNCTION public.full()`,
  );
  expect(exits(5, await fleet(["apply", "--auto-approve"])).stdout).toMatch(/failed[^]*No space left on device/u);
});

test.each(
  size.every(2, [
    [
      "is an older copy",
      "DELETE FROM hostform.inventory WHERE version = (SELECT max(version) FROM hostform.inventory)",
    ],
    ["cannot be read", "UPDATE hostform.inventory SET value = '{}'"],
  ]),
)("an account whose inventory %s says so in each plan, and in the status", async (words, meddle) => {
  const { fleet, database } = await withChange();
  await fleet(["apply", "--auto-approve"]);
  await database.query(meddle);
  expect((await fleet(["plan"])).stdout).toContain(words);
  expect((await fleet(["status"])).stdout).toContain(words);
});

test("drift is found again once an apply has recorded the commit of changes that were applied before it", async () => {
  const { fleet, folder, write } = await withWorker(namesOf(1));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=anna", "-c", "user.email=anna@a.example", ...args]);
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "the first");
  write("shop-001", shopManifest("shop-001", "192.0.2.2"));
  await fleet(["apply", "--auto-approve"]);
  expect((await fleet(["plan"])).stdout).toContain("1 clean");
  expect((await fleet(["drift"])).stdout).toMatch(/refused .*had uncommitted changes/u);
  git("commit", "-qam", "the second");
  expect((await fleet(["apply", "--auto-approve"])).stdout).toContain("1 applied");
  expect((await fleet(["drift"])).stdout).toContain("1 clean");
  expect((await fleet(["plan"])).stdout).toContain("No changes.");
});
