import fc from "fast-check";
import { size } from "../proofs/size.ts";

/**
 * Checks a property on values that are drawn.
 *
 * @param runs how often it is drawn, which `size.draws` scales, or the parameters of fast-check, which draws 100 times by default.
 * @param args a source of each value, and the property of all of them.
 */
export const forDraws = <Drawn extends [unknown, ...unknown[]]>(
  runs: number | fc.Parameters<NoInfer<Drawn>>,
  ...args: [
    ...sources: { [Index in keyof Drawn]: fc.Arbitrary<Drawn[Index]> },
    property: (...drawn: Drawn) => Promise<boolean | void> | boolean | void,
  ]
): Promise<void> => {
  const property = args.at(-1) as (...drawn: Drawn) => Promise<boolean | void>;
  const sources = args.slice(0, -1) as { [Index in keyof Drawn]: fc.Arbitrary<Drawn[Index]> };
  return fc.assert(
    fc.asyncProperty<Drawn>(...sources, async (...drawn) => property(...drawn)),
    typeof runs === "number" ? { numRuns: size.draws(runs) } : runs,
  );
};
