import { createHash } from "node:crypto";
import type { Address } from "../model/address.ts";
import type { Lifecycle } from "../model/resource.ts";
import type { SavedPlan, SavedResource } from "../model/saved-plan.ts";
import { consentInHash } from "./approved-consent.ts";
import { canonicalJson, canonicalPieces, inOrder, sortedCanonically } from "./canonical-json.ts";
import { canonicalStep } from "./canonical-step.ts";

/** A saved plan before it is sealed with its hash and its digest. */
export type Unsealed = Omit<SavedPlan, "hash" | "digest">;

/** The members of a saved plan that its hash covers, in whole or in part. */
export type Hashed = Omit<Unsealed, "format" | "created_at" | "source" | "seen">;

/** The content that a plan's hash stands for: an approval covers exactly this, and `show` prints nothing else. */
export type ApprovedContent = ReturnType<typeof approvedContent>;

/**
 * Returns the content of a saved plan that its hash covers: the target, the consent, and the steps in their order, each with its
 * changes, calls, gaps, put-backs and all that it declares (secrets by their source). Ids, etags, positions, reasons, origins and times are left
 * out, because another run may plan the same with other ones. Lists without an order are sorted.
 */
export function approvedContent(plan: Hashed) {
  const { steps, ...head } = canonicalContent(plan);
  const content = { ...head, steps: [...steps] };
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
    steps: canonicalSteps(steps, declared),
    // A plan that was refused is not the same plan without the refusals.
    refusals: refusals.map(({ at: _at, ...refusal }) => refusal),
    cannotUndo: plan.cannot_undo ?? [],
    ...(plan.ownership && { ownership: plan.ownership }),
  };
}

/** Yields the steps one by one, so that those of a large plan need not be held twice. */
function* canonicalSteps(steps: SavedPlan["steps"], declared: ReadonlyMap<Address, SavedResource>) {
  for (const step of steps)
    yield {
      ...canonicalStep(step, declared.get(step.address)),
      after: inOrder(step.after),
      calls: step.calls.map(({ method, path }) => ({ method, path })),
      gaps: step.gaps ?? [],
    };
}

/** Returns the hash of a plan: the SHA-256 of its approved content, as `sha256:` and 64 digits. */
export const planHash = (plan: Hashed): string => sha256(canonicalContent(plan));

/** Returns the plan with its hash, and with a digest over all other members, so that each alteration of the file shows. */
export function sealPlan(unsealed: Unsealed, hash = planHash(unsealed)): SavedPlan {
  const hashed = { ...unsealed, hash };
  return {
    ...hashed,
    // It is made for whoever writes the plan to a file: an apply needs the hash alone.
    get digest() {
      return sha256(hashed);
    },
  };
}

/** Whether the hash and the digest of a saved plan match its content. */
export function isSealed({ digest, ...rest }: SavedPlan): boolean {
  return planHash(rest) === rest.hash && sha256(rest) === digest;
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

const kept = ({ preventDestroy, ignoreChanges }: Lifecycle = { preventDestroy: false, ignoreChanges: [] }) => [
  preventDestroy,
  inOrder(ignoreChanges),
];
