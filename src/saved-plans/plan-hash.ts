import { createHash, type Hash } from "node:crypto";
import { kindOf } from "../model/address.ts";
import type { CallRequest } from "../model/http-call.ts";
import type { Step, Change, Plan } from "../model/plan.ts";
import type { Lifecycle } from "../model/resource.ts";
import type { PlanFile, SavedPlan, SavedResource } from "../model/saved-plan.ts";
import { consentInHash, forConsents } from "./approved-consent.ts";
import { canonicalJson, inOrder, linesOf, sortedCanonically } from "./lines.ts";
import { kindNamed } from "../kinds/index.ts";
import { savedRefusal } from "../messages/refusals.ts";
import { templateText } from "../model/template-text.ts";

/** A saved plan before it is sealed with its hash and its digest. */
export type Unsealed = Omit<SavedPlan, "hash" | "digest">;

/** A plan without its time and the live state that its steps follow from: the hash covers the steps themselves. */
export type Hashed = Omit<Unsealed, "format" | "created_at" | "live" | "lists" | "order" | "was">;

/**
 * Returns the content of a plan that its hash covers beside its lines: the target, the consent, and the addresses that it is about. Ids,
 * etags, positions, reasons, origins and times are left out, because another run may plan the same with other ones.
 */
export function approvedHead({ target, undo = false, standing, ...plan }: Hashed) {
  const consent = consentInHash(plan);
  const { name, emulator, contract, contractHash, baseUrl } = target;
  return {
    // The embedded service listens on another port each time.
    target: { name, emulator, contract, contractHash, baseUrl: emulator ? "" : baseUrl },
    undo,
    consent: forConsents((by) => inOrder(consent[by])),
    ...(standing && { standing: { ours: inOrder(standing.ours), carriedOut: inOrder(standing.carried_out) } }),
    protect: inOrder(plan.protect),
    resources: sortedCanonically(plan.resources.map(({ address, key, lifecycle }) => [address, key, kept(lifecycle)])),
    removals: inOrder(plan.removals.map(({ address }) => address)),
    needs: sortedCanonically(plan.needs.map(({ address, key, fields }) => [address, key, ...(fields ? [fields] : [])])),
    // A plan that was refused is not the same plan without the refusals.
    refusals: plan.refusals.map(({ address, code, flag, from }) => ({ address, code, flag, from })),
    cannotUndo: plan.cannot_undo ?? [],
    ...(plan.ownership && { ownership: plan.ownership }),
  };
}

/** Returns the hash of a plan: the SHA-256 of its head and its lines, as `sha256:` and 64 digits. */
export function planHash(plan: Hashed): string {
  const declared = new Map(plan.resources.map((resource) => [resource.address, resource]));
  const hash = createHash("sha256").update(canonicalJson(approvedHead(plan)));
  for (const step of plan.steps)
    for (const line of linesOf(step, declared.get(step.address)))
      hash.update(`\n${step.address} ${canonicalJson(line)}`);
  return digestOf(hash);
}

/** Returns the plan with its hash, and with a digest over all other members of its file, so that each alteration shows. */
export function sealPlan(unsealed: Unsealed, hash = planHash(unsealed)): SavedPlan {
  const hashed = { ...unsealed, hash };
  return {
    ...hashed,
    // It is made for whoever writes the plan to a file: an apply needs the hash alone.
    get digest() {
      return fileDigest(fileOf(hashed));
    },
  };
}

/** Returns the members of a plan that its file holds: the rest follows from them. */
export const fileOf = <P extends Pick<SavedPlan, "steps" | "was">>({ steps: _steps, was: _was, ...file }: P) => file;

/** Whether the hash and the digest of a saved plan match its content. */
export const isSealed = (plan: SavedPlan): boolean => planHash(plan) === plan.hash && isIntact(fileOf(plan));

/** Whether a file is as it was written: if its hash does not match nevertheless, this version plans something else of it. */
export const isIntact = ({ digest, ...file }: PlanFile): boolean => fileDigest(file) === digest;

function fileDigest(file: Omit<PlanFile, "digest">): string {
  const hash = createHash("sha256");
  for (const [name, value] of Object.entries(file).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    hash.update(`\n${name}`);
    for (const item of Array.isArray(value) ? value : [value]) hash.update(`\n${canonicalJson(item)}`);
  }
  return digestOf(hash);
}

const digestOf = (hash: Hash) => `sha256:${hash.digest("hex")}`;

const kept = (lifecycle: Lifecycle | undefined) =>
  lifecycle ? [lifecycle.preventDestroy, inOrder(lifecycle.ignoreChanges)] : nothingKept;
const nothingKept = [false, []];

/**
 * Returns the plan that a file holds, with the source of each value that the file does not hold. It takes only what the hash covers, so
 * nothing else can be shown.
 */
export function shownPlan(saved: SavedPlan): Plan {
  const { target, refusals, ownership: { adopts, lasting } = {} } = approvedHead(saved);
  const declared = new Map(saved.resources.map((resource) => [resource.address, resource]));
  return {
    target,
    steps: saved.steps.map(withoutParams).map((step) => {
      const resource = step.action === "delete" ? undefined : declared.get(step.address);
      return resource ? { ...step, changes: step.changes.map((change) => withSource(resource, change)) } : step;
    }),
    refusals: saved.refusals.map(savedRefusal),
    isSaved: true,
    diagnostics: [],
    unmanaged: [],
    incomplete: [],
    unchanged: 0,
    owned: { addresses: [], preventDestroy: [], exclusive: [] },
    adopts,
    lasting,
    leftOut: [],
    ignoredSpellings: [],
    reads: 0,
    // A refused plan is not approved by a hash.
    hash: refusals.length > 0 ? undefined : saved.hash,
  };
}

const bare = <Call extends CallRequest>(call: Call): Call => ({ ...call, params: {}, query: {} });

/** The hash covers the method and the path of a call: what fills that follows from the live state of the file, and an apply reads its own. */
function withoutParams(step: Step): Step {
  const ends = step.on_refusal?.map((end) => (end.is === "lost" ? end : { ...end, calls: end.calls.map(bare) }));
  return { ...step, calls: step.calls.map(bare), ...(ends && { on_refusal: ends }) };
}

function withSource({ address, members = [], ...body }: SavedResource, change: Change): Change {
  const { path, after } = change;
  if (after.is === "value" || after.is === "absent") return change;
  const { members: rules } = kindNamed(kindOf(address));
  const name = rules && path === "value" ? rules.identity : path;
  const sources = [body, ...members].flatMap(({ late }) => {
    const source = Object.hasOwn(late, name) ? late[name] : undefined;
    return source ? [templateText(source.parts)] : [];
  });
  // Which of several hidden values of a set is which is not said.
  return sources.length === 0
    ? change
    : { ...change, after: { ...after, from: [...new Set(sources)].sort().join(" or ") } };
}
