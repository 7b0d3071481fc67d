#!/usr/bin/env node
import { watchSignals } from "./cli/watch-signals.ts";
import { packageFile } from "./lib/package-file.ts";

// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
const onInterrupt = watchSignals();

async function start(argv: readonly string[]): Promise<void> {
  const { loadMain } = await import("./cli/load-main.ts");
  await loadMain(packageFile("dist/app"), argv)(onInterrupt);
}

void start(process.argv.slice(2));
