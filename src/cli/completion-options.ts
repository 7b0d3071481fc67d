import type { Argv } from "yargs";
import { common } from "./shared-options.ts";

/** `completion <shell>` */
export const completionOptions = (args: Argv) =>
  common(args)
    .positional("shell", {
      choices: ["bash", "zsh", "fish"] as const,
      demandOption: true,
      describe: "the shell that reads the script",
    })
    .example("$0 completion bash > hostform.bash", "save the script; read it with: source hostform.bash");

/** Flags that take addresses. */
export const addressFlags: ReadonlySet<string> = new Set([
  "only",
  "except",
  "allow-delete",
  "allow-purchase",
  "retry",
  "rotate",
  "why",
  "adopt",
  "forget",
]);
