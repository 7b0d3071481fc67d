import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { Board, BoardAccount } from "../../../src/fleet/board.ts";
import type { FleetEvent } from "../../../src/fleet/events.ts";
import { groupChanges, type SharedChange } from "../../../src/fleet/runs/group-changes.ts";
import { toAddress, type Address } from "../../../src/model/address.ts";
import type { Step } from "../../../src/model/plan.ts";
import { fleetEvent, fleetStatusEvents } from "../../../src/render/fleet/fleet-json.ts";
import { renderFleetEvent, renderFleetStatus, renderHistory } from "../../../src/render/fleet/fleet-text.ts";
import { renderPlan } from "../../../src/render/plan-text.ts";
import { hasUnsafe } from "../../../src/lib/escape.ts";
import { renderEvent } from "../../../src/render/mask-event.ts";
import { checkEvents } from "../../support/run-hostform.ts";
import { hostile } from "../../support/hostile-text.ts";
import { madeBoard } from "../../support/made-board.ts";
import { makeStep } from "../../support/make-step.ts";
import { planOfCustomers } from "../../support/page-source.ts";
import { plainPage } from "../../support/plain-page.ts";

const hash = `sha256:${"3f9a5c1e".repeat(8)}`;
const clean: BoardAccount = { name: "a", owner: "a", state: "clean" };
const boardOf = (accounts: readonly BoardAccount[], runs: Board["runs"] = []): Board => ({
  ...madeBoard(0),
  accounts,
  runs,
});

const change = (address: string, rest: Partial<SharedChange> = {}): SharedChange => ({
  action: "update",
  replaces: false,
  purchase: false,
  address: address as Address,
  changes: [{ path: "value", before: { is: "value", value: "old" }, after: { is: "value", value: "new" } }],
  takesAlong: [],
  isDanger: false,
  ...rest,
});
const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`);

test("the status counts clean accounts, and lists the others with the worst first in columns", () => {
  const text = renderFleetStatus(
    boardOf([
      { ...clean, name: "c10", owner: "c10", state: "drifted", driftSince: "2026-11-20T08:00:00Z" },
      {
        ...clean,
        name: "c2",
        owner: "acme",
        group: "gold",
        state: "waiting",
        counts: { create: 3, update: 1, delete: 0, replace: 2 },
      },
      { ...clean, name: "c1", owner: "c1", state: "failed", why: "the key was refused" },
      {
        ...clean,
        name: "c3",
        owner: "c3",
        state: "drifted",
        driftSince: "2026-11-21T08:00:00Z",
        // Of the plan that was applied before.
        counts: { create: 2, update: 0, delete: 0, replace: 0 },
      },
      { ...clean, name: "z", state: "applied" },
      clean,
    ]),
    plainPage,
  );
  expect(text).toBe(`failed                 c1    the key was refused
drifted                c3    since 2026-11-21 08:00
drifted                c10   since 2026-11-20 08:00
waiting for approval   c2    owner acme   group gold   +3 ~1 -/+2

agency: 6 accounts: 1 failed, 2 drifted, 1 waiting for approval, 1 applied, 1 clean
`);
});

test("a fleet whose accounts are all clean has one line", () => {
  expect(renderFleetStatus(boardOf([clean]), plainPage)).toBe("agency: 1 account: 1 clean\n");
  expect(renderFleetStatus(boardOf([]), plainPage)).toBe("agency: 0 accounts\n");
});

test("a run that waits or is stopped says what to do, before the accounts", () => {
  const text = renderFleetStatus({ ...madeBoard(4), accounts: [clean] }, { ...plainPage, width: 200 });
  expect(text).toBe(`Run r18 (apply, 2026-11-17 08:00 UTC, by anna) waits for approval: 300 accounts with changes.
To approve it: \`hostform fleet approve r18 --hash ${hash.slice(0, 39)}\`
Run r17 (apply, 2026-11-16 08:00 UTC, by ci) is stopped.
Of the 50 accounts of wave 1, 1 failed (customers/c3.example), 1 did not converge (customers/c53.example). No change was made in the waves after it.
Mend what failed, then apply the rest: \`hostform fleet apply --continue\`
It leaves out what failed. To plan that anew, after it: \`hostform fleet apply\`
Or give the rest up: \`hostform fleet cancel r17\`

agency: 1 account: 1 clean
`);
});

test("a run that waits for workers says who goes on with it, and how to give it up", () => {
  const run = {
    id: "r1",
    kind: "plan",
    created: "2026-11-17T08:00:00Z",
    createdBy: "anna",
    state: "planning",
  } as const;
  expect(renderFleetStatus(boardOf([clean], [{ ...run, accounts: 2 }]), { ...plainPage, width: 200 }))
    .toBe(`Run r1 (plan, 2026-11-17 08:00 UTC, by anna) is planning: 2 accounts not done yet. Each \`hostform fleet worker\` goes on with it.
To give it up: \`hostform fleet cancel r1\`

agency: 1 account: 1 clean
`);
  expect(
    checkEvents([
      { type: "version", format: 1, hostform: "0" },
      ...fleetStatusEvents(boardOf([clean], [{ ...run, accounts: 2 }])),
    ]),
  ).toEqual([]);
});

test("long names keep the columns of the others, whole and with colours", () => {
  const long = { ...clean, name: "l".repeat(90), state: "failed" as const, why: "it is long" };
  const accounts = [
    long,
    { ...clean, name: "b", state: "failed" as const, why: "one" },
    { ...clean, name: "c", state: "later" as const, why: "two" },
  ];
  for (const color of [false, true]) {
    const lines = stripVTControlCharacters(renderFleetStatus(boardOf(accounts), { ...plainPage, color })).split("\n");
    const [one = "", two = ""] = ["one", "two"].map((word) => lines.find((line) => line.endsWith(word)));
    expect([one.indexOf("one"), one.indexOf("b")]).toEqual([two.indexOf("two"), two.indexOf("c")]);
    expect(lines.join("\n")).toContain("l".repeat(90));
    expect(one.length).toBeLessThan(80);
  }
});

test("names of wide letters, and of marks that take no column, keep the columns", () => {
  const rows = [
    ["ab", "one"],
    ["e\u0301x", "two"],
    ["日本語", "three"],
  ].map(([name = "", why]) => ({ ...clean, name, owner: name, state: "failed" as const, ...(why && { why }) }));
  expect(renderFleetStatus(boardOf(rows), plainPage)).toContain(`failed                 ab       one
failed                 e\u0301x       two
failed                 日本語   three
`);
});

const ended = (state: BoardAccount["state"], rest: object = {}) =>
  ({ type: "account_ended", run: "r1", account: "customers/a", state, ...rest }) as FleetEvent;

test("an account that ended as expected has no line, and any other has one", () => {
  for (const state of ["clean", "applied", "changed"] as const)
    expect(renderFleetEvent(ended(state), plainPage)).toBe("");
  expect(renderFleetEvent(ended("moved", { why: "its plan is another since" }), plainPage)).toBe(
    `moved                  customers/a${" ".repeat(32)}its plan is another since\n`,
  );
});

test("a run waits with equal changes as one group, in the order given, and a replacement as one change", () => {
  const event: FleetEvent = {
    type: "run_waiting",
    kind: "apply",
    run: "r1",
    hash,
    groups: [
      {
        accounts: ["shop"],
        steps: 1,
        changes: [
          change("dns_zone/<domain>", {
            action: "delete",
            isDanger: true,
            takesAlong: ["dns_record/<domain>/@/A" as Address],
            changes: [],
          }),
          change("database/x", { action: "delete", replaces: true, isDanger: true }),
          change("database/x", { action: "create", replaces: true, isDanger: true }),
        ],
      },
      { accounts: names(900), changes: [change("dns_record/<domain>/TXT/@", { origin: "drift" })], steps: 900 },
    ],
  };
  expect(renderFleetEvent(event, plainPage)).toBe(`1 account: shop
  - dns_zone/<domain>
      - deleted with it, not in this plan: dns_record/<domain>/@/A
  -/+ database/x   old -> new
      ! its tables are deleted for good: it is empty afterwards

900 accounts: c0, c1 and 898 more
  ~ dns_record/<domain>/TXT/@   old -> new   [drift]

Run r1 waits for approval.
To approve it: \`hostform fleet approve r1 --hash ${hash.slice(0, 39)}\`
`);
});

test("a group says of each account what its plan says is lost or interrupted", () => {
  const [word, nothing] = [{ is: "value", value: "latin1" }, { is: "absent" }] as const;
  const of = (name: string, action: "create" | "delete", more: Partial<Step>): Step => ({
    ...makeStep(`${action} database/${name}/shop`),
    address: toAddress("database", [name, "shop"]),
    action,
    replaces: true,
    ...more,
  });
  const accounts = ["a.example", "b.example"].map((name) => ({
    account: name,
    domains: [name],
    names: [],
    steps: [
      of(name, "delete", { gaps: [{ name: `www.${name}`, types: ["A"], until: `create database/${name}/shop` }] }),
      of(name, "create", {
        changes: [
          { path: "engine", before: word, after: { is: "value", value: "utf8" }, forcesReplace: true },
          { path: "charset", before: word, after: nothing, notCarried: "depends on engine" },
        ],
        on_refusal: [{ address: toAddress("database", [name, "old"]), is: "lost", reason: "no request restores it" }],
      }),
    ],
  }));
  const groups = groupChanges(accounts);
  const shared = { type: "run_waiting", kind: "plan", run: "r1", groups } as const;
  expect(checkEvents([{ type: "version", format: 1, hostform: "0" }, fleetEvent(shared)])).toEqual([]);
  const page = { ...plainPage, width: 200 };
  const [one, all] = [
    renderPlan({ ...planOfCustomers(0), steps: accounts[0]?.steps ?? [] }, { ...page, showIgnored: false, now: 0 }),
    renderFleetEvent(shared, page),
  ];
  for (const words of [
    "engine latin1 -> utf8 (forces replacement)",
    "charset latin1 (not carried over: depends on engine)",
    "its tables are deleted for good: it is empty afterwards",
    "if the server refuses this, database/a.example/old is not put back: no request restores it",
    "www.a.example has no answer for A",
  ]) {
    expect(one.replaceAll(/ +/gu, " ")).toContain(words);
    expect(all).toContain(words.replace("a.example", "<domain>"));
  }
});

test("a group says of a field that an update adds or takes away which of the two it is", () => {
  const [value, nothing] = [{ is: "value", value: "192.0.2.1" }, { is: "absent" }] as const;
  const [added, removed] = [
    { path: "value", before: nothing, after: value },
    { path: "value", before: value, after: nothing },
  ];
  const changes = [
    change("dns_record/<domain>/a/A", { action: "update", changes: [added] }),
    change("dns_record/<domain>/b/A", { action: "update", changes: [removed] }),
  ];
  const groups = [{ accounts: ["a"], changes, steps: 2 }];
  const text = renderFleetEvent({ type: "run_waiting", kind: "plan", run: "r1", groups }, plainPage);
  expect(text).toContain("~ dns_record/<domain>/a/A   + 192.0.2.1\n");
  expect(text).toContain("~ dns_record/<domain>/b/A   - 192.0.2.1\n");
});

test("a group of accounts with several domains says how many changes it makes", () => {
  const changes = [change("dns_record/<domain>/www/A", { action: "delete", isDanger: true })];
  const event: FleetEvent = {
    type: "run_waiting",
    kind: "plan",
    run: "r1",
    groups: [{ accounts: ["a", "b"], steps: 5, changes }],
  };
  expect(renderFleetEvent(event, plainPage)).toContain("2 accounts, 5 changes: a, b\n");
});

test("many groups and many changes are cut to a screen, but no danger is", () => {
  const groups = names(60).map((account, index) => ({
    accounts: [account],
    steps: 40,
    changes: [
      ...names(40).map((name) => change(`cron/${name}`)),
      ...(index === 55 ? [change("mailbox/gone", { action: "delete" as const, isDanger: true })] : []),
    ],
  }));
  const text = renderFleetEvent({ type: "run_waiting", kind: "apply", run: "r1", hash, groups }, plainPage);
  expect(text).toContain("- mailbox/gone");
  expect(text).toContain("and 28 other changes");
  expect(text).toContain("39 accounts more, with 39 other sets of changes");
  expect(text.split("\n").length).toBeLessThan(350);
});

test("each event of a run has its sentence", () => {
  const stop = { accounts: 50, failed: ["a", "b"], notConverged: [], unlike: ["c"] };
  const all: readonly FleetEvent[] = [
    { type: "run_started", run: "r1", kind: "plan", accounts: 300, resumed: false },
    { type: "run_started", run: "r1", kind: "apply", accounts: 1, resumed: true },
    { type: "wave_started", run: "r1", wave: 2, waves: 3, accounts: 15 },
    { type: "wave_ended", run: "r1", wave: 2, sums: { applied: 14, failed: 1 } },
    { type: "run_stopped", run: "r1", reason: { ...stop, wave: 1 } },
    { type: "run_stopped", run: "r1", reason: stop },
    { type: "workers_missing", run: "r1", jobs: 3 },
    { type: "api_paused", run: "r1", host: "https://api.a.example", seconds: 40 },
    { type: "job_returned", run: "r1", account: "a", why: "w1: its checkout is another" },
    {
      type: "run_ended",
      run: "r1",
      kind: "apply",
      state: "done",
      sums: { clean: 280, applied: 15, failed: 5 },
      ending: "failed_in_part",
    },
    { type: "run_ended", run: "r1", kind: "drift", state: "cancelled", sums: {}, ending: "interrupted" },
    {
      type: "run_ended",
      run: "r1",
      kind: "apply",
      state: "applying",
      sums: { running: 4, queued: 8 },
      ending: "interrupted",
    },
  ];
  expect(all.map((event) => renderFleetEvent(event, { ...plainPage, width: 200 })).join(""))
    .toBe(`Run r1: plan of 300 accounts
Run r1 goes on: apply of 1 account
Wave 2 of 3: 15 accounts
Wave 2 has ended: 1 failed, 14 applied
Run r1 is stopped.
Of the 50 accounts of wave 2, 2 failed (a, b), 1 would change unlike the approved plans (c). No change was made in the waves after it.
Mend what failed, then apply the rest: \`hostform fleet apply --continue\`
It leaves out what failed. To plan that anew, after it: \`hostform fleet apply\`
Or give the rest up: \`hostform fleet cancel r1\`
Run r1 is stopped.
Of 50 accounts, 2 failed (a, b), 1 would change unlike the approved plans (c). Nothing was changed.
Mend what failed, then apply the rest: \`hostform fleet apply --continue\`
It leaves out what failed. To plan that anew, after it: \`hostform fleet apply\`
Or give the rest up: \`hostform fleet cancel r1\`
3 jobs wait, and no worker takes them. Start one: \`hostform fleet worker\`
https://api.a.example asked for a pause: nothing is sent to it for 40 seconds.
a waits again: w1: its checkout is another
Applied: 300 accounts: 5 failed, 15 applied, 280 clean
Cancelled: 0 accounts
Interrupted: 12 accounts: 4 running, 8 queued
Run r1 has not ended: each \`hostform fleet worker\` goes on with it. To follow it, call this command again.
Or give it up: \`hostform fleet cancel r1\`
`);
  expect(checkEvents([{ type: "version", format: 1, hostform: "0" }, ...all.map(fleetEvent)])).toEqual([]);
});

test("the lines of --json are as the schema says, also where a secret is a word of ours", () => {
  const text = hostile.join("");
  const events = [
    ...fleetStatusEvents(madeBoard(160, text)),
    fleetEvent({
      type: "run_waiting",
      kind: "apply",
      run: "r1",
      hash,
      groups: [{ accounts: ["a"], changes: [change("cron/x")], steps: 1 }],
    }),
    fleetEvent(
      ended("not_converged", { ending: "not_converged", counts: { create: 0, update: 1, delete: 0, replace: 0 } }),
    ),
  ];
  const words = ["failed", "clean", "drifted", "waiting", "apply", "update", "not_converged"];
  const mask = (given: string) => words.reduce((masked, word) => masked.replaceAll(word, "(secret)"), given);
  const lines = events.map((event) => renderEvent(event, mask));
  const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(checkEvents([{ type: "version", format: 1, hostform: "0" }, ...read])).toEqual([]);
  expect(read.filter(({ type }) => type === "account_status")).toHaveLength(160);
  for (const line of lines) expect(hasUnsafe(line.slice(0, -1))).toBe(false);
});

test("no name or reason drives a terminal", () => {
  const board = madeBoard(160, hostile.join(""));
  for (const line of renderFleetStatus(board, plainPage).split("\n")) expect(hasUnsafe(line)).toBe(false);
});

test("who began a run stands in the line of the run, before the reason", () => {
  const entry = {
    run: "r1",
    kind: "plan",
    at: "2026-11-20T08:00:00Z",
    by: "ci",
    state: "failed",
    why: "no key",
  } as const;
  expect(renderHistory([entry], { ...plainPage, width: 200 })).toMatch(/plan r1 +by ci +no key\n$/u);
});
