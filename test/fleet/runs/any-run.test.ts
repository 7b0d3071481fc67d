import fc from "fast-check";
import { expect, test } from "vitest";
import type { AccountState, RunAccount, Wave } from "../../../src/fleet/model.ts";
import { advance, continueRun, type RunStatus, type Shut } from "../../../src/fleet/runs/advance.ts";
import { account, counts, run } from "./make-run.ts";
import { forDraws } from "../../support/for-draws.ts";

/** What an account does in a drawn run. `needs`: numbers that choose among those before it in the list. */
interface Drawn {
  readonly changes: number;
  readonly needs: readonly number[];
  readonly planned: AccountState;
  readonly applied: AccountState;
  /** The turn at which its window opens. */
  readonly opens: number;
}

const often = <T>(usual: T, ...others: T[]) => fc.constantFrom(usual, usual, usual, usual, ...others);
const drawnAccount: fc.Arbitrary<Drawn> = fc.record({
  changes: fc.nat(4),
  needs: fc.oneof(fc.constant([]), fc.array(fc.nat(1000), { maxLength: 3 })),
  planned: often<AccountState>("changed", "clean", "refused", "failed", "left_out"),
  applied: often<AccountState>("applied", "failed", "refused", "not_converged", "moved", "left_out"),
  opens: often(0, 20, 60),
});
const wave: fc.Arbitrary<Wave> = fc.oneof(
  fc.record({ accounts: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ share: fc.double({ min: 0.01, max: 1, noNaN: true }) }),
  fc.record({
    names: fc.uniqueArray(
      fc.nat(30).map((at) => `s${at}`),
      { minLength: 1, maxLength: 4 },
    ),
  }),
);
const drawnRun = fc.record({
  drawn: fc.array(drawnAccount, { minLength: 1, maxLength: 30 }),
  waves: fc.array(wave, { maxLength: 4 }),
  stopAt: fc.constantFrom(undefined, 0, 0.1, 0.25, 1 / 3, 0.5),
  /** Which account does something next. */
  turns: fc.array(fc.nat(1000), { maxLength: 200 }),
  cancelledAt: often(Infinity, 5, 70),
  isContinued: fc.boolean(),
});

const bad: readonly AccountState[] = ["failed", "refused", "not_converged", "moved", "left_out"];
const unended: readonly AccountState[] = ["queued", "running", "changed", "later"];
const isEnded = ({ state }: RunAccount) => !unended.includes(state);
const byName = (accounts: readonly RunAccount[]) => new Map(accounts.map((each) => [each.account, each]));

/** Checks all accounts that became `queued`: each has its turn, and every account before it has had it. */
function checkQueued(before: RunStatus, after: RunStatus, shut: Shut): void {
  const was = byName(before.accounts);
  const is = byName(after.accounts);
  const queued = after.accounts.filter(
    ({ account, state }) => state === "queued" && was.get(account)?.state !== "queued",
  );
  for (const each of queued) {
    expect(after.run.state).toBe("applying");
    expect(["changed", "later"]).toContain(was.get(each.account)?.state);
    expect(shut.has(each.account)).toBe(false);
    expect(each.wave).toBe(after.run.wave);
    for (const need of each.needs) expect(["applied", "clean"]).toContain(is.get(need)?.state);
    expect(after.accounts.filter(({ wave = Infinity }) => wave < after.run.wave).every(isEnded)).toBe(true);
  }
}

/** Returns the share of the wave that ended badly since the run went on. */
function badShare({ run, accounts }: RunStatus): number {
  const known = run.continued?.wave === run.wave ? run.continued : undefined;
  const names = [...(known?.failed ?? []), ...(known?.notConverged ?? []), ...(known?.unlike ?? [])];
  const members = accounts.filter(({ wave }) => wave === run.wave);
  const fresh = members.filter(({ account, state }) => bad.includes(state) && !names.includes(account));
  return fresh.length / members.length;
}

test("a run of any fleet does each account once, in its turn, and comes to an end", async () => {
  const ends = new Map<string, number>();
  await forDraws(1600, drawnRun, ({ drawn, waves, stopAt, turns, cancelledAt, isContinued }) => {
    const shutAt = (turn: number): Shut =>
      new Map(drawn.flatMap(({ opens }, at) => (opens > turn ? [[`s${at}`, `turn ${opens}`]] : [])));
    const began = new Map<string, number>();
    let status: RunStatus = {
      run: run({ waves, ...(stopAt !== undefined && { stopAt }) }),
      accounts: drawn.map(({ needs }, at) =>
        account(`s${at}`, { needs: at === 0 ? [] : [...new Set(needs.map((need) => `s${need % at}`))] }),
      ),
    };
    const go = (next: RunStatus, turn: number) => {
      const shut = shutAt(turn);
      const after = advance(next, shut);
      expect(advance(after, shut)).toBe(after);
      const copy = JSON.stringify(after);
      expect(JSON.stringify(advance(JSON.parse(copy) as RunStatus, shut)) === copy).toBe(true);
      checkQueued(next, after, shut);
      if (stopAt !== undefined && after.run.state === "applying" && badShare(after) > 0)
        expect(badShare(after)).toBeLessThan(stopAt);
      if (after.run.state === "stopped") expect(after.accounts.some(({ state }) => state === "queued")).toBe(false);
      expect(after.run.wave).toBeGreaterThanOrEqual(status.run.wave);
      status = after;
    };
    const change = (name: string, more: Partial<RunAccount>, turn: number) =>
      go(
        { ...status, accounts: status.accounts.map((each) => (each.account === name ? { ...each, ...more } : each)) },
        turn,
      );
    const play = (at: number, turn: number) => {
      const { run, accounts } = status;
      if (turn === cancelledAt && run.state !== "done")
        return go({ ...status, run: { ...run, state: "cancelled" } }, turn);
      const active = accounts.filter(({ state }) => state === "queued" || state === "running");
      const each = active[at % Math.max(1, active.length)];
      if (each === undefined) {
        if (run.state === "waiting" && run.hash !== undefined)
          return go({ ...status, run: { ...run, approved: { hash: run.hash, by: "ann" } } }, turn);
        return go(run.state === "stopped" && isContinued ? { ...status, run: continueRun(run) } : status, turn);
      }
      const { changes, planned, applied } = drawn[Number(each.account.slice(1))] as Drawn;
      if (each.state === "queued") {
        if (run.state === "applying") began.set(each.account, (began.get(each.account) ?? 0) + 1);
        return change(each.account, { state: "running" }, turn);
      }
      // The plan of an account has no wave yet.
      const isPlan = each.wave === undefined;
      change(each.account, isPlan ? { state: planned, counts: counts(changes + 1) } : { state: applied }, turn);
    };
    turns.forEach(play);
    const isOver = () =>
      /^(?:done|cancelled|stopped)$/u.test(status.run.state) &&
      !(status.run.state === "stopped" && isContinued) &&
      status.accounts.every(({ state }) => state !== "running");
    for (let turn = 200; turn < 500 && !isOver(); turn += 1) play(0, turn);
    const { run: last, accounts } = status;
    ends.set(last.state, (ends.get(last.state) ?? 0) + 1);
    expect([...began.values()].every((count) => count === 1)).toBe(true);
    expect(last.state).toMatch(isContinued ? /^(?:done|cancelled)$/u : /^(?:done|cancelled|stopped)$/u);
    const open = accounts.filter((each) => !isEnded(each));
    expect(open.filter(({ state }) => last.state !== "stopped" || state !== "changed")).toEqual([]);
    for (const { account, state } of accounts) if (state === "applied") expect(began.get(account)).toBe(1);
  });
  // The draws reach every end.
  expect([...ends.keys()].toSorted()).toEqual(["cancelled", "done", "stopped"]);
});
