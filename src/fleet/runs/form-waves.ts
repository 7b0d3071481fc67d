import { addTo } from "../../lib/collect.ts";
import type { RunAccount, Wave } from "../model.ts";

/** An account with changes. */
type Changed = Pick<RunAccount, "account" | "counts" | "needs">;

/**
 * Returns the wave of each account, counted from 0: first the accounts that are named, with what they need; then by the number of changes, the
 * fewest first. A share is of all accounts given, rounded up; what no wave takes is one more at the end. What an account needs is in its wave,
 * or in an earlier one. Precondition: no account needs itself, also through others.
 */
export function formWaves(accounts: readonly Changed[], waves: readonly Wave[]): ReadonlyMap<string, number> {
  const needs = new Map(accounts.map((each) => [each.account, each.needs]));
  const own = new Map<string, number>();
  let rest = sortAccounts(accounts);
  [...waves, "rest" as const].forEach((wave, index) => {
    const taken = take(wave, rest, needs);
    for (const account of taken) own.set(account, index);
    rest = rest.filter((account) => !own.has(account));
  });
  return own;
}

/** Returns the number of changes of an account. */
const changesOf = ({ counts }: Changed) =>
  counts ? counts.create + counts.update + counts.delete + counts.replace : Infinity;

function take(wave: Wave, rest: readonly string[], needs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  if (wave === "rest") return rest;
  if ("accounts" in wave) return rest.slice(0, wave.accounts);
  // 7 % of 100 are 7.000000000000001 in binary numbers.
  if ("share" in wave) return rest.slice(0, Math.ceil(wave.share * needs.size - 1e-9));
  const named = new Set(wave.names);
  for (const account of named) for (const need of needs.get(account) ?? []) named.add(need);
  const taken = rest.filter((account) => named.has(account));
  // The smallest goes first if none of those that were named has changes: never all at once.
  return taken.length > 0 ? taken : rest.slice(0, 1);
}

/** Returns the accounts as waves take them: by the most changes that an account, or anything that it needs, has; each behind what it needs. */
function sortAccounts(accounts: readonly Changed[]): readonly string[] {
  const places = new Map(accounts.map((each) => [each.account, { changes: changesOf(each), depth: 0 }]));
  const dependents = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const { account, needs } of accounts) {
    const present = needs.filter((need) => places.has(need));
    missing.set(account, present.length);
    for (const need of present) addTo(dependents, need, account);
  }
  const ready = [...missing].filter(([, count]) => count === 0).map(([account]) => account);
  for (const need of ready) {
    const { changes = 0, depth = 0 } = places.get(need) ?? {};
    for (const account of dependents.get(need) ?? []) {
      const own = places.get(account);
      places.set(account, {
        changes: Math.max(own?.changes ?? 0, changes),
        depth: Math.max(own?.depth ?? 0, depth + 1),
      });
      const count = (missing.get(account) ?? 0) - 1;
      missing.set(account, count);
      if (count === 0) ready.push(account);
    }
  }
  const sorted = [...places].toSorted(
    ([a, one], [b, other]) => one.changes - other.changes || one.depth - other.depth || (a < b ? -1 : Number(a > b)),
  );
  return sorted.map(([account]) => account);
}
