import type { Argv } from "yargs";
import { isConcurrency } from "./check-options.ts";
import { type MakeHandler, common, inConsent, inFleet, inOutput, inRun, own } from "./shared-options.ts";

const fleetFile = (args: Argv) =>
  common(args).option("file", {
    ...inFleet.text("the file that names the accounts, or its folder"),
    alias: "f",
    default: "fleet.yaml",
  });

/** Adds the choice of accounts. */
const selecting = (args: Argv) =>
  fleetFile(args).options({
    group: inFleet.list("only accounts of this group (repeatable)"),
    owner: inFleet.list("only accounts of this owner (repeatable)"),
    only: inFleet.list("only this account; * matches any text (repeatable)"),
  });

const accepting = (args: Argv) =>
  selecting(args).option(
    "accept-target",
    inConsent.flag(
      "send the API keys of accounts to the APIs that fleet.yaml names, though these accounts or keys were at others",
    ),
  );

const consenting = (args: Argv) =>
  accepting(args).options({
    "allow-delete": inConsent.list("an address, or KIND/*=N, that may be deleted in each account (repeatable)"),
    "allow-purchase": inConsent.list("an address that may cost money in each account (repeatable)"),
  });

const applying = (args: Argv) =>
  consenting(args).options({
    approve: inConsent.text("apply the plans of this hash without asking"),
    "auto-approve": inConsent.flag("apply all plans without asking"),
    wave: inRun.text("waves, such as 1,5%,rest; names with + go first"),
    "stop-at": inRun.text("stop when this share of a wave failed, such as 2%"),
    surprise: inRun.number("leave out accounts with more deletions than this"),
    continue: inRun.flag("go on with a run that was stopped"),
  });

const working = <T>(args: Argv<T>) =>
  args
    .options({
      concurrency: inRun.numberOr(4, "accounts at a time"),
      parallelism: inRun.numberOr(4, "maximum number of concurrent requests of one account"),
      "allow-file": own.list("a folder that keys and secrets may be read from (repeatable)"),
      "exec-file": own.text("a file of commands that ${exec:NAME} may run (HOSTFORM_EXEC_FILE)"),
    })
    .check(
      ({ concurrency, parallelism }) =>
        isConcurrency("--concurrency", concurrency, 4) && isConcurrency("--parallelism", parallelism, 4),
    );

const ofRun = (args: Argv) =>
  fleetFile(args).positional("run", { type: "string", demandOption: true, describe: "the id of the run" });

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
      (of) => selecting(of).option("html", inOutput.text("write pages for a browser into this folder")),
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
        ofRun(of).option("hash", {
          ...inConsent.text("the hash that its plan showed"),
          demandOption: "Say which plans: --hash HASH, as the plan and hostform fleet status show it.",
        }),
      run(async () => (await load()).fleetApprove),
    )
    .command(
      "cancel <run>",
      "end a run: what no worker has begun is not done",
      ofRun,
      run(async () => (await load()).fleetCancel),
    )
    .command(
      "worker",
      "do the jobs of all runs of a fleet, until it is stopped",
      (of) =>
        working(fleetFile(of)).options({
          drift: inRun.text("check each account for drift, such as every=6h"),
          "notify-url": inOutput.text("an https URL to which new drift is posted (HOSTFORM_NOTIFY_URL)"),
        }),
      run(async () => (await load()).fleetWorker),
    )
    .command(
      "migrate",
      "make the tables of the database, or bring them to the version of this program",
      (of) => common(of).option("grants", inOutput.text("print the rights that this role needs")),
      run(async () => (await import("./commands/fleet-database.ts")).fleetMigrate),
    )
    .demandCommand(
      1,
      "Say what to do with the fleet: plan, apply, drift, run, status, history, approve, cancel, worker or migrate.",
    )
    .example("$0 fleet plan", "plan all accounts of fleet.yaml")
    .example("$0 fleet apply --wave 1,5%,rest --stop-at 2%", "apply one account, then more");
