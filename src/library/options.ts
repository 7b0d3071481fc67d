import { badArguments } from "../engine/session/input-error.ts";
import { withAddresses } from "../engine/session/read-addresses.ts";
import type { EngineEvent } from "../engine/session/events.ts";
import type { Plan } from "../model/plan.ts";
import type { StatusRow } from "../model/report.ts";
import type { Stores } from "../engine/session/host.ts";

/** A value of a variable, or an item of its list. */
export type VariableValue = string | number | boolean;

/** The path of a file, or a text that is kept elsewhere, such as in a database. `name`: what messages call it; default: `<text>`. */
export type PathOrText = string | { readonly text: string; readonly name?: string };

/** Options of every function. */
export interface CommonOptions {
  /** The environment: `HOSTFORM_API_KEY`, and the variables that manifests refer to. Default: `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Folders beside the manifest's own from which it may read its secrets. Default: none. */
  readonly allowFile?: readonly string[];
  /** The contract file that describes the API. Default: `HOSTFORM_CONTRACT`, the manifest's, or the built-in one. */
  readonly contract?: string;
  /** The file with the commands that manifests may take secrets from. Default: `HOSTFORM_EXEC_FILE`. */
  readonly execFile?: string;
  /** Seconds that such a command may take. Default: 60. */
  readonly commandTimeout?: number;
  /** Receives each event as it happens. What it throws ends no call: the result has the warning `event_not_taken`, once. */
  readonly onEvent?: (event: EngineEvent) => void;
  /** Ends the call as `interrupted` when it is aborted: requests in flight finish, and nothing new starts. */
  readonly signal?: AbortSignal;
}

/** Options of the functions that read manifests. */
export interface ManifestOptions extends CommonOptions {
  /** Paths of manifests: files, or folders of them. `"-"` reads standard input. */
  readonly manifests: readonly string[];
  /**
   * Values of the manifests' variables by their names, as `--var` gives them: they count before `HOSTFORM_VAR_NAME` of `env`, and a text
   * is read as the type of its variable. Default: none.
   */
  readonly variables?: Readonly<Record<string, VariableValue | readonly VariableValue[]>>;
  /** Files with values of variables, in YAML; `variables` count before them. Default: none. */
  readonly varFile?: readonly string[];
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
  /**
   * Other places of what outlives a call, such as those of `postgresStores`. `inventory` and `journal` count before them, and with a file of
   * the inventory, its lease lies beside it. Default: files, and the git repository of the manifests.
   */
  readonly stores?: Stores;
  /** True: the key may be sent to an API that the manifest names, though the inventories of its repository know another. Default: false. */
  readonly acceptTarget?: boolean;
  /** Concurrent requests at most, 1 to 128. Default: 10. */
  readonly parallelism?: number;
  /** True: an event `attempt` for each request, without its body and the key. Default: false. */
  readonly debug?: boolean;
}

/** Options of the functions that plan changes. Addresses are written as in a plan: `dns_record/example.com/www/A`. */
export interface ChangeOptions extends TargetOptions {
  /** Addresses that may be deleted or replaced; `KIND/*=N` allows exactly N of a kind. Default: none. */
  readonly allowDelete?: readonly string[];
  /** Addresses that may cost money. Default: none. */
  readonly allowPurchase?: readonly string[];
  /** Addresses that are requested again after they failed on the server. Default: none. */
  readonly retry?: readonly string[];
  /** Addresses whose passwords are sent again. Default: none. */
  readonly rotate?: readonly string[];
  /** True: undeclared resources are deleted even if the commit of the last apply is not an ancestor of this one. Default: false. */
  readonly rollback?: boolean;
  /**
   * Gets a plan that cannot be changed. Returns why it is refused, as lines; one about a step begins with its address and `: `. No lines: it is not. Default: nobody is asked,
   * also where `env` has `HOSTFORM_POLICY_COMMAND`.
   */
  readonly policy?: (plan: Plan) => readonly string[] | Promise<readonly string[]>;
  /** The journal file. Default: one in `.hostform/` of the working folder. */
  readonly journal?: string;
  /**
   * The folder of the manifests' repository: files of secrets that a saved plan names are relative to it, and `applySavedPlan` looks for the
   * repository there. Default: the working folder.
   */
  readonly checkout?: string;
}

/** Options that say which part of a manifest is planned. */
export interface SelectionOptions {
  /** Addresses that are planned, with what they need; `*` matches any text. Default: all. */
  readonly only?: readonly string[];
  /** Addresses that are left alone. Default: none. */
  readonly except?: readonly string[];
  /** True: only what was changed by hand since the last apply, back to what that apply declared. Default: false. */
  readonly onlyDrift?: boolean;
}

/** Options of `plan`. */
export interface PlanOptions extends ManifestOptions, ChangeOptions, SelectionOptions {
  /** A snapshot that is read instead of the API. It takes no options of the API. Default: the API is read. */
  readonly live?: PathOrText;
  /** True: the result has the plan for `applySavedPlan`, as `saved`. Default: false. */
  readonly out?: boolean;
  /** True: the result has the plan that takes this one back, as `undo`. Default: false. */
  readonly undoOut?: boolean;
}

/** Options of the functions that run a plan. */
export interface RunOptions extends ChangeOptions {
  /** True: the plan must first succeed on the embedded service, with a copy of the live state. Default: false. */
  readonly rehearse?: boolean;
  /** Seconds to wait for the live state to match the manifest after the last write. Default: 30. */
  readonly settle?: number;
  /** Seconds to wait for one object to become usable. Default: 600. */
  readonly waitTimeout?: number;
  /** Seconds to wait for an apply on another machine to end. Default: 90. */
  readonly lockTimeout?: number;
}

/** The hash of the plan that is applied, as `Plan.hash` or at least 32 of its digits; or a function that decides on a plan that cannot be changed. */
export type Approval = string | ((plan: Plan) => boolean | Promise<boolean>);

/** Options of `apply`. */
export interface ApplyOptions extends ManifestOptions, RunOptions, SelectionOptions {
  /**
   * The hash of the plan that is applied: it is consent to each of its steps, and any other plan is refused. Or a function that decides: it
   * is not asked about a plan without steps, or with refusals.
   */
  readonly approve: Approval;
}

/** Options of `applySavedPlan`. */
export interface ApplySavedPlanOptions extends RunOptions {
  /** `saved` or `undo` of a `PlanResult`, its text, or the path of a file that `hostform plan --out` has written. */
  readonly plan: PathOrText;
  /** As for `apply`. Default: it is applied if it needs no more consent than it carries, because the caller has chosen it. */
  readonly approve?: Approval;
}

/** Options of `drift`. */
export interface DriftOptions extends ManifestOptions, TargetOptions {
  /** What does not count: patterns of `ADDRESS`, or of `ADDRESS.FIELD`; `*` matches any text. Default: none. */
  readonly tolerate?: readonly string[];
  /** True: what nobody manages counts as well, which takes reading the whole account. Default: false. */
  readonly unmanaged?: boolean;
  /** The address whose live values are written into the manifest, in place. Default: nothing is written. */
  readonly accept?: string;
  /** A snapshot that is read instead of the API. It takes no options of the API. Default: the API is read. */
  readonly live?: PathOrText;
}

/** Options of `status`. Without manifests, the whole account is shown. */
export interface StatusOptions extends Partial<ManifestOptions>, TargetOptions {
  /** Addresses to show; `*` matches any text. Default: all. */
  readonly address?: readonly string[];
  /** Whether a row makes the call end with `changes`. Default: none does. */
  readonly failOn?: (row: StatusRow) => boolean;
}

/** Options of `snapshot`. With manifests, what a plan of them reads is recorded, beside the account's own lists; without, the whole account, and in it also what a manifest takes from outside. */
export interface SnapshotOptions extends Partial<ManifestOptions>, TargetOptions {}

/** Options of `importAccount`. `variables` and `varFile` are those of the manifest `into`. */
export interface ImportOptions extends Omit<Partial<ManifestOptions>, "manifests">, TargetOptions {
  /** The new folder that is written. Default: nothing is written, and the result has the files. */
  readonly folder?: string;
  /** A manifest, a file or a folder, to which what it does not manage is added; not together with `folder`. Default: none. */
  readonly into?: string;
  /** `folder`: one file for each domain; `single`: one file. Default: `folder`. */
  readonly layout?: "folder" | "single";
  /** Addresses that are imported; `*` matches any text. Default: all. */
  readonly only?: readonly string[];
  /** Kinds that are imported, such as `dns_record`. Default: all. */
  readonly kind?: readonly string[];
  /** True: what is imported is ours at once, and not with the next apply. It needs `folder` or `into`. Default: false. */
  readonly own?: boolean;
  /** A snapshot that is read instead of the API. It takes no options of the API. Default: the API is read. */
  readonly live?: PathOrText;
}

type Given = Omit<Partial<PlanOptions & RunOptions & DriftOptions & ImportOptions>, "out" | "undoOut">;

const nothing: readonly string[] = [];
const counts = { parallelism: 10, settle: 30, waitTimeout: 600, lockTimeout: 90, commandTimeout: 60 };
const choices = { emulator: false, debug: false, rollback: false, rehearse: false };
const lists = { allowFile: nothing, allowDelete: nothing, allowPurchase: nothing, retry: nothing, rotate: nothing };
export const defaults = { ...counts, ...choices, ...lists, only: nothing, except: nothing };

/** Returns options as the engine takes them, with their defaults. Throws an InputError for an address that is none. */
export function engineOptions({ manifests, variables = {}, policy, stores: _stores, ...given }: Given) {
  const named = Object.entries(given).filter(([, value]) => value !== undefined);
  const options = { ...defaults, ...(Object.fromEntries(named) as typeof given) };
  return withAddresses({
    ...options,
    file: manifests ?? nothing,
    var: Object.entries(variables).map(([name, value]) => variableFlag(name, value)),
    judge: policy,
  });
}

/** Returns a variable as `--var` takes it. Throws an InputError for a name that would be read as another one. */
function variableFlag(name: string, value: VariableValue | readonly VariableValue[]): string {
  if (name.includes("="))
    throw badArguments(`variables: ${name} is not the name of a variable`, "give its value by its name");
  return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
}
