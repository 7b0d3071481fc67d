import { kindNamed } from "../kinds/index.ts";
import { ownObjects } from "../kinds/derived/platform-owned.ts";
import type { Members } from "../kinds/kind.ts";
import type { Json } from "../model/json.ts";
import type { Body, Desired, Fields, PreparedLive, LiveResource, Resource } from "../model/resource.ts";

/**
 * Takes fields that `ignore_changes` names out of what is desired of resources that exist, so that they keep their live value like
 * any field that is not written. What does not exist is created with them.
 */
export function leaveIgnored(desired: Desired, live: PreparedLive): Desired {
  if (![...desired.resources.values()].some(({ lifecycle }) => lifecycle)) return desired;
  const resources = [...desired.resources].map(([address, resource]) => {
    const current = live.resources.get(address);
    const ignored = resource.lifecycle?.ignoreChanges ?? [];
    return [address, current && ignored.length > 0 ? withoutIgnored(resource, ignored, current) : resource] as const;
  });
  return { ...desired, resources: new Map(resources) };
}

function withoutIgnored(resource: Resource, ignored: readonly string[], live: LiveResource): Resource {
  const { members: rules } = kindNamed(resource.kind);
  const own = without(resource, ignored);
  return rules && resource.members
    ? { ...resource, ...own, members: membersAsLive(resource.members, rules, ignored, live) }
    : { ...resource, ...own };
}

/** Of members, what is always managed must be given its live value; where even what tells them apart is ignored, they are those that are live. */
function membersAsLive(
  members: readonly Body[],
  rules: Members,
  ignored: readonly string[],
  live: LiveResource,
): readonly Body[] {
  const remotes = ownObjects(kindNamed(live.kind), live.remotes);
  if (ignored.includes(rules.identity)) {
    const names = [rules.identity, "priority", ...Object.keys(rules.always)];
    return remotes.map(({ fields }) => ({ fields: pick(fields, names), late: {} }));
  }
  return members.map((member) => {
    const same = remotes.find(({ fields }) => fields[rules.identity] === member.fields[rules.identity]);
    const { fields, late } = without(member, ignored);
    return same ? { fields: { ...fields, ...pick(same.fields, ignored) }, late } : member;
  });
}

const pick = (fields: Fields, names: readonly string[]): Record<string, Json> =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));

function without({ fields, late }: Body, names: readonly string[]): Body {
  const kept = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
  return { fields: kept(fields), late: kept(late) };
}
