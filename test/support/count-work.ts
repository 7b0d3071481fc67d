import { Session, type Profiler } from "node:inspector/promises";
import { setFlagsFromString } from "node:v8";

/**
 * Counts the work of a function without a clock: each run of each block of JavaScript, as V8 counts them, and the characters or items
 * that built-in functions go through. A second run of the same function makes the same count.
 */
export interface WorkMeter {
  readonly count: (run: () => unknown) => Promise<number>;
  /** The number of runs of each block of the program, without those of the embedded service, by `FILE FUNCTION OFFSET`. */
  readonly countBlocks: (run: () => unknown) => Promise<ReadonlyMap<string, number>>;
  readonly stop: () => Promise<void>;
}

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Cost = (self: { readonly length: number }, result: unknown, args: readonly unknown[]) => number;

const whole: Cost = ({ length }) => length;
const upToFound: Cost = ({ length }, result, [, from = 0]) =>
  Math.max(0, (typeof result === "number" && result >= 0 ? result : length) - Number(from));
const behindStart: Cost = ({ length }, _, [start = 0]) => Math.max(0, length - Number(start));
const made: Cost = (_, result) => (result as { readonly length?: number } | null)?.length ?? 0;

const costs: readonly (readonly [object, Readonly<Record<string, Cost>>])[] = [
  [
    String.prototype,
    { indexOf: upToFound, includes: whole, trimEnd: whole, trimStart: whole, trim: whole, split: whole },
  ],
  [String.prototype, { toLowerCase: whole, toUpperCase: whole, normalize: whole, repeat: made, padStart: made }],
  [
    Array.prototype,
    { includes: whole, indexOf: upToFound, slice: made, concat: made, join: made, splice: behindStart },
  ],
  [Array.prototype, { shift: whole, unshift: whole, sort: whole, toSorted: whole, reverse: whole, toReversed: whole }],
  [Object, { keys: made, values: made, entries: made, getOwnPropertyNames: made }],
  [JSON, { stringify: made, parse: (_, __, [text]) => String(text).length }],
  [RegExp.prototype, { exec: regExpCost }],
];

/** A pattern that begins at a fixed place, or that must match where the last match ended, fails there at once. */
function regExpCost(self: unknown, result: unknown, [text]: readonly unknown[]): number {
  const { source, sticky, global, multiline } = self as RegExp;
  if (result === null) return sticky || (source.startsWith("^") && !multiline) ? 1 : String(text).length;
  const { index, 0: matched } = result as RegExpExecArray;
  return matched.length + 1 + (sticky || global ? 0 : index);
}

export async function startWorkMeter(): Promise<WorkMeter> {
  // Optimised code does not count each call of a function without branches.
  setFlagsFromString("--no-opt");
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return {
    count: async (run) => {
      await session.post("Profiler.takePreciseCoverage");
      const builtIn = countBuiltIns();
      try {
        await run();
      } finally {
        builtIn.stop();
      }
      const { result } = await session.post("Profiler.takePreciseCoverage");
      return builtIn.sum() + blocksRun(result);
    },
    countBlocks: async (run) => {
      await session.post("Profiler.takePreciseCoverage");
      await run();
      const { result } = await session.post("Profiler.takePreciseCoverage");
      const own = result.flatMap(({ url, functions }) => {
        const [, file] = /\/src\/((?!emulator\/).*?)(?:\?|$)/u.exec(url) ?? [];
        return file === undefined
          ? []
          : functions.flatMap((each) => each.ranges.map((range) => ({ file, each, range })));
      });
      return new Map(
        own.map(({ file, each, range }) => [`${file} ${each.functionName} ${range.startOffset}`, range.count]),
      );
    },
    stop: async () => {
      setFlagsFromString("--opt");
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}

/** The blocks of the program and of its libraries: not those of the test runner, nor those of this file. */
const blocksRun = (scripts: readonly Profiler.ScriptCoverage[]): number =>
  scripts
    .filter(({ url }) => /\/src\/|\/(?:yaml|js-yaml|ajv|leven)\//u.test(url))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((sum, { count }) => sum + count, 0);

/** Puts counting functions into the place of built-in ones, until it is stopped. */
function countBuiltIns() {
  let sum = 0;
  const undo = costs.flatMap(([owner, methods]) =>
    Object.entries(methods).map(([name, cost]) => {
      const own = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor & { readonly value: Method };
      const { value: original } = own;
      const counting: Method = function counting(...args) {
        const result = Reflect.apply(original, this, args);
        sum += cost(this as { readonly length: number }, result, args);
        return result;
      };
      Object.defineProperty(owner, name, { ...own, value: counting });
      return () => Object.defineProperty(owner, name, own);
    }),
  );
  return { sum: () => sum, stop: () => undo.forEach((each) => each()) };
}
