import type { Argv } from "yargs";
import {
  isOneFormat,
  isOnlyOne,
  isSeconds,
  takesNoVariables,
  wrongValue,
  type GivenVariables,
} from "./check-options.ts";
import type { Ending } from "../engine/session/ending.ts";
import type { Io } from "./io.ts";

/** Makes a handler of a command that is loaded only when it is called. */
export type MakeHandler = <T>(load: () => Promise<(options: T, io: Io) => Promise<Ending>>) => (options: T) => void;

export const flag = { type: "boolean", default: false } as const;
export const text = { type: "string", requiresArg: true } as const;
const number = { type: "number", requiresArg: true } as const;
export const repeatable = { type: "string", array: true, nargs: 1, default: [] as string[] } as const;

// Options of one form that stand in one group of the help.
const ofManifest = { ...repeatable, group: "Manifest:" } as const;
const ofAccount = { ...text, group: "Account:" } as const;
const ofChanges = { ...repeatable, group: "Changes:" } as const;
const ofConsent = { ...repeatable, group: "Consent:" } as const;
export const ofOutput = { ...flag, group: "Output:" } as const;
const ofForm = { ...text, group: "Output:" } as const;
const ofRun = { ...number, group: "Run:" } as const;

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

const contract = {
  ...ofAccount,
  describe: "contract file that describes the API (HOSTFORM_CONTRACT); default: the built-in contract v2026",
} as const;

/** `validate`, `render` and `export` */
const offlineOptions = (args: Argv) => manifestOptions(args).option("contract", contract);

export const validateOptions = (args: Argv) =>
  formOptions(offlineOptions(args))
    .option("code-quality", codeQuality)
    .example("$0 validate", "check the manifest of the working folder")
    .example("$0 validate -f hosting/ -f mail.yaml", "check several as one");

export const renderOptions = (args: Argv) =>
  offlineOptions(args).example("$0 render --var ttl=300 > whole.yaml", "save the manifest without templates");

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
    .check(({ parallelism }) => {
      if (Number.isInteger(parallelism) && parallelism >= 1 && parallelism <= 128) return true;
      throw wrongValue("--parallelism", "a whole number from 1 to 128", parallelism, "leave it out for 10");
    });

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

const notifyUrl = {
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

export const whyOptions = (args: Argv) =>
  targetOptions(manifestOptions(args))
    .option("inventory", inventoryFileOption)
    .option("journal", journalOption)
    .option("accept-target", acceptTarget)
    .positional("address", {
      type: "string",
      demandOption: true,
      describe: "the resource, such as mailbox/info@example.com",
    })
    .example("$0 why mailbox/info@example.com", "explain one mailbox");

export const driftOptions = (args: Argv) =>
  formOptions(targetOptions(manifestOptions(args)))
    .option("inventory", inventoryFileOption)
    .option("accept-target", acceptTarget)
    .option("tolerate", {
      ...repeatable,
      describe: "leave out this address, or this ADDRESS.FIELD; * matches any text (repeatable)",
    })
    .option("accept", { ...text, describe: "write the live values of this address into the manifest, in place" })
    .option("unmanaged", { ...flag, describe: "list live resources that nobody manages; reads the whole account" })
    .option("live", {
      ...text,
      describe: "compare this file, which hostform snapshot has written, without an API key or network",
    })
    .option("notify-url", notifyUrl)
    .example("$0 drift", "exit 2 if something was changed by hand");

export const verifyOptions = (args: Argv) =>
  manifestOptions(args)
    .option("resolver", {
      ...text,
      describe: "ask this server, ADDRESS or ADDRESS:PORT, in place of the name servers of each zone",
    })
    .option("timeout", {
      ...ofRun,
      default: 60,
      describe: "seconds that name servers may take to answer as declared; 0: ask once",
    })
    .check(({ timeout }) => isSeconds("--timeout", timeout))
    .option("tls", { ...flag, describe: "also connect to the hosts of certificates: do they show one that is valid" })
    .option("tls-port", { ...ofRun, default: 443, describe: "the port of --tls" })
    .check(({ "tls-port": port }) => {
      if (typeof port === "number" && Number.isInteger(port) && port >= 1 && port <= 65_535) return true;
      throw wrongValue("--tls-port", "a port from 1 to 65535", port, "leave it out for 443");
    })
    .example("$0 verify", "wait until the name servers answer as declared");

export const statusOptions = (args: Argv) =>
  targetOptions(manifestOptions(args))
    .option("accept-target", acceptTarget)
    .positional("address", {
      type: "string",
      array: true,
      describe: "resources to show, * matches any text; default: all",
    })
    .option("format", {
      group: "Output:",
      type: "string",
      requiresArg: true,
      choices: ["text", "markdown"] as const,
      default: "text" as const,
      describe: "markdown prints a table for a comment or an issue, what expires first on top",
    })
    .check(({ format, json }: { format?: unknown; json?: unknown }) => isOneFormat(format, json))
    .option("fail-on", { ...text, describe: "exit 2 on any of these: pending,failed,missing,expiring:30d" })
    .example("$0 status --fail-on expiring:30d", "find what expires soon")
    .example("$0 status 'mailbox/*'", "show all mailboxes");

export const rehearseOptions = (args: Argv) =>
  changeOptions(manifestOptions(args))
    .option("journal", journalOption)
    .option("crash-sweep", {
      ...flag,
      describe: "also simulate a crash at every call and check that each run can be completed",
    })
    .example("$0 rehearse --crash-sweep", "test the plan, and a crash at every call");

export const snapshotOptions = (args: Argv) =>
  targetOptions(manifestOptions(args, "record only what a plan of these manifests reads; default: the whole account"))
    .option("inventory", inventoryFileOption)
    .option("accept-target", acceptTarget)
    .option("out", { ...text, demandOption: "Say where to: --out FILE.", describe: "the file to write, mode 0600" })
    .example("$0 snapshot --out live.json", "save the whole account for plan --live live.json");

/** `export [zone]` */
export const exportOptions = (args: Argv) =>
  offlineOptions(args)
    .option("zone-file", {
      ...flag,
      demandOption: "Say in which form: --zone-file.",
      describe: "print a zone file (RFC 1035)",
    })
    .positional("zone", { type: "string", describe: "the zone; default: the only zone of the manifest" })
    .example("$0 export example.com --zone-file", "print one zone");

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

export const applyOptions = (args: Argv) =>
  formOptions(changeOptions(manifestOptions(args)))
    .positional("plan", { type: "string", describe: "a file that plan --out has written, instead of -f" })
    .check(({ plan, file: files }: { plan?: unknown; file?: unknown }) => isOnlyOne(plan, files))
    .check((given: GivenVariables & { plan?: unknown }) => given.plan === undefined || takesNoVariables(given))
    .option("approve", {
      group: "Consent:",
      ...text,
      describe: "apply without asking, if the plan is still the one with this hash",
    })
    .option("rehearse", {
      ...flag,
      describe: "test the plan on the embedded service first, and apply it only if the test passes",
    })
    .option("policy-command", policyOption)
    .option("notify-url", notifyUrl)
    .option("auto-approve", { group: "Consent:", ...flag, describe: "apply without asking" })
    .option("settle", {
      ...ofRun,
      default: 30,
      describe: "seconds that the API's lists may take to show what was written",
    })
    .option("lock-timeout", {
      ...ofRun,
      default: 90,
      describe: "seconds to wait for another apply of the target to end; the lock of a dead one is taken over after 60",
    })
    .check(
      (given: { settle?: unknown; "wait-timeout"?: unknown; "lock-timeout"?: unknown }) =>
        isSeconds("--settle", given.settle) &&
        isSeconds("--wait-timeout", given["wait-timeout"]) &&
        isSeconds("--lock-timeout", given["lock-timeout"]),
    )
    .option("journal", journalOption)
    .option("wait-timeout", {
      ...ofRun,
      default: 600,
      describe: "seconds to wait for one object to become usable",
    })
    .example("$0 apply", "plan the manifest of the working folder, ask, and apply")
    .example("$0 apply plan.json", "apply a saved plan");

export const doctorOptions = (args: Argv) =>
  targetOptions(common(args)).example("$0 doctor --contract contract.yaml", "compare a contract with its API");

export const mcpOptions = (args: Argv) =>
  targetOptions(manifestOptions(args))
    .option("inventory", inventoryFileOption)
    .positional("folder", {
      type: "string",
      describe: "the only folder that is read, and that all paths are relative to; default: the working folder",
    })
    .example("$0 mcp /work/hosting", "serve one repository, over standard input and output");

export const inventoryOptions = (args: Argv) =>
  targetOptions(manifestOptions(args))
    .option("inventory", inventoryFileOption)
    .option("why", { ...text, describe: "show which applies added this address to the inventory or removed it" })
    .option("adopt", { ...repeatable, describe: "add this address to the inventory (repeatable)" })
    .option("forget", {
      ...repeatable,
      describe: "remove this address from the inventory; the live resource is kept (repeatable)",
    })
    .option("unlock", { ...flag, describe: "clear the lock of an apply that did not end" })
    .example("$0 inventory", "list what the manifest owns")
    .example("$0 inventory --forget mailbox/info@example.com", "keep a mailbox, and stop managing it");
