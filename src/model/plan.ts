import type { Refusal } from "../messages/refusals.ts";
import type { Address } from "./address.ts";
import type { Diagnostic, Position } from "./diagnostic.ts";
import type { HttpCall, RestoreCall } from "./http-call.ts";
import type { Json } from "./json.ts";
import type { CollectionId, GivenVariable } from "./resource.ts";
import type { StepReason } from "../messages/step-reasons.ts";

/** Which API a plan is for. */
export interface Target {
  /** The manifest's `name`. */
  readonly name: string;
  readonly baseUrl: string;
  readonly contract: string;
  readonly emulator: boolean;
  /** Present where the live state was not read but taken from a snapshot; `takenAt` is ISO 8601. */
  readonly snapshot?: { readonly takenAt: string };
}

/**
 * A side of a change: a value, a masked one, one that only apply will know, or nothing. `from`: the text that the value is made of, as
 * `${env:NAME}`, where a saved plan is shown, which whoever reads it has not written.
 */
export type Shown =
  | { readonly is: "value"; readonly value: Json }
  | { readonly is: "sensitive"; readonly from?: string }
  | { readonly is: "known_after_apply"; readonly from?: string }
  | { readonly is: "absent" };

export interface Change {
  /** Dotted path of the field. */
  readonly path: string;
  readonly before: Shown;
  readonly after: Shown;
  /** True where the field is immutable, so that this change replaces the resource. */
  readonly forcesReplace?: boolean;
  /** True if the manifest does not write the field, and the resource keeps its live value when it is created again. */
  readonly carried?: boolean;
  /** The reason why a resource that is created again loses the live value of a field that the manifest does not write. */
  readonly notCarried?: string;
}

export type StepId = string;

/** Why a step is needed: the manifest is another than at the last apply, the live state is, or both are; or that apply did not make it. */
export type Origin = "this_change" | "drift" | "both" | "not_made";

/** A managed field that is equal but formatted differently. */
export interface IgnoredSpelling {
  readonly address: Address;
  readonly path: string;
  readonly written: Json;
  readonly live: Json;
}

/** A DNS name or mail address that works before and after the plan, but not between the start of this step and the end of the step `until`. */
export interface Outage {
  /** A host name, or a mail address. */
  readonly name: string;
  /** DNS types that it does not answer for; absent for what has none. */
  readonly types?: readonly string[];
  /** The step that ends it: the same one, where that takes something away before it puts the successor there. */
  readonly until: StepId;
}

/**
 * The end of a resource that a step deletes, or that was deleted for it, if what the step makes in its place is refused for good:
 * `put_back` makes it again, `lost` cannot.
 */
export type OnServerRejection =
  | { readonly address: Address; readonly is: "put_back"; readonly calls: readonly RestoreCall[] }
  | { readonly address: Address; readonly is: "lost"; readonly reason: string };

/** One resource's change, as calls in their order. A replace is two steps: a delete and a create. */
export interface Step {
  readonly id: StepId;
  readonly address: Address;
  readonly action: "create" | "update" | "delete" | "renew";
  /** True on both halves of a replace. */
  readonly replaces: boolean;
  /** True where the step costs money or cannot be undone. */
  readonly purchase: boolean;
  readonly changes: readonly Change[];
  readonly calls: readonly HttpCall[];
  /** Steps that must be done before. */
  readonly after: readonly StepId[];
  readonly reason: StepReason;
  /** Undefined where the manifest of the last apply cannot be read. */
  readonly origin?: Origin;
  /** True for the update that removes a reference to a resource that is created again; the update of the same address sets it again. */
  readonly detaches?: boolean;
  /** Live resources, not managed, that the server removes together with the one that is deleted. */
  readonly takesAlong?: readonly Address[];
  /** Outages that no order of the steps avoids: from this step on, a name does not answer for a while. */
  readonly gaps?: readonly Outage[];
  /** For each resource that is deleted only to make room for this step's; absent if there is none. */
  readonly on_refusal?: readonly OnServerRejection[];
  readonly at?: Position;
}

/** The request of a contract that makes an API use what was written to a collection. `due`: an earlier apply has left it unsent. */
export interface AfterRequest {
  readonly collection: CollectionId;
  readonly due: boolean;
}

/** Returns the addresses at which steps do something, replacements among them. */
export const addressesOf = (steps: readonly Step[], done: Step["action"]): ReadonlySet<Address> =>
  new Set(steps.flatMap(({ action, address }) => (action === done ? [address] : [])));

/** Returns those of the resources that are gone once steps are done. */
export const goneAfter = (steps: readonly Step[]): ReadonlySet<Address> =>
  new Set(steps.flatMap(({ action, replaces, address }) => (action === "delete" && !replaces ? [address] : [])));

/** Whether an apply of a plan sends nothing. */
export const changesNothing = ({ steps, afterRequests = [] }: Pick<Plan, "steps" | "afterRequests">): boolean =>
  steps.length + afterRequests.length === 0;

/** The steps of a plan in an order that respects every `after`. Deterministic: equal input gives an identical plan, byte for byte. */
export interface Plan {
  readonly target: Target;
  /** The values of variables that come from outside the manifest. */
  readonly variables?: readonly GivenVariable[];
  readonly steps: readonly Step[];
  readonly refusals: readonly Refusal[];
  /** The steps are those of a saved plan: a change of the manifest lifts no refusal of it. */
  readonly isSaved?: true;
  /** Mistakes of the manifest that only the live state could show. */
  readonly diagnostics: readonly Diagnostic[];
  /** The resources that a mistake keeps from being planned, with its summary; absent if there are none. */
  readonly mistaken?: ReadonlyMap<Address, string>;
  readonly unmanaged: readonly { readonly collection: CollectionId; readonly addresses: readonly Address[] }[];
  /** Collections that were not read whole, and why. */
  readonly incomplete: readonly { readonly collection: CollectionId; readonly reason: string }[];
  readonly unchanged: number;
  /** The inventory's content once the plan is applied: resources declared and managed now, or ours before and neither deleted nor forgotten. */
  readonly owned: {
    readonly addresses: readonly Address[];
    readonly preventDestroy: readonly Address[];
    readonly exclusive: readonly CollectionId[];
    /** As `ADDRESS FIELD`: the live value comes from a secret. */
    readonly secretFields?: readonly string[];
    /** Entries under `removed:` that are carried out. */
    readonly removed?: readonly Address[];
    /** What left the manifest without having been ours, and is given up or gone: no later plan warns of it. */
    readonly forgotten?: readonly Address[];
  };
  /** Resources that exist, and that this plan makes ours though it does not create them. Only where an inventory is kept. */
  readonly adopts?: readonly Address[];
  /** Those of them that stay where they leave the manifest: the API cannot delete them. */
  readonly lasting?: readonly Address[];
  /** The variables and files that have no value here, though the plan sends it: an apply with the same ones ends as `wrong_input`. */
  readonly unset?: readonly string[];
  /** Collections whose request `after` follows the steps; absent if there is none. */
  readonly afterRequests?: readonly AfterRequest[];
  /** Resources that would change too, but were not selected. */
  readonly leftOut: readonly Address[];
  readonly ignoredSpellings: readonly IgnoredSpelling[];
  readonly reads: number;
  /** The fingerprint of the target, the steps and the consent, where they may be approved: `sha256:` and 64 digits. */
  readonly hash?: string;
}
