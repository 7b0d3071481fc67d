import type { Argv } from "yargs";
import { isOneFormat, isSeconds, wrongValue } from "./check-options.ts";
import {
  acceptTarget,
  changeOptions,
  codeQuality,
  common,
  contract,
  formOptions,
  inventoryFileOption,
  journalOption,
  manifestOptions,
  notifyUrl,
  targetOptions,
  flag,
  ofRun,
  repeatable,
  text,
} from "./shared-options.ts";

/** `validate`, `render` and `export` */
const offlineOptions = (args: Argv) => manifestOptions(args).option("contract", contract);

/** `why`, `drift` and `snapshot` */
const accountOptions = (args: Argv, manifests?: string) =>
  targetOptions(manifestOptions(args, manifests))
    .option("inventory", inventoryFileOption)
    .option("accept-target", acceptTarget);

export const validateOptions = (args: Argv) =>
  formOptions(offlineOptions(args))
    .option("code-quality", codeQuality)
    .example("$0 validate", "check the manifest of the working folder")
    .example("$0 validate -f hosting/ -f mail.yaml", "check several as one");

export const renderOptions = (args: Argv) =>
  offlineOptions(args).example("$0 render --var ttl=300 > whole.yaml", "save the manifest without templates");

export const whyOptions = (args: Argv) =>
  accountOptions(args)
    .option("journal", journalOption)
    .positional("address", {
      type: "string",
      demandOption: true,
      describe: "the resource, such as mailbox/info@example.com",
    })
    .example("$0 why mailbox/info@example.com", "explain one mailbox");

export const driftOptions = (args: Argv) =>
  formOptions(accountOptions(args))
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
  accountOptions(args, "record only what a plan of these manifests reads; default: the whole account")
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

/** `completion <shell>` */
export const completionOptions = (args: Argv) =>
  common(args)
    .positional("shell", {
      choices: ["bash", "zsh", "fish"] as const,
      demandOption: true,
      describe: "the shell that reads the script",
    })
    .example("$0 completion bash > hostform.bash", "save the script; read it with: source hostform.bash");
