import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { collectionAt, locate } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { kindOf, type Address } from "../../src/model/address.ts";
import type { Json } from "../../src/model/json.ts";
import type { Step } from "../../src/model/plan.ts";
import type { Live, LiveResource, Remote, RemoteId } from "../../src/model/resource.ts";
import type { SavedPlan } from "../../src/model/saved-plan.ts";
import { parseSavedPlan } from "../../src/saved-plans/parse-saved-plan.ts";
import { contentOf, isWritable, same, unapprovedIn } from "./approved.ts";
import { alter, alterations, anywhere, makeFiles, planRest, type File } from "./saved-cases.ts";
import { size } from "./size.ts";
import { forDraws } from "../support/for-draws.ts";

/**
 * An apply of a file makes exactly the changes that the file shows, or refuses. Each file is carried out in part: any of its single
 * changes is done already. To that, others change what it touches; or the file is altered, by someone who makes the seals fit.
 */
let files: File[];
beforeAll(async () => {
  files = await makeFiles();
});

/** Numbers that decide, one after the other. */
type Dice = (sides: number) => number;
const diceOf = (numbers: readonly number[]): Dice => {
  let index = 0;
  return (sides) => (numbers[index++ % numbers.length] ?? 0) % sides;
};

const drifts = fc.record({
  which: fc.nat(),
  numbers: fc.array(fc.nat(997), { minLength: 60, maxLength: 60 }),
  foreign: fc.boolean(),
});

/** Whether others may change a field: with another name, an object would have another address. */
const mayMove = (address: Address, field: string) => {
  const { kind, key } = locate(address);
  const isNamed = Object.hasOwn(kind.naming.toFields(key), field);
  return (isWritable(address, field) && !isNamed) || kind.renewal?.expires === field;
};

/** The steps before a drawn one are done, that one in part, the others not; then, perhaps, one thing is changed by others. */
function drift({ input, saved, after }: File, dice: Dice, isForeign: boolean): Live {
  const addresses = [...new Set(saved.steps.map(({ address }) => address))];
  const reached = dice(addresses.length + 1);
  const resources = new Map(input.live.resources);
  for (const [index, address] of addresses.entries()) {
    if (index > reached) continue;
    const [was, will] = [input.live.resources.get(address), after.resources.get(address)];
    const is = index < reached ? will : between(saved, address, was, will, dice);
    if (is) resources.set(address, is);
    else resources.delete(address);
  }
  const target = isForeign ? addresses[dice(addresses.length)] : undefined;
  const resource = target === undefined ? undefined : resources.get(target);
  if (resource) resources.set(resource.address, changedByOthers(resource, dice));
  return withResources(input.live, resources);
}

function withResources(live: Live, resources: Live["resources"]): Live {
  const addresses = [...resources.keys()];
  const collections = [...live.collections].map(
    ([id, each]) => [id, { ...each, addresses: addresses.filter((address) => collectionAt(address) === id) }] as const,
  );
  return { ...live, resources, collections: new Map(collections) };
}

/** A resource of which any of the changes are done. */
function between(
  { steps }: SavedPlan,
  address: Address,
  was: LiveResource | undefined,
  will: LiveResource | undefined,
  dice: Dice,
): LiveResource | undefined {
  if (kindNamed(kindOf(address)).members) {
    // A PUT leaves no moment without an object.
    const deletions = (step: Step) => step.calls.filter(({ method }) => method === "DELETE").length;
    const isEmptied = steps.some((step) => step.address === address && deletions(step) >= (was?.remotes.length ?? 0));
    return membersBetween(address, was, will, dice) ?? (was && !isEmptied ? will : undefined);
  }
  // A replacement has deleted the old one, or is not begun.
  const isReplaced = steps.some((step) => step.address === address && step.replaces);
  if (!was || !will || isReplaced) return [was, will, isReplaced ? undefined : was][dice(3)];
  const fields = { ...was.remotes[0]?.fields };
  for (const [name, value] of Object.entries(will.remotes[0]?.fields ?? {})) if (dice(2) === 0) fields[name] = value;
  return { ...was, remotes: was.remotes.map((remote) => ({ ...remote, fields })) };
}

function membersBetween(
  address: Address,
  was: LiveResource | undefined,
  will: LiveResource | undefined,
  dice: Dice,
): LiveResource | undefined {
  const identity = kindNamed(kindOf(address)).members?.identity ?? "";
  const [before, after] = [was?.remotes ?? [], will?.remotes ?? []];
  const stays = (remote: Remote) => after.some((other) => contentOf(address, other) === contentOf(address, remote));
  const kept = before.filter((remote) => stays(remote) || dice(2) === 0);
  const isThere = (remote: Remote) =>
    kept.some(({ fields }) => same(fields[identity], remote.fields[identity])) && remote.fields[identity] !== undefined;
  const come = after.filter(
    (remote) => !isThere(remote) && (before.some(({ id }) => id === remote.id) || dice(2) === 0),
  );
  const remotes = [...kept, ...come.map((remote, index) => ({ ...remote, id: `m${index}` as RemoteId }))];
  const either = was ?? will;
  return either && remotes.length > 0 ? { ...either, remotes } : undefined;
}

/** Another value in one field of one object; of a set a member more, or less. */
function changedByOthers(resource: LiveResource, dice: Dice): LiveResource {
  const { address, remotes } = resource;
  const index = dice(remotes.length);
  const names = Object.keys(remotes[index]?.fields ?? {}).filter((name) => mayMove(address, name));
  const name = names[dice(names.length)] ?? "";
  const remote = remotes[index];
  if (!remote || name === "") return resource;
  const changed = { ...remote, fields: { ...remote.fields, [name]: otherValue(remote.fields[name]) } };
  const isSet = kindNamed(kindOf(address)).members !== undefined;
  const how = isSet ? dice(3) : 2;
  if (how === 0) return { ...resource, remotes: [...remotes, { ...changed, id: "other" as RemoteId }] };
  if (how === 1 && remotes.length > 1) return { ...resource, remotes: remotes.toSpliced(index, 1) };
  return { ...resource, remotes: remotes.with(index, changed) };
}

function otherValue(value: Json | undefined): Json {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 7;
  if (typeof value === "string" && value.endsWith("Z")) return value.replace("-20T", "-19T");
  return typeof value === "string" ? value.replace(/.(?="?$)/u, (last) => (last === "5" ? "6" : "5")) : "other";
}

/** What an apply would do without approval: nothing where it refuses. */
function unapproved(file: File, saved: SavedPlan, live: Live): unknown[] {
  const { remaining, differences } = planRest({ ...file.input, live }, saved);
  return differences.length > 0 ? [] : unapprovedIn(saved, remaining, live);
}

test("a file that is carried out in part can be carried out to its end, and leads to the same", () =>
  forDraws({ numRuns: size.alterations }, drifts, ({ which, numbers }) => {
    const file = files[which % files.length];
    fc.pre(file !== undefined);
    const live = drift(file, diceOf(numbers), false);
    const { differences, after } = planRest({ ...file.input, live }, file.saved);
    expect(differences).toEqual([]);
    for (const { address } of file.saved.steps)
      expect([address, contentsAt(address, after)]).toEqual([address, contentsAt(address, file.after)]);
  }));

const contentsAt = (address: Address, live: Live) =>
  (live.resources.get(address)?.remotes ?? []).map((remote) => contentOf(address, remote)).toSorted();

test("what others have changed meanwhile is refused, or left alone", () =>
  forDraws({ numRuns: 2 * size.alterations }, drifts, ({ which, numbers }) => {
    const file = files[which % files.length];
    fc.pre(file !== undefined);
    expect(unapproved(file, file.saved, drift(file, diceOf(numbers), true))).toEqual([]);
  }));

test("an altered file whose seals fit does what it shows, or is refused", () =>
  forDraws({ numRuns: 2 * size.alterations }, drifts, alterations, ({ which, numbers, foreign }, alteration) => {
    const file = files[which % files.length];
    const text = file && alter(file.saved, { ...alteration, seal: true }, anywhere);
    const parsed = text === undefined ? undefined : parseSavedPlan(text);
    fc.pre(file !== undefined && parsed !== undefined && !("wrong" in parsed));
    expect(unapproved(file, parsed.plan, drift(file, diceOf(numbers), foreign))).toEqual([]);
  }));
