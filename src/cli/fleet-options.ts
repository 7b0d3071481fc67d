import type { Argv } from "yargs";
import { isConcurrency } from "./check-options.ts";
import {
  type MakeHandler,
  command,
  common,
  inConsent,
  inFleet,
  inOutput,
  inRun,
  modulesOf,
  own,
} from "./shared-options.ts";

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
    surprise: inRun.text("leave out accounts with more deletions than this"),
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

const fleetCommands = {
  plan: command("plan each account, and show what is unlike the rest first", consenting),
  apply: command("plan, ask for approval, and apply in waves; workers do it", applying),
  drift: command("show which accounts were changed by hand since their last apply", accepting),
  run: command("apply, with workers in this process", (args) => working(applying(args))),
  status: command("show the accounts that are not clean, and runs that wait", (args) =>
    selecting(args).option("html", inOutput.text("write pages for a browser into this folder")),
  ),
  "history <account>": command("show the runs of one account", (args) =>
    fleetFile(args).positional("account", { type: "string", demandOption: true, describe: "its name" }),
  ),
  "approve <run>": command("approve the plans of a run by their hash", (args) =>
    ofRun(args).option("hash", {
      ...inConsent.text("the hash that its plan showed"),
      demandOption: "Say which plans: --hash HASH, as the plan and hostform fleet status show it.",
    }),
  ),
  "cancel <run>": command("end a run: what no worker has begun is not done", ofRun),
  worker: command("do the jobs of all runs of a fleet, until it is stopped", (args) =>
    working(fleetFile(args)).options({
      drift: inRun.text("check each account for drift, such as every=6h"),
      "notify-url": inOutput.text("an https URL to which new drift is posted (HOSTFORM_NOTIFY_URL)"),
    }),
  ),
  migrate: command("make the tables of the database, or bring them to the version of this program", (args) =>
    common(args).option("grants", inOutput.text("print the rights that this role needs")),
  ),
};

/** `fleet` and its commands. */
export const fleetOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      modulesOf(fleetCommands, {
        plan: run(async () => (await load()).fleetPlan),
        apply: run(async () => (await load()).fleetApply),
        drift: run(async () => (await load()).fleetDrift),
        run: run(async () => (await load()).fleetRun),
        status: run(async () => (await load()).fleetStatus),
        "history <account>": run(async () => (await load()).fleetHistory),
        "approve <run>": run(async () => (await load()).fleetApprove),
        "cancel <run>": run(async () => (await load()).fleetCancel),
        worker: run(async () => (await load()).fleetWorker),
        migrate: run(async () => (await import("./commands/fleet-database.ts")).fleetMigrate),
      }),
    )
    .demandCommand(
      1,
      "Say what to do with the fleet: plan, apply, drift, run, status, history, approve, cancel, worker or migrate.",
    )
    .example("$0 fleet plan", "plan all accounts of fleet.yaml")
    .example("$0 fleet apply --wave 1,5%,rest --stop-at 2%", "apply one account, then more");
