import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { fleetForTest, hashIn, namesOf, runIn, withWorker } from "../support/fleet.ts";

const manifest = (...mailboxes: readonly string[]) =>
  `version: 1\nname: shop-001\ndomains: { shop-001.example: {} }\nmail: { shop-001.example: { mailboxes: { ${mailboxes.map((name) => `${name}: { quota: 1 GiB }`).join()} } } }\n`;

/** A fleet of one account with two mailboxes, one of which has left its manifest. */
async function withRemoval() {
  const mailbox = ["info", "jo"].map((name) => ({ address: `${name}@shop-001.example`, quota_mb: 1024 }));
  const domain = [{ name: "shop-001.example", status: "active", expires_at: null }];
  const opened = await withWorker(namesOf(1), { options: { seed: { domain, mailbox } } });
  opened.write("shop-001", manifest("info", "jo"));
  expect(await opened.fleet(["apply", "--auto-approve"])).toMatchObject({ status: 0 });
  opened.write("shop-001", manifest("info"));
  const deleted = async () => (await opened.api.operations()).filter(({ method }) => method === "DELETE").length;
  return { ...opened, deleted };
}

describe("the policy of a worker", () => {
  const PATH = process.env["PATH"] ?? "";

  test("refuses the plans that it is against, also where their hash was approved before", async () => {
    const seen = join(mkdtempSync(join(tmpdir(), "hostform-policy-")), "seen");
    const script = `cat >> ${seen}; if [ -e ${seen}.stop ]; then echo not on a Friday; exit 1; fi`;
    const more = { PATH, PW: "correct-horse-battery", HOSTFORM_POLICY_COMMAND: JSON.stringify(["sh", "-c", script]) };
    const domain = [{ name: "shop-001.example", status: "active", expires_at: null }];
    const { fleet, api, write } = await withWorker(namesOf(1), { options: { seed: { domain } }, more });
    // oxlint-disable-next-line no-template-curly-in-string -- Hostform's own.
    write("shop-001", manifest("info").replace("quota: 1 GiB", 'password: "${env:PW}"'));
    const planned = await fleet(["plan"]);
    writeFileSync(`${seen}.stop`, "");
    for (const args of [["apply", "--approve", hashIn(planned.stdout)], ["plan"], ["apply", "--auto-approve"]])
      expect(exits(6, await fleet(args)).stdout).toContain(
        "the policy of this runner refuses the plan: not on a Friday",
      );
    expect(await api.writes()).toEqual([]);
    expect(readFileSync(seen, "utf8")).toContain("mailbox/info@shop-001.example");
    expect(readFileSync(seen, "utf8")).not.toContain(more.PW);
    rmSync(`${seen}.stop`);
    expect(await fleet(["apply", "--auto-approve"])).toMatchObject({ status: 0 });
    rmSync(dirname(seen), { recursive: true });
  });

  test("that is not a command ends the worker before it takes a job", async () => {
    const { fleet } = await fleetForTest(namesOf(1), { more: { HOSTFORM_POLICY_COMMAND: "[" } });
    for (const command of ["worker", "run"])
      expect(exits(3, await fleet([command])).stderr).toContain("HOSTFORM_POLICY_COMMAND");
  });
});

describe("the deletion of a mailbox", () => {
  test("is in the plans of a fleet, and their hash consents to it", async () => {
    const { fleet, deleted } = await withRemoval();
    const planned = await fleet(["plan"]);
    expect(exits(2, planned).stdout).toContain("- mailbox/jo@shop-001.example");
    const applied = await fleet(["apply", "--approve", hashIn(planned.stdout)]);
    expect(exits(0, applied).stdout).toContain("1 applied");
    expect(await deleted()).toBe(1);
  });

  test("needs a flag where nobody looks, and the reason names it", async () => {
    const { fleet, deleted } = await withRemoval();
    const refused = await fleet(["apply", "--auto-approve"]);
    expect(exits(6, refused).stdout).toMatch(/refused +accounts\/shop-001/u);
    expect(refused.stdout).toMatch(/to\s+allow\s+it:\s+--allow-delete\s+mailbox\/jo@shop-001\.example/u);
    expect(await deleted()).toBe(0);
    const allowed = ["apply", "--auto-approve", "--allow-delete", "mailbox/jo@shop-001.example"];
    expect(await fleet(allowed)).toMatchObject({ status: 0 });
    expect(await deleted()).toBe(1);
  });

  test("is refused where a number that was given contradicts it, and is not offered for approval", async () => {
    const { fleet } = await withRemoval();
    const planned = await fleet(["plan", "--allow-delete", "mailbox/*=2"]);
    expect([planned.status, hashIn(planned.stdout)]).toEqual([6, ""]);
  });

  test.each(["by its hash", "approved before"])(
    "is left out by --surprise, also where its plan is taken: %s",
    async (how) => {
      const { fleet, deleted } = await withRemoval();
      const { stdout } = await fleet(["plan"]);
      const hash = hashIn(stdout);
      if (how === "approved before") await fleet(["approve", runIn(stdout), "--hash", hash]);
      const flags = how === "approved before" ? [] : ["--approve", hash];
      const applied = await fleet(["apply", "--surprise", "0", ...flags]);
      expect(exits(6, applied).stdout).toMatch(/left out .*it would delete 1, more/u);
      expect(await deleted()).toBe(0);
    },
  );

  test("is approved by another person, and applied by the next apply", async () => {
    const { fleet, deleted } = await withRemoval();
    const { stdout } = await fleet(["plan"]);
    await fleet(["approve", runIn(stdout), "--hash", hashIn(stdout)]);
    const events = eventsOf(await fleet(["apply", "--json"]));
    expect(events.at(-1)).toMatchObject({ type: "run_ended", sums: { applied: 1 } });
    expect(await deleted()).toBe(1);
  });
});
