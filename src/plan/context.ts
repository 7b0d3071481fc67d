import type { PlanInput } from "../model/plan-input.ts";
import { textAt } from "../contract/decode-record.ts";
import type { IdOf } from "../contract/request.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan } from "../model/plan.ts";
import type { Fields, Live, LiveResource, PreparedLive, Resource } from "../model/resource.ts";

/** A plan input with references resolved, values inherited and prefixed names matched. */
export interface PreparedInput extends PlanInput {
  readonly live: PreparedLive;
  /** The live resources that no block of the manifest names. */
  readonly undeclared: readonly LiveResource[];
}

/** The facts that planning each resource may look at: the input, and its consequences for all. */
export interface Planning extends PreparedInput {
  /** The ids of live resources that stay; a resource that is created again has none yet. */
  readonly idOf: IdOf;
  /** Resources that the server creates together with a resource of this plan, mapped to that resource. */
  readonly implicitlyCreatedBy: ReadonlyMap<Address, Address>;
  /** Resources that must be replaced because their parent is replaced, mapped to that parent. */
  readonly replacedWith: ReadonlyMap<Address, Address>;
  /** The resources that refer to resources which are created again, and that can remove the reference. */
  readonly detached: ReadonlyMap<Address, Detached>;
  /** The live resources that are deleted for good, where any other is created again. */
  readonly removed: ReadonlySet<Address>;
}

/** The fields of a resource that refer to others that go: without those references, and as they are to be set again; and those others. */
export interface Detached {
  readonly fields: Fields;
  readonly back: Fields;
  readonly parents: readonly Address[];
}

/** Returns a function that finds the ids of live resources, and the texts that stand in their records. */
export const idsIn =
  ({ resources }: Live): IdOf =>
  (address, at) => {
    const remote = resources.get(address)?.remotes[0];
    return remote && (at === undefined ? remote.id : textAt(remote.raw, at));
  };

/** The result of planning one resource, or one deletion. Steps are not ordered yet. */
export type Planned = Pick<Plan, "steps" | "refusals" | "diagnostics">;

/** A plan of one resource that mistakes keep from being made. */
export const mistaken = (...diagnostics: Diagnostic[]): Planned => ({ ...nothing, diagnostics });

/** The mistake of a resource. `what`: the summary, behind the address. */
export const mistakeOf = (
  { address, at }: Pick<Resource, "address" | "at">,
  code: string,
  what: string,
  hint: string,
): Diagnostic => ({ severity: "error", code, summary: `${address} ${what}`, hint, at });

export const nothing: Planned = { steps: [], refusals: [], diagnostics: [] };
