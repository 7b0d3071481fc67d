/**
 * Hostform as a library: `import { plan, apply } from "hostform"`. The functions do what the commands of the same names do, without
 * a terminal: they print nothing, ask nobody but `approve`, and return data. They throw only for a defect of Hostform.
 */
import { withAddresses } from "./engine/session/read-addresses.ts";
import type { ApplyManifestOptions as EngineApplyOptions } from "./engine/apply.ts";
import type { Ending } from "./engine/session/ending.ts";
import { diagnosticsOf, type Emit, type EngineEvent } from "./engine/session/events.ts";
import type { Session } from "./engine/session/host.ts";
import { InputError, inputError } from "./engine/session/input-error.ts";
import { nodeHost, withoutEmpty } from "./engine/session/node-host.ts";
import { knownSecrets } from "./engine/secrets/known-secrets.ts";
import { readStream } from "./lib/read-file.ts";
import type { Diagnostic } from "./model/diagnostic.ts";
import type { Failure } from "./model/failure.ts";
import type { Plan } from "./model/plan.ts";
import type { Report } from "./model/report.ts";
import { mistakeDiagnostics } from "./messages/mistakes.ts";

export type { Address } from "./model/address.ts";
export type { Diagnostic } from "./model/diagnostic.ts";
export type { Ending } from "./engine/session/ending.ts";
export type { EngineEvent } from "./engine/session/events.ts";
export type { Failure } from "./model/failure.ts";
export type { Plan, Step } from "./model/plan.ts";
export type { Report } from "./model/report.ts";

/** A value of a variable, or an item of its list. */
export type VariableValue = string | number | boolean;

/** Options of every function. */
export interface CommonOptions {
  /** Paths of manifests: files, or folders of them. `"-"` reads standard input. */
  readonly manifests: readonly string[];
  /** The environment: `HOSTFORM_API_KEY`, and the variables that manifests refer to. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folders beside the manifest's own from which it may read its secrets. Default: none. */
  readonly allowFile?: readonly string[];
  /**
   * Values of the manifests' variables by their names, as `--var` gives them: they count before `HOSTFORM_VAR_NAME` of `env`, and a text
   * is read as the type of its variable. Default: none.
   */
  readonly variables?: Readonly<Record<string, VariableValue | readonly VariableValue[]>>;
  /** The contract file that describes the API. Default: `HOSTFORM_CONTRACT`, the manifest's, or the built-in one. */
  readonly contract?: string;
  /** Receives each event as it happens. */
  readonly onEvent?: (event: EngineEvent) => void;
  /** Ends the run when it is aborted: requests in flight finish, and nothing new starts. */
  readonly signal?: AbortSignal;
}

/** Options of the functions that speak to an API. */
export interface TargetOptions extends CommonOptions {
  /** An https URL. Default: `HOSTFORM_BASE_URL`, or the manifest's. */
  readonly baseUrl?: string;
  /** True: the embedded service, empty at first, instead of an API. Default: false. */
  readonly emulator?: boolean;
  /** The data file of the embedded service; implies `emulator`. */
  readonly emulatorData?: string;
  /** A PEM file of the authority that signed the server's certificate. */
  readonly caFile?: string;
  /** A file with the API key, of mode 0600. Default: `HOSTFORM_API_KEY`. */
  readonly keyFile?: string;
  /** The file of the inventory. Default: the git repository of the manifests. */
  readonly inventory?: string;
  /** True: the key may be sent to an API that the manifest names, though the inventories of its repository know another. Default: false. */
  readonly acceptTarget?: boolean;
  /** Concurrent requests at most. Default: 10. */
  readonly parallelism?: number;
  /** Addresses that may be deleted or replaced; `KIND/*=N` allows exactly N of a kind. Default: none. */
  readonly allowDelete?: readonly string[];
  /** Addresses that may cost money. Default: none. */
  readonly allowPurchase?: readonly string[];
  /** Addresses that are planned, with what they need; `*` matches any text. Default: all. */
  readonly only?: readonly string[];
  /** Addresses that are left alone. Default: none. */
  readonly except?: readonly string[];
}

/** Options of `apply`. */
export interface ApplyOptions extends TargetOptions {
  /** Decides whether the plan is applied. It is not asked about a plan without steps, or with refusals. */
  readonly approve: (plan: Plan) => boolean | Promise<boolean>;
  /** The journal file. Default: one in `.hostform/` of the working folder. */
  readonly journal?: string;
  /** Seconds to wait for the live state to match the manifest after the last write. Default: 30. */
  readonly settle?: number;
  /** Seconds to wait for one object to become usable. Default: 600. */
  readonly waitTimeout?: number;
  /** Seconds to wait for another apply to end. Default: 90. */
  readonly lockTimeout?: number;
}

/** The result of `validate`. */
export interface ValidateResult {
  readonly ending: Ending;
  /** Mistakes and notices, in the order in which they were found. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The result of `plan`. */
export interface PlanResult extends ValidateResult {
  /** Undefined if a mistake, or the API, kept Hostform from planning. */
  readonly plan: Plan | undefined;
  /** Why the API could not be used; undefined if it could. */
  readonly failure: Failure | undefined;
}

/** The result of `apply`. `plan` is the plan that `approve` was asked about. */
export interface ApplyResult extends PlanResult {
  /** Undefined if nothing was run. */
  readonly report: Report | undefined;
}

/** Checks manifests as far as that is possible without the API. Ends with `done` or `wrong_input`. */
export async function validate(options: CommonOptions): Promise<ValidateResult> {
  const { validateManifest } = await import("./engine/validate.ts");
  const { ending, diagnostics } = await collect(options, (io) => validateManifest(commonOptions(options), io));
  return { ending, diagnostics };
}

/** Reads the live state and returns what an apply would do. Changes nothing. Ends with `changes` if there is something to do. */
export async function plan(options: TargetOptions): Promise<PlanResult> {
  const { planManifest } = await import("./engine/plan.ts");
  const { report: _none, ...result } = await collect(options, async (io) =>
    planManifest({ ...targetOptions(options), detailedExitcode: true }, io),
  );
  return result;
}

/** Plans, asks `approve`, runs exactly that plan, reads back and plans again. */
export async function apply(options: ApplyOptions): Promise<ApplyResult> {
  const { applyManifest } = await import("./engine/apply.ts");
  const { approve, journal, settle = 30, waitTimeout = 600, lockTimeout = 90 } = options;
  let shown: Plan | undefined;
  const confirm: EngineApplyOptions["confirm"] = async () =>
    shown !== undefined && (await approve(shown)) ? "approved" : "declined";
  const run = { confirm, rehearse: false, settle, waitTimeout, lockTimeout, journal };
  return collect(options, async (io) => {
    const emit: Emit = (event) => {
      if (event.type === "plan") shown ??= event.plan;
      io.emit(event);
    };
    return applyManifest({ ...targetOptions(options), ...run }, { ...io, emit });
  });
}

/** Runs an operation of the engine, and returns what its events tell. */
async function collect(
  { env = process.env, onEvent, signal }: CommonOptions,
  run: (io: Session) => Promise<Ending>,
): Promise<ApplyResult> {
  const diagnostics: Diagnostic[] = [];
  let first: Plan | undefined;
  let report: Report | undefined;
  let failure: Failure | undefined;
  const emit: Emit = (event) => {
    diagnostics.push(...(diagnosticsOf(event) ?? []));
    if (event.type === "plan") first ??= event.plan;
    if (event.type === "report") report = event.report;
    if (event.type === "failure") failure = event.failure;
    onEvent?.(event);
  };
  const io: Session = {
    emit,
    ...nodeHost(),
    ...knownSecrets(),
    env: withoutEmpty(env),
    readStdin: (maxBytes) => readStream(process.stdin, maxBytes),
    onInterrupt: (handler) => {
      if (signal?.aborted === true) handler();
      else signal?.addEventListener("abort", handler, { once: true });
    },
  };
  const ending = await run(io).catch((error: unknown): Ending => {
    if (!(error instanceof InputError)) throw error;
    emit({ type: "diagnostics", diagnostics: mistakeDiagnostics(error.mistake) });
    return error.ending;
  });
  return { ending, diagnostics, plan: first, report, failure };
}

const commonOptions = ({ manifests, allowFile = [], contract, variables = {} }: CommonOptions) => ({
  file: manifests,
  allowFile,
  contract,
  var: Object.entries(variables).map(([name, value]) => variableFlag(name, value)),
});

/** Returns a variable as `--var` takes it. Throws an InputError for a name that would be read as another one. */
function variableFlag(name: string, value: VariableValue | readonly VariableValue[]): string {
  if (name.includes("="))
    throw inputError("bad_arguments", `variables: ${name} is not the name of a variable`, "give its value by its name");
  return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
}

function targetOptions(options: TargetOptions) {
  const {
    baseUrl,
    emulator = false,
    emulatorData,
    caFile,
    keyFile,
    inventory,
    parallelism = 10,
    acceptTarget,
  } = options;
  const { allowDelete = [], allowPurchase = [], only = [], except = [] } = options;
  return withAddresses({
    ...commonOptions(options),
    baseUrl,
    emulator,
    emulatorData,
    caFile,
    keyFile,
    inventory,
    acceptTarget,
    parallelism,
    debug: false,
    allowDelete,
    allowPurchase,
    retry: [],
    rotate: [],
    rollback: false,
    only,
    except,
  });
}
