import type { Address } from "../model/address.ts";

/** Why a step is needed: `is` is a word from a closed list, the rest says of which field or resource. */
export type StepReason =
  | { readonly is: "not_live" }
  /** Its list was not read whole, so it may exist. */
  | { readonly is: "not_listed" }
  | { readonly is: "fields_differ"; readonly fields: readonly string[]; readonly rotation?: RotationReason }
  /** `unsure`: its list was not read whole. */
  | { readonly is: "values_differ"; readonly unsure: boolean }
  | RotationReason
  | { readonly is: "expires_soon"; readonly text: string }
  | { readonly is: "retry_requested"; readonly failure: string }
  /** `parent`: the resource that it comes with, where this plan creates that. */
  | { readonly is: "made_by_server"; readonly parent?: Address }
  /** `keepsOld`: the API cannot delete the old one. */
  | { readonly is: "cannot_update"; readonly fields: readonly string[]; readonly keepsOld?: boolean }
  | { readonly is: "parent_replaced"; readonly parent: Address; readonly keepsOld?: boolean }
  | { readonly is: "returned_with_parent"; readonly parent: Address }
  | { readonly is: "reference_detached" }
  | { readonly is: "reference_restored" }
  | { readonly is: "named_in_removed" }
  | { readonly is: "not_declared" }
  | { readonly is: "not_in_exclusive_collection" }
  /** A saved plan does not keep more of the reason than its action. */
  | { readonly is: "in_saved_plan" }
  | { readonly is: "undo" };

export type RotationReason =
  | { readonly is: "rotation_requested" }
  | { readonly is: "rotation_due"; readonly due: string; readonly last: string }
  /** Of a saved plan, which does not keep why. */
  | { readonly is: "secret_sent_again" };

/** Every word, so that the compiler misses none. */
const words: Readonly<Record<StepReason["is"], true>> = {
  not_live: true,
  not_listed: true,
  fields_differ: true,
  values_differ: true,
  expires_soon: true,
  retry_requested: true,
  made_by_server: true,
  cannot_update: true,
  parent_replaced: true,
  returned_with_parent: true,
  reference_detached: true,
  reference_restored: true,
  named_in_removed: true,
  not_declared: true,
  not_in_exclusive_collection: true,
  in_saved_plan: true,
  undo: true,
  rotation_requested: true,
  rotation_due: true,
  secret_sent_again: true,
};

export const reasonWords: readonly string[] = Object.keys(words);

export interface Explained {
  readonly action: "create" | "update" | "delete" | "renew";
  readonly replaces: boolean;
  readonly reason: StepReason;
}

/** Returns the reason of a step as the end of the sentence "It is created, because …". */
export function describeReason({ action, replaces, reason }: Explained): string {
  switch (reason.is) {
    case "not_live":
      return "declared, and does not exist";
    case "not_listed":
      return "created only if it does not exist, which is unknown: its list is incomplete";
    case "fields_differ":
      return [
        `${reason.fields.join(", ")} ${reason.fields.length === 1 ? "differs" : "differ"} from the manifest`,
        ...(reason.rotation ? [describeReason({ action, replaces, reason: reason.rotation })] : []),
      ].join("; ");
    case "values_differ":
      return `its values differ from the manifest${reason.unsure ? ", as far as its list was read" : ""}`;
    case "rotation_requested":
      return "requested with --rotate";
    case "rotation_due":
      return `${reason.due} is later than ${reason.last}`;
    case "secret_sent_again":
      return "its secret is sent again";
    case "expires_soon":
      return reason.text;
    case "retry_requested":
      return `requested again; ${reason.failure}`;
    case "made_by_server":
      return reason.parent === undefined
        ? "the server creates it with its domain"
        : `the server creates it with ${reason.parent}`;
    case "cannot_update":
      return withOld(`${reason.fields.join(", ")} cannot be changed in place`, reason);
    case "parent_replaced":
      return withOld(`its parent ${reason.parent} is replaced`, reason);
    case "returned_with_parent":
      return `the server creates it again with ${reason.parent}`;
    case "reference_detached":
      return "the resource that it refers to is replaced";
    case "reference_restored":
      return "the resource that it refers to exists again";
    case "named_in_removed":
      return "named under removed:";
    case "not_declared":
      return "in the inventory, and no longer declared";
    case "not_in_exclusive_collection":
      return "its collection is exclusive and does not declare it";
    case "in_saved_plan":
      return replaces ? "it must be replaced" : ofSavedPlan[action];
    case "undo":
      return ofUndo[action];
  }
}

const withOld = (text: string, { keepsOld = false }: { readonly keepsOld?: boolean }) =>
  keepsOld ? `${text}; the API cannot remove the old one` : text;

const ofSavedPlan = {
  create: "it must exist",
  update: "it must be changed",
  delete: "it must not exist",
  renew: "it is due for renewal",
} as const;

const ofUndo = {
  create: "it was there before",
  update: "it was so before",
  delete: "it was not there before",
  renew: "it was so before",
} as const;
