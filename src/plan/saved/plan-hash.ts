import { createHash } from "node:crypto";
import { locate } from "../../kinds/derived/locate.ts";
import type { Lifecycle } from "../../model/resource.ts";
import type { SavedBody, SavedPlan, SavedResource, SavedStep } from "../../model/saved-plan.ts";
import { canonicalJson, sortedCanonically } from "./canonical-json.ts";

/** All of a saved plan that decides what applying it does, but for what it saw: that can only refuse. */
export type Hashed = Pick<
  SavedPlan,
  "target" | "undo" | "consent" | "protect" | "resources" | "removals" | "needs" | "steps" | "refusals"
>;

/**
 * What stands for a plan: the SHA-256 of its target, its steps and what it allows, as `sha256:` and 64 digits. A step counts with its
 * address and action, what changes from what to what as it is shown, and all that it declares, secrets by where they come from. Ids,
 * etags, positions, reasons and times do not count, nor does the order of a manifest.
 */
export function planHash({ target, undo = false, steps, resources, ...plan }: Hashed): string {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const text = canonicalJson({
    // The embedded service listens on another port each time.
    target: [target.name, target.emulator ? "emulator" : target.baseUrl, target.contract],
    undo,
    consent: Object.fromEntries(Object.entries(plan.consent).map(([flag, named]) => [flag, inOrder(named)])),
    protect: inOrder(plan.protect),
    resources: sortedCanonically(resources.map(({ address, key, lifecycle }) => [address, key, kept(lifecycle)])),
    removals: inOrder(plan.removals.map(({ address }) => address)),
    needs: sortedCanonically(plan.needs.map(({ address, key }) => [address, key])),
    steps: sortedCanonically(steps.map((step) => canonicalStep(step, declared.get(step.address)))),
    // A plan that was refused is not the same plan without what refused it.
    refusals: sortedCanonically(plan.refusals.map(({ address = "", code }) => [address, code])),
  });
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** A step as it counts for the hash, as a text: equal steps have equal texts. `resource`: what it brings about. */
export const stepText = (step: SavedStep, resource: SavedResource | undefined): string =>
  canonicalJson(canonicalStep(step, resource));

const inOrder = (texts: readonly string[]) => [...new Set(texts)].sort();

const kept = ({ preventDestroy, ignoreChanges }: Lifecycle = { preventDestroy: false, ignoreChanges: [] }) => [
  preventDestroy,
  inOrder(ignoreChanges),
];

/** Digits of a hash that are printed, and that an approval must give at least. */
const shortest = 32;

/** The hash as it is printed. */
export const shortHash = (hash: string): string => hash.slice(0, "sha256:".length + shortest);

/** Whether what a user gave, with or without `sha256:`, is this hash: its printed part at least. */
export function isHash(given: string, hash: string): boolean {
  const digits = digitsOf(given);
  return digits !== undefined && hash.startsWith(`sha256:${digits}`);
}

/** The digits of what a user gave for a hash; undefined where it cannot be one. */
export const digitsOf = (given: string): string | undefined =>
  /^(?:sha256:)?([0-9a-f]{32,64})$/u.exec(given.trim().toLowerCase())?.[1];

function canonicalStep(
  { address, action, replaces, purchase, changes }: SavedStep,
  resource: SavedResource | undefined,
) {
  const shown = { address, action, replaces, purchase, changes: sortedCanonically(changes) };
  if (!resource || action === "delete") return shown;
  const { members } = locate(address).kind;
  // Of a single object only what changes is sent from where it comes; what does not is no part of this plan.
  const sent = new Set(changes.map(({ path }) => path));
  const isSent = (field: string) => members !== undefined || sent.has(field);
  return {
    ...shown,
    declared: canonicalBody(resource, resource, isSent),
    ...(members && {
      members: sortedCanonically((resource.members ?? []).map((each) => canonicalBody(resource, each, isSent))),
    }),
  };
}

function canonicalBody({ address }: SavedResource, { fields, late }: SavedBody, isSent: (field: string) => boolean) {
  const { kind } = locate(address);
  const kept = Object.entries(fields).filter(([name]) => kind.fields[name]?.access !== "manifest_only");
  return [Object.fromEntries(kept), Object.fromEntries(Object.entries(late).filter(([name]) => isSent(name)))];
}
