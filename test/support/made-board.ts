import type { AccountDetails, Board, BoardAccount, BoardState, HistoryEntry } from "../../src/fleet/board.ts";
import { pageSources, planOfCustomers } from "./page-source.ts";

const special: readonly BoardState[] = [
  "failed",
  "drifted",
  "waiting",
  "never",
  "refused",
  "not_converged",
  "blocked",
  "later",
];
const day = (number: number) => `2026-11-${String((number % 20) + 1).padStart(2, "0")}T08:00:00.000Z`;

/** A board of accounts, one in ten of them not clean. `text` stands in names and sentences. */
export function madeBoard(count: number, text = ""): Board {
  const accounts = Array.from({ length: count }, (_, index): BoardAccount => {
    const state = index % 10 === 3 ? (special[((index / 10) % special.length) | 0] ?? "clean") : "clean";
    return {
      name: `customers/c${index}.example${text}`,
      owner: `owner-${index % 40}${text}`,
      ...(index % 3 > 0 && { group: index % 3 === 1 ? `gold${text}` : "silver" }),
      state,
      ...(state === "drifted" && { driftSince: day(index + 3) }),
      ...(state === "failed" && { why: `POST /v2026/zones: 422 the quota of zones is used up ${text}` }),
      ...(state === "later" && { why: "its window opens at 2026-11-28T01:00:00Z" }),
      counts:
        state === "clean"
          ? { create: 0, update: 0, delete: 0, replace: 0 }
          : { create: 3, update: 1, delete: 0, replace: index % 2 },
      planned: day(index + 5),
      ...(state !== "never" && { applied: day(index) }),
      driftChecked: day(index + 4),
    };
  });
  return {
    fleet: `agency${text}`,
    madeAt: "2026-11-27T23:00:00.000Z",
    accounts,
    runs: [
      {
        id: "r18",
        kind: "apply",
        state: "waiting",
        created: day(16),
        createdBy: `anna${text}`,
        hash: `sha256:${"3f9a5c1e".repeat(8)}`,
        accounts: 300,
      },
      {
        id: "r17",
        kind: "apply",
        state: "stopped",
        created: day(15),
        createdBy: "ci",
        accounts: 50,
        stopped: {
          wave: 0,
          accounts: 50,
          failed: [`customers/c3.example${text}`],
          notConverged: ["customers/c53.example"],
          unlike: [],
        },
      },
    ],
  };
}

/** What the page of an account shows, `text` in each place where there may be one. */
export const madeDetails = (text = ""): AccountDetails => ({
  plan: JSON.stringify(planOfCustomers(1, text)),
  drift: JSON.stringify(pageSources(text).drift.drift),
  history: [
    entry("r18", { kind: "plan", state: "changed" }, text),
    entry("r17", { kind: "apply", state: "failed", ending: "failed_in_part", why: `the API refused ${text}` }, text),
    entry("r12", { kind: "drift", state: "clean" }, text),
  ],
});

const entry = (
  run: string,
  rest: Pick<HistoryEntry, "kind" | "state"> & Partial<HistoryEntry>,
  text: string,
): HistoryEntry => ({
  run,
  at: day(run.length + 12),
  by: `ci${text}`,
  counts: { create: 3, update: 1, delete: 2, replace: 0 },
  ...rest,
});
