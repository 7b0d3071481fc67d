import { expect, test } from "vitest";
import { readScenario } from "../support/scenario.ts";
import { openStage, type KillPoint } from "./crash-stage.ts";
import { size } from "./size.ts";

/**
 * The built binary is killed (SIGKILL) before or after a call, and started again. What both have done together must be what one run does
 * that nobody kills: the same writes, each once, and the same account in the end. The scenarios hold every kind, and create, update,
 * replace and delete.
 */
const scenarios = [
  "whole-account",
  "service-replaced",
  "database-user-moved",
  "ftp-account-moved",
  "mailbox-becomes-alias",
  "certificate-changed",
  "chain-of-trust",
  "dkim-into-dns",
  "contents-swapped",
  "ours-no-longer-declared",
];

test.concurrent.each(scenarios)(
  "killed at any call and started again, it ends as if nobody had killed it: %s",
  { timeout: 3_600_000 },
  async (name) => {
    const stage = await openStage(readScenario(`${name}.yaml`));
    try {
      const whole = await stage.run();
      expect(whole.status, whole.said).toBe(0);
      const end = stage.holds();
      for (const point of choose(whole.methods, size.killPoints / scenarios.length)) {
        const { killed, again } = await stage.killAndRunAgain(point);
        const where = `${name}, killed ${point.when} request ${point.request} (${whole.methods[point.request - 1]})`;
        expect(killed.status, `${where}: it was not reached`).toBe(null);
        expect(again.status, `${where}: ${again.said}`).toBe(0);
        expectSameWrites([...killed.committed, ...again.committed], whole.committed, where);
        expect(stage.holds(), where).toEqual(end);
        expect(await stage.isPlannedAgain(), `${where}: something is left to do`).toBe(false);
      }
    } finally {
      await stage.close();
    }
  },
);

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

/** Kill points: all where so many may be, otherwise those about writes, evenly taken. */
function choose(methods: readonly string[], most: number): KillPoint[] {
  const all = methods.flatMap((method, index) =>
    (["before", "after"] as const).map((when) => ({ method, request: index + 1, when })),
  );
  if (all.length <= most) return all;
  const writes = all.filter(({ method }) => method !== "GET");
  const taken = Math.min(most, writes.length);
  return Array.from({ length: taken }, (_, index) => writes[Math.floor((index * writes.length) / taken)]).filter(
    (point) => point !== undefined,
  );
}
