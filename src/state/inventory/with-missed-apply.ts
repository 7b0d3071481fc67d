import type { ReadInventory } from "../../model/inventory.ts";
import { containsCommit, findMissed } from "../git/contains-commit.ts";
import type { Repository } from "../git/repository.ts";
import type { LoadedInventory } from "./inventory-store.ts";
import { notice } from "./inventory-notices.ts";

/** Compares the commits of the last applies with HEAD. */
export async function withMissedApply(
  seen: LoadedInventory,
  repository: Repository | undefined,
): Promise<ReadInventory> {
  const { running, lastApply } = seen.inventory ?? {};
  // An apply that was cut off has made what only its own commit declares.
  const commits = [running?.commit, lastApply?.commit, ...(seen.alsoApplied ?? [])].filter(
    (each) => each !== undefined,
  );
  const answers = await Promise.all(
    commits.map(async (each) => (repository ? await containsCommit(repository, each) : "unknown")),
  );
  const contains = answers.find((answer) => answer === "no") ?? answers.find((answer) => answer === "unknown") ?? "yes";
  const commit = commits[answers.indexOf(contains)];
  const missed = contains === "yes" || commit === undefined ? undefined : { commit, isCertain: contains === "no" };
  const [by, time] = commit === running?.commit ? [running?.by, running?.since] : [lastApply?.by, lastApply?.time];
  const isRecorded = commit === running?.commit || commit === lastApply?.commit;
  return {
    inventory: seen.inventory,
    headContainsLastApply: contains,
    ...(missed && {
      missed: {
        ...missed,
        ...(isRecorded && by !== undefined && { by }),
        ...(isRecorded && time !== undefined && { time }),
        ...(lastApply?.dirty === true && commit === lastApply.commit && { dirty: true }),
        ...(repository ? await findMissed(repository, missed.commit) : { isHere: false }),
      },
    }),
    ...(seen.isUndecided === true && { isUndecided: true }),
    ...(seen.isUnshared === true && { isUnshared: true }),
    notices: [...seen.notices, ...(commit !== undefined && contains === "unknown" ? [unknownDescent(commit)] : [])],
  };
}

const unknownDescent = (commit: string) =>
  notice(
    "inventory_commit_unknown",
    `The last apply was of commit ${commit.slice(0, 12)}, and this clone cannot tell whether it is part of its history`,
    "fetch the whole history (fetch-depth: 0)",
  );
