import type { Argv } from "yargs";
import { common, flag, targetOptions, text } from "./command-options.ts";

/** `init [folder]` */
export const initOptions = (args: Argv) =>
  targetOptions(common(args))
    .positional("folder", { type: "string", describe: "the new folder to write; default: hosting" })
    .option("domain", { ...text, default: "example.com", describe: "the domain of the first manifest" })
    .option("import", { ...flag, describe: "write the manifest of the account instead of a first one" })
    .example("$0 init --domain your-name.example", "begin with one domain")
    .example("$0 init --import --base-url https://api.host.example", "begin with what the account holds");
