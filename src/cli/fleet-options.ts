import type { Argv } from "yargs";
import { isConcurrency } from "./check-options.ts";
import { type MakeHandler, acceptTarget, common, flag, ofRun, repeatable, text } from "./shared-options.ts";

const file = {
  group: "Fleet:",
  ...text,
  alias: "f",
  default: "fleet.yaml",
  describe: "the file that names the accounts, or its folder",
} as const;

const fleetFile = (args: Argv) => common(args).option("file", file);

/** Adds the choice of accounts. */
const selecting = (args: Argv) =>
  fleetFile(args)
    .option("group", { ...repeatable, group: "Fleet:", describe: "only accounts of this group (repeatable)" })
    .option("owner", { ...repeatable, group: "Fleet:", describe: "only accounts of this owner (repeatable)" })
    .option("only", {
      ...repeatable,
      group: "Fleet:",
      describe: "only this account; * matches any text (repeatable)",
    });

const accepting = (args: Argv) =>
  selecting(args).option("accept-target", {
    ...acceptTarget,
    describe:
      "send the API keys of accounts to the APIs that fleet.yaml names, though these accounts or keys were at others",
  });

const consenting = (args: Argv) =>
  accepting(args)
    .option("allow-delete", {
      ...repeatable,
      group: "Consent:",
      describe: "an address, or KIND/*=N, that may be deleted in each account (repeatable)",
    })
    .option("allow-purchase", {
      ...repeatable,
      group: "Consent:",
      describe: "an address that may cost money in each account (repeatable)",
    });

const applying = (args: Argv) =>
  consenting(args)
    .option("approve", { ...text, group: "Consent:", describe: "apply the plans of this hash without asking" })
    .option("auto-approve", { ...flag, group: "Consent:", describe: "apply all plans without asking" })
    .option("wave", { ...text, group: "Run:", describe: "waves, such as 1,5%,rest; names with + go first" })
    .option("stop-at", { ...text, group: "Run:", describe: "stop when this share of a wave failed, such as 2%" })
    .option("surprise", { ...ofRun, describe: "leave out accounts with more deletions than this" })
    .option("continue", { ...flag, group: "Run:", describe: "go on with a run that was stopped" });

const working = <T>(args: Argv<T>) =>
  args
    .option("concurrency", { ...ofRun, default: 4, describe: "accounts at a time" })
    .option("parallelism", { ...ofRun, default: 4, describe: "maximum number of concurrent requests of one account" })
    .check(
      ({ concurrency, parallelism }) =>
        isConcurrency("--concurrency", concurrency, 4) && isConcurrency("--parallelism", parallelism, 4),
    )
    .option("allow-file", { ...repeatable, describe: "a folder that keys and secrets may be read from (repeatable)" })
    .option("exec-file", { ...text, describe: "a file of commands that ${exec:NAME} may run (HOSTFORM_EXEC_FILE)" });

const load = () => import("./commands/fleet.ts");

/** `fleet` and its commands. */
export const fleetOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      "plan",
      "plan each account, and show what is unlike the rest first",
      consenting,
      run(async () => (await load()).fleetPlan),
    )
    .command(
      "apply",
      "plan, ask for approval, and apply in waves; workers do it",
      applying,
      run(async () => (await load()).fleetApply),
    )
    .command(
      "drift",
      "show which accounts were changed by hand since their last apply",
      accepting,
      run(async () => (await load()).fleetDrift),
    )
    .command(
      "run",
      "apply, with workers in this process",
      (of) => working(applying(of)),
      run(async () => (await load()).fleetRun),
    )
    .command(
      "status",
      "show the accounts that are not clean, and runs that wait",
      (of) =>
        selecting(of).option("html", {
          ...text,
          group: "Output:",
          describe: "write pages for a browser into this folder",
        }),
      run(async () => (await load()).fleetStatus),
    )
    .command(
      "history <account>",
      "show the runs of one account",
      (of) => fleetFile(of).positional("account", { type: "string", demandOption: true, describe: "its name" }),
      run(async () => (await load()).fleetHistory),
    )
    .command(
      "approve <run>",
      "approve the plans of a run by their hash",
      (of) =>
        fleetFile(of)
          .positional("run", { type: "string", demandOption: true, describe: "the id of the run" })
          .option("hash", {
            ...text,
            demandOption: "Say which plans: --hash HASH, as the plan and hostform fleet status show it.",
            group: "Consent:",
            describe: "the hash that its plan showed",
          }),
      run(async () => (await load()).fleetApprove),
    )
    .command(
      "cancel <run>",
      "end a run: what no worker has begun is not done",
      (of) => fleetFile(of).positional("run", { type: "string", demandOption: true, describe: "the id of the run" }),
      run(async () => (await load()).fleetCancel),
    )
    .command(
      "worker",
      "do the jobs of all runs of a fleet, until it is stopped",
      (of) =>
        working(fleetFile(of))
          .option("drift", { ...text, group: "Run:", describe: "check each account for drift, such as every=6h" })
          .option("notify-url", {
            ...text,
            group: "Output:",
            describe: "an https URL to which new drift is posted (HOSTFORM_NOTIFY_URL)",
          }),
      run(async () => (await load()).fleetWorker),
    )
    .command(
      "migrate",
      "make the tables of the database, or bring them to the version of this program",
      (of) =>
        common(of).option("grants", { ...text, group: "Output:", describe: "print the rights that this role needs" }),
      run(async () => (await import("./commands/fleet-database.ts")).fleetMigrate),
    )
    .demandCommand(
      1,
      "Say what to do with the fleet: plan, apply, drift, run, status, history, approve, cancel, worker or migrate.",
    )
    .example("$0 fleet plan", "plan all accounts of fleet.yaml")
    .example("$0 fleet apply --wave 1,5%,rest --stop-at 2%", "apply one account, then more");
