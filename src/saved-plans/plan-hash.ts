import { createHash } from "node:crypto";
import type { Address } from "../model/address.ts";
import type { Lifecycle } from "../model/resource.ts";
import type { PlanFile, SavedPlan, SavedResource, SavedStep } from "../model/saved-plan.ts";
import { consentInHash, type Costing } from "./approved-consent.ts";
import { canonicalJson, canonicalPieces, inOrder, sortedCanonically } from "./canonical-json.ts";
import { canonicalStep } from "./canonical-step.ts";

/** A saved plan before it is sealed with its hash and its digest. */
export type Unsealed = Omit<SavedPlan, "hash" | "digest">;

/** The members of a saved plan that its hash covers, in whole or in part. */
export type Hashed = Omit<Unsealed, Exclude<keyof PlanFile, HashedMember> | "seen">;
type HashedMember =
  | "target"
  | "undo"
  | "consent"
  | "protect"
  | "resources"
  | "removals"
  | "needs"
  | "refusals"
  | "standing"
  | "ownership"
  | "cannot_undo";

/** The same, where the steps and the resources are not in the form of a file. */
export interface Hashable<S> extends Omit<Hashed, "steps" | "resources"> {
  readonly steps: readonly S[];
  readonly resources: readonly Pick<SavedResource, "address" | "key" | "lifecycle">[];
}

/** Brings one of them into that form. */
interface Savers<S> {
  readonly step: (step: S) => SavedStep;
  readonly resource: (address: Address) => SavedResource | undefined;
}

/** The content that a plan's hash stands for: an approval covers exactly this, and `show` prints nothing else. */
export type ApprovedContent = ReturnType<typeof approvedContent>;

/**
 * Returns the content of a saved plan that its hash covers: the target, the consent, and the steps in their order, each with its
 * changes, calls, gaps, put-backs and all that it declares (secrets by their source). Ids, etags, positions, reasons, origins and times are left
 * out, because another run may plan the same with other ones. Lists without an order are sorted.
 */
export function approvedContent(plan: Hashed) {
  const { steps, ...head } = canonicalContent(plan, saversOf(plan));
  const content = { ...head, steps: [...steps] };
  // The order of keys in the file must not be shown either.
  return JSON.parse(canonicalJson(content)) as typeof content;
}

function saversOf({ resources }: Hashed): Savers<SavedStep> {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return { step: (step) => step, resource: (address) => declared.get(address) };
}

function canonicalContent<S extends Costing>(
  { target, undo = false, steps, resources, refusals, standing, ...plan }: Hashable<S>,
  savers: Savers<S>,
) {
  const consent = consentInHash({ ...plan, steps, refusals });
  const { name, emulator, contract, contractHash, baseUrl } = target;
  return {
    // The embedded service listens on another port each time.
    target: { name, emulator, contract, contractHash, baseUrl: emulator ? "" : baseUrl },
    undo,
    consent: {
      deletes: inOrder(consent.deletes),
      purchases: inOrder(consent.purchases),
      retries: inOrder(consent.retries),
      rotations: inOrder(consent.rotations),
    },
    ...(standing && { standing: { ours: inOrder(standing.ours), carriedOut: inOrder(standing.carried_out) } }),
    protect: inOrder(plan.protect),
    resources: sortedCanonically(resources.map(({ address, key, lifecycle }) => [address, key, kept(lifecycle)])),
    removals: inOrder(plan.removals.map(({ address }) => address)),
    needs: sortedCanonically(plan.needs.map(({ address, key }) => [address, key])),
    steps: canonicalSteps(steps, savers),
    // A plan that was refused is not the same plan without the refusals.
    refusals: refusals.map(({ at: _at, ...refusal }) => refusal),
    cannotUndo: plan.cannot_undo ?? [],
    ...(plan.ownership && { ownership: plan.ownership }),
  };
}

/** Yields the steps one by one, so that those of a large plan need not be held twice. */
function* canonicalSteps<S>(steps: readonly S[], savers: Savers<S>) {
  for (const each of steps) {
    const step = savers.step(each);
    yield {
      ...canonicalStep(step, savers.resource(step.address)),
      after: inOrder(step.after),
      calls: step.calls.map(({ method, path }) => ({ method, path })),
      gaps: step.gaps ?? [],
    };
  }
}

/** Returns the hash of a plan: the SHA-256 of its approved content, as `sha256:` and 64 digits. */
export const planHash = (plan: Hashed): string => hashOneByOne(plan, saversOf(plan));

/** Returns the same hash without holding the steps and resources of a large plan a second time. */
export const hashOneByOne = <S extends Costing>(plan: Hashable<S>, savers: Savers<S>): string =>
  sha256(canonicalContent(plan, savers));

/** Returns the plan with its hash, and with a digest over all other members of its file, so that each alteration shows. */
export function sealPlan(unsealed: Unsealed, hash = planHash(unsealed)): SavedPlan {
  const hashed = { ...unsealed, hash };
  return {
    ...hashed,
    // It is made for whoever writes the plan to a file: an apply needs the hash alone.
    get digest() {
      return sha256(fileOf(hashed));
    },
  };
}

/** Returns the members of a plan that its file holds: the rest follows from them. */
export const fileOf = <P extends Pick<SavedPlan, "steps" | "seen">>({ steps: _steps, seen: _seen, ...file }: P) => file;

/** Whether the hash and the digest of a saved plan match its content. */
export function isSealed({ digest, ...rest }: SavedPlan): boolean {
  return planHash(rest) === rest.hash && sha256(fileOf(rest)) === digest;
}

function sha256(value: object): string {
  const hash = createHash("sha256");
  let text = "";
  for (const piece of canonicalPieces(value)) {
    text += piece;
    if (text.length < pieceLength) continue;
    hash.update(text);
    text = "";
  }
  return `sha256:${hash.update(text).digest("hex")}`;
}

/** Characters that are hashed at once. */
const pieceLength = 65_536;

const kept = (lifecycle: Lifecycle | undefined) =>
  lifecycle ? [lifecycle.preventDestroy, inOrder(lifecycle.ignoreChanges)] : nothingKept;
const nothingKept = [false, []];
