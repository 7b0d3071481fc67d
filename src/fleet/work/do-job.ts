import { dirname } from "node:path";
import { showDrift } from "../../engine/drift.ts";
import { applySavedPlan } from "../../engine/apply-plan-file.ts";
import { planManifest } from "../../engine/plan.ts";
import type { Ending, Session, AskedApi, KnownApis, Stores } from "../../engine/session/host.ts";
import { alwaysConfirm, type Judge } from "../../engine/session/run-options.ts";
import { engineOptions } from "../../library/options.ts";
import { collect, type Found, type SavedPlan } from "../../library/results.ts";
import { nameSome } from "../../lib/shorten.ts";
import { describeFailure } from "../../api/network-failure.ts";
import type { HttpCall } from "../../model/http-call.ts";
import type { Failure } from "../../model/failure.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Drift } from "../../model/drift.ts";
import type { Plan, Step } from "../../model/plan.ts";
import type { Report } from "../../model/report.ts";
import { countedSteps } from "../../policy/known-steps.ts";
import { keyOfWorker, keyPlace, readAccountKey } from "../file/account-key.ts";
import { readDigest } from "../file/digest.ts";
import type { Account, AccountState, Counts, Fleet } from "../model.ts";
import type { JobResult, JobTask } from "../store/job-store.ts";

/** The means of a worker, beside the account. */
export interface JobMeans {
  readonly fleet: Fleet;
  readonly env: Session["env"];
  readonly stores: Stores;
  /** Returns the APIs to which the account, and the key of that source, are known to belong. */
  readonly known: (keySource: string, asked: AskedApi) => Promise<readonly KnownApis[]>;
  /** Aborted when the worker ends, or has lost its lease. */
  readonly signal: AbortSignal;
  /** Folders beside the fleet's that secrets may lie in. */
  readonly allowFile: readonly string[];
  readonly execFile?: string | undefined;
  /** Concurrent requests of one account at most. */
  readonly parallelism: number;
  /** Returns what may refuse the plans of an account. Default: nothing. */
  readonly policy?: ((of: Pick<Session, "env" | "mask">) => Judge | undefined) | undefined;
}

/** `returned`: another worker is to do it. */
export type JobEnd = ({ readonly is: "ended" } & JobResult) | { readonly is: "returned"; readonly why: string };

/** The facts that a job shows beside the outcome of its command. */
interface Seen {
  /** The plan for approval. */
  saved?: SavedPlan;
  /** The plan, or the drift, as JSON. */
  shown?: string;
  /** The plan that was made last: of an apply, what still differs. */
  rest?: Plan;
  /** Whether the plan leaves what is ours as it is. */
  isOwnedBefore?: boolean | undefined;
  /** Whether no apply is recorded, so that nothing can have drifted. */
  isNew?: boolean;
  /** The API that was asked, and where its key came from. */
  reached?: JobResult["reached"];
  mask?: Session["mask"];
}

/** Plans, applies or checks one account, as the command of that name does, and returns what is to be written down. It throws for a defect only. */
export async function doJob(account: Account, task: JobTask, means: JobMeans): Promise<JobEnd> {
  const { fleet, signal, stores } = means;
  const folder = dirname(fleet.file);
  const seen: Seen = {};
  const keySource = keyPlace(account.key ?? keyOfWorker, folder);
  const known: Stores["known"] = (asked) => {
    seen.reached = { api: asked.api, keySource };
    return means.known(keySource, asked);
  };
  let isOther = false;
  const outcome = await collect(task.kind, { env: envOf(account, means.env), signal }, async (host) => {
    seen.mask = host.mask;
    const isPinned = task.kind === "apply" || task.digest === undefined;
    isOther = !isPinned && (await readDigest(fleet, account)) !== task.digest;
    if (isOther) return "interrupted";
    const key = account.key && (await readAccountKey(account.key, { folder, ...means }, host));
    const emit: Session["emit"] = (event) => {
      if (event.type === "plan") {
        seen.shown = textOf((seen.rest = event.plan), host.mask);
        seen.isOwnedBefore = event.isOwnedBefore;
      }
      if (event.type === "drift") seen.shown = textOf(event.drift, host.mask);
      if (event.type === "last_apply_unknown") seen.isNew = event.why === "never";
      host.emit(event);
    };
    const env = { ...host.env, ...(key !== undefined && { HOSTFORM_API_KEY: key }) };
    return runCommand(account, task, means, { ...host, emit, env, stores: { ...stores, known } }, seen);
  });
  if (isOther) return { is: "returned", why: `the manifests of ${account.name} are others in its checkout` };
  if (signal.aborted && outcome.ending === "interrupted") return { is: "returned", why: "it was stopped" };
  return jobResult(task, outcome, seen, folder);
}

/** Runs the command of a job. */
function runCommand(account: Account, task: JobTask, means: JobMeans, io: Session, seen: Seen): Promise<Ending> {
  const { manifests, baseUrl, contract, caFile } = account;
  const { fleet, execFile, parallelism } = means;
  const { allowDelete, allowPurchase, acceptTarget = false, autoApprove } = task.options;
  const checkout = dirname(fleet.file);
  const allowFile = [...means.allowFile, checkout];
  const source = { manifests, baseUrl, contract, caFile, checkout, allowFile, execFile };
  const consent = { allowDelete, allowPurchase, acceptTarget, policy: means.policy?.(io) };
  const given = engineOptions({ ...source, ...consent, parallelism });
  if (task.kind === "drift") return showDrift({ ...given, tolerate: [], unmanaged: false, accept: undefined }, io);
  // Approval by the hash is consent to each step, as for one account.
  const forApproval = autoApprove !== true;
  if (task.kind === "plan") {
    const out = (made: SavedPlan) => void (seen.saved = made);
    return planManifest({ ...given, detailedExitcode: true, forApproval, out }, io);
  }
  const plan = { text: task.plan ?? "", name: `the plan of ${account.name}` };
  const approve = forApproval ? task.planHash : undefined;
  return applySavedPlan({ ...given, plan, approve, confirm: alwaysConfirm }, io);
}

/** Returns what is to be written down of a job whose command has ended. */
function jobResult(task: JobTask, outcome: Found, seen: Seen, folder: string): JobEnd {
  const { diagnostics, plan, report, failure, drift } = outcome;
  const { saved, shown, rest, reached, isOwnedBefore, isNew, mask = String } = seen;
  const says = (code: string) => diagnostics.some((each) => each.code === code);
  const ending = isNew ? "done" : outcome.ending;
  const warning = warningIn(diagnostics);
  // An apply of a plan without calls writes down what is ours, with its marks: later plans tell by it what left the manifest.
  // So does one after an apply of changes that no commit held: it records the commit, and until then drift is refused. And one that gives
  // up what the last commit declared: plans warn of it until then.
  const isDue = says("last_apply_dirty") || (plan?.owned.forgotten ?? []).length > 0;
  const isRecorded = !isDue || says("uncommitted");
  const isOwning = plan !== undefined && !(isRecorded && isOwnedBefore === true);
  const isOnlyOwning = isOwning && task.kind === "plan" && ending === "done" && !warning;
  const isFine = ending === "done" || ending === "changes";
  const differs = ending === "not_converged" && rest && describeRest(rest);
  const found = failure ? describeFailed(failure) : differs || (report && reasonIn(report));
  const reason = (isFine ? drift && describeDrift(drift) : whyOf(diagnostics, rest, found)) || warning;
  const words = says("unknown_api") ? `${reason}; --accept-target lets it have the key` : reason;
  const why = words === undefined ? undefined : mask(words).replaceAll(`${folder}/`, "");
  return {
    is: "ended",
    state: isOnlyOwning ? "changed" : stateOf(task, ending, diagnostics),
    why: isOnlyOwning ? undefined : why,
    ending,
    // An apply plans only what is left of the plan that was approved.
    ...(task.kind !== "apply" && { counts: plan && countsOf(plan), shown }),
    ...(saved && { plan: saved.text, planHash: saved.hash }),
    ...(reached && (plan ?? drift ?? report) && { reached }),
  };
}

/** The environment of a worker, with the variables of an account as manifests take them from outside. */
const envOf = ({ variables }: Account, env: Session["env"]): Session["env"] => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      `HOSTFORM_VAR_${name}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  ),
});

/** A plan, or a drift, as JSON with secrets masked; of its calls what is printed, since their bodies hold values that no plan shows. */
const textOf = (value: Plan | Drift, mask: Session["mask"]): string =>
  JSON.stringify(value, (key, each: unknown) => {
    if (typeof each === "string") return mask(each);
    return key === "calls" && Array.isArray(each) ? each.map(withoutBody) : each;
  });

const withoutBody = ({ method, path, params, query }: HttpCall) => ({ method, path, params, query });

function countsOf(plan: Plan): Counts {
  const steps = countedSteps(plan);
  const count = (action: Step["action"], replaces: boolean) =>
    steps.filter((step) => step.action === action && step.replaces === replaces).length;
  return {
    create: count("create", false),
    update: count("update", false) + count("renew", false),
    delete: count("delete", false),
    replace: count("create", true),
  };
}

function stateOf({ kind }: JobTask, ending: Ending, diagnostics: readonly Diagnostic[]): AccountState {
  if (ending === "done" || ending === "pending_elsewhere") return kind === "apply" ? "applied" : "clean";
  if (kind === "apply" && diagnostics.some(({ code }) => code === "moved" || code === "not_in_plan")) return "moved";
  if (ending === "refused" || ending === "not_converged") return ending;
  return kind === "apply" || ending !== "changes" ? "failed" : kind === "drift" ? "drifted" : "changed";
}

/** A plan or an apply that could not know, or keep, what is ours; or a plan whose secrets this worker does not have. */
const warningIn = (diagnostics: readonly Diagnostic[]): string | undefined =>
  diagnostics.find(({ code, severity }) => severity === "warning" && /^(?:inventory_|unset$)/u.test(code))?.summary;

/** The first reason that a person needs, in one line. */
function whyOf(diagnostics: readonly Diagnostic[], plan: Plan | undefined, failure: string | undefined) {
  const { summary, at, code } = diagnostics.find(({ severity }) => severity === "error") ?? {};
  const unread = plan?.incomplete.map(({ collection, reason }) => `the list ${collection} is incomplete: ${reason}`)[0];
  // A file that is not text has no line that could be shown.
  const placed = at && code !== "not_utf8" ? `${at.file}:${at.line}: ${summary}` : summary;
  const { summary: refused = unread, hint, flag } = plan?.refusals[0] ?? {};
  const allowed = hint === undefined ? "" : `; ${flag === undefined ? "" : "to allow it: "}${hint}`;
  return failure ?? placed ?? (refused && `${refused}${allowed}`);
}

function describeRest({ steps }: Plan): string | undefined {
  const addresses = [...new Set(steps.map(({ address }) => address))];
  return steps.length === 0 ? undefined : `what still differs: ${nameSome(addresses, 3)}`;
}

function describeDrift({ items }: Drift): string {
  const found = items.map(({ address, is }) => `${address} ${is === "gone" ? "is gone" : is}`);
  return nameSome(found, 3);
}

/** The request and its answer, and what to do where the key was refused: the API's own words do not say whose key it was. */
const describeFailed = (failure: Failure): string =>
  failure.sort === "unauthorized"
    ? `the API refused the key of the account (${describeFailure(failure)}); check key: in fleet.yaml, and what this worker has for it`
    : describeFailure(failure);

function reasonIn({ outcomes, lockLost }: Report): string | undefined {
  for (const { step, outcome } of outcomes)
    if (outcome.is === "failed") return `${step.address}: ${describeFailed(outcome.failure)}`;
  return lockLost;
}
