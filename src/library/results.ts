import { knownSecrets } from "../engine/secrets/known-secrets.ts";
import type { Ending, Session, Stores } from "../engine/session/host.ts";
import { diagnosticsOf, type Emit } from "../engine/session/events.ts";
import { refusedInput } from "../engine/session/input-error.ts";
import { nodeHost, withoutEmpty } from "../engine/session/node-host.ts";
import { readStream } from "../lib/read-file.ts";
import { mistakeDiagnostics } from "../messages/mistakes.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Drift } from "../model/drift.ts";
import type { Failure } from "../model/failure.ts";
import type { Plan } from "../model/plan.ts";
import type { Report, StatusRow } from "../model/report.ts";
import { wrongOption } from "./check-options.ts";
import type { CommonOptions } from "./options.ts";

/** The result of `validate`, and what every result has. */
export interface ValidateResult {
  readonly ending: Ending;
  /** Mistakes and notices, in the order in which they were found. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The part that is common to the results of all functions that speak to an API. */
export interface TargetResult extends ValidateResult {
  /** Why the API could not be used; undefined if it could. */
  readonly failure: Failure | undefined;
}

/** A plan that can be applied later and by another process. It holds no secrets: an apply looks them up again. */
export interface SavedPlan {
  /** JSON in UTF-8, as in the file of `hostform plan --out`. It is to be kept as it is: one that was altered is refused. */
  readonly text: string;
  /** The hash that approves it: `sha256:` and 64 digits. */
  readonly hash: string;
}

/** The result of `plan`. */
export interface PlanResult extends TargetResult {
  /** Undefined if a mistake, or the API, kept Hostform from planning. */
  readonly plan: Plan | undefined;
  /** With `out`, if there is a plan. One with refusals needs its hash as approval. */
  readonly saved?: SavedPlan;
  /** With `undoOut`, if there is a plan. */
  readonly undo?: SavedPlan;
}

/** The result of `apply` and `applySavedPlan`. `plan` is the plan that `approve` was asked about. */
export interface ApplyResult extends TargetResult, Pick<PlanResult, "plan"> {
  /** Undefined if nothing was run. */
  readonly report: Report | undefined;
}

/** The result of `drift`. */
export interface DriftResult extends TargetResult {
  /** Undefined if it is not known what has drifted; `diagnostics` and `failure` say why. */
  readonly drift: Drift | undefined;
}

/** The result of `status`. */
export interface StatusResult extends TargetResult {
  /** Sorted by address; undefined if the API could not be read. */
  readonly rows: readonly StatusRow[] | undefined;
}

/** The result of `snapshot`. */
export interface SnapshotResult extends TargetResult {
  /** JSON, without secrets, for `live` of other functions; undefined if the API could not be read. Ends with `refused` where a list is incomplete. */
  readonly text: string | undefined;
}

/** The result of `importAccount`. */
export interface ImportResult extends TargetResult {
  /** The plan of the imported manifest. Undefined if there is none. */
  readonly plan: Plan | undefined;
  /** The texts of the files by their names in the folder; undefined where they were written, or where there are none. */
  readonly files: Readonly<Record<string, string>> | undefined;
}

/** The findings of a call, by its events. */
export type Found = Partial<ApplyResult & DriftResult & StatusResult> & ValidateResult;

/**
 * Runs an operation of the engine, and returns what its events tell. Each call has secrets of its own, so that those of another account
 * are neither known nor masked.
 */
export async function collect(
  of: "validate" | "plan" | "apply" | "applySavedPlan" | "drift" | "status" | "snapshot" | "importAccount",
  options: CommonOptions & { readonly stores?: Stores },
  run: (io: Session) => Promise<Ending>,
): Promise<Found> {
  const diagnostics: Diagnostic[] = [];
  const found: { -readonly [Name in keyof Omit<Found, "ending">]: Found[Name] } = { diagnostics };
  const wrong = wrongOption(of, options);
  if (wrong) return { ending: wrong.ending, ...found, diagnostics: mistakeDiagnostics(wrong.mistake) };
  const { env = process.env, onEvent, signal, stores } = options;
  if (signal?.aborted === true) return { ending: "interrupted", ...found };
  const notTaken = (error: unknown) => {
    const [code, summary] = ["event_not_taken", `onEvent failed: ${String(error)}`];
    if (!diagnostics.some((each) => each.code === code)) diagnostics.push({ severity: "warning", code, summary });
  };
  const emit: Emit = (event) => {
    diagnostics.push(...(diagnosticsOf(event) ?? []));
    if (event.type === "plan") found.plan ??= event.plan;
    if (event.type === "report") found.report = event.report;
    if (event.type === "failure") found.failure = event.failure;
    if (event.type === "drift") found.drift = event.drift;
    if (event.type === "status") found.rows = event.rows;
    new Promise<void>((resolve) => resolve(onEvent?.(event))).catch(notTaken);
  };
  const stop = new AbortController();
  const onAbort = () => stop.abort();
  signal?.addEventListener("abort", onAbort);
  const host = nodeHost();
  const io: Session = {
    emit,
    ...host,
    ...knownSecrets(),
    stores,
    call: stores && host.newId(),
    env: withoutEmpty(env),
    readStdin: (maxBytes) => readStream(process.stdin, maxBytes),
    onInterrupt: (handler) => {
      if (stop.signal.aborted) handler();
      else stop.signal.addEventListener("abort", handler, { once: true });
    },
    stop: stop.signal,
  };
  try {
    const ending = await run(io);
    const isCutOff =
      stop.signal.aborted && found.report === undefined && ["api_unavailable", "refused"].includes(ending);
    return { ending: isCutOff ? "interrupted" : ending, ...found };
  } catch (error) {
    const mistaken = refusedInput(error);
    if (!mistaken) throw error;
    emit({ type: "diagnostics", diagnostics: mistakeDiagnostics(mistaken.mistake) });
    return { ending: mistaken.ending, ...found };
  } finally {
    // A signal may outlive many calls.
    signal?.removeEventListener("abort", onAbort);
  }
}
