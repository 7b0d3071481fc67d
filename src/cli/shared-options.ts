import type { Argv } from "yargs";
import { isConcurrency, isOneFormat, isSeconds } from "./check-options.ts";
import type { Ending } from "../engine/session/host.ts";
import type { Io } from "./io.ts";

/** Makes a handler of a command that is loaded only when it is called. */
export type MakeHandler = <T>(load: () => Promise<(options: T, io: Io) => Promise<Ending>>) => (options: T) => void;

export const flag = { type: "boolean", default: false } as const;
export const text = { type: "string", requiresArg: true } as const;
export const number = { type: "number", requiresArg: true } as const;
export const repeatable = { type: "string", array: true, nargs: 1, default: [] as string[] } as const;

// Options of one form that stand in one group of the help.
const ofManifest = { ...repeatable, group: "Manifest:" } as const;
const ofAccount = { ...text, group: "Account:" } as const;
const ofChanges = { ...repeatable, group: "Changes:" } as const;
const ofConsent = { ...repeatable, group: "Consent:" } as const;
export const ofOutput = { ...flag, group: "Output:" } as const;
const ofForm = { ...text, group: "Output:" } as const;
export const ofRun = { ...number, group: "Run:" } as const;

/** The groups of options in a help text, in this order: first those that most command lines need. */
const groups = ["Positionals:", "Manifest:", "Options:", "Account:", "Changes:", "Consent:", "Output:", "Run:"];

/** Adds the options that every command has. */
export const common = (args: Argv) =>
  groups
    .reduce((all, group) => all.group([], group), args)
    .group(["help", "version"], "Output:")
    .option("json", { ...ofOutput, describe: "print one JSON event per line" })
    .option("color", {
      group: "Output:",
      type: "boolean",
      default: true,
      describe: "colours on a terminal (--no-color, NO_COLOR and FORCE_COLOR are honoured)",
    })
    .option("all-diagnostics", {
      ...ofOutput,
      describe: "print all diagnostics, not only the first 100; --json always does",
    });

const file = {
  group: "Manifest:",
  alias: "f",
  type: "string",
  array: true,
  nargs: 1,
  describe:
    "a manifest, a folder of them, or - (repeatable); default: HOSTFORM_FILE, else hosting/ or hostform.yaml of the working folder",
} as const;

/** Adds what a manifest may take its values from. */
export const valueOptions = <T>(args: Argv<T>) =>
  args
    .option("var", {
      ...ofManifest,
      describe: "NAME=VALUE, the value of a variable of the manifest (HOSTFORM_VAR_NAME) (repeatable)",
    })
    .option("var-file", {
      ...ofManifest,
      describe: "a YAML file with values of variables (repeatable)",
    })
    .option("allow-file", {
      ...ofManifest,
      describe: "a folder, in addition to the manifest's own, that ${file:…} may read from (repeatable)",
    })
    .option("exec-file", {
      ...text,
      group: "Manifest:",
      describe: "a file of commands that ${exec:NAME} may run, outside the repository (HOSTFORM_EXEC_FILE)",
    });

export const contract = {
  ...ofAccount,
  describe: "contract file that describes the API (HOSTFORM_CONTRACT); default: the built-in contract v2026",
} as const;

export const manifestOptions = (args: Argv, describe: string = file.describe) =>
  valueOptions(common(args).option("file", { ...file, describe }));

export const targetOptions = <T>(args: Argv<T>) =>
  args
    .option("base-url", { ...ofAccount, describe: "the API's origin, https only (HOSTFORM_BASE_URL)" })
    .option("key-file", {
      ...ofAccount,
      describe: "file with the API key, mode 0600 (HOSTFORM_KEY_FILE); default: HOSTFORM_API_KEY",
    })
    .option("contract", contract)
    .option("ca-file", {
      ...ofAccount,
      describe: "PEM file of the certificate authority to trust (HOSTFORM_CA_FILE)",
    })
    .option("emulator", {
      group: "Account:",
      ...flag,
      describe: "use the embedded service for the length of the command",
    })
    .option("emulator-data", {
      ...ofAccount,
      describe: "data file of the embedded service; implies --emulator",
    })
    .option("debug", {
      ...ofOutput,
      describe: "log every request to standard error, without the API key and bodies",
    })
    .option("parallelism", { ...ofRun, default: 10, describe: "maximum number of concurrent requests" })
    .check(({ parallelism }) => isConcurrency("--parallelism", parallelism, 10));

export const acceptTarget = {
  group: "Consent:",
  ...flag,
  describe: "send the API key to the API that the manifest names, though this repository's inventories know another",
} as const;

export const inventoryFileOption = {
  group: "Manifest:",
  ...text,
  describe: "keep the inventory in this file; default: in the manifest's git repository",
} as const;

export const journalOption = {
  group: "Run:",
  ...text,
  describe: "journal file for crash recovery; default: a file in .hostform/ of the working folder",
} as const;

export const policyOption = {
  group: "Consent:",
  ...text,
  describe: "a program that gets the plan as JSON on standard input, and may refuse it (HOSTFORM_POLICY_COMMAND)",
} as const;

export const notifyUrl = {
  group: "Output:",
  ...text,
  describe: "post counts, plan hash and address of the CI job to this https URL at the end (HOSTFORM_NOTIFY_URL)",
} as const;

export const full = { ...ofOutput, describe: "show each step of a plan of more than 50" } as const;

export const changeOptions = <T>(args: Argv<T>) =>
  targetOptions(args)
    .option("inventory", inventoryFileOption)
    .option("allow-delete", {
      ...ofConsent,
      describe:
        "allow the deletion or replacement of this address; KIND/*=N, 'dns_record/a.test/*=N' or DOMAIN=N allows exactly N (repeatable)",
    })
    .option("full", full)
    .option("show-ignored", {
      ...ofOutput,
      describe: "list the differences in formatting, which are ignored",
    })
    .option("only", {
      ...ofChanges,
      describe: "change only this address and its dependencies; * matches any text (repeatable)",
    })
    .option("except", {
      ...ofChanges,
      describe: "do not change this address or its dependents; * matches any text (repeatable)",
    })
    .option("only-drift", {
      group: "Changes:",
      ...flag,
      describe: "change only what was changed by hand since the last apply, back to what that apply declared",
    })
    .option("retry", {
      ...ofChanges,
      describe: "request this resource again after it failed on the server (repeatable)",
    })
    .option("allow-purchase", {
      ...ofConsent,
      describe: "allow this address to cost money: registration, transfer or renewal (repeatable)",
    })
    .option("rotate", {
      ...ofChanges,
      describe: "send the password of this address again (repeatable)",
    })
    .option("command-timeout", {
      ...ofRun,
      default: 60,
      describe: "seconds that a command of ${exec:NAME} or --policy-command may take",
    })
    .check((given: { "command-timeout"?: unknown }) => isSeconds("--command-timeout", given["command-timeout"]))
    .option("rollback", {
      group: "Consent:",
      ...flag,
      describe: "delete undeclared resources even if the commit of the last apply is not an ancestor of this one",
    })
    .option("accept-target", acceptTarget);

/** Adds the forms in which a command prints what it tells, and files that hold the same in other forms. */
export const formOptions = <T>(args: Argv<T>) =>
  args
    .option("format", {
      group: "Output:",
      type: "string",
      requiresArg: true,
      choices: ["text", "markdown", "json"] as const,
      default: "text" as const,
      describe: "print Markdown, for the comment of a pull request; json is the same as --json",
    })
    .option("html", { ...ofForm, describe: "also write a page for a browser to this file" })
    .option("markdown", { ...ofForm, describe: "also write Markdown to this file" })
    .option("json-into", { ...ofForm, describe: "also write the events of --json to this file" })
    .check(({ format, json }: { format?: unknown; json?: unknown }) => isOneFormat(format, json));

export const codeQuality = {
  ...ofForm,
  describe: "also write mistakes and warnings to this file, for GitLab",
} as const;
