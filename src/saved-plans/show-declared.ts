import type { Kind } from "../kinds/kind.ts";
import { impliedValues, openFields } from "../model/body.ts";
import type { Shown } from "../model/plan.ts";
import type { Resource, Value } from "../model/resource.ts";
import { showMember } from "../plan/plan-members.ts";
import { canonicalJson } from "./canonical-json.ts";

/** Returns the value that a step shows for a declared field: of a set one for each member that has the field; none if it is not declared. */
export function showDeclared(
  { members: rules }: Kind,
  { fields: shared, members = [] }: Resource,
  path: string,
): Shown[] {
  if (!rules) return shared[path] ? [showHeld(shared[path])] : [];
  return members.flatMap((member) => {
    const fields = { ...impliedValues(rules.always), ...shared, ...member.fields };
    if (path !== "value") return fields[path] ? [showHeld(fields[path])] : [];
    const identity = fields[rules.identity];
    return [!identity || identity.is === "known" ? showMember(rules, openFields(fields)) : showHeld(identity)];
  });
}

/** Shows a value as a file holds it: one that comes from elsewhere is hidden, even if it is known by now. */
function showHeld(value: Value): Shown {
  if (value.is === "known") return { is: "value", value: value.value };
  return { is: value.is === "secret" ? "sensitive" : "known_after_apply" };
}

export const isHidden = ({ is }: Shown): boolean => is === "sensitive" || is === "known_after_apply";

export const isShownSame = (a: Shown, b: Shown): boolean => canonicalJson(a) === canonicalJson(b);
