import type { Argv } from "yargs";
import { takesNoVariables, type GivenVariables } from "./check-options.ts";
import {
  changeOptions,
  codeQuality,
  common,
  flag,
  formOptions,
  full,
  journalOption,
  manifestOptions,
  ofOutput,
  policyOption,
  repeatable,
  text,
} from "./command-options.ts";

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
