import type { ObjectPair } from "../contract/set-calls.ts";
import { isUnknown, openValue, partsOf, writtenValue, knownValues, pickValues } from "../model/body.ts";
import { templateText, writtenValueText } from "../model/template-text.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import type { ComparedField, ComparedObject, Verdict } from "../model/explanation.ts";
import type { Json } from "../model/json.ts";
import { fieldOf, readField } from "../contract/spelling/read-field.ts";
import { isDifferent, indexLive } from "./compare-values.ts";
import type { Shown } from "../model/plan.ts";
import type { Body, Key, LiveResource, Resource, Desired, Fields, PreparedLive, Values } from "../model/resource.ts";
import { pairObjects, unpaired } from "./pair-objects.ts";
import { showDesired, showLive, showValue } from "./shown.ts";
import { kindNamed } from "../kinds/index.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

/** Both sides of the table of a resource, or of one member of a set. `body`: of a member with the values that its set shares. */
interface FieldSides extends ObjectPair {
  readonly kind: BoundKind;
  readonly key: Key;
  readonly resource: Resource | undefined;
  /** Names of fields that the body holds though they are not managed: they keep a live value. */
  readonly unmanaged: readonly string[];
}

/** A declared resource, and the part of it that is compared: without the fields that `ignore_changes` names. */
export interface ComparedResource {
  readonly resource: Resource;
  readonly compared: Resource;
}

/** A resource field by field, or each member of a set. The verdicts are the planner's own: a field differs where a step would write it. */
export function compareFields(
  kind: BoundKind,
  declared: ComparedResource | undefined,
  live: LiveResource | undefined,
): ComparedObject[] {
  const { resource, compared } = declared ?? {};
  const { key } = resource ?? live ?? { key: {} };
  const { members: rules } = kind;
  const pairs = compared ? pairObjects(kind, compared, live).pairs : unpaired(live?.remotes ?? []);
  return pairs.map(({ body: member, remote, changed }) => ({
    ...(rules && {
      member: member ? showDesired(member, rules.identity) : showValue(remote?.fields[rules.identity]),
    }),
    fields: tableOf({
      kind,
      key,
      resource,
      body: rules ? member : resource,
      remote,
      changed: member ? changed : [],
      unmanaged: (compared && rules?.shared.filter((name) => compared.fields[name] === undefined)) ?? [],
    }),
  }));
}

function tableOf(sides: FieldSides): ComparedField[] {
  const { kind, key, body, remote } = sides;
  // The key says these: the address is compared, not they.
  const inKey = kind.naming.toFields(key);
  return Object.keys(kind.fields)
    .filter((path) => !Object.hasOwn(inKey, path))
    .filter((path) => body?.fields[path] || remote?.fields[path] !== undefined)
    .map((path) => ({
      path,
      ...showDesiredSide(sides, path),
      ...showLiveSide(sides, path),
      verdict: verdictOf(sides, path),
    }));
}

const isManaged = ({ body, unmanaged }: FieldSides, path: string) =>
  body?.fields[path] !== undefined && !unmanaged.includes(path);

function showDesiredSide(sides: FieldSides, path: string): Pick<ComparedField, "written" | "normal"> {
  const { body, kind } = sides;
  if (!body || !isManaged(sides, path)) return { written: { is: "absent" }, normal: { is: "absent" } };
  const value = body.fields[path];
  const source = partsOf(value);
  const secret: Shown | undefined = isWriteOnly(kind, path) ? { is: "sensitive" } : undefined;
  if (value?.is === "known" && value.implied) return { written: { is: "absent" }, normal: showDesired(body, path) };
  return {
    // The source of a secret is none itself.
    written: source ? showValue(templateText(source)) : (secret ?? showWritten(writtenValue(value))),
    normal: secret ?? showDesired(body, path),
  };
}

const showWritten = (value: Json | undefined) => showValue(value === undefined ? undefined : writtenValueText(value));

function showLiveSide(sides: FieldSides, path: string): Pick<ComparedField, "live" | "liveNormal"> {
  const { body, remote } = sides;
  const desired = body?.fields[path];
  return {
    live: showLive(liveSpelling(sides, path), desired),
    liveNormal: showLive(remote?.fields[path], desired),
  };
}

/** The value as the API listed it; of an id the name that it stands for. */
function liveSpelling({ kind, key, remote }: FieldSides, path: string): Json | undefined {
  const field = fieldOf(kind.entry, path);
  if (!remote || !field || field.id_of !== undefined) return remote?.fields[path];
  return readField({ kind, key }, path, remote.raw);
}

function verdictOf(sides: FieldSides, path: string): Verdict {
  const { kind, body, remote, resource, changed } = sides;
  const access = kind.fields[path]?.access;
  if (access === "read_only" || access === "write_only") return access;
  if (access === "manifest_only") return "not_sent";
  if (changed.includes(path)) return "differs";
  if (remote && resource?.lifecycle?.ignoreChanges.includes(path)) return "ignored_by_ignore_changes";
  if (!body || !isManaged(sides, path)) return "not_managed";
  if (!remote) return "not_live";
  if (remote.redacted?.includes(path)) return "not_told";
  const desired = body.fields[path];
  const isNull = isUnknown(desired) || openValue(desired) === null;
  if ((remote.fields[path] ?? null) === null && !isNull) return "not_told";
  const isSameForm = !isDifferent(liveSpelling(sides, path), writtenValue(desired));
  return isSameForm || partsOf(desired) ? "same" : "same_but_spelt_otherwise";
}

/**
 * Takes fields that `ignore_changes` names out of what is desired of resources that exist, so that they keep their live value like
 * any field that is not written. What does not exist is created with them.
 */
export function leaveIgnored(desired: Desired, live: PreparedLive): Desired {
  if (![...desired.resources.values()].some(({ lifecycle }) => lifecycle)) return desired;
  const resources = [...desired.resources].map(([address, resource]) => {
    const current = live.resources.get(address);
    const ignored = resource.lifecycle?.ignoreChanges ?? [];
    if (!current || ignored.length === 0) return [address, resource] as const;
    const members = resource.members && membersAsLive(resource.members, ignored, current);
    return [address, { ...resource, fields: without(resource, ignored), members }] as const;
  });
  return { ...desired, resources: new Map(resources) };
}

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
