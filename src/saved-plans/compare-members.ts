import type { Kind, Members } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { isUnknown, knownValues, secretFields } from "../model/body.ts";
import type { Shown } from "../model/plan.ts";
import { jsonText } from "../model/json.ts";
import type { Fields, LiveResource, Resource } from "../model/resource.ts";
import { isSame } from "./canonical-json.ts";
import type { Difference } from "./difference.ts";
import { writableObjects } from "./fingerprint.ts";
import { hasMoved } from "../plan/compare-values.ts";

/**
 * What has moved in a set: a member that is there now must have been there when the plan was made, or be one that the plan puts there;
 * a member that the plan leaves alone must still be there. Of a set with secret values nothing is known.
 */
export function compareMembers(
  kind: Kind,
  rules: Members,
  address: Address,
  was: readonly Fields[],
  live: LiveResource | undefined,
  declared: Resource | undefined,
): Difference[] {
  if (secretFields(declared).has(rules.identity)) return [];
  const now = writableObjects(kind, live).map(({ fields }) => fields);
  const wanted = (declared?.members ?? [])
    .map((member) => ({ ...knownValues(rules.always), ...declared?.fields, ...member.fields }))
    // What apply will only know then can be told from nothing.
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

const absent: Shown = { is: "absent" };

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
