import { describe, expect, test } from "vitest";
import type { AccountState, RunAccount, RunOptions } from "../../../src/fleet/model.ts";
import { advance, continueRun, type RunStatus } from "../../../src/fleet/runs/advance.ts";
import { runEnding } from "../../../src/fleet/runs/run-ending.ts";
import { account, changed, counts, run } from "./make-run.ts";

const open = new Map<string, string>();
const statesOf = ({ accounts }: RunStatus) =>
  Object.fromEntries(accounts.map(({ account, state }) => [account, state]));
const approve = ({ run, accounts }: RunStatus): RunStatus => ({
  run: { ...run, approved: { hash: run.hash ?? "", by: "ann" } },
  accounts,
});
/** Plans, approves and begins. */
const begin = (options: Partial<RunOptions>, accounts: readonly RunAccount[], shut = open) =>
  advance(approve(advance({ run: run(options), accounts }, shut)), shut);
/** Ends the jobs of accounts. */
const end = (status: RunStatus, states: Readonly<Record<string, AccountState>>, shut = open) =>
  advance(
    {
      ...status,
      accounts: status.accounts.map((each) => ({ ...each, state: states[each.account] ?? each.state })),
    },
    shut,
  );

const named = (prefix: string, count: number, more: Partial<RunAccount> = {}) =>
  Array.from({ length: count }, (_, index) => changed(`${prefix}${String(index).padStart(3, "0")}`, 5, more));

describe("a run", () => {
  test("waits for the plans of all accounts, then for approval by its hash", () => {
    const planning = { run: run(), accounts: [account("a"), changed("b")] };
    expect(advance(planning, open)).toBe(planning);
    const waiting = end(planning, { a: "changed" });
    expect(waiting.run).toMatchObject({ state: "waiting", hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/u) });
    const other = { ...waiting, run: { ...waiting.run, approved: { hash: "sha256:0", by: "ann" } } };
    expect(advance(other, open)).toBe(other);
    expect(advance(approve(waiting), open)).toMatchObject({
      run: { state: "applying", wave: 0 },
      accounts: [{ state: "queued" }, { state: "queued" }],
    });
  });

  test.each([
    ["apply", "clean", "done"],
    ["apply", "refused", "done"],
    ["plan", "changed", "done"],
    ["drift", "drifted", "done"],
  ] as const)("that %ss is over where an account is %s", (kind, state, ended) => {
    expect(advance({ run: run({}, { kind }), accounts: [account("a", { state })] }, open).run.state).toBe(ended);
  });

  test("that was cancelled withdraws its jobs, and lets those under way end", () => {
    const status = begin({}, [changed("a"), changed("b"), changed("c", 1, { needs: ["a"] })]);
    const running = end(status, { a: "running" });
    const after = advance({ ...running, run: { ...running.run, state: "cancelled" } }, open);
    expect(statesOf(after)).toEqual({ a: "running", b: "cancelled", c: "cancelled" });
  });
});

describe("a wave", () => {
  test("applies an account after those that it needs, and blocks it where one failed", () => {
    const status = begin({}, [
      changed("a"),
      changed("b", 1, { needs: ["a", "elsewhere"] }),
      changed("c", 1, { needs: ["b"] }),
      changed("d"),
    ]);
    expect(statesOf(status)).toEqual({ a: "queued", b: "changed", c: "changed", d: "queued" });
    expect(statesOf(end(status, { a: "applied" }))).toMatchObject({ b: "queued", c: "changed" });
    const failed = end(status, { a: "failed" });
    expect(statesOf(failed)).toEqual({ a: "failed", b: "blocked", c: "blocked", d: "queued" });
    expect(failed.accounts[2]?.why).toBe("it needs b, which was not applied");
    expect(end(failed, { d: "applied" }).run.state).toBe("done");
  });

  test("waits for an account whose window is shut", () => {
    const shut = new Map([["a", "its window opens at 2026-11-28T02:00:00Z"]]);
    const status = begin({ waves: [{ accounts: 1 }, "rest"] }, [changed("a"), changed("b")], shut);
    expect(status.accounts[0]).toMatchObject({ state: "later", why: "its window opens at 2026-11-28T02:00:00Z" });
    expect(runEnding(status.accounts)).toBe("pending_elsewhere");
    expect(advance(status, shut)).toBe(status);
    const opened = advance(status, open);
    expect(statesOf(opened)).toEqual({ a: "queued", b: "changed" });
    expect(opened.accounts[0]?.why).toBeUndefined();
  });
});

test.each(["planning", "waiting"] as const)(
  "an account that would delete more than a run allows is left out where its plan was made in it, and where it was taken: %s",
  (state) => {
    const accounts = [changed("a", 1), account("b", { state: "changed", counts: counts(0, 2) })];
    const taken = {
      run: run({ surprise: 1 }, { state, hash: "sha256:1", approved: { hash: "sha256:1", by: "ann" } }),
      accounts,
    };
    const after = advance(taken, open);
    expect(after.accounts[1]).toMatchObject({
      state: "left_out",
      why: "it would delete 2, more than --surprise allows",
    });
    expect(statesOf(advance(approve(after), open))).toEqual({ a: "queued", b: "left_out" });
  },
);

describe("a run stops itself", () => {
  const options = { waves: [{ share: 0.5 }, "rest"], stopAt: 0.02 } as const;
  const hundred = begin(options, [...named("a", 100), ...named("b", 100)]);

  test.each([
    ["failed", "failed"],
    ["refused", "failed"],
    ["not_converged", "notConverged"],
    ["moved", "unlike"],
    ["left_out", "unlike"],
  ] as const)("where two of a hundred are %s, and begins no other", (state, list) => {
    expect(end(hundred, { a000: state }).run.state).toBe("applying");
    const stopped = end(hundred, { a000: state, a001: "running", a002: state });
    expect(stopped.run).toMatchObject({
      state: "stopped",
      stopped: { wave: 0, accounts: 100, [list]: ["a000", "a002"] },
    });
    expect(stopped.accounts.filter((each) => each.state === "queued")).toEqual([]);
    expect(advance(stopped, open)).toBe(stopped);
  });

  test("and goes on from there, until as many fail again", () => {
    const stopped = end(hundred, { a000: "failed", a001: "failed", a002: "running" });
    const late = end(stopped, { a002: "not_converged" });
    expect(late.run.stopped).toMatchObject({ failed: ["a000", "a001"], notConverged: ["a002"] });
    const on = advance({ ...late, run: continueRun(late.run) }, open);
    expect(on.run).toMatchObject({ state: "applying", wave: 0 });
    expect(on.accounts.filter(({ state }) => state === "queued")).toHaveLength(97);
    expect(end(on, { a003: "failed" }).run.state).toBe("applying");
    expect(end(on, { a003: "failed", a004: "failed" }).run.state).toBe("stopped");
  });

  test("before the first wave where the plans are such, and then waits for approval", () => {
    const accounts = [...named("a", 49), account("b", { state: "left_out" })];
    const stopped = advance({ run: run(options), accounts }, open);
    expect(stopped.run).toMatchObject({ state: "stopped", stopped: { accounts: 50, unlike: ["b"] } });
    expect(advance({ ...stopped, run: continueRun(stopped.run) }, open).run.state).toBe("waiting");
    expect(
      advance({ run: run(options), accounts: [...accounts, account("c", { state: "clean" })] }, open).run.state,
    ).toBe("waiting");
  });

  test("at the first failure for 0 %, and never without a share", () => {
    const two = [changed("a"), changed("b")];
    expect(end(begin({ stopAt: 0 }, two), { a: "failed" }).run.state).toBe("stopped");
    expect(begin({ stopAt: 0 }, two).run.state).toBe("applying");
    expect(end(begin({}, two), { a: "failed", b: "refused" }).run.state).toBe("done");
  });
});

test.each([
  [["applied", "clean"], [], "done"],
  [["applied", "refused"], [], "refused"],
  [["moved", "not_converged", "refused"], [], "not_converged"],
  [["blocked", "refused"], [], "failed_in_part"],
  [["applied", "cancelled"], [], "done"],
  [["failed", "applied"], ["api_unavailable", "done"], "api_unavailable"],
  [["failed", "blocked"], ["api_unavailable", "done"], "failed_in_part"],
  [["applied", "applied"], ["done", "pending_elsewhere"], "pending_elsewhere"],
  [["drifted", "clean"], ["changes", "done"], "changes"],
  [["failed", "applied"], ["unexpected", "done"], "unexpected"],
  [["changed"], ["done"], "done"],
] as const)("accounts that are %j, %j, end a run as %s", (states, endings, expected) => {
  const all = states.map((state, index) =>
    account(String(index), { state, ...(endings[index] && { ending: endings[index] }) }),
  );
  expect(runEnding(all)).toBe(expected);
});

test.each([
  ["left_out", "refused"],
  ["moved", "refused"],
  ["later", "pending_elsewhere"],
  ["blocked", "failed_in_part"],
  ["failed", "failed_in_part"],
  ["cancelled", "done"],
] as const)("an account that is %s ends a run as %s, however its plan ended before", (state, expected) => {
  for (const ending of ["done", "changes", "refused", "pending_elsewhere"] as const)
    expect([ending, runEnding([account("a", { state, ending })])]).toEqual([ending, expected]);
});
