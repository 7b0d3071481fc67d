#!/usr/bin/env node
import { watchSignals } from "./cli/watch-signals.ts";

// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
const onInterrupt = watchSignals();

void import("./cli/main.ts").then(({ main }) => main(onInterrupt));
