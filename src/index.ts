/**
 * Hostform as a library: `import { plan, apply } from "hostform"`. The functions do what the commands of the same names do, without
 * a terminal: they print nothing, ask nobody but `approve`, and return data. They throw only for a defect of Hostform.
 */
import type { Ending, Session } from "./engine/session/host.ts";
import { alwaysConfirm, type RunOptions as EngineRunOptions } from "./engine/session/run-options.ts";
import { readGlobs } from "./engine/session/read-addresses.ts";
import { badArguments, inputError } from "./engine/session/input-error.ts";
import type { Plan } from "./model/plan.ts";
import {
  engineOptions,
  type ApplyOptions,
  type ApplySavedPlanOptions,
  type DriftOptions,
  type ImportOptions,
  type ManifestOptions,
  type PlanOptions,
  type SnapshotOptions,
  type StatusOptions,
} from "./library/options.ts";
import {
  collect,
  type ApplyResult,
  type DriftResult,
  type ImportResult,
  type PlanResult,
  type SavedPlan,
  type SnapshotResult,
  type StatusResult,
  type ValidateResult,
} from "./library/results.ts";
import type { OpenStores } from "./library/open-stores.ts";

export type { Address } from "./model/address.ts";
export type { Diagnostic } from "./model/diagnostic.ts";
export type { Drift, DriftItem } from "./model/drift.ts";
export type { Ending } from "./engine/session/host.ts";
export type { EngineEvent } from "./engine/session/events.ts";
export type { Failure } from "./model/failure.ts";
export type { Plan, Step } from "./model/plan.ts";
export type { Report, StatusRow } from "./model/report.ts";
export type { JournalLines, JournalStore, StoredJournal } from "./journal/journal-store.ts";
export type { HistoryEntry, InventoryStore, LoadedInventory, StoreResult } from "./state/inventory/inventory-store.ts";
export type { ReadRegister, Register as LeaseRegister, SwappedRegister } from "./state/lease/register.ts";
export type { SharedPace } from "./api/shared-pace.ts";
export type { AskedApi, KnownApis, Stores } from "./engine/session/host.ts";
export type { KnownInventory } from "./state/inventory/known-inventories.ts";
export type { OpenStores } from "./library/open-stores.ts";
export type {
  ApplyOptions,
  ApplySavedPlanOptions,
  Approval,
  ChangeOptions,
  CommonOptions,
  DriftOptions,
  ImportOptions,
  ManifestOptions,
  PathOrText,
  PlanOptions,
  RunOptions,
  SelectionOptions,
  SnapshotOptions,
  StatusOptions,
  TargetOptions,
  VariableValue,
} from "./library/options.ts";
export type {
  ApplyResult,
  DriftResult,
  ImportResult,
  PlanResult,
  SavedPlan,
  SnapshotResult,
  StatusResult,
  TargetResult,
  ValidateResult,
} from "./library/results.ts";

/** Checks manifests as far as that is possible without the API. Ends with `done` or `wrong_input`. */
export async function validate(options: ManifestOptions): Promise<ValidateResult> {
  const { validateManifest } = await import("./engine/validate.ts");
  const { ending, diagnostics } = await collect("validate", options, (io) =>
    validateManifest(ofManifests(options), io),
  );
  return { ending, diagnostics };
}

/** Reads the live state and returns what an apply would do. Changes nothing, and writes no file. Ends with `changes` if there is something to do. */
export async function plan(options: PlanOptions): Promise<PlanResult> {
  const { planManifest } = await import("./engine/plan.ts");
  const kept: { saved?: SavedPlan; undo?: SavedPlan } = {};
  const found = await collect("plan", options, (io) => {
    const { out = false, undoOut = false, policy, ...given } = options;
    const places = {
      judge: judgeOf(policy),
      out: out ? (saved: SavedPlan) => void (kept.saved = saved) : undefined,
      undoOut: undoOut ? (undo: SavedPlan) => void (kept.undo = undo) : undefined,
    };
    return planManifest({ ...ofManifests(given), ...places, detailedExitcode: true }, io);
  });
  const { ending, diagnostics, failure } = found;
  return { ending, diagnostics, failure, plan: found.plan, ...kept };
}

/** Plans, asks `approve`, runs exactly that plan, reads back and plans again. */
export async function apply(options: ApplyOptions): Promise<ApplyResult> {
  const { applyManifest } = await import("./engine/apply.ts");
  return run("apply", options, (asking, io) => {
    const { approve, ...given } = options;
    if (approve === undefined)
      throw inputError("cannot_ask", "Nobody approves the plan", "give `approve`: a function, or the hash of a plan");
    return applyManifest({ ...ofManifests(given), ...asking }, io);
  });
}

/**
 * Carries out a saved plan: reads what it touches, and refuses it if anything of that has moved since it was made. Where the manifests are
 * kept in git, it needs a `checkout` of them.
 */
export async function applySavedPlan(options: ApplySavedPlanOptions): Promise<ApplyResult> {
  const { applySavedPlan: applyPlan } = await import("./engine/apply-plan-file.ts");
  return run("applySavedPlan", options, (asking, io) => {
    const { approve: _approve, plan: saved, ...given } = options;
    if (saved === undefined)
      throw inputError("no_plan", "No plan is given", "give `plan`: its text, or the path of its file");
    return applyPlan({ ...engineOptions(given), ...asking, plan: saved }, io);
  });
}

/** Compares the live state with the manifest as it was last applied. Ends with `changes` if something has drifted. */
export async function drift(options: DriftOptions): Promise<DriftResult> {
  const { showDrift } = await import("./engine/drift.ts");
  const found = await collect("drift", options, (io) => {
    const { tolerate = [], unmanaged = false, accept } = options;
    return showDrift({ ...ofManifests(options), tolerate, unmanaged, accept }, io);
  });
  const { ending, diagnostics, failure } = found;
  return { ending, diagnostics, failure, drift: found.drift };
}

/** Reads how live resources are doing: pending, failed, missing, expiring. */
export async function status(options: StatusOptions): Promise<StatusResult> {
  const { showStatus } = await import("./engine/status.ts");
  const { ending, diagnostics, failure, rows } = await collect("status", options, async (io) => {
    const { address, failOn: failsOn = () => false, ...given } = options;
    return showStatus({ ...engineOptions(given), address, failsOn }, io);
  });
  return { ending, diagnostics, failure, rows };
}

/** Reads the live state, without secrets, as a text that `live` takes where there is neither key nor network. Writes no file. */
export async function snapshot(options: SnapshotOptions): Promise<SnapshotResult> {
  const { readSnapshot, snapshotText } = await import("./engine/snapshot.ts");
  let text: string | undefined;
  const { ending, diagnostics, failure } = await collect("snapshot", options, async (io) =>
    readSnapshot({ ...engineOptions(options), file: options.manifests }, io, (taken) => {
      text = snapshotText(taken);
    }),
  );
  return { ending, diagnostics, failure, text };
}

/** Returns the manifest that a person would have written for an account, or writes it. Ends with `done` if a plan of it changes nothing. */
export async function importAccount(options: ImportOptions): Promise<ImportResult> {
  const engine = await import("./engine/import-account.ts");
  const written = new Map<string, string>();
  const found = await collect("importAccount", options, async (io) => {
    const { folder, into, layout = "folder", kind = [], own = false } = options;
    const texts = folder === undefined && into === undefined ? written : undefined;
    if (folder !== undefined && into !== undefined)
      throw badArguments("Both `folder` and `into` are given", "give one of them");
    if (texts && own) throw badArguments("`own` needs a manifest that is written", "give `folder` or `into`");
    const only = readGlobs(options.only ?? []);
    return engine.importAccount(
      { ...engineOptions(options), folder: folder ?? "hosting", into, layout, kind, own, only, texts },
      io,
    );
  });
  const { ending, diagnostics, failure } = found;
  const files = written.size ? Object.fromEntries(written) : undefined;
  return { ending, diagnostics, failure, plan: found.plan, files };
}

/**
 * Keeps inventories, leases and journals in a folder, which is made if it is not there: for runs on one machine, or where all of them see one
 * disk. Throws where the folder cannot be made.
 */
export async function fileStores(folder: string): Promise<OpenStores> {
  return (await import("./library/open-stores.ts")).storesInFiles(folder);
}

/** Keeps inventories and leases in a git repository, and at its remote where it has one. Journals stay on this machine. Throws where there is none. */
export async function gitStores(repositoryFolder: string): Promise<OpenStores> {
  return (await import("./library/open-stores.ts")).storesInGit(repositoryFolder);
}

/**
 * Keeps inventories, leases, journals and the pace of requests in a PostgreSQL database. `url`: `postgres://USER:PASSWORD@HOST:5432/DATABASE`.
 * Throws for another text, for a database that cannot be reached, and where its tables are not those of this version: see `migratePostgres`.
 */
export async function postgresStores({ url }: { readonly url: string }): Promise<OpenStores> {
  return (await import("./postgres/library-stores.ts")).storesInPostgres(url);
}

/** Brings the tables of a database to this version, as a role that may make them. Throws where they are newer, and as `postgresStores` does. */
export async function migratePostgres({ url }: { readonly url: string }): Promise<void> {
  await (await import("./postgres/library-stores.ts")).migrateDatabase(url);
}

type Asking = Pick<EngineRunOptions, "confirm" | "judge"> & { readonly approve: string | undefined };

/** Runs a function of the engine that asks about its plan. A hash is the answer to all that would be asked. */
async function run(
  of: "apply" | "applySavedPlan",
  options: ApplyOptions | ApplySavedPlanOptions,
  work: (asking: Asking, io: Session) => Promise<Ending>,
): Promise<ApplyResult> {
  let shown: Plan | undefined;
  const found = await collect(of, options, async (io) => {
    const { approve, policy } = options;
    const emit: Session["emit"] = (event) => {
      const made = event.type === "plan" ? frozen(event.plan) : undefined;
      shown ??= made;
      io.emit(event);
    };
    // An apply that is stopped still reads what became of its writes.
    const own = { ...io, stop: undefined, emit };
    const judge = judgeOf(policy);
    if (typeof approve !== "function") return work({ approve, judge, confirm: alwaysConfirm }, own);
    const confirm = async () => {
      // A program without types may answer with a text such as "false": only true is consent.
      const answer: unknown = shown !== undefined && (await approve(shown));
      return answer === true ? "approved" : "declined";
    };
    return work({ approve: undefined, judge, confirm }, own);
  });
  const { ending, diagnostics, failure, report } = found;
  return { ending, diagnostics, failure, plan: found.plan, report };
}

/** Returns options as the engine takes them. Throws an InputError where they name no manifest. */
function ofManifests(options: Parameters<typeof engineOptions>[0]) {
  if (!options.manifests?.length)
    throw inputError("no_manifest", "No manifest is given", "give `manifests`: a list of paths");
  return engineOptions(options);
}

const judgeOf = (policy: PlanOptions["policy"]) =>
  policy &&
  (async (made: Plan) => {
    // A program without types may return one line, or forget to return any.
    const lines: unknown = await policy(frozen(made));
    if (Array.isArray(lines) && lines.every((line) => typeof line === "string")) return lines;
    const found = Array.isArray(lines) ? "a list" : lines === null ? "null" : typeof lines;
    throw badArguments(
      `policy: expected that it returns a list of texts, found ${found}`,
      "return [] to allow the plan",
    );
  });

/** Makes a value one that nobody can change: what is run is the plan that was approved. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
