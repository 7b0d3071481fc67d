import type { Operation } from "../document/router.ts";
import { effects, faultNameOf } from "./effects.ts";
import { matchesPath, readPattern } from "./match-path.ts";
import type { FaultRule } from "./rule.ts";

/** An authorized request that fault rules can match. */
export interface FaultRequest {
  readonly operation: Operation;
  /** Without its query. */
  readonly path: string;
  readonly keyId: string;
}

export type Faults = ReturnType<typeof createFaults>;

export function createFaults(rules: readonly FaultRule[]) {
  let armed = rules.map(arm);
  return {
    add: (more: readonly FaultRule[]): void => void armed.push(...more.map(arm)),
    /** Counts a request for every rule that it matches. Returns the name and effect of the first of those that are due. */
    strike(request: FaultRequest) {
      const due = armed.filter((rule) => rule.isFor(request)).filter((rule) => rule.isDue());
      return due[0]?.fire();
    },
    /** The rules, each with how often it `matched` and `fired`. */
    list: () => armed.map((rule) => rule.counted()),
    clear(): void {
      armed = [];
    },
  };
}

function arm(rule: FaultRule) {
  const { match, after = 0, count = Number.POSITIVE_INFINITY, probability = 1, seed = 0, fault } = rule;
  const name = faultNameOf(fault);
  const effect = effects[name](fault);
  const pattern = readPattern(match.path ?? "/**");
  const draw = drawFrom(seed);
  let [matched, fired] = [0, 0];
  return {
    isFor: ({ operation, path, keyId }: FaultRequest): boolean =>
      (match.method ?? operation.method) === operation.method &&
      (match.key ?? keyId) === keyId &&
      (effect.appliesTo?.(operation) ?? true) &&
      matchesPath(pattern, path),
    /** Counts a match. */
    isDue(): boolean {
      matched += 1;
      return matched > after && draw() < probability && fired < count;
    },
    fire() {
      fired += 1;
      return { name, effect };
    },
    counted: () => ({ ...rule, matched, fired }),
  };
}

/** Numbers from 0 to below 1 (mulberry32): the same seed gives the same ones in every release. */
export function drawFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
