import type { RunAccount, Wave, RunOptions } from "../model.ts";
import { InputError } from "../../engine/session/input-error.ts";
import { findCircle } from "../../manifest/read/check-references.ts";
import { nameSome } from "../../lib/shorten.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { nearest } from "../../model/nearest.ts";

/** The waves and the limits of a run as a user writes them. */
export interface GivenWaves {
  /** Such as `1,5%,rest`, or `shop-a+shop-b,5%,rest` with accounts that go first. */
  readonly wave?: string | undefined;
  /** Such as `2%`. */
  readonly stopAt?: string | undefined;
  readonly surprise?: string | number | undefined;
}

type Read = Pick<RunOptions, "waves" | "stopAt" | "surprise">;

/**
 * Reads the waves and the limits of a run. Throws an InputError with all mistakes.
 * @param names all accounts of the fleet.
 */
export function readWaves({ wave, stopAt, surprise }: GivenWaves, names: readonly string[]): Read {
  const mistakes: Diagnostic[] = [];
  const wrong = (flag: string, expected: string, found: unknown, hint: string) => {
    const summary = `${flag}: expected ${expected}, found ${String(found)}`;
    mistakes.push({ severity: "error", code: "bad_arguments", summary, hint });
  };
  const parts = wave?.split(",").map((part) => part.trim()) ?? [];
  const waves = parts.flatMap((part, index) => readWave(part, index, names, wrong));
  if (parts.length > 0 && parts.indexOf("rest") !== parts.length - 1)
    wrong("--wave", "rest once, as the last wave", wave, "write it as in --wave 1,5%,rest");
  const share = stopAt === undefined ? undefined : readShare(stopAt);
  if (stopAt !== undefined && share === undefined)
    wrong("--stop-at", "a share from 0% to 100%", stopAt, "write it as in --stop-at 2%; 0% stops at the first failure");
  const deletions = surprise === undefined ? undefined : readNumber(String(surprise));
  if (surprise !== undefined && deletions === undefined)
    wrong("--surprise", "a number of deletions", surprise, "write it as in --surprise 5");
  if (mistakes.length > 0) throw new InputError({ type: "diagnostics", diagnostics: mistakes });
  return { waves, stopAt: share, surprise: deletions };
}

type Wrong = (flag: string, expected: string, found: unknown, hint: string) => void;

function readWave(part: string, index: number, names: readonly string[], wrong: Wrong): readonly Wave[] {
  if (part === "rest") return ["rest"];
  // As a number of accounts it could name all of them, where one is meant.
  const accounts = names.includes(part) ? undefined : readNumber(part);
  const share = readShare(part);
  if (accounts === 0 || share === 0 || (share === undefined && part.endsWith("%"))) {
    wrong("--wave", "at least 1 account, or a share up to 100%", part, "write it as in --wave 1,5%,rest");
    return [];
  }
  if (accounts !== undefined) return [{ accounts }];
  if (share !== undefined) return [{ share }];
  const given = part.split("+").map((name) => name.trim());
  if (index > 0)
    wrong("--wave", "a number, a share or rest after the first wave", part, "name accounts in the first wave alone");
  const known = new Set(names);
  for (const name of given.filter((each) => !known.has(each))) {
    const near = nearest(name, names);
    wrong(
      "--wave",
      "a number, a share, rest, or names of accounts with + between them",
      name === "" ? "an empty part" : name,
      near === undefined ? `the accounts are ${nameSome(names, 5)}` : `did you mean ${near}?`,
    );
  }
  return [{ names: [...new Set(given)] }];
}

const readNumber = (text: string): number | undefined => (/^\d{1,9}$/u.test(text) ? Number(text) : undefined);

/** Returns a share of 0 to 1. */
function readShare(text: string): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?)%$/u.exec(text)?.[1];
  return percent === undefined || Number(percent) > 100 ? undefined : Number(percent) / 100;
}

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
const changesOf = ({ counts }: Partial<Changed> = {}) =>
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
  const changed = new Map(accounts.map((each) => [each.account, each]));
  const neededBy = (name: string) => changed.get(name)?.needs.filter((need) => changed.has(need)) ?? [];
  // An account comes into this set behind all that it needs.
  const followed = new Set<string>();
  for (const { account } of accounts) findCircle(account, neededBy, followed);
  const places = new Map<string, { readonly changes: number; readonly depth: number }>();
  for (const name of followed) {
    const needed = neededBy(name).flatMap((need) => places.get(need) ?? []);
    const changes = Math.max(changesOf(changed.get(name)), ...needed.map((place) => place.changes));
    places.set(name, { changes, depth: Math.max(0, ...needed.map((place) => place.depth + 1)) });
  }
  const sorted = [...places].toSorted(
    ([a, one], [b, other]) => one.changes - other.changes || one.depth - other.depth || (a < b ? -1 : Number(a > b)),
  );
  return sorted.map(([account]) => account);
}
