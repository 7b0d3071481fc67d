import type { Address } from "../model/address.ts";
import type { DataOf } from "./data-of.ts";

interface Step {
  readonly action: "create" | "update" | "delete" | "renew";
  readonly replaces: boolean;
}

/** The texts of the reasons for which a secret is sent again; the parameter is the data. */
const rotations = {
  rotation_requested: () => "requested with --rotate",
  rotation_due: ({ due, last }: { due: string; last: string }) => `${due} is later than ${last}`,
  /** Of a saved plan, which does not keep why. */
  secret_sent_again: () => "its secret is sent again",
};

/** The text of each reason, as the end of the sentence "It is created, because …"; its first parameter is the data. */
const reasons = {
  not_live: () => "declared, and does not exist",
  /** Its list was not read whole, so it may exist. */
  not_listed: () => "created only if it does not exist, which is unknown: its list is incomplete",
  fields_differ: ({ fields, rotation }: { fields: readonly string[]; rotation?: RotationReason }) =>
    [
      `${fields.join(", ")} ${fields.length === 1 ? "differs" : "differ"} from the manifest`,
      ...(rotation ? [rotations[rotation.is](rotation as never)] : []),
    ].join("; "),
  /** `unsure`: its list was not read whole. */
  values_differ: ({ unsure }: { unsure: boolean }) =>
    `its values differ from the manifest${unsure ? ", as far as its list was read" : ""}`,
  ...rotations,
  expires_soon: ({ text }: { text: string }) => text,
  retry_requested: ({ failure }: { failure: string }) => `requested again; ${failure}`,
  /** `parent`: the resource that it comes with, where this plan creates that. */
  made_by_server: ({ parent }: { parent?: Address }) => `the server creates it with ${parent ?? "its domain"}`,
  /** `keepsOld`: the API cannot delete the old one. */
  cannot_update: ({ fields, keepsOld }: { fields: readonly string[]; keepsOld?: boolean }) =>
    withOld(`${fields.join(", ")} cannot be changed in place`, keepsOld),
  parent_replaced: ({ parent, keepsOld }: { parent: Address; keepsOld?: boolean }) =>
    withOld(`its parent ${parent} is replaced`, keepsOld),
  returned_with_parent: ({ parent }: { parent: Address }) => `the server creates it again with ${parent}`,
  reference_detached: () => "the resource that it refers to is replaced",
  reference_restored: () => "the resource that it refers to exists again",
  named_in_removed: () => "named under removed:",
  not_declared: () => "in the inventory, and no longer declared",
  not_in_exclusive_collection: () => "its collection is exclusive and does not declare it",
  /** A saved plan does not keep more of the reason than its action. */
  in_saved_plan: (_data: unknown, { action, replaces }: Step) =>
    replaces ? "it must be replaced" : ofSavedPlan[action],
  undo: (_data: unknown, { action }: Step) => ofUndo[action],
};

/** Why a step is needed: `is` is a word from a closed list, the rest says of which field or resource. */
export type StepReason = {
  readonly [Is in keyof typeof reasons]: { readonly is: Is } & DataOf<(typeof reasons)[Is]>;
}[keyof typeof reasons];

export type RotationReason = {
  readonly [Is in keyof typeof rotations]: { readonly is: Is } & DataOf<(typeof rotations)[Is]>;
}[keyof typeof rotations];

export const reasonWords: readonly string[] = Object.keys(reasons);

export interface Explained extends Step {
  readonly reason: StepReason;
}

/** Returns the reason of a step as the end of the sentence "It is created, because …". */
export const describeReason = ({ action, replaces, reason }: Explained): string =>
  reasons[reason.is](reason as never, { action, replaces });

const withOld = (text: string, keepsOld = false) => (keepsOld ? `${text}; the API cannot remove the old one` : text);

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
