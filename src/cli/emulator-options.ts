import type { Argv } from "yargs";
import { spellings } from "../emulator/index.ts";
import { wrongValue } from "./check-options.ts";
import { common, number, text, type MakeHandler } from "./shared-options.ts";

export const emulatorOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      "log",
      "print the audit log of a data file",
      (log) =>
        common(log)
          .option("data", { ...text, demandOption: "Say whose log: --data FILE.", describe: "the data file" })
          .example("$0 emulator log --data service.db", "print the requests that a service has carried out"),
      run(async () => (await import("./commands/emulator.ts")).emulatorLog),
    )
    .option("host", { ...text, default: "127.0.0.1", describe: "address to listen on" })
    .option("port", { ...number, default: 0, describe: "port; 0: any free one" })
    .option("data", { ...text, describe: "the SQLite file that keeps everything; default: a temporary store" })
    .option("key", { ...text, describe: "API key with all permissions; default: created on first start" })
    .option("per-page-max", { ...number, describe: "largest page; default 100" })
    .option("latency", { ...number, describe: "milliseconds added to each answer" })
    .option("rate-limit", { ...text, describe: "requests a minute, such as 600/min" })
    .option("async", { ...number, describe: "milliseconds that pending objects stay pending" })
    .option("name-prefix", {
      ...text,
      describe: "prefix of the names of databases and FTP accounts, followed by _, as on shared hosts: u123",
    })
    .option("lax", {
      type: "boolean",
      describe: "accept several objects with the same name, like vendors without unique keys",
    })
    .option("contract", {
      ...text,
      describe: "speak the API of this contract: a file, or the name of a built-in one; default: v2026",
    })
    .option("spelling", { ...text, describe: describeSpellings() })
    .check((given) => areWholeNumbers(given, { port: 0, latency: 0, async: 0, "per-page-max": 1 }))
    .option("seed", { ...text, describe: "JSON file to fill the store from" })
    .option("fault", { ...text, describe: "YAML or JSON file of fault-injection rules" })
    .example("$0 emulator --data service.db --port 8443", "serve, and keep everything in a file");

function describeSpellings(): string {
  const lines = Object.entries(spellings).map(([word, meaning]) => `${word}: ${meaning}`);
  return `how responses format stored values; words separated by commas:\n${lines.join("\n")}\nall: every word that can be combined with the others`;
}

/** Every given number is a whole one, and not below its minimum. */
function areWholeNumbers(given: Readonly<Record<string, unknown>>, minimums: Readonly<Record<string, number>>): true {
  for (const [flag, minimum] of Object.entries(minimums)) {
    const value = given[flag];
    if (value === undefined || (Number.isInteger(value) && Number(value) >= minimum)) continue;
    throw wrongValue(`--${flag}`, `a whole number, ${minimum} or more`, value, "see hostform emulator --help");
  }
  return true;
}
