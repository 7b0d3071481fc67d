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

test("an account whose plan sends a secret that its worker does not have says so before it is approved", async () => {
  const { fleet, write } = await withWorker(namesOf(1));
  // oxlint-disable-next-line no-template-curly-in-string -- Hostform's own.
  write("shop-001", shopManifest("shop-001", "192.0.2.1", '      key: { TXT: "${env:NOBODY_SETS_IT}" }\n'));
  const words = "the variable NOBODY_SETS_IT is not set";
  expect(exits(2, await fleet(["plan"])).stdout).toContain(words);
  expect((await fleet(["status"])).stdout).toContain(words);
});

test("an account is counted as its plan counts: a reference that is taken back and set again is one change", async () => {
  const { fleet, write } = await withWorker(namesOf(1));
  const site = "shop-001.example";
  const manifest = (datacenter: string) =>
    `version: 1\nname: shop-001\nservices: { ${site}: { plan: WEB-M, datacenter: ${datacenter} } }\ndomains: { ${site}: { service: ${site} } }\n`;
  write("shop-001", manifest("MAD1"));
  exits(0, await fleet(["apply", "--auto-approve", "--allow-purchase", `domain/${site}`]));
  write("shop-001", manifest("BCN1"));
  exits(2, await fleet(["plan"]));
  expect((await fleet(["status"])).stdout).toContain(" ~1 -/+1\n");
});
