import { isConfirmed } from "../../journal/resolve-in-flight.ts";
import { repeatUntil, type Clock } from "../../lib/repeat-until.ts";
import type { Address } from "../../model/address.ts";
import type { Result } from "../../model/failure.ts";
import type { Unconfirmed } from "../../model/inventory.ts";
import type { OpenJournal } from "../../model/journal.ts";
import { ownedAfter } from "../../saved-plans/ownership-change.ts";
import type { Plan } from "../../model/plan.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import type { Report } from "../../model/report.ts";
import type { Live } from "../../model/resource.ts";
import type { ListSource } from "../../live/read-live.ts";
import { prepare } from "../../plan/prepare.ts";
import { knownPart } from "../../policy/known-steps.ts";
import type { Ending } from "../session/host.ts";
import { emitPending } from "../plan.ts";
import { refreshAndPlan, reportLists, unavailable, type PlanFromLive } from "../session/read-and-plan.ts";
import type { Run } from "./run.ts";

/** The records of the requests that a run has sent. */
interface SentRecords {
  readonly journal: OpenJournal | undefined;
  readonly unconfirmed: readonly Unconfirmed[];
}

/** Reads back what a run has applied, until nothing differs or the time is over, and shows what is left. Returns how the run ends. */
export async function converge(run: Run, plan: Plan, report: Report, sent: SentRecords): Promise<Ending> {
  const { io, open, options, owned } = run;
  const asked = withOwned(run.asked, plan);
  const read = await readBack(reportLists(open.connection, io), asked, options.settle * 1000, {
    ...io,
    stop: open.connection.stop,
  });
  if (read.ok) await forgetShown({ asked, owned }, sent, read.value.live);
  if (open.connection.stop.aborted && !run.lock.lost()) return "interrupted";
  if (read.ok) return showRest(run, report, read.value);
  io.emit({ type: "not_confirmed" });
  return unavailable(read.error, io);
}

/** Objects that this run has made are ours when they are read back. */
function withOwned(asked: Run["asked"], { owned }: Plan): Run["asked"] {
  // The requests that were due are sent, or reported as failed.
  const { afterDue: _sent, ...ownership } = asked.ownership;
  const { names } = ownership;
  if (names) return { ...asked, ownership: { ...ownership, names: new Set([...names, ...owned.addresses]) } };
  if (!ownership.inventory) return { ...asked, ownership };
  return { ...asked, ownership: { ...ownership, inventory: ownedAfter({ owned }) } };
}

const firstWait = 250;

/** Reads back and plans again, until nothing differs or the time is over: some servers answer reads a little behind their writes. */
function readBack(
  source: ListSource,
  asked: Omit<PlanInput, "live" | "now">,
  milliseconds: number,
  { now, sleep, stop }: Clock & { readonly stop: AbortSignal },
): Promise<Result<PlanFromLive>> {
  // A value that was sent again once is not to be sent again for ever.
  const settled = { ...asked, consent: { ...asked.consent, rotations: new Set<Address>() } };
  return repeatUntil(
    { now, sleep },
    { milliseconds, firstWait, stop },
    () => refreshAndPlan(source, { ...settled, now: now() }),
    (made) => !made.ok || (made.value.plan.steps.length === 0 && made.value.plan.refusals.length === 0),
  );
}

/** Forgets what the lists show now of what was sent. */
async function forgetShown(
  { asked, owned }: Pick<Run, "asked" | "owned">,
  { journal, unconfirmed }: SentRecords,
  read: Live,
): Promise<void> {
  const { live } = prepare({ ...asked, live: read });
  await journal?.confirm(live);
  const open = unconfirmed.filter((each) => !isConfirmed(each, live));
  if (open.length < unconfirmed.length) await owned.record.confirm(open);
}

/** Shows what still differs, as far as it is known, what could not be read, and what waits for a person or a registry. */
function showRest(run: Run, report: Report, { plan, live }: PlanFromLive): Ending {
  const { asked, io, knowsAllDeclared } = run;
  const known = knownPart(plan);
  const rest = knowsAllDeclared ? known : { ...known, unmanaged: [] };
  const differs = rest.steps.length > 0 || rest.refusals.length > 0;
  if (differs) io.emit({ type: "not_converged" });
  else if (rest.incomplete.length > 0) io.emit({ type: "not_confirmed" });
  io.emit({ type: "plan", plan: rest, rest: !knowsAllDeclared });
  if (differs) return "not_converged";
  // Of what this apply has begun, the report says; the rest, begun by an earlier one, is said here.
  const reported = new Set(
    report.outcomes.flatMap(({ step, outcome }) =>
      outcome.is === "done" && outcome.external !== undefined ? [step.address] : [],
    ),
  );
  const earlier = emitPending({ ...asked, live }, io, reported);
  if (rest.incomplete.length > 0) return "refused";
  return reported.size > 0 || earlier > 0 ? "pending_elsewhere" : "done";
}
