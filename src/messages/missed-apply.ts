import { counted, nameSome } from "../lib/shorten.ts";
import type { Address } from "../model/address.ts";
import type { MissedApply } from "../model/inventory.ts";

/** Says at which addresses a plan takes the last apply back. `isKnown`: whether git shows that. */
export function takenBack(addresses: readonly Address[], isKnown: boolean): string {
  const named = nameSome(addresses, 10);
  return isKnown
    ? `this plan would delete or revert ${named}`
    : `this plan deletes or changes ${named}, and git cannot tell whether that takes back the last apply`;
}

/** Says which apply this branch does not contain, as far as that is known, and how to get its commit. */
export function describeMissed(missed: Omit<MissedApply, "base"> | undefined, now: number): string {
  const onlyIf = "Only if you mean to go back: --rollback";
  if (!missed) return `This branch is not known to contain the commit of the last apply. ${onlyIf}`;
  const { commit, by, time, branch = "main", isHere, isCertain, dirty, isAfterPlan } = missed;
  const short = commit.slice(0, 7);
  const known = [by, ageOf(time, now), dirty === true ? "with changes that it does not declare" : undefined]
    .filter((each) => each !== undefined)
    .join(", ");
  const applied = `${branch} was applied at ${short}${known === "" ? "" : ` (${known})`}`;
  if (isAfterPlan) return `${applied}, a newer commit than that of this plan: plan again. ${onlyIf}`;
  if (!isCertain)
    return `${applied}, and this clone cannot tell whether this branch contains it: fetch the whole history (git fetch --unshallow, or fetch-depth: 0 in CI). ${onlyIf}`;
  const merge = isHere
    ? `git merge ${short}`
    : `git fetch && git merge ${short} (if git does not know that commit, it has not been pushed yet)`;
  return `${applied}, and this branch does not contain it: ${merge}. ${onlyIf}`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Returns how long ago a time was, in the largest unit that fits. */
function ageOf(time: string | undefined, now: number): string | undefined {
  const age = now - Date.parse(time ?? "");
  if (Number.isNaN(age)) return undefined;
  const found = units.find(([, each]) => age >= each);
  return found ? `${counted(Math.floor(age / found[1]), found[0])} ago` : "just now";
}
