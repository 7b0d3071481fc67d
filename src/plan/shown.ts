import type { ObjectPair } from "../contract/set-calls.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { declaredNames, isFromOutside, openFields, openValue, partsOf } from "../model/body.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Change, Shown } from "../model/plan.ts";
import type { Body, Fields, Remote, Value } from "../model/resource.ts";
import { differs, isDifferent } from "./compare-values.ts";
import type { Pairing } from "./pair-objects.ts";

/** Shows the desired value of a field: secrets never, references as values that apply will know. */
export function showDesired({ fields }: Body, field: string): Shown {
  const value = fields[field];
  if (value?.is === "secret") return { is: "sensitive" };
  return value && openValue(value) === undefined ? { is: "known_after_apply" } : showValue(openValue(value));
}

/** Shows the live value of a field: masked where the desired one is secret, since the old value is no less so. */
export const showLive = (value: Json | undefined, desired: Value | undefined): Shown =>
  value !== undefined && isFromOutside(desired) ? { is: "sensitive" } : showValue(value);

/** One for all, since a plan may create a hundred thousand resources. */
export const absent: Shown = { is: "absent" };

export const showValue = (value: Json | undefined): Shown => (value === undefined ? absent : { is: "value", value });

/** Shows a field that gets another value, or that comes or goes with its object. */
export const change = (body: Body | undefined, remote: Remote | undefined, path: string): Change => ({
  path,
  before: remote?.redacted?.includes(path) ? { is: "sensitive" } : showLive(remote?.fields[path], body?.fields[path]),
  after: body ? showDesired(body, path) : absent,
});

/** Lists the changes of a resource field by field; of a set what its members share, then each value with the fields beside it. */
export const changesOf = (kind: Kind, pairing: Pairing): Change[] => [
  ...sharedChanges(kind, pairing),
  ...pairing.pairs.flatMap((pair) => changesOfPair(kind, pair)),
];

function sharedChanges({ members }: Kind, { shared, remotes }: Pairing): Change[] {
  return (members?.shared ?? []).flatMap((path): Change[] => {
    const value = shared.fields[path];
    const live = [...new Set(remotes.map(({ fields }) => fields[path]))];
    if (value === undefined || (live.length === 1 && !differs(live[0], value))) return [];
    const before: Json | undefined = live.length > 1 ? live.map(jsonText).sort().join(" and ") : live[0];
    return [{ path, before: showValue(before), after: showDesired(shared, path) }];
  });
}

/** A member of a set is shown as one value (`10 mx1.example.com.`) with, where they changed or are not as usual, the fields beside it. */
function changesOfPair(kind: Kind, { body, remote, changed }: ObjectPair): Change[] {
  const { members: rules } = kind;
  const names = body && remote ? changed : shownFields(kind, body, remote);
  const own = names.filter((name) => rules?.shared.includes(name) !== true);
  const beside = own.filter((name) => name !== rules?.identity && !(rules && name === "priority"));
  const live = remote && { ...remote, fields: { ...rules?.always, ...remote.fields } };
  const fields = beside.map((path) => change(body, live, path));
  return rules && beside.length < own.length ? [valueChange(rules, body, remote), ...fields] : fields;
}

/** The fields that are shown of an object that comes or goes; of a member not those that have the value that is always managed. */
function shownFields(kind: Kind, body: Body | undefined, remote: Remote | undefined): string[] {
  const names = body
    ? declaredNames(body).filter((name) => kind.fields[name]?.access !== "manifest_only")
    : Object.keys(remote?.fields ?? {}).filter((name) => kind.fields[name]?.access === "mutable");
  const { members: rules, naming } = kind;
  if (!rules) return names;
  const inKey = naming.toFields({});
  const isUsual = (name: string) =>
    body ? !differs(rules.always[name], body.fields[name]) : !isDifferent(remote?.fields[name], rules.always[name]);
  return names.filter((name) => name === rules.identity || (!(name in inKey) && !isUsual(name)));
}

function valueChange(rules: Members, body: Body | undefined, remote: Remote | undefined): Change {
  const shown = change(body, remote, rules.identity);
  const isWrittenOut = partsOf(body?.fields[rules.identity]) === undefined;
  const isRedacted = remote?.redacted?.includes(rules.identity) === true;
  return {
    path: "value",
    before: remote && isWrittenOut && !isRedacted ? showMember(rules, remote.fields) : shown.before,
    after: body && isWrittenOut ? showMember(rules, openFields(body.fields)) : shown.after,
  };
}

/** A member's value in one text, its priority before it. */
export function showMember(rules: Members, fields: Fields): Shown {
  const priority = fields["priority"];
  const identity = jsonText(fields[rules.identity]);
  return {
    is: "value",
    value: priority === undefined || priority === null ? identity : `${jsonText(priority)} ${identity}`,
  };
}
