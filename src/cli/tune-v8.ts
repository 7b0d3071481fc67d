/**
 * Sets what V8 would do otherwise by itself:
 * - It does not optimise WebAssembly: the first answers that undici reads make it optimise their parser, a single function so large that
 *   this takes 80 ms and 35 MB, and over thousands of answers the parser is no faster for it.
 * - It looks for garbage each time the heap has grown by 50 %: by itself it waits until a large plan has grown to the triple, which saves it
 *   next to no time. An apply holds more, and at 30 % its peak is a fifteenth lower.
 * - In a plan and an apply it runs a function several times as long before it optimises that, since compiling was a third of the CPU time of a
 *   plan of 10,000 records; and room for new objects grows by four instead of two, since looking through it often was a thirtieth. Commands
 *   that run for longer, such as the embedded service, would lose a fifth of their speed by it.
 * - In both it looks through the whole heap only when that is about to reach its limit. By itself it starts as soon as no more is left than
 *   the room for new objects, so that a plan of 1,000 records, which never reaches the limit, and an apply of 5,000 lost a twentieth.
 * - In a plan it runs a function three times as long before it notes the types that the function sees: most functions of a plan run too
 *   seldom to gain by that, and it was a twentieth of a plan of 10,000 records.
 */
export function tuneV8(word: string): void {
  const major = Number.parseInt(process.versions.node, 10);
  // V8 complains of a flag that it does not know: later ones may know none of these, and it has no interrupt budgets since Node 22.
  if (major > 24) return;
  const growth = word === "apply" ? 30 : 50;
  const flags = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering", `--heap-growing-percent=${growth}`];
  if (word === "plan" || word === "apply") {
    flags.push("--semi-space-growth-factor=4");
    flags.push("--incremental-marking-soft-trigger=90", "--incremental-marking-hard-trigger=99");
    if (major === 20) flags.push("--interrupt-budget=800000");
  }
  if (word === "plan" && major === 20) {
    flags.push("--interrupt-budget-for-feedback-allocation=3000");
    flags.push("--interrupt-budget-factor-for-feedback-allocation=24");
  }
  // Loading that module takes 2 ms.
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  for (const flag of flags) setFlagsFromString(flag);
}
