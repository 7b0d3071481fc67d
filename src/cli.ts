#!/usr/bin/env node
// Loading the rest takes longer than all else before a command begins, and a signal may come meanwhile.
import { watchSignals } from "./cli/watch-signals.ts";

const onInterrupt = watchSignals();
const { main } = await import("./cli/main.ts");
await main(onInterrupt);
