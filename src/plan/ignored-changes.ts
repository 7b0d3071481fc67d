import { kindNamed } from "../kinds/index.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import { indexLive } from "./compare-values.ts";
import { knownValues, pickValues } from "../model/body.ts";
import type { Body, Desired, Fields, PreparedLive, LiveResource, Resource, Values } from "../model/resource.ts";

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

const withoutIgnored = (resource: Resource, ignored: readonly string[], live: LiveResource): Resource => ({
  ...resource,
  fields: without(resource, ignored),
  members: resource.members && membersAsLive(resource.members, ignored, live),
});

/** Of members, what is always managed must be given its live value; where even what tells them apart is ignored, they are those that are live. */
function membersAsLive(members: readonly Body[], ignored: readonly string[], live: LiveResource): readonly Body[] {
  const kind = kindNamed(live.kind);
  const remotes = ownObjects(kind, live.remotes);
  const { identity = "", always = {} } = kind.members ?? {};
  if (ignored.includes(identity)) {
    const names = [identity, "priority", ...Object.keys(always)];
    return remotes.map(({ fields }) => ({ fields: liveValues(fields, names) }));
  }
  const sameAs = indexLive(remotes, identity);
  return members.map((member) => {
    const [same] = sameAs(member.fields[identity]);
    return same ? { fields: { ...without(member, ignored), ...liveValues(same.fields, ignored) } } : member;
  });
}

const liveValues = (fields: Fields, names: readonly string[]): Values =>
  knownValues(Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]))));

const without = ({ fields }: Body, names: readonly string[]) => pickValues(fields, (name) => !names.includes(name));
