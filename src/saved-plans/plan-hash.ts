import { createHash } from "node:crypto";
import { locate } from "../kinds/derived/locate.ts";
import type { Change } from "../model/plan.ts";
import type { Lifecycle } from "../model/resource.ts";
import type { SavedBody, SavedPlan, SavedResource, SavedStep } from "../model/saved-plan.ts";
import { consentInHash } from "./approved-consent.ts";
import { canonicalJson, sortedCanonically } from "./canonical-json.ts";

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

/** A step as it counts for the hash, as a text: equal steps have equal texts. `resource`: what it brings about. */
export const stepText = (step: SavedStep, resource: SavedResource | undefined): string =>
  canonicalJson(canonicalStep(step, resource));

const inOrder = <T extends string>(texts: readonly T[]): readonly T[] => [...new Set(texts)].sort();

const kept = ({ preventDestroy, ignoreChanges }: Lifecycle = { preventDestroy: false, ignoreChanges: [] }) => [
  preventDestroy,
  inOrder(ignoreChanges),
];

/** A step with its changes by field, and what it declares: of a set the shared body first, then each member's. */
function canonicalStep(
  { address, action, replaces, purchase, changes, detaches, takesAlong = [], on_refusal: ends }: SavedStep,
  resource: SavedResource | undefined,
): CanonicalStep {
  const shown = {
    address,
    action,
    replaces,
    purchase,
    changes: byField(changes),
    ...(detaches && { detaches }),
    ...(takesAlong.length > 0 && { takesAlong: inOrder(takesAlong) }),
    ...(ends && { on_refusal: sortedCanonically(ends) }),
  };
  if (!resource || action === "delete") return shown;
  const { members } = locate(address).kind;
  // Of a single object only what changes is sent from where it comes; what does not is no part of this plan.
  const sent = new Set(changes.map(({ path }) => path));
  const isSent = (field: string) => members !== undefined || sent.has(field);
  return {
    ...shown,
    declared: canonicalBody(resource, isSent),
    ...(members && {
      members: sortedCanonically((resource.members ?? []).map((each) => canonicalBody(each, isSent))),
    }),
  };
}

interface CanonicalStep extends Pick<
  SavedStep,
  "address" | "action" | "replaces" | "purchase" | "changes" | "detaches" | "takesAlong" | "on_refusal"
> {
  readonly declared?: CanonicalBody;
  readonly members?: readonly CanonicalBody[];
}

type CanonicalBody =
  | readonly [SavedBody["fields"], SavedBody["late"]]
  | readonly [SavedBody["fields"], SavedBody["late"], NonNullable<SavedBody["written"]>];

const byField = (changes: readonly Change[]) =>
  sortedCanonically(changes).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

function canonicalBody({ fields, late, written }: SavedBody, isSent: (field: string) => boolean): CanonicalBody {
  const sources = Object.fromEntries(Object.entries(late).filter(([name]) => isSent(name)));
  return written ? [fields, sources, written] : [fields, sources];
}
