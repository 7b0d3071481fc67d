import { expect, test } from "vitest";
import { exits } from "../support/run-hostform.ts";
import { readScenario } from "../support/scenario.ts";
import { choosePoints, type KillPoint } from "./choose-points.ts";
import { openStage } from "./crash-stage.ts";
import { size } from "./size.ts";

/**
 * The built binary is killed (SIGKILL) before or after a call, and started again. What both have done together must be what one run does
 * that nobody kills: the same writes, each once, and the same account in the end. A lax service refuses no second object of one name, so
 * that its 409 hides none that was made twice. The scenarios hold every kind, and create, update,
 * replace and delete.
 */
const scenarios = [
  // `npm test` takes the first three: every kind and method, an exchange of records, and a replacement with what hangs on it.
  "whole-account",
  "a-to-cname",
  "service-replaced",
  "unwritten-fields-replaced",
  "database-user-moved",
  "ftp-account-moved",
  "mailbox-becomes-alias",
  "certificate-changed",
  "chain-of-trust",
  "dkim-into-dns",
  "contents-swapped",
  "ours-no-longer-declared",
].slice(0, size.killedScenarios);

const staged = scenarios.flatMap((name, nth) =>
  size.modes(nth % 2 === 0).map((lax) => ({ name, lax, service: lax ? "lax" : "strict" })),
);

test.concurrent.each(staged)(
  "killed at any call and started again, it ends as if nobody had killed it: $name, on a $service service",
  async ({ name, lax, service }) => {
    const stage = await openStage(readScenario(`${name}.yaml`), lax);
    try {
      const whole = exits(0, await stage.run());
      expect(await stage.isPlannedAgain(), "something is left to do").toBe(false);
      const end = stage.holds();
      const points = choosePoints(whole.methods, size.killPoints / scenarios.length);
      for (const [index, point] of points.entries()) {
        const runs = await stage.killAndRunAgain([point, ...inRecovery(index, point)], {
          isBinary: index < size.binaryRestarts,
        });
        const again = runs.at(-1);
        const where = `${name}, ${service}, killed ${point.when} request ${point.request} (${whole.methods[point.request - 1]})`;
        expect(runs[0]?.status, `${where}: it was not reached`).toBe(null);
        expect(again?.status, `${where}: ${again?.said}`).toBe(0);
        expectSameWrites(
          runs.flatMap(({ committed }) => committed),
          whole.committed,
          where,
        );
        expect(stage.holds(), where).toEqual(end);
      }
    } finally {
      await stage.close();
    }
  },
);

/** One in six is killed again while it looks what became of the first: at one of its first requests, which only read. */
const inRecovery = (index: number, { request, when }: KillPoint): KillPoint[] =>
  index % 6 === 5 ? [{ request: 1 + (request % 4), when }] : [];

/** What is made and deleted is the same, each once; of updates fewer may do, as one that is not needed any more is not made. */
function expectSameWrites(writes: readonly string[], whole: readonly string[], where: string): void {
  const isUpdate = (write: string) => write.startsWith("PUT ");
  const others = (all: readonly string[]) => all.filter((write) => !isUpdate(write)).toSorted();
  expect(others(writes), where).toEqual(others(whole));
  const left = [...whole];
  for (const write of writes.filter(isUpdate)) {
    expect(left, `${where}: ${write} was done too often`).toContain(write);
    left.splice(left.indexOf(write), 1);
  }
}
