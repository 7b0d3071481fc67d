import type { Argv } from "yargs";
import { isOnlyOne, isSeconds, takesNoVariables, type GivenVariables } from "./check-options.ts";
import {
  changeOptions,
  codeQuality,
  common,
  flag,
  formOptions,
  full,
  journalOption,
  manifestOptions,
  notifyUrl,
  ofOutput,
  policyOption,
  repeatable,
  text,
  ofRun,
} from "./shared-options.ts";

export const planOptions = (args: Argv) =>
  formOptions(changeOptions(manifestOptions(args)))
    .option("out", { ...text, describe: "save the plan in this file, for show and apply; it holds no secrets" })
    .option("undo-out", { ...text, describe: "also save the plan that undoes this one in this file" })
    .option("detailed-exitcode", { ...flag, describe: "exit 2 if there are changes" })
    .option("show-unmanaged", {
      ...ofOutput,
      describe: "list the live resources that the manifest does not name; reads the whole account",
    })
    .option("policy-command", policyOption)
    .option("live", {
      ...text,
      describe: "plan against this file, which hostform snapshot has written, without an API key or network",
    })
    .option("code-quality", codeQuality)
    .option("journal", journalOption)
    .option("timings", { ...ofOutput, describe: "show the time of each part after the plan" })
    .example("$0 plan --only 'dns_record/example.com/*'", "plan the records of one zone")
    .example("$0 plan --out plan.json", "save the plan for a later apply");

export const showOptions = (args: Argv) =>
  formOptions(common(args))
    .option("full", full)
    .option("var", { ...repeatable, hidden: true })
    .option("var-file", { ...repeatable, hidden: true })
    .check((given: GivenVariables) => takesNoVariables(given))
    .positional("plan", {
      type: "string",
      demandOption: true,
      describe: "a file that plan --out has written",
    })
    .example("$0 show plan.json --full", "show each step of a saved plan");

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
