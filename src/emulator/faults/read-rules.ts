import { loadValidator } from "../../lib/load-validator.ts";
import { describeErrors } from "../document/describe-errors.ts";
import type { Operation } from "../document/router.ts";
import { mergeErrors, type FieldErrors } from "../refusal.ts";
import { effects, isFaultName, faultNameOf } from "./effects.ts";
import { matchesPath, readPattern } from "./match-path.ts";
import { belongings, type Fault, type FaultRule } from "./rule.ts";

/**
 * A list of rules, or what is wrong with it by dotted place, as `0.fault.status`; that of the list itself is empty.
 * `operations` are those of the OpenAPI document; `canExit` says whether the process may end itself.
 */
export function readRules(
  value: unknown,
  operations: readonly Operation[],
  canExit: boolean,
): { readonly rules: readonly FaultRule[] } | { readonly errors: FieldErrors } {
  if (!Array.isArray(value)) return { errors: { "": ["must be a list of rules"] } };
  const validate = loadValidator<readonly FaultRule[]>("faults");
  if (!validate(value)) return { errors: describeErrors(validate.errors ?? []) };
  const errors = mergeErrors(...value.map((rule, index) => placed(index, checkRule(rule, operations, canExit))));
  return Object.keys(errors).length > 0 ? { errors } : { rules: value };
}

const placed = (index: number, errors: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(errors).map(([field, texts]) => [`${index}.${field}`, texts]));

function checkRule({ match, fault }: FaultRule, operations: readonly Operation[], canExit: boolean): FieldErrors {
  const strangers = checkFault(fault);
  if (Object.keys(strangers).length > 0) return strangers;
  if (fault.exit !== undefined && !canExit)
    return { "fault.exit": ["would end this process: only hostform emulator, which has one of its own, may do that"] };
  const here = operations.filter(({ path }) => match.path === undefined || matchesPath(readPattern(match.path), path));
  if (here.length === 0) return { "match.path": [`matches no path of the API; it was ${JSON.stringify(match.path)}`] };
  const { appliesTo = () => true } = effects[faultNameOf(fault)](fault);
  const possible = here.filter((operation) => appliesTo(operation));
  if (possible.length === 0) return { fault: [`${faultNameOf(fault)} can befall nothing that "match" is for`] };
  return match.method === undefined || possible.some(({ method }) => method === match.method)
    ? {}
    : { "match.method": [`must be ${methodsOf(possible)} for this path and fault; it was ${match.method}`] };
}

const methodsOf = (operations: readonly Operation[]): string =>
  [...new Set(operations.map(({ method }) => method))].join(" or ");

/** One name, and only what belongs to it. */
function checkFault(fault: Fault): FieldErrors {
  const names = Object.keys(fault).filter(isFaultName);
  if (names.length !== 1) {
    const found = names.length === 0 ? "it names none" : `it names ${names.join(" and ")}`;
    return { fault: [`must name one of ${Object.keys(effects).join(", ")}; ${found}`] };
  }
  const strangers = Object.entries(belongings).filter(
    ([field, owners]) => Object.hasOwn(fault, field) && !owners.some((owner) => owner === names[0]),
  );
  return Object.fromEntries(
    strangers.map(([field, owners]) => [`fault.${field}`, [`belongs to ${owners.join(" or ")}`]]),
  );
}
