import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { fleetForTest, namesOf } from "../support/fleet.ts";
import { exits } from "../support/run-hostform.ts";

test("fleet run ends with its worker, also where a defect has ended that", async () => {
  const shops = await fleetForTest(namesOf(1));
  let looks = 0;
  const ran = await shops.fleet(["run", "--auto-approve"], {
    elapsed: () => {
      throw new TypeError("a defect");
    },
    sleep: async (milliseconds, stop) => {
      looks += 1;
      await wait(Math.min(milliseconds, 20), undefined, { ...(stop && { signal: stop }) }).catch(() => undefined);
    },
  });
  exits(1, ran);
  await wait(100);
  const before = looks;
  await wait(200);
  expect(looks).toBe(before);
});
