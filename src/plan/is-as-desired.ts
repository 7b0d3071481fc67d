import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import type { Body, LiveResource, Remote, Resource, Values } from "../model/resource.ts";
import { differs, isDifferent } from "./compare-values.ts";

/** Each member is compared with each object. */
const mostCompared = 8;

/**
 * Whether each member of a set has one live object of its own that is as desired, and no other object is there. Most sets are like this, and
 * nothing has to be made to see it. False where more has to be looked at.
 */
export function isAsDesired(
  kind: Kind,
  rules: Members,
  { fields, members = [] }: Resource,
  { remotes }: LiveResource,
): boolean {
  if (members.length !== remotes.length || members.length > mostCompared) return false;
  if (rules.shared.some((name) => fields[name] === undefined)) return false;
  if (remotes.some((remote) => remote.redacted !== undefined || isPlatformOwned(kind, remote))) return false;
  let taken = 0;
  for (const member of members) {
    const index = placeOfMember(rules, member, remotes);
    const remote = remotes[index];
    if (!remote || (taken & (1 << index)) !== 0 || !isMemberAsDesired(rules, fields, member, remote)) return false;
    taken |= 1 << index;
  }
  return true;
}

/** Returns the place of the only object that has the identity of a member; -1 where there is none, or several. */
function placeOfMember({ identity }: Members, member: Body, remotes: readonly Remote[]): number {
  let place = -1;
  for (const [index, { fields }] of remotes.entries()) {
    if (differs(fields[identity], member.fields[identity])) continue;
    if (place >= 0) return -1;
    place = index;
  }
  return place;
}

function isMemberAsDesired({ always }: Members, shared: Values, member: Body, { fields: live }: Remote): boolean {
  for (const name in member.fields) if (differs(live[name] ?? always[name], member.fields[name])) return false;
  for (const name in shared)
    if (member.fields[name] === undefined && differs(live[name] ?? always[name], shared[name])) return false;
  for (const name in always)
    if (
      member.fields[name] === undefined &&
      shared[name] === undefined &&
      isDifferent(live[name] ?? always[name], always[name])
    )
      return false;
  return true;
}
