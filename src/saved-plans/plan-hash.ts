import { createHash } from "node:crypto";
import type { Lifecycle } from "../model/resource.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { consentInHash } from "./approved-consent.ts";
import { canonicalJson, inOrder, sortedCanonically } from "./canonical-json.ts";
import { canonicalStep } from "./canonical-step.ts";

/** A saved plan before it is sealed with its hash and its digest. */
export type Unsealed = Omit<SavedPlan, "hash" | "digest">;

/** The members of a saved plan that its hash covers, in whole or in part. */
export type Hashed = Pick<
  SavedPlan,
  | "target"
  | "undo"
  | "consent"
  | "protect"
  | "resources"
  | "removals"
  | "needs"
  | "steps"
  | "refusals"
  | "standing"
  | "ownership"
  | "cannot_undo"
>;

/** The content that a plan's hash stands for: an approval covers exactly this, and `show` prints nothing else. */
export type ApprovedContent = ReturnType<typeof approvedContent>;

/**
 * Returns the content of a saved plan that its hash covers: the target, the consent, and the steps in their order, each with its
 * changes, calls, gaps, put-backs and all that it declares (secrets by their source). Ids, etags, positions, reasons, origins and times are left
 * out, because another run may plan the same with other ones. Lists without an order are sorted.
 */
export function approvedContent(plan: Hashed) {
  const content = canonicalContent(plan);
  // The order of keys in the file must not be shown either.
  return JSON.parse(canonicalJson(content)) as typeof content;
}

function canonicalContent({ target, undo = false, steps, resources, refusals, standing, ...plan }: Hashed) {
  const consent = consentInHash({ ...plan, steps, refusals });
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const { name, emulator, contract, baseUrl } = target;
  return {
    // The embedded service listens on another port each time.
    target: { name, emulator, contract, baseUrl: emulator ? "" : baseUrl },
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
    steps: steps.map((step) => ({
      ...canonicalStep(step, declared.get(step.address)),
      after: inOrder(step.after),
      calls: step.calls.map(({ method, path }) => ({ method, path })),
      gaps: step.gaps ?? [],
    })),
    // A plan that was refused is not the same plan without the refusals.
    refusals: refusals.map(({ at: _at, ...refusal }) => refusal),
    cannotUndo: plan.cannot_undo ?? [],
    ...(plan.ownership && { ownership: plan.ownership }),
  };
}

/** Returns the hash of a plan: the SHA-256 of its approved content, as `sha256:` and 64 digits. */
export const planHash = (plan: Hashed): string => sha256(approvedContent(plan));

/** Returns the plan with its hash, and with a digest over all other members, so that each alteration of the file shows. */
export function sealPlan(unsealed: Unsealed): SavedPlan {
  const hashed = { ...unsealed, hash: planHash(unsealed) };
  return { ...hashed, digest: sha256(hashed) };
}

/** Whether the hash and the digest of a saved plan match its content. */
export function isSealed({ digest, ...rest }: SavedPlan): boolean {
  return planHash(rest) === rest.hash && sha256(rest) === digest;
}

const sha256 = (value: object): string => `sha256:${createHash("sha256").update(canonicalJson(value)).digest("hex")}`;

const kept = ({ preventDestroy, ignoreChanges }: Lifecycle = { preventDestroy: false, ignoreChanges: [] }) => [
  preventDestroy,
  inOrder(ignoreChanges),
];
