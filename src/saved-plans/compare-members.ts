import type { Members } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { isUnknown, knownValues, secretFields } from "../model/body.ts";
import type { Shown } from "../model/plan.ts";
import { jsonText } from "../model/json.ts";
import type { Fields } from "../model/resource.ts";
import type { Approval } from "./approval.ts";
import { isSame } from "./canonical-json.ts";
import { absent, type Difference } from "./describe-difference.ts";
import { hasMoved } from "../plan/compare-values.ts";

/**
 * Returns the members that have moved: each member now must be among those that were seen or are declared, and each that was seen and
 * is declared must still be there. Of a set with secret values nothing is known. It stands beside the comparison of fields, because a
 * member has no name by which it is known again: it is the same only as a whole.
 */
export function compareMembers(
  { address, seen: was, declared }: Approval,
  rules: Members,
  now: readonly Fields[],
): Difference[] {
  if (secretFields(declared).has(rules.identity)) return [];
  const wanted = (declared?.members ?? [])
    .map((member) => ({ ...knownValues(rules.always), ...declared?.fields, ...member.fields }))
    // An identity that only apply will know can be told from nothing.
    .filter((values) => !isUnknown(values[rules.identity]));
  const isWanted = (fields: Fields) =>
    wanted.some((values) =>
      Object.entries(values).every(([name, value]) => !hasMoved(fields[name] ?? rules.always[name], value)),
    );
  const agrees = (known: Fields, fields: Fields) =>
    Object.entries(known).every(([name, value]) => isSame(value, fields[name] ?? rules.always[name]));
  const isOneOf = (all: readonly Fields[], fields: Fields) => all.some((known) => agrees(known, fields));
  const come = now.filter((fields) => !isOneOf(was, fields) && !isWanted(fields));
  const left = was.filter((fields) => isWanted(fields) && !now.some((member) => agrees(fields, member)));
  const [only, ...others] = was.filter((fields) => !now.some((member) => agrees(fields, member)));
  const [one, ...more] = come;
  // One value in the place of one: both are told at once.
  if (only && one && others.length + more.length + left.length === 0)
    return [difference(address, showMember(rules, only), showMember(rules, one))];
  return [
    ...come.map((fields) => difference(address, absent, showMember(rules, fields))),
    ...left.map((fields) => difference(address, showMember(rules, fields), absent)),
  ];
}

const difference = (address: Address, was: Shown, is: Shown): Difference => ({
  address,
  sort: "moved",
  field: "value",
  was,
  is,
});

/** A member in one line: its value, and what stands beside it. */
function showMember(rules: Members, fields: Fields): Shown {
  const beside = Object.entries(fields)
    .filter(
      ([name, value]) =>
        value !== null && value !== false && !["name", "type", "managed", rules.identity].includes(name),
    )
    .map(([name, value]) => `${name} ${jsonText(value)}`);
  return { is: "value", value: [jsonText(fields[rules.identity]), ...beside].join(", ") };
}
