#!/usr/bin/env node
import { watchSignals } from "./cli/watch-signals.ts";

// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
const onInterrupt = watchSignals();
tuneV8(process.argv[2]);

void import("./cli/main.ts").then(({ main }) => main(onInterrupt));

/**
 * Sets the flags of V8 that save more than 15 % of the CPU time or memory of a plan:
 * - It does not optimise WebAssembly. Otherwise the first responses make it optimise the parser of undici, which takes 80 ms and 35 MB.
 * - In a plan and an apply, a function runs several times as long before it is optimised. Without that flag a plan of 1,000 or 10,000 records
 *   takes a quarter more CPU time. Commands that run for longer would lose by it, and V8 has no such flag since Node 22.
 */
function tuneV8(command: string | undefined): void {
  const major = Number.parseInt(process.versions.node, 10);
  // V8 prints a complaint about a flag that it does not know.
  if (major > 24) return;
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
  if (major === 20 && (command === "plan" || command === "apply")) setFlagsFromString("--interrupt-budget=800000");
}
