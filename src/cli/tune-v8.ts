import type { Emit } from "../engine/events.ts";

/** Runs a function some times as long as by itself before V8 optimises it: compiling was a third of the CPU time of a plan of 10,000 records. */
const compilesLate = "--interrupt-budget=800000";
/** V8's own measure, for writes: they run the same functions ten thousand times, and cost a tenth more CPU time otherwise. */
const compilesSoon = "--interrupt-budget=67584";

/**
 * Keeps V8 from optimising WebAssembly: the first answers that undici reads make it optimise their parser, a single function so large that
 * this takes 80 ms and 35 MB, and over thousands of answers the parser is no faster for it. Also makes V8 look for garbage each time the
 * heap has grown by 50 %: by itself it waits until a large plan has grown to the triple, which saves it next to no time. An apply
 * holds more, and at 30 % its peak is a fifteenth lower. While it plans, V8 optimises late; and room for new objects grows by four instead of two, since looking through it often was a thirtieth. Commands that
 * run for longer, such as the embedded service, would lose a fifth of their speed by it.
 */
export function tuneV8(word: string): void {
  const plans = word === "plan" || word === "apply";
  const growth = word === "apply" ? 30 : 50;
  setFlags("--no-wasm-tier-up", "--no-wasm-dynamic-tiering", `--heap-growing-percent=${growth}`);
  if (plans) setFlags(compilesLate, "--semi-space-growth-factor=4");
}

/** Returns a function that lets V8 optimise soon while an apply writes, and late before and after: compiled code is of use only under the flags that it was kept with. */
export function tuneWhileWriting(emit: Emit): Emit {
  return (event) => {
    if (event.type === "applying" && event.done === 0) setFlags(compilesSoon);
    if (event.type === "report") setFlags(compilesLate);
    emit(event);
  };
}

function setFlags(...flags: readonly string[]): void {
  // Later V8 may not know these flags, and say so.
  if (Number.parseInt(process.versions.node, 10) > 24) return;
  // Loading that module takes 2 ms.
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  for (const flag of flags) setFlagsFromString(flag);
}
