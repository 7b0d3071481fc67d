import type { Operation } from "../document/router.ts";
import { drawFrom } from "./draw.ts";
import type { Effect } from "./effect.ts";
import { effects, faultNameOf } from "./effects.ts";
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

interface ArmedRule {
  readonly isFor: (request: FaultRequest) => boolean;
  /** Counts a match. */
  readonly isDue: () => boolean;
  readonly fire: () => InjectedFault;
  readonly counted: () => CountedRule;
}

function arm(rule: FaultRule): ArmedRule {
  const { match, after = 0, count = Number.POSITIVE_INFINITY, probability = 1, seed = 0, fault } = rule;
  const name = faultNameOf(fault);
  const effect = effects[name](fault);
  const pattern = readPattern(match.path ?? "/**");
  const draw = drawFrom(seed);
  let [matched, fired] = [0, 0];
  return {
    isFor: ({ operation, path, keyId }) =>
      (match.method ?? operation.method) === operation.method &&
      (match.key ?? keyId) === keyId &&
      (effect.appliesTo?.(operation) ?? true) &&
      matchesPath(pattern, path),
    isDue() {
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
