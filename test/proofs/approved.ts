import { createHash } from "node:crypto";
import { locate } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { kindOf, type Address } from "../../src/model/address.ts";
import type { Json } from "../../src/model/json.ts";
import type { Change, Plan, Step } from "../../src/model/plan.ts";
import type { Fields, Live, LiveResource, Remote } from "../../src/model/resource.ts";
import type { SavedPlan, SavedResource } from "../../src/model/saved-plan.ts";
import { canonicalJson } from "../../src/saved-plans/lines.ts";
import { holdsStandIn } from "../../src/saved-plans/pin-live.ts";

/** Judges, by other means than the code, whether a saved plan covers the steps of an apply. */
export const isWritable = (address: Address, field: string): boolean =>
  ["mutable", "immutable"].includes(kindNamed(kindOf(address)).fields[field]?.access ?? "");

/** Tells whether two values are the same to a plan, to which an empty list is none. */
export const same = (...values: [Json | undefined, Json | undefined]): boolean => {
  const [a, b] = values.map((value) =>
    canonicalJson(Array.isArray(value) && value.length === 0 ? null : (value ?? null)),
  );
  return a === b;
};

export const contentOf = (address: Address, { fields }: Remote): string =>
  canonicalJson(Object.fromEntries(Object.entries(fields).filter(([name]) => isWritable(address, name))));

/** What the file declares of an object, laid over what it shares. */
function declaredIn(resource: SavedResource | undefined): { fields: Fields; late: readonly string[] }[] {
  if (!resource) return [];
  const always = kindNamed(kindOf(resource.address)).members?.always ?? {};
  const bodies = resource.members ?? [{ fields: {}, late: {} }];
  return bodies.map((body) => ({
    fields: { ...(resource.members ? always : {}), ...resource.fields, ...body.fields },
    late: [...Object.keys(resource.late), ...Object.keys(body.late)],
  }));
}

/** The fields of each object that the plan saw, as far as its file holds them. */
const seenAt = ({ was }: SavedPlan, address: Address): Fields[] =>
  (was.resources.get(address)?.remotes ?? [])
    .filter(({ fields }) => fields["managed"] !== true)
    .map(({ fields }) =>
      Object.fromEntries(
        Object.entries(fields).filter(([name, value]) => isWritable(address, name) && !holdsStandIn(value)),
      ),
    );

/** Whether a file holds a value by its fingerprint alone. */
const isFingerprint = (held: Json | undefined, value: Json | undefined): boolean =>
  held ===
  `\u0001${createHash("sha256")
    .update(JSON.stringify(value ?? null))
    .digest("hex")
    .slice(0, 16)}`;

/** Whether all that is live at an address was seen there, or is as the file declares it. */
function isBetween(saved: SavedPlan, address: Address, live: LiveResource | undefined): boolean {
  const { kind, key } = locate(address);
  // An object at an address has its name, whatever a file says.
  const named = (fields: Fields) => ({ ...fields, ...kind.naming.toFields(key) });
  const seen = seenAt(saved, address).map(named);
  const wanted = declaredIn(saved.resources.find((each) => each.address === address));
  const own = (live?.remotes ?? []).filter(({ fields }) => fields["managed"] !== true);
  const now = own.map(({ fields }) => named(fields));
  const { members } = kind;
  // Of a set with secret values nothing was kept.
  if (members && wanted.some(({ late }) => late.includes(members.identity))) return true;
  const agrees = (known: Fields, fields: Fields) =>
    Object.entries(known).every(([name, value]) => same(value, fields[name] ?? members?.always[name]));
  if (members) {
    const staying = seen.filter((was) => wanted.some(({ fields }) => agrees(fields, was)));
    return (
      now.every((is) => seen.some((was) => agrees(was, is)) || wanted.some(({ fields }) => agrees(fields, is))) &&
      // A value that the file does not declare, such as a TTL, may be another since in what it does declare.
      staying.every((was) =>
        now.some(
          (is) =>
            agrees(was, is) ||
            wanted.some(({ fields }) => same(was[members.identity], is[members.identity]) && agrees(fields, is)),
        ),
      )
    );
  }
  const [was, is, will] = [seen[0], now[0], wanted[0]];
  if (!was || !is) return true;
  return Object.keys(was).every(
    (name) =>
      same(was[name], is[name]) ||
      isFingerprint(was[name], is[name]) ||
      (will?.fields[name] !== undefined && same(will.fields[name], is[name])),
  );
}

/** The changes that would be made and that no step of the file shows; a value that the file holds is shown as it is. */
function unshown(saved: SavedPlan, address: Address, changes: readonly Change[]): Change[] {
  const shown = saved.steps.filter((step) => step.address === address).flatMap((step) => step.changes);
  const late = declaredIn(saved.resources.find((each) => each.address === address)).flatMap((each) => each.late);
  const identity = kindNamed(kindOf(address)).members?.identity ?? "";
  const seen = seenAt(saved, address);
  const { shared = [] } = kindNamed(kindOf(address)).members ?? {};
  return changes.filter(({ path, after }) => {
    const isKept = shared.includes(path) && after.is === "value" && seen.some((was) => same(was[path], after.value));
    if (after.is === "absent" || isKept) return false;
    const mayHide = late.includes(path === "value" && identity !== "" ? identity : path);
    return !shown.some(
      (each) =>
        each.path === path &&
        (canonicalJson(each.after) === canonicalJson(after) ||
          (each.after.is !== "value" && each.after.is !== "absent" && mayHide) ||
          each.notCarried !== undefined),
    );
  });
}

/** The members that would go, and the expiry that would be renewed, which no step of the file shows. */
function unseen(saved: SavedPlan, { address, action, changes }: Step): Change[] {
  const shown = saved.steps.filter((step) => step.address === address).flatMap((step) => step.changes);
  const isMember = kindNamed(kindOf(address)).members !== undefined;
  return changes.filter(
    ({ path, before }) =>
      (action === "renew" || (isMember && path === "value")) &&
      before.is === "value" &&
      !shown.some(
        (each) =>
          each.path === path &&
          (["sensitive", "known_after_apply"].includes(each.before.is) ||
            (each.before.is === "value" && same(each.before.value, before.value))),
      ),
  );
}

/** The put-backs and losses after a refusal of a step that the file does not show. */
function ends({ steps }: SavedPlan, step: Step): string[] {
  const linesOfEnds = ({ on_refusal: all = [] }: Step) =>
    all.flatMap((end) =>
      end.is === "lost"
        ? [`${end.address} ${end.reason}`]
        : end.calls.map(({ method, path }) => `${end.address} ${method} ${path}`),
    );
  const shown = steps.flatMap(linesOfEnds);
  return linesOfEnds(step).filter((line) => {
    const index = shown.indexOf(line);
    if (index >= 0) shown.splice(index, 1);
    return index < 0;
  });
}

/** Returns the steps and the changes that the plan does not approve, as things are now. */
export function unapprovedIn(saved: SavedPlan, remaining: Plan, live: Live): unknown[] {
  return remaining.steps.flatMap((step) => {
    const { id, address, action, purchase, changes } = step;
    const approved = saved.steps.filter((each) => each.address === address);
    const isSet = kindNamed(kindOf(address)).members !== undefined;
    const asked = action === "update" ? ["update", "create"] : isSet ? [action, "update"] : [action];
    const isApproved =
      approved.some((each) => asked.includes(each.action)) &&
      (!purchase || approved.some((each) => each.purchase)) &&
      isBetween(saved, address, live.resources.get(address));
    return [
      ...(isApproved ? [] : [id]),
      ...unshown(saved, address, changes),
      ...unseen(saved, step),
      ...ends(saved, step),
    ];
  });
}
