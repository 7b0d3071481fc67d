import type { Argv } from "yargs";
import {
  acceptTarget,
  common,
  flag,
  inventoryFileOption,
  repeatable,
  targetOptions,
  text,
  valueOptions,
} from "./command-options.ts";

/** `import [folder]` */
export const importOptions = (args: Argv, kindNames: readonly string[]) =>
  targetOptions(valueOptions(common(args)))
    .positional("folder", { type: "string", describe: "the new folder to write; default: hosting" })
    .option("into", {
      ...text,
      describe: "add what is not managed to this manifest, a file or a folder, and change nothing else in it",
    })
    .option("own", { ...flag, describe: "add what is imported to the inventory at once, not with the next apply" })
    .option("layout", {
      choices: ["folder", "single"] as const,
      default: "folder" as const,
      describe: "one file for each domain, or a single file",
    })
    .option("only", { ...repeatable, describe: "import only this address; * matches any text (repeatable)" })
    .option("kind", {
      ...repeatable,
      choices: kindNames,
      describe: "import only resources of this kind (repeatable)",
    })
    .option("from", {
      type: "string",
      array: true,
      requiresArg: true,
      describe: "import zones from files, without an API key or network: --from zone-file FILE… or --from octodns DIR",
    })
    .option("live", {
      ...text,
      describe: "import from this file of hostform snapshot, without an API key or network",
    })
    .option("inventory", inventoryFileOption)
    .option("accept-target", acceptTarget)
    .example("$0 import hosting/ --base-url https://api.host.example", "write a manifest of the whole account")
    .example("$0 import --into hosting/", "add what someone has made by hand since");
