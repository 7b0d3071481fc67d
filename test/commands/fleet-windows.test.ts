import { expect, onTestFinished, test } from "vitest";
import { namesOf, openFleet } from "../support/fleet.ts";

test("an account whose window is shut is applied when the window opens, by the run that waits for it", async () => {
  const settings = "    window: { days: [mon], time_zone: UTC }\n";
  const { fleet, api, close } = await openFleet(namesOf(1), { settings });
  onTestFinished(close);
  const at = (time: string) => ({ now: () => Date.parse(time) });
  const shut = await fleet(["run", "--auto-approve"], at("2030-01-06T12:00:00Z"));
  expect(shut.stdout).toContain("its window opens at 2030-01-07T00:00:00.000Z");
  expect((await api.operations()).filter(({ method }) => method !== "GET")).toEqual([]);
  const open = await fleet(["run", "--auto-approve"], at("2030-01-07T00:00:01Z"));
  expect(open.stdout).toMatch(/goes on[\s\S]*1 applied/u);
});
