#!/usr/bin/env node
import { createRequire } from "node:module";
import { asksForHelp } from "./cli/help-words.ts";
import type * as Main from "./cli/main.ts";
import { watchSignals } from "./cli/watch-signals.ts";
import { packageFile } from "./lib/package-file.ts";

// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
const onInterrupt = watchSignals();

async function start(argv: readonly string[]): Promise<void> {
  const [word = "", ...others] = argv;
  if (others.length === 0 && ["--version", "-v", "version"].includes(word)) {
    const { version } = await import("./engine/version.ts");
    process.stdout.write(`${version()}\n`);
  } else if (asksForHelp(argv)) {
    const { main } = createRequire(import.meta.filename)(packageFile("dist/app/main.cjs")) as typeof Main;
    await main(onInterrupt);
  } else {
    const { loadMain } = await import("./cli/load-main.ts");
    await loadMain(packageFile("dist/app"), argv)(onInterrupt);
  }
}

void start(process.argv.slice(2));
