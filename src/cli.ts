#!/usr/bin/env node
import { tuneV8 } from "./cli/tune-v8.ts";
import { watchSignals } from "./cli/watch-signals.ts";

// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
const onInterrupt = watchSignals();
tuneV8(process.argv[2]);

void import("./cli/main.ts").then(({ main }) => main(onInterrupt));
