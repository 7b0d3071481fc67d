import { kindNamed } from "../kinds/index.ts";
import { locate } from "../kinds/derived/collection.ts";
import { addTo } from "../lib/collect.ts";
import { kindOf, type Address } from "../model/address.ts";
import { openFields } from "../model/body.ts";
import { addressesOf, type Step } from "../model/plan.ts";
import type { Fields } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** A name that answers for a type once the plan is applied. */
interface AnsweredName {
  readonly name: string;
  readonly type: string;
  readonly created: boolean;
}

/**
 * Returns the deletions after which nothing is lost: the name and type still answer, from another zone or by a wildcard, or the name
 * changes its type.
 */
export function deletionsWithoutLoss(input: PlanInput, steps: readonly Step[]): ReadonlySet<Address> {
  const deleted = steps.filter(({ action, replaces, address }) => action === "delete" && !replaces && placeOf(address));
  if (deleted.length === 0) return new Set();
  const answers = new Map<string, AnsweredName[]>();
  for (const each of answersAfter(input, steps)) addTo(answers, each.name, each);
  const inUse = new Set([...answers.keys()].flatMap(withNamesAbove));
  const changed = new Map<string, number>();
  const isKept = ({ address }: Step) => {
    const { name, type } = placeOf(address) ?? { name: "", type: "" };
    const here = answers.get(name) ?? [];
    if (here.some((each) => each.type === type) || isCovered(answers, inUse, name, type)) return true;
    const created = here.filter((each) => each.created).length;
    if (created > 0 && created === here.length) return true;
    // Beside types that stay, each new type takes the place of a single one.
    const taken = (changed.get(name) ?? 0) + 1;
    changed.set(name, taken);
    return taken <= created;
  };
  return new Set(deleted.filter(isKept).map(({ address }) => address));
}

function placeOf(address: Address) {
  const { kind, key } = locate(address);
  return kind.availability?.answers?.at(key);
}

/** The answers of all that is there once the steps are done. What is declared, and neither live nor created, is not there. */
function answersAfter({ desired, live }: PlanInput, steps: readonly Step[]): AnsweredName[] {
  const [created, deleted] = [addressesOf(steps, "create"), addressesOf(steps, "delete")];
  const all = new Set([...live.resources.keys(), ...created]);
  return [...all].flatMap((address): AnsweredName[] => {
    const place = placeOf(address);
    const counts = kindNamed(kindOf(address)).availability?.answers?.counts;
    const declared = desired.resources.get(address);
    if (!place || !counts || (deleted.has(address) && !created.has(address))) return [];
    const members: readonly Fields[] = declared
      ? (declared.members ?? []).map(({ fields }) => openFields(fields))
      : (live.resources.get(address)?.remotes ?? []).map(({ fields }) => fields);
    return members.some(counts) ? [{ name: place.name, type: place.type, created: created.has(address) }] : [];
  });
}

/** Returns a name with all names above it: `www.a.example`, `a.example`, `example`. */
export const withNamesAbove = (name: string): string[] =>
  name.split(".").map((_, index, labels) => labels.slice(index).join("."));

/**
 * Whether a wildcard answers for a name: none does where something is at the name, or between it and the wildcard.
 * @param inUse the names at which or below which something is.
 */
function isCovered(
  answers: ReadonlyMap<string, readonly AnsweredName[]>,
  inUse: ReadonlySet<string>,
  name: string,
  type: string,
): boolean {
  for (let at = name; !inUse.has(at);) {
    const above = at.slice(at.indexOf(".") + 1);
    if (above === at || !at.includes(".")) return false;
    const wildcard = answers.get(`*.${above}`);
    if (wildcard) return wildcard.some((each) => each.type === type || each.type === "CNAME");
    at = above;
  }
  return false;
}
