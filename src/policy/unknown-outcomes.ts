import type { Begin, ReadJournal } from "../model/journal.ts";
import { kindOf } from "../model/address.ts";
import { whyNotRetried } from "../kinds/derived/repeatable.ts";
import { kindNamed } from "../kinds/index.ts";
import type { RunningApply, Unconfirmed } from "../model/inventory.ts";
import type { UnknownOutcome } from "../messages/refusal-words.ts";
import { refusals, type Refusal } from "../messages/refusals.ts";
import type { Plan, Step } from "../model/plan.ts";

/** The known outcomes of the requests of earlier applies. */
export interface EarlierRequests {
  /** Undefined where none is kept. */
  readonly journal: EarlierJournals | undefined;
  /** The mark of the last apply, where it did not end by itself. */
  readonly unended: RunningApply | undefined;
  /** Requests that no list shows so far. */
  readonly unconfirmed: readonly Unconfirmed[];
}

/** The journals of earlier applies: those that cannot be read (`kept`), the beginnings, and all that the last one tells (`last`). */
export interface EarlierJournals {
  /** Files of earlier journals that could not be read, and that have not been removed since. */
  readonly kept: readonly string[];
  /** Earlier applies whose beginning stands in a journal here. */
  readonly begun: readonly Begin[];
  /** The journal of the last apply, if that apply was interrupted. */
  readonly last: ReadJournal | undefined;
}

/**
 * Refuses what must not be done twice, if it is not known whether an earlier apply has done it: its journal cannot be read, or the
 * inventory tells of an apply that did not end, and its journal is not here, or an earlier apply has requested it and no list shows it.
 * Nothing else is refused for it. A step is refused once, and its hint names every command that is needed.
 */
export function refuseUnknownOutcomes(plan: Plan, { journal, unended, unconfirmed }: EarlierRequests): Plan {
  const unsure = journal && whyUnsure(journal, unended);
  const found = plan.steps.filter(isOnce).flatMap((step): Refusal[] => {
    const found = unconfirmed.find(({ address }) => address === step.address);
    const sent = found && { at: found.at, operation: found.operation, id: found.id };
    if (unsure) return [refusals.journalLost(step, unsure, sent)];
    return sent ? [refusals.unconfirmed(step, sent)] : [];
  });
  return found.length === 0 ? plan : { ...plan, refusals: [...plan.refusals, ...found] };
}

function whyUnsure(
  { kept, begun, last }: EarlierJournals,
  unended: RunningApply | undefined,
): UnknownOutcome | undefined {
  const lost = unended && !begun.some((begin) => isSameApply(begin, unended)) ? unended : undefined;
  if (kept.length > 0) return { is: "unreadable", files: kept, isLocked: lost !== undefined };
  const [sent, recorded] = [unended?.once ?? 0, last?.once ?? 0];
  if (unended && !lost && sent > recorded)
    return { is: "incomplete", by: unended.by, since: unended.since, recorded, sent };
  return lost && { is: "elsewhere", by: lost.by, since: lost.since };
}

/** A process writes its name into both. */
const isSameApply = (begin: Begin, { host, pid, process }: RunningApply) =>
  begin.host === host && begin.pid === pid && begin.process === process;

export const isOnce = ({ address, calls }: Step) =>
  calls.some((call) => whyNotRetried(kindNamed(kindOf(address)), call) !== undefined);
