import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { isConcurrency, isOneFormat, isSeconds } from "./check-options.ts";
import type { Ending } from "../engine/session/host.ts";
import type { Io } from "./io.ts";

/** The flags of each command that may stand before it. */
export const beforeCommand = /^--(?:json|no-color|color)$/u;

/** Makes a handler of a command that is loaded only when it is called. */
export type MakeHandler = <T>(load: () => Promise<(options: T, io: Io) => Promise<Ending>>) => (options: T) => void;

/** A command: its line in the help, and what adds its options. */
export const command = <T>(describe: string, builder: (args: Argv) => Argv<T>) => ({ describe, builder });

/** The handler of each command of a table. */
type HandlersOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { builder: (args: Argv) => Argv<infer T> }
    ? (options: ArgumentsCamelCase<T>) => void
    : never;
};

/** Returns the commands of a table, by their words with the positional arguments, as yargs takes them. */
export const modulesOf = <Table extends object>(table: Table, handlers: HandlersOf<Table>): CommandModule[] =>
  Object.entries(table).map(([name, options]: [string, object]) => ({
    command: name,
    ...options,
    handler: handlers[name as keyof Table],
  }));

/** The groups of options in a help text, in this order: first those that most command lines need. */
const groups = [
  "Positionals:",
  "Manifest:",
  "Fleet:",
  "Options:",
  "Account:",
  "Changes:",
  "Consent:",
  "Output:",
  "Run:",
];

/** Returns makers of the options of one group of the help, each from its description. Default: the group of what a command has of its own. */
const inGroup = (group?: string) => ({
  flag: (describe: string) => ({ type: "boolean", default: false, group, describe }) as const,
  text: (describe: string) => ({ type: "string", requiresArg: true, group, describe }) as const,
  list: (describe: string) =>
    ({ type: "string", array: true, nargs: 1, default: [] as string[], group, describe }) as const,
  number: (describe: string) => ({ type: "number", requiresArg: true, group, describe }) as const,
  numberOr: (byDefault: number, describe: string) =>
    ({ type: "number", requiresArg: true, default: byDefault, group, describe }) as const,
});

export const own = inGroup();
export const inManifest = inGroup("Manifest:");
export const inAccount = inGroup("Account:");
export const inChanges = inGroup("Changes:");
export const inConsent = inGroup("Consent:");
export const inOutput = inGroup("Output:");
export const inRun = inGroup("Run:");
export const inFleet = inGroup("Fleet:");

/** Adds the options that every command has. */
export const common = (args: Argv) =>
  groups
    .reduce((all, group) => all.group([], group), args)
    .group(["help", "version"], "Output:")
    .options({
      json: inOutput.flag("print one JSON event per line"),
      color: {
        ...inOutput.flag("colours on a terminal (--no-color, NO_COLOR and FORCE_COLOR are honoured)"),
        default: true,
      },
      "all-diagnostics": inOutput.flag("print all diagnostics, not only the first 100; --json always does"),
    });

/** Adds what a manifest may take its values from. */
export const valueOptions = <T>(args: Argv<T>) =>
  args.options({
    var: inManifest.list("NAME=VALUE, the value of a variable of the manifest (HOSTFORM_VAR_NAME) (repeatable)"),
    "var-file": inManifest.list("a YAML file with values of variables (repeatable)"),
    "allow-file": inManifest.list(
      "a folder, in addition to the manifest's own, that ${file:…} may read from (repeatable)",
    ),
    "exec-file": inManifest.text(
      "a file of commands that ${exec:NAME} may run, outside the repository (HOSTFORM_EXEC_FILE)",
    ),
  });

export const contract = inAccount.text(
  "contract file that describes the API (HOSTFORM_CONTRACT); default: the built-in contract v2026",
);

const manifests =
  "a manifest, a folder of them, or - (repeatable); default: HOSTFORM_FILE, else hosting/ or hostform.yaml of the working folder";

export const manifestOptions = (args: Argv, describe = manifests) =>
  valueOptions(
    common(args).option("file", { group: "Manifest:", alias: "f", type: "string", array: true, nargs: 1, describe }),
  );

export const targetOptions = <T>(args: Argv<T>) =>
  args
    .options({
      "base-url": inAccount.text("the API's origin, https only (HOSTFORM_BASE_URL)"),
      "key-file": inAccount.text("file with the API key, mode 0600 (HOSTFORM_KEY_FILE); default: HOSTFORM_API_KEY"),
      contract,
      "ca-file": inAccount.text("PEM file of the certificate authority to trust (HOSTFORM_CA_FILE)"),
      emulator: inAccount.flag("use the embedded service for the length of the command"),
      "emulator-data": inAccount.text("data file of the embedded service; implies --emulator"),
      debug: inOutput.flag("log every request to standard error, without the API key and bodies"),
      parallelism: inRun.numberOr(10, "maximum number of concurrent requests"),
    })
    .check(({ parallelism }) => isConcurrency("--parallelism", parallelism, 10));

export const acceptTarget = inConsent.flag(
  "send the API key to the API that the manifest names, though this repository's inventories know another",
);

export const inventoryFile = inManifest.text(
  "keep the inventory in this file; default: in the manifest's git repository",
);

export const journal = inRun.text(
  "journal file for crash recovery; default: a file in .hostform/ of the working folder",
);

export const policyCommand = inConsent.text(
  "a program that gets the plan as JSON on standard input, and may refuse it (HOSTFORM_POLICY_COMMAND)",
);

export const notifyUrl = inOutput.text(
  "post counts, plan hash and address of the CI job to this https URL at the end (HOSTFORM_NOTIFY_URL)",
);

export const full = inOutput.flag("show each step of a plan of more than 50");

/** Returns the check that options of these names are seconds. */
export const areSeconds =
  (...names: readonly string[]) =>
  (given: Readonly<Record<string, unknown>>): true =>
    names.every((name) => isSeconds(`--${name}`, given[name])) as true;

export const changeOptions = <T>(args: Argv<T>) =>
  targetOptions(args)
    .options({
      inventory: inventoryFile,
      "allow-delete": inConsent.list(
        "allow the deletion or replacement of this address; KIND/*=N, 'dns_record/a.test/*=N' or DOMAIN=N allows exactly N (repeatable)",
      ),
      full,
      "show-ignored": inOutput.flag("list the differences in formatting, which are ignored"),
      only: inChanges.list("change only this address and its dependencies; * matches any text (repeatable)"),
      except: inChanges.list("do not change this address or its dependents; * matches any text (repeatable)"),
      "only-drift": inChanges.flag(
        "change only what was changed by hand since the last apply, back to what that apply declared",
      ),
      retry: inChanges.list("request this resource again after it failed on the server (repeatable)"),
      "allow-purchase": inConsent.list(
        "allow this address to cost money: registration, transfer or renewal (repeatable)",
      ),
      rotate: inChanges.list("send the password of this address again (repeatable)"),
      "command-timeout": inRun.numberOr(60, "seconds that a command of ${exec:NAME} or --policy-command may take"),
      rollback: inConsent.flag(
        "delete undeclared resources even if the commit of the last apply is not an ancestor of this one",
      ),
      "accept-target": acceptTarget,
    })
    .check(areSeconds("command-timeout"));

/** Adds the forms in which a command prints what it tells, and files that hold the same in other forms. */
export const formOptions = <T>(args: Argv<T>) =>
  args
    .options({
      format: {
        ...inOutput.text("print Markdown, for the comment of a pull request; json is the same as --json"),
        choices: ["text", "markdown", "json"] as const,
        default: "text" as const,
      },
      html: inOutput.text("also write a page for a browser to this file"),
      markdown: inOutput.text("also write Markdown to this file"),
      "json-into": inOutput.text("also write the events of --json to this file"),
    })
    .check(({ format, json }: { format?: unknown; json?: unknown }) => isOneFormat(format, json));

export const codeQuality = inOutput.text("also write mistakes and warnings to this file, for GitLab");
