import type { Argv } from "yargs";
import { isOneFormat, isOnlyOne, takesNoVariables, wrongValue, type GivenVariables } from "./check-options.ts";
import { contractOptions } from "./contract-options.ts";
import { emulatorOptions } from "./emulator-options.ts";
import { fleetOptions } from "./fleet-options.ts";
import {
  type MakeHandler,
  acceptTarget,
  areSeconds,
  changeOptions,
  codeQuality,
  command,
  common,
  contract,
  formOptions,
  full,
  inConsent,
  inOutput,
  inRun,
  inventoryFile,
  journal,
  manifestOptions,
  notifyUrl,
  own,
  policyCommand,
  targetOptions,
  valueOptions,
} from "./shared-options.ts";

/** `validate`, `render` and `export` */
const offlineOptions = (args: Argv) => manifestOptions(args).option("contract", contract);

/** `why`, `drift` and `snapshot` */
const accountOptions = (args: Argv, manifests?: string) =>
  targetOptions(manifestOptions(args, manifests)).options({ inventory: inventoryFile, "accept-target": acceptTarget });

/** An option that `show` refuses with advice of its own. */
const ofManifest = { ...own.list("a value of a manifest"), hidden: true } as const;

/** The commands in the order of the help: the words of each, its options, its positional arguments and its examples. `kindNames`: those that `import` takes. */
export const commandTable = (run: MakeHandler, kindNames: readonly string[]) => ({
  "init [folder]": command("begin: write a first manifest, .gitignore and a CI file", (args) =>
    targetOptions(common(args))
      .positional("folder", { type: "string", describe: "the new folder to write; default: hosting" })
      .options({
        domain: { ...own.text("the domain of the first manifest"), default: "example.com" },
        import: own.flag("write the manifest of the account instead of a first one"),
      })
      .example("$0 init --domain your-name.example", "begin with one domain")
      .example("$0 init --import --base-url https://api.host.example", "begin with what the account holds"),
  ),

  validate: command("check manifests without the API", (args) =>
    formOptions(offlineOptions(args))
      .option("code-quality", codeQuality)
      .example("$0 validate", "check the manifest of the working folder")
      .example("$0 validate -f hosting/ -f mail.yaml", "check several as one"),
  ),

  render: command("print a manifest with its templates and variables put in, without the API", (args) =>
    offlineOptions(args).example("$0 render --var ttl=300 > whole.yaml", "save the manifest without templates"),
  ),

  plan: command("show what an apply would do", (args) =>
    formOptions(changeOptions(manifestOptions(args)))
      .options({
        out: own.text("save the plan in this file, for show and apply; it holds no secrets"),
        "undo-out": own.text("also save the plan that undoes this one in this file"),
        "detailed-exitcode": own.flag("exit 2 if there are changes"),
        "show-unmanaged": inOutput.flag(
          "list the live resources that the manifest does not name; reads the whole account",
        ),
        "policy-command": policyCommand,
        live: own.text("plan against this file, which hostform snapshot has written, without an API key or network"),
        "code-quality": codeQuality,
        journal,
        timings: inOutput.flag("show the time of each part after the plan"),
      })
      .example("$0 plan --only 'dns_record/example.com/*'", "plan the records of one zone")
      .example("$0 plan --out plan.json", "save the plan for a later apply"),
  ),

  "apply [plan]": command("plan, ask for approval and apply; or apply a saved plan", (args) =>
    formOptions(changeOptions(manifestOptions(args)))
      .positional("plan", { type: "string", describe: "a file that plan --out has written, instead of -f" })
      .check(({ plan, file: files }: { plan?: unknown; file?: unknown }) => isOnlyOne(plan, files))
      .check((given: GivenVariables & { plan?: unknown }) => given.plan === undefined || takesNoVariables(given))
      .options({
        approve: inConsent.text("apply without asking, if the plan is still the one with this hash"),
        rehearse: own.flag("test the plan on the embedded service first, and apply it only if the test passes"),
        "policy-command": policyCommand,
        "notify-url": notifyUrl,
        "auto-approve": inConsent.flag("apply without asking"),
        settle: inRun.numberOr(30, "seconds that the API's lists may take to show what was written"),
        "lock-timeout": inRun.numberOr(
          90,
          "seconds to wait for an apply of the target on another machine; the lock of a dead one is taken over after 60",
        ),
        journal,
        "wait-timeout": inRun.numberOr(600, "seconds to wait for one object to become usable"),
      })
      .check(areSeconds("settle", "wait-timeout", "lock-timeout"))
      .example("$0 apply", "plan the manifest of the working folder, ask, and apply")
      .example("$0 apply plan.json", "apply a saved plan"),
  ),

  rehearse: command("test a plan on the embedded service, seeded with the live state", (args) =>
    changeOptions(manifestOptions(args))
      .options({
        journal,
        "policy-command": policyCommand,
        "crash-sweep": own.flag("also simulate a crash at every call and check that each run can be completed"),
      })
      .example("$0 rehearse --crash-sweep", "test the plan, and a crash at every call"),
  ),

  "show <plan>": command("show a saved plan, without the API", (args) =>
    formOptions(common(args))
      .options({ full, var: ofManifest, "var-file": ofManifest })
      .check((given: GivenVariables) => takesNoVariables(given))
      .positional("plan", { type: "string", demandOption: true, describe: "a file that plan --out has written" })
      .example("$0 show plan.json --full", "show each step of a saved plan"),
  ),

  drift: command("show what was changed by hand since the last apply, by reading only", (args) =>
    formOptions(accountOptions(args))
      .options({
        tolerate: own.list("leave out this address, or this ADDRESS.FIELD; * matches any text (repeatable)"),
        accept: own.text("write the live values of this address into the manifest, in place"),
        unmanaged: own.flag("list live resources that nobody manages; reads the whole account"),
        live: own.text("compare this file, which hostform snapshot has written, without an API key or network"),
        "notify-url": notifyUrl,
      })
      .example("$0 drift", "exit 2 if something was changed by hand"),
  ),

  verify: command("ask the name servers whether they answer as declared, without the API", (args) =>
    manifestOptions(args)
      .options({
        resolver: own.text("ask this server, ADDRESS or ADDRESS:PORT, in place of the name servers of each zone"),
        timeout: inRun.numberOr(60, "seconds that name servers may take to answer as declared; 0: ask once"),
        tls: own.flag("also connect to the hosts of certificates: do they show one that is valid"),
        "tls-port": inRun.numberOr(443, "the port of --tls"),
      })
      .check(areSeconds("timeout"))
      .check(({ "tls-port": port }) => {
        if (Number.isInteger(port) && port >= 1 && port <= 65_535) return true;
        throw wrongValue("--tls-port", "a port from 1 to 65535", port, "leave it out for 443");
      })
      .example("$0 verify", "wait until the name servers answer as declared"),
  ),

  "why <address>": command(
    "explain one resource: where it is declared, how it differs from live state, what a plan would change",
    (args) =>
      accountOptions(args)
        .option("journal", journal)
        .positional("address", {
          type: "string",
          demandOption: true,
          describe: "the resource, such as mailbox/info@example.com",
        })
        .example("$0 why mailbox/info@example.com", "explain one mailbox"),
  ),

  "status [address..]": command("show how live resources are doing", (args) =>
    targetOptions(manifestOptions(args))
      .positional("address", {
        type: "string",
        array: true,
        describe: "resources to show, * matches any text; default: all",
      })
      .options({
        "accept-target": acceptTarget,
        format: {
          ...inOutput.text("markdown prints a table for a comment or an issue, what expires first on top"),
          choices: ["text", "markdown"] as const,
          default: "text" as const,
        },
        "fail-on": own.text("exit 2 on any of these: pending,failed,missing,expiring:30d"),
      })
      .check(({ format, json }: { format?: unknown; json?: unknown }) => isOneFormat(format, json))
      .example("$0 status --fail-on expiring:30d", "find what expires soon")
      .example("$0 status 'mailbox/*'", "show all mailboxes"),
  ),

  inventory: command("show or edit the inventory (the resources that this manifest owns)", (args) =>
    targetOptions(manifestOptions(args))
      .options({
        inventory: inventoryFile,
        why: own.text("show which applies added this address to the inventory or removed it"),
        adopt: own.list("add this address to the inventory (repeatable)"),
        forget: own.list("remove this address from the inventory; the live resource is kept (repeatable)"),
        unlock: own.flag("clear the lock of an apply that did not end"),
      })
      .example("$0 inventory", "list what the manifest owns")
      .example("$0 inventory --forget mailbox/info@example.com", "keep a mailbox, and stop managing it"),
  ),

  snapshot: command("save the live state, without secrets, for planning without an API key or network", (args) =>
    accountOptions(args, "record only what a plan of these manifests reads; default: the whole account")
      .option("out", { ...own.text("the file to write, mode 0600"), demandOption: "Say where to: --out FILE." })
      .example("$0 snapshot --out live.json", "save the whole account for plan --live live.json"),
  ),

  "import [folder]": command("write a manifest of an account that exists", (args) =>
    targetOptions(valueOptions(common(args)))
      .positional("folder", { type: "string", describe: "the new folder to write; default: hosting" })
      .options({
        into: own.text("add what is not managed to this manifest, a file or a folder, and change nothing else in it"),
        own: own.flag("add what is imported to the inventory at once, not with the next apply"),
        layout: {
          choices: ["folder", "single"] as const,
          default: "folder" as const,
          describe: "one file for each domain, or a single file",
        },
        only: own.list("import only this address; * matches any text (repeatable)"),
        kind: { ...own.list("import only resources of this kind (repeatable)"), choices: kindNames },
        from: {
          type: "string",
          array: true,
          requiresArg: true,
          describe:
            "import zones from files, without an API key or network: --from zone-file FILE… or --from octodns DIR",
        },
        live: own.text("import from this file, which hostform snapshot has written, without an API key or network"),
        inventory: inventoryFile,
        "accept-target": acceptTarget,
      })
      .example("$0 import hosting/ --base-url https://api.host.example", "write a manifest of the whole account")
      .example("$0 import --into hosting/", "add what someone has made by hand since"),
  ),

  "export [zone]": command("print a zone of a manifest as a zone file, without the API", (args) =>
    offlineOptions(args)
      .option("zone-file", {
        ...own.flag("print a zone file (RFC 1035)"),
        demandOption: "Say in which form: --zone-file.",
      })
      .positional("zone", { type: "string", describe: "the zone; default: the only zone of the manifest" })
      .example("$0 export example.com --zone-file", "print one zone"),
  ),

  contract: command("check or show a contract file, which describes the API of a vendor", (args) =>
    contractOptions(args, run),
  ),

  doctor: command("compare a contract file with the answers of the API, by reading only", (args) =>
    targetOptions(common(args)).example("$0 doctor --contract contract.yaml", "compare a contract with its API"),
  ),

  emulator: command("run the embedded hosting service on a local data file, for testing", (args) =>
    emulatorOptions(args, run),
  ),

  fleet: command("plan, apply and watch many accounts, with workers on any machine", (args) => fleetOptions(args, run)),

  "mcp [folder]": command(
    "serve validate, plan, drift, why, status, snapshot and rehearse to an AI agent, by reading only",
    (args) =>
      targetOptions(manifestOptions(args))
        .option("inventory", inventoryFile)
        .positional("folder", {
          type: "string",
          describe: "the only folder that is read, and that all paths are relative to; default: the working folder",
        })
        .example("$0 mcp /work/hosting", "serve one repository, over standard input and output"),
  ),

  "completion <shell>": command("print a script for a shell, which completes commands, flags and addresses", (args) =>
    common(args)
      .positional("shell", {
        choices: ["bash", "zsh", "fish"] as const,
        demandOption: true,
        describe: "the shell that reads the script",
      })
      .example("$0 completion bash > hostform.bash", "save the script; read it with: source hostform.bash"),
  ),
});
