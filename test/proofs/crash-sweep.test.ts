import { expect, test } from "vitest";
import { exits } from "../support/run-hostform.ts";
import { readScenario } from "../support/scenario.ts";
import { choosePoints, type KillPoint } from "./choose-points.ts";
import { openStage, type Stage } from "./crash-stage.ts";
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

/** Scenarios in which nothing is done but that one thing takes the place of another. */
const exchanges = ["a-to-cname", "types-swapped", "alias-becomes-mailbox", "commented-cname", "cname-to-a"].slice(
  0,
  size.refusedScenarios,
);

const refused = exchanges.flatMap((name) =>
  size.modes(true).map((lax) => ({ name, lax, service: lax ? "lax" : "strict" })),
);

test.concurrent.each(refused)(
  "killed at any call while the successor is refused, all that was deleted is there again, with its content: $name, on a $service service",
  async ({ name, lax, service }) => {
    const stage = await openStage(readScenario(`${name}.yaml`), lax);
    try {
      const beginning = contentOf(stage.holds());
      await stage.run();
      const end = contentOf(stage.holds());
      const whole = exits(5, await stage.run({ isRefused: true }));
      expect(contentOf(stage.holds()), whole.said).toEqual(beginning);
      for (const point of choosePoints(whole.methods, size.refusedPoints)) {
        const runs = await stage.killAndRunAgain([point], { isBinary: false, isRefused: true });
        const where = `${name}, ${service}, killed ${point.when} request ${point.request} (${whole.methods[point.request - 1]})`;
        const again = runs.at(-1);
        expect([runs[0]?.status, again?.status], `${where}: ${again?.said}`).toEqual([null, 5]);
        expect(contentOf(stage.holds()), where).toEqual(beginning);
        const last = await stage.run({ goesOn: true });
        expect(last.status, `${where}: ${last.said}`).toBe(0);
        expect(contentOf(stage.holds()), where).toEqual(end);
      }
    } finally {
      await stage.close();
    }
  },
);

/**
 * What an account holds without the number of changes that each zone counts: a record that is put back has another id, and counts. An
 * apply with a refusal leaves its journal.
 */
function contentOf(holds: ReturnType<Stage["holds"]>): unknown {
  const { journals: _journals, ...content } = holds;
  const text = JSON.stringify(content).replaceAll(/serial\\":\d+/gu, "serial");
  return JSON.parse(text.replaceAll(/(hostmaster\.\S+ )\d+/gu, "$1"));
}

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
