import { locate } from "../../kinds/derived/collection.ts";
import type { Address } from "../../model/address.ts";
import { pickValues } from "../../model/body.ts";
import type { Drift, DriftItem } from "../../model/drift.ts";
import { matchAny } from "../../plan/select.ts";
import type { Desired, Live } from "../../model/resource.ts";
import type { OpenInventory } from "../../model/inventory.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { plan } from "../../plan/plan.ts";
import { prepare } from "../../plan/prepare.ts";
import { appeared, byAddress, driftIn, inputAsApplied } from "../../plan/drift.ts";
import { keepFormerSecrets } from "./former-secrets.ts";
import type { Ending, Session } from "../session/host.ts";
import type { SourceOptions } from "../session/open-snapshot.ts";
import type { OpenManifest } from "../session/open-manifest.ts";
import type { OpenOwnership } from "../session/ownership.ts";
import { planAccount, refreshAndPlan, unavailable, type PlanFromLive } from "../session/read-and-plan.ts";
import type { PlanRequest } from "../session/open-manifest.ts";

/** What counts as drift. */
export interface DriftRules extends Pick<SourceOptions, "live"> {
  /** Patterns of `ADDRESS` or `ADDRESS.FIELD` whose drift does not count. */
  readonly tolerate: readonly string[];
  /** Whether what nobody manages counts as drift; it takes reading the whole account. */
  readonly unmanaged: boolean;
}

/** What has drifted, and the request for a plan that takes it back. */
export interface FoundDrift {
  readonly drift: Drift;
  readonly request: PlanRequest;
  readonly live: Live;
}

/** The lists to read, and the last apply that they are compared with. */
interface DriftSource extends Pick<OpenManifest, "source" | "readSecret"> {
  readonly owned: Pick<OpenOwnership, "lastApplied" | "unended"> & {
    /** Without `holder` where this run holds the lock. */
    readonly inventory: Pick<OpenInventory, "where"> & Partial<Pick<OpenInventory, "holder">>;
  };
}

/** Finds the drift of what a request for a plan is about. Returns how the run ends where the last apply or the live state is not known. */
export async function findDrift(
  { source, owned, readSecret }: DriftSource,
  request: PlanRequest,
  { tolerate, unmanaged, live }: DriftRules,
  io: Session,
): Promise<FoundDrift | Ending> {
  const now = io.now();
  if (live === undefined && (await isBetweenWrites(owned, io))) return "refused";
  const last = await owned.lastApplied(readSecret);
  if (last.is === "unknown" || Date.parse(request.target.snapshot?.takenAt ?? "") < Date.parse(last.by.time)) {
    io.emit({ type: "last_apply_unknown", why: last.is === "unknown" ? last.why : "older" });
    return "refused";
  }
  const applied = last.is === "applied" ? last.desired : [request.desired];
  const asked = applied.map((desired) => inputAsApplied({ ...request, now }, desired));
  const [first] = asked;
  const items: DriftItem[][] = [];
  let newest: PlanFromLive | undefined;
  for (const each of asked) {
    const made = await refreshAndPlan(source, each);
    if (!made.ok) return unavailable(made.error, io);
    newest ??= made.value;
    keepFormerSecrets({ ...each, live: made.value.live }, io);
    items.push(driftIn({ ...each, ...prepare({ ...each, live: made.value.live }) }, made.value.plan));
  }
  if (!first || !newest) throw new Error("An apply has declared nothing");
  const whole = unmanaged ? await planAccount(source, { ...first, live: newest.live }, io) : undefined;
  if (whole?.ok === false) return unavailable(whole.error, io);
  const account = whole?.value ?? newest;
  keepFormerSecrets({ ...first, live: account.live }, io);
  const found = [...inEach(items), ...(unmanaged ? unmanagedIn(account) : [])];
  const all = notAccepted(found, { ...request, now, live: account.live }).toSorted(byAddress);
  const isTolerated = toleratedBy([...tolerate, ...toleratedUntil(request.desired, now, io)]);
  const { by } = last;
  const drift: Drift = {
    target: request.target,
    lastApply: { time: by.time, by: by.by, ...(by.commit !== undefined && { commit: by.commit }) },
    items: all.filter((item) => !isTolerated(item)),
    tolerated: all.filter(isTolerated),
    incomplete: account.plan.incomplete,
  };
  const only = drift.items.map(({ address }) => address);
  const desired = withAccepted(first.desired, { found, all }, request.desired);
  return {
    drift,
    request: { ...first, desired, selection: { only, except: [], exact: true }, consent: request.consent },
    live: account.live,
  };
}

/** Whether another apply is running or was cut off, which is said: what it has changed so far belongs to neither manifest. */
async function isBetweenWrites(
  { inventory: { holder, where }, unended }: DriftSource["owned"],
  io: Session,
): Promise<boolean> {
  const held = await holder?.();
  if (held?.is === "held") io.emit({ type: "locked", ...held, unwatched: true, where });
  else if (unended) io.emit({ type: "cut_off", by: unended, where });
  return held?.is === "held" || unended !== undefined;
}

/** Returns what the manifest of this run does not declare, or may declare without its prefix, as it is live: whoever has committed a drift has accepted it. */
function notAccepted(items: readonly DriftItem[], input: PlanInput): DriftItem[] {
  const { steps, mistaken, refusals } = plan(input);
  const unclear = new Set(refusals.flatMap(({ from: { rule, data } }) => (rule === "mayBePrefixed" ? data : [])));
  const planned = new Map<Address, Set<string>>();
  for (const { address, changes } of steps)
    planned.set(address, new Set([...(planned.get(address) ?? []), ...changes.map(({ path }) => path)]));
  const isDeclared = ({ address, is }: DriftItem) =>
    mistaken?.has(address) !== true && input.desired.resources.has(address) === (is !== "gone");
  return items.flatMap((item) => {
    const fields = planned.get(item.address);
    if (!fields) return isDeclared(item) || unclear.has(item.address) ? [] : [item];
    if (item.is !== "differs" || item.changes.length === 0) return [item];
    const changes = item.changes.filter(({ path }) => fields.has(path));
    return changes.length === 0 ? [] : [{ ...item, changes }];
  });
}

/** Returns what the last apply has declared, with the fields of what has drifted that were accepted as the manifest of this run says them. */
function withAccepted(
  desired: Desired,
  { found, all }: Readonly<Record<"found" | "all", readonly DriftItem[]>>,
  waiting: Desired,
): Desired {
  const listed = new Map(all.map(({ address, changes }) => [address, new Set(changes.map(({ path }) => path))]));
  const resources = new Map(desired.resources);
  for (const { address, changes } of found) {
    const [own, now, still] = [resources.get(address), waiting.resources.get(address), listed.get(address)];
    const accepted = new Set(changes.flatMap(({ path }) => (still?.has(path) === false ? path : [])));
    if (!own || !now || accepted.size === 0) continue;
    const fields = {
      ...pickValues(own.fields, (name) => !accepted.has(name)),
      ...pickValues(now.fields, (name) => accepted.has(name)),
    };
    // The values of a set are one.
    const { members } = accepted.has("value") ? now : own;
    resources.set(address, { ...own, fields, ...(members && { members }) });
  }
  return { ...desired, resources };
}

/** What has drifted from each of the commits that may stand for an address. */
function inEach([newest = [], ...others]: readonly (readonly DriftItem[])[]): readonly DriftItem[] {
  const rest = others.map((items) => new Set<Address>(items.map(({ address }) => address)));
  return newest.filter(({ address }) => rest.every((addresses) => addresses.has(address)));
}

function unmanagedIn({ plan, live }: PlanFromLive): DriftItem[] {
  const listed = plan.unmanaged.flatMap(({ addresses }) => addresses.map((address) => live.resources.get(address)));
  return listed.flatMap((each) => (each ? appeared(each) : []));
}

const day = 24 * 60 * 60 * 1000;

/** Returns the patterns of a manifest that are not over, and says which are. */
function toleratedUntil({ tolerate = [] }: Pick<PlanInput["desired"], "tolerate">, now: number, io: Session): string[] {
  return tolerate.flatMap(({ pattern, until, at }) => {
    if (until === undefined || now < Date.parse(until) + day) return [pattern];
    io.emit({ type: "tolerated_until", pattern, until, at });
    return [];
  });
}

/** Whether a pattern names a resource, or each of its fields that differ: as a plan names it, or as the manifest does. */
function toleratedBy(patterns: readonly string[]): (item: DriftItem) => boolean {
  const matches = matchAny(patterns);
  return ({ address, changes }) => {
    const { fields } = locate(address).kind;
    const differs = changes.map(({ path }) => [path, fields[path]?.from ?? path].map((name) => `${address}.${name}`));
    return matches(address) || (differs.length > 0 && differs.every((names) => names.some(matches)));
  };
}
