import type { Operation } from "../document/router.ts";
import { effects, faultNameOf, type Effect } from "./effects.ts";
import { matchesPath, readPattern } from "./match-path.ts";
import type { FaultName, FaultRule } from "./rule.ts";

/** An authorized request that fault rules can match. */
export interface FaultRequest {
  readonly operation: Operation;
  /** Without its query. */
  readonly path: string;
  readonly keyId: string;
}

/** The fault injected into a request, and its effect. */
export interface InjectedFault {
  readonly name: FaultName;
  readonly effect: Effect;
}

export interface CountedRule extends FaultRule {
  readonly matched: number;
  readonly fired: number;
}

export interface Faults {
  readonly add: (rules: readonly FaultRule[]) => void;
  /** Counts a request for every rule that it matches; of those that are due the first strikes. */
  readonly strike: (request: FaultRequest) => InjectedFault | undefined;
  readonly list: () => readonly CountedRule[];
  readonly clear: () => void;
}

export function createFaults(rules: readonly FaultRule[]): Faults {
  let armed = rules.map(arm);
  return {
    add: (more) => void armed.push(...more.map(arm)),
    strike(request) {
      const due = armed.filter((rule) => rule.isFor(request)).filter((rule) => rule.isDue());
      return due[0]?.fire();
    },
    list: () => armed.map((rule) => rule.counted()),
    clear() {
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
    fire(): InjectedFault {
      fired += 1;
      return { name, effect };
    },
    counted: (): CountedRule => ({ ...rule, matched, fired }),
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
