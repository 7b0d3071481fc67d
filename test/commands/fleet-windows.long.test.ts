import { expect, test } from "vitest";
import { eventsOf, exits } from "../support/run-hostform.ts";
import { fleetForTest, interruptedAtOnce, namesOf, shopManifest } from "../support/fleet.ts";

test("an account whose window is shut is applied when the window opens, by the run that waits for it", async () => {
  const settings = "    window: { days: [mon], time_zone: UTC }\n";
  const { fleet, api } = await fleetForTest(namesOf(1), { settings });
  const at = (time: string) => ({ now: () => Date.parse(time) });
  const shut = await fleet(["run", "--auto-approve"], at("2030-01-06T12:00:00Z"));
  expect(exits(8, shut).stdout).toContain("its window opens at 2030-01-07T00:00:00.000Z");
  expect(await api.writes()).toEqual([]);
  const open = await fleet(["run", "--auto-approve"], at("2030-01-07T00:00:01Z"));
  expect(open.stdout).toMatch(/goes on[\s\S]*1 applied/u);
});

test("an account that was queued while its window was open is not applied once it is shut", async () => {
  const settings = "    window: { days: [mon], time_zone: UTC }\n";
  const { fleet, api, database } = await fleetForTest(namesOf(2), { settings });
  const at = (time: string) => ({ now: () => Date.parse(time) });
  const monday = at("2030-01-07T23:59:59Z");
  await fleet(["run", "--auto-approve"], at("2030-01-06T12:00:00Z"));
  // A command alone queues the jobs; no worker is there before the window is shut.
  await fleet(["apply", "--auto-approve"], { ...monday, ...interruptedAtOnce() });
  const states = "SELECT DISTINCT state FROM hostform.run_account";
  expect(await database.query(states)).toEqual([{ state: "queued" }]);
  const late = await fleet(["run", "--auto-approve"], at("2030-01-08T09:00:00Z"));
  expect(late.stdout).toMatch(
    /goes on[\s\S]*later +accounts\/shop-001 .*its window opens at 2030-01-14T00:00:00.000Z/u,
  );
  expect(await api.writes()).toEqual([]);
  const open = await fleet(["run", "--auto-approve"], at("2030-01-14T00:00:01Z"));
  expect(open.stdout).toMatch(/goes on[\s\S]*2 applied/u);
});

test("an apply that goes on with a run that waits for a window says what is newer than its plans, and what to do", async () => {
  const settings = "    window: { days: [mon], time_zone: UTC }\n";
  const { fleet, write } = await fleetForTest(namesOf(2), { settings });
  const sunday = { now: () => Date.parse("2030-01-06T12:00:00Z") };
  const apply = (...flags: readonly string[]) => fleet(["run", "--auto-approve", ...flags], sunday);
  await apply();
  const same = await apply();
  expect(same.stdout).toMatch(/^Run \w{8} goes on: apply of 2 accounts, begun \S+ \S+ UTC$/mu);
  expect(same.stdout).not.toContain("others by now");
  write("shop-002", shopManifest("shop-002", "192.0.2.77"));
  const older = await apply();
  expect(older.stdout.replaceAll(/\s+/gu, " ")).toMatch(
    /Run (\w{8}) goes on: .*The manifests of 1 account are others by now \(accounts\/shop-002\).*not applied .*`hostform fleet cancel \1`/u,
  );
  const [started] = eventsOf(await apply("--json")).filter(({ type }) => type === "run_started");
  expect(started).toMatchObject({
    plans: { newer: ["accounts/shop-002"] },
    advice: expect.stringContaining("fleet cancel"),
  });
  await fleet(["cancel", String(started?.["run"])]);
  const anew = await apply();
  expect(anew.stdout).not.toMatch(/goes on|others by now/u);
});
