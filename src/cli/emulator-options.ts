import type { Argv } from "yargs";
import { spellings } from "../emulator/index.ts";
import { wrongValue } from "./check-options.ts";
import { common, own, type MakeHandler } from "./shared-options.ts";

export const emulatorOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      "log",
      "print the audit log of a data file",
      (log) =>
        common(log)
          .option("data", { ...own.text("the data file"), demandOption: "Say whose log: --data FILE." })
          .example("$0 emulator log --data service.db", "print the requests that a service has carried out"),
      run(async () => (await import("./commands/emulator.ts")).emulatorLog),
    )
    .options({
      host: { ...own.text("address to listen on"), default: "127.0.0.1" },
      port: { ...own.number("port; 0: any free one"), default: 0 },
      data: own.text("the SQLite file that keeps everything; default: a temporary store"),
      key: own.text("API key with all permissions; default: created on first start"),
      "per-page-max": own.number("largest page; default 100"),
      latency: own.number("milliseconds added to each answer"),
      "rate-limit": own.text("requests a minute, such as 600/min"),
      async: own.number("milliseconds that pending objects stay pending"),
      "name-prefix": own.text(
        "prefix of the names of databases and FTP accounts, followed by _, as on shared hosts: u123",
      ),
      lax: {
        type: "boolean",
        describe: "accept several objects with the same name, like vendors without unique keys",
      },
      contract: own.text("speak the API of this contract: a file, or the name of a built-in one; default: v2026"),
      spelling: own.text(describeSpellings()),
      seed: own.text("JSON file to fill the store from"),
      fault: own.text("YAML or JSON file of fault-injection rules"),
    })
    .check((given) => areWholeNumbers(given, { port: 0, latency: 0, async: 0, "per-page-max": 1 }))
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
