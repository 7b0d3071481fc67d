#!/usr/bin/env node
// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
import { watchSignals } from "./cli/watch-signals.ts";

const onInterrupt = watchSignals();
const [word, ...others] = process.argv.slice(2);
if (others.length === 0 && (word === "--version" || word === "-v" || word === "version")) {
  const { version } = await import("./engine/version.ts");
  process.stdout.write(`${version()}\n`);
} else {
  const { main } = await import("./cli/main.ts");
  await main(onInterrupt);
}
