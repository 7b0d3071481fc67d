import { hasErrors, type Diagnostic } from "../model/diagnostic.ts";
import type { Ending, Session, Host } from "./session/host.ts";
import { planManifest, type PlanOptions } from "./plan.ts";
import { withPlaceholders } from "./rehearsal/placeholders.ts";
import { planToSave } from "./run/saved-plan-file.ts";
import type { SeedProblem } from "../emulator/index.ts";
import { locate } from "../kinds/derived/collection.ts";
import type { Plan, Step, StepId } from "../model/plan.ts";
import type { RehearsalFinding, Rehearsal } from "../model/report.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { prepare } from "../plan/prepare.ts";
import { checkEnd, openSandbox, type Sandbox, type SandboxOptions } from "./rehearsal/sandbox.ts";
import { crashSweep } from "./rehearsal/crash-sweep.ts";
import { seedFromLive, type LiveSeed } from "./rehearsal/seed-from-live.ts";
import type { PlanFromLive } from "./session/read-and-plan.ts";
import type { Address } from "../model/address.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { canonicalJson, linesOf, type Line } from "../saved-plans/lines.ts";

export interface RehearseOptions extends Omit<PlanOptions, "detailedExitcode" | "live" | "out" | "undoOut"> {
  /** Whether the run is cut off at every call, too. */
  readonly crashSweep: boolean;
}

/** Plans as `plan` does, and carries the plan out on an embedded service that holds the same. The real API is only read. */
export const rehearseManifest = (options: RehearseOptions, io: Session): Promise<Ending> =>
  planManifest({ ...options, detailedExitcode: false }, io, (made, { readSecret }) =>
    rehearseAndTell({ ...made, ...options, readSecret }, io),
  );

/** Rehearses a plan that nothing refuses, with placeholders for the secrets that have no value, and says what came of it: done, wrong input, refused (no rehearsal is possible) or not converged. */
export async function rehearseAndTell(asked: ToRehearse, io: Session): Promise<Ending> {
  const { readSecret, diagnostics } = withPlaceholders(asked.plan, asked.readSecret, io.now());
  io.emit({ type: "diagnostics", diagnostics });
  if (hasErrors(diagnostics)) return "wrong_input";
  const rehearsal = await rehearsePlan({ ...asked, readSecret }, io);
  io.emit({ type: "rehearsal", rehearsal });
  if (rehearsal.findings.length === 0) return "done";
  return rehearsal.findings.some(({ stage }) => stage === "seed") ? "refused" : "not_converged";
}

/** The input of a rehearsal: data alone, so that nothing of it can reach the real API. */
/** `readSecret`: has a value for every secret that the plan sends (placeholders.ts). */
export interface ToRehearse extends Pick<SandboxOptions, "input" | "readSecret" | "parallelism"> {
  readonly plan: Plan;
  readonly crashSweep: boolean;
}

/**
 * Fills an embedded service with the live state, sees that it comes to the same plan there, runs that, plans again; and, if asked,
 * cuts it off at every call.
 */
export async function rehearsePlan(given: ToRehearse, io: Session): Promise<Rehearsal> {
  const started = io.now();
  const { input, plan, readSecret, parallelism } = given;
  const namePrefix = prefixOf(input);
  const sandbox = await openSandbox({ input, owned: plan.owned.addresses, readSecret, parallelism, namePrefix }, io);
  try {
    const seed = seedFromLive(input, sandbox.builtIn);
    const misfits = sandbox.fill(seed);
    io.emit({
      type: "diagnostics",
      diagnostics: [...misfits.map((misfit) => tellMisfit(seed, misfit)), ...seed.standIns.map(tellStandIn)],
    });
    const skipped = misfits.filter(({ held }) => !held).length;
    const objects = [...seed.items.values()].reduce((sum, { length }) => sum + length, 0) - skipped;
    const shown = await rehearse(sandbox, given, io);
    return { objects, steps: plan.steps.length, ...shown, milliseconds: io.now() - started };
  } finally {
    await sandbox.close();
  }
}

async function rehearse(
  sandbox: Sandbox,
  { input, plan, parallelism, crashSweep: sweeping }: ToRehearse,
  io: Session,
): Promise<Pick<Rehearsal, "calls" | "cuts" | "findings">> {
  const first = await sandbox.plan();
  const calls = first.plan.steps.reduce((sum, step) => sum + step.calls.length, 0);
  const unlike = compareSeeded(sandbox, { input, plan }, first, io);
  if (unlike) return { calls, findings: [unlike] };
  const putBack = sandbox.keep();
  const report = await sandbox.run(first, { connection: sandbox.connection, parallelism });
  const details = await checkEnd(sandbox, first, report);
  const summary = "The plan does not come to its end";
  if (details.length > 0) return { calls, findings: [{ stage: "run", summary, details }] };
  if (!sweeping) return { calls, findings: [] };
  putBack();
  return { calls, ...(await crashSweep(sandbox, first, calls, io)) };
}

/** Only where it comes to the same plan does the embedded service stand for the live state. */
function compareSeeded(
  sandbox: Sandbox,
  { input, plan }: Pick<ToRehearse, "input" | "plan">,
  first: PlanFromLive,
  io: Host,
): RehearsalFinding | undefined {
  const planned = planToSave(input, plan, { folder: "." }, io).saved;
  const staged = planToSave({ ...sandbox.input, live: first.live }, first.plan, { folder: "." }, io).saved;
  const details = [
    ...differingSteps(planned, staged).map((id) => `differs: ${id}`),
    ...first.plan.refusals.map(({ summary }) => `refused: ${summary}`),
  ];
  return details.length === 0
    ? undefined
    : {
        stage: "seed",
        summary:
          "This plan cannot be rehearsed, because the embedded service's copy of the live state gives a different plan",
        details,
      };
}

/** Returns the prefix that the server puts before names that users choose, as far as a live name shows it. */
function prefixOf(input: PlanInput): string {
  for (const [address, { key }] of prepare(input).live.resources) {
    const { kind, key: declared } = locate(address);
    if (kind.naming.prefixed === undefined) continue;
    const [actual = "", wanted = ""] = [key[kind.naming.prefixed], declared[kind.naming.prefixed]];
    if (actual !== wanted && actual.endsWith(`_${wanted}`)) return actual.slice(0, -wanted.length - 1);
  }
  return "";
}

/** The texts of fields may hold live values, so only their names are printed. */
function tellMisfit({ items }: LiveSeed, { kind, index, errors, held }: SeedProblem): Diagnostic {
  const address = items.get(kind)?.[index]?.address ?? kind;
  const { "": whole = [], ...fields } = errors;
  const names = Object.keys(fields).join(", ");
  return {
    severity: "notice",
    code: "not_rehearsed",
    summary: held
      ? `The rehearsal takes ${names} of ${address} for the default: the embedded service cannot hold what is there`
      : `The rehearsal is without ${address}: the embedded service cannot hold ${names === "" ? "it" : `its ${names}`}`,
    ...(whole.length > 0 && { detail: whole.join(" ") }),
  };
}

const tellStandIn = (address: string): Diagnostic => ({
  severity: "notice",
  code: "stand_in",
  summary: `The rehearsal takes ${address} to be there: others need it, and it was not read`,
});

/** The steps that are not the same in both plans, or only in one, by the rule of a plan's hash; the target does not count. */
function differingSteps(planned: SavedPlan, rehearsed: SavedPlan): StepId[] {
  const byId = new Map(planned.steps.map((step) => [step.id, step]));
  const comparable = rehearsed.steps.map((step) => asReported(step, byId.get(step.id)));
  const [ours, theirs] = [texts(planned.steps, planned), texts(comparable, planned)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].filter((id) => ours.get(id) !== theirs.get(id));
}

/** A resource that is deleted or created again is shown with all its fields: without the fields that the real API does not tell and the embedded service does. */
function asReported(step: Step, planned: Step | undefined): Step {
  if (!planned || (step.action !== "delete" && !step.replaces)) return step;
  const reported = new Set(planned.changes.map(({ path }) => path));
  return { ...step, changes: step.changes.filter(({ path }) => reported.has(path)) };
}

function texts(steps: readonly Step[], { resources }: SavedPlan): Map<StepId, string> {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return new Map(
    steps.map((step) => {
      const lines = linesOf(step, declared.get(step.address)).flatMap(asEveryApi);
      return [step.id, canonicalJson(lines)];
    }),
  );
}

/**
 * A line of a step without what each API has of its own: its calls, its order, what puts back what is deleted for it (an API that writes
 * sets deletes nothing), and the records that every zone has, which go with it.
 */
function asEveryApi(line: Line): Line[] {
  if (line.is === "change" || line.is === "declares") return [line];
  if (line.is !== "step") return [];
  const { takesAlong = [], ...step } = line;
  return [{ ...step, takesAlong: takesAlong.filter((address) => !isOfEach(address)) }];
}

function isOfEach(address: Address): boolean {
  const { kind, key } = locate(address);
  return kind.serverMade?.mayBeOwn?.(key) === true;
}
