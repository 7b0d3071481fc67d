import { addTo } from "../../lib/collect.ts";
import type { RunAccount, Wave } from "../model.ts";

/** An account with changes. */
type Changed = Pick<RunAccount, "account" | "counts" | "needs">;

/**
 * Returns the wave of each account, counted from 0: first the accounts that are named, then by the number of changes, the fewest first. A
 * share is of all accounts given, rounded up; what no wave takes is one more at the end. An account that needs one of a later wave moves to
 * that wave. Precondition: no account needs itself, also through others.
 */
export function formWaves(accounts: readonly Changed[], waves: readonly Wave[]): ReadonlyMap<string, number> {
  const sorted = accounts.toSorted(
    (a, b) => changesOf(a) - changesOf(b) || (a.account < b.account ? -1 : Number(a.account > b.account)),
  );
  const own = new Map<string, number>();
  let rest = sorted.map(({ account }) => account);
  [...waves, "rest" as const].forEach((wave, index) => {
    const taken = take(wave, rest, accounts.length);
    for (const account of taken) own.set(account, index);
    rest = rest.filter((account) => !own.has(account));
  });
  return afterNeeds(accounts, own);
}

/** Returns the number of changes of an account. */
const changesOf = ({ counts }: Changed) =>
  counts ? counts.create + counts.update + counts.delete + counts.replace : Infinity;

function take(wave: Wave, rest: readonly string[], total: number): readonly string[] {
  if (wave === "rest") return rest;
  if ("accounts" in wave) return rest.slice(0, wave.accounts);
  // 7 % of 100 are 7.000000000000001 in binary numbers.
  if ("share" in wave) return rest.slice(0, Math.ceil(wave.share * total - 1e-9));
  const named = new Set(wave.names);
  const taken = rest.filter((account) => named.has(account));
  // The smallest goes first if none of those that were named has changes: never all at once.
  return taken.length > 0 ? taken : rest.slice(0, 1);
}

/** Moves each account to the last of the waves of what it needs. Each is visited once, after all that it needs. */
function afterNeeds(accounts: readonly Changed[], own: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const waves = new Map(own);
  const dependents = new Map<string, string[]>();
  const missing = new Map<string, number>();
  for (const { account, needs } of accounts) {
    const present = needs.filter((need) => own.has(need));
    missing.set(account, present.length);
    for (const need of present) addTo(dependents, need, account);
  }
  const ready = [...missing].filter(([, count]) => count === 0).map(([account]) => account);
  for (const need of ready)
    for (const account of dependents.get(need) ?? []) {
      waves.set(account, Math.max(waves.get(account) ?? 0, waves.get(need) ?? 0));
      const count = (missing.get(account) ?? 0) - 1;
      missing.set(account, count);
      if (count === 0) ready.push(account);
    }
  return waves;
}
