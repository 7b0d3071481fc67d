import type { Address } from "../../model/address.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import type { AppliedApi } from "../../model/inventory.ts";
import type { SavedPlan } from "../../model/saved-plan.ts";
import type { Setting } from "./choose-setting.ts";

/** A mistake in an option, a variable or a file that ends an operation before it does anything: `wrong_input`. */
export class InputError extends Error {
  readonly mistake: InputMistake;

  constructor(mistake: InputMistake) {
    super(mistake.type === "diagnostics" ? mistake.diagnostics.map(({ summary }) => summary).join("; ") : mistake.type);
    this.name = "InputError";
    this.mistake = mistake;
  }

  /** Another target than the known one is refused: it may be meant. */
  get ending(): "refused" | "wrong_input" {
    return this.mistake.type === "unknown_api" ? "refused" : "wrong_input";
  }
}

/** Returns the error for a mistake in the arguments: a summary, and in the hint how to correct it. */
export const inputError = (code: string, summary: string, hint: string): InputError =>
  new InputError({ type: "diagnostics", diagnostics: [{ severity: "error", code, summary, hint }] });

/** The data of an input mistake. `render/mistake-text.ts` has the sentences. */
export type InputMistake =
  | { readonly type: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  /** `file`: the key file, if the key was to come from one; it is empty. */
  | { readonly type: "no_key"; readonly file?: string | undefined }
  /** The environment has a key, and names a file with one. */
  | { readonly type: "two_keys" }
  /** The key cannot stand in a header. It is not shown. */
  | { readonly type: "bad_key" }
  | { readonly type: "undivided_key"; readonly headers: readonly [string, string] }
  | { readonly type: "open_key_file"; readonly path: string; readonly mode: number }
  | {
      readonly type: "unreadable";
      readonly file: Exclude<FileRole, "journal">;
      readonly path: string;
      readonly reason: string;
      /** The place that the path comes from, such as "in HOSTFORM_CA_FILE"; default: the option of the file. */
      readonly where?: string;
    }
  | {
      readonly type: "unwritable";
      readonly file: Exclude<FileRole, "key" | "ca"> | "lock";
      readonly path: string;
      readonly reason: string;
    }
  /** There is something else at the path where the file would be written. */
  | { readonly type: "would_overwrite"; readonly file: Exclude<FileRole, "key" | "ca">; readonly path: string }
  /** `block`: the number of the first block that is not a certificate; absent if there is no block. */
  | { readonly type: "bad_ca_file"; readonly path: string; readonly block?: number | undefined }
  | { readonly type: "no_folder"; readonly path: string }
  /** A manifest is to be written into a folder that holds something. */
  | { readonly type: "folder_not_empty"; readonly path: string }
  /** A symbolic link stands where something is to be written. */
  | { readonly type: "link_in_the_way"; readonly path: string }
  /** Something else has the name of a file that is to be written. */
  | { readonly type: "no_place"; readonly path: string }
  /** A manifest was changed by someone else while a command worked on it. */
  | { readonly type: "manifest_changed"; readonly path: string }
  /** A manifest is to be written beside another that is found in the same way. */
  | { readonly type: "manifest_beside"; readonly path: string }
  | { readonly type: "bad_domain"; readonly text: string }
  /** The manifest does not declare the zone; or declares several, and none is named. */
  | { readonly type: "no_such_zone"; readonly zone: string | undefined; readonly zones: readonly string[] }
  | { readonly type: "no_octodns_folder"; readonly path: string }
  | { readonly type: "no_target" }
  /**
   * A manifest names an API that the inventories of its repository do not know. `known`: the APIs of their last applies, or their keys.
   * `isOwn`: whether they are of the manifest's name. `unread`: why they could not be read.
   */
  | {
      readonly type: "unknown_api";
      readonly name: string;
      readonly asked: AppliedApi;
      readonly known: readonly (AppliedApi | string)[];
      readonly isOwn: boolean;
      readonly unread: string | undefined;
      readonly at: Position | undefined;
    }
  /** Both the embedded service and a base URL are asked for. */
  /** `data`: the file of the embedded service, if it was named. */
  | {
      readonly type: "two_targets";
      readonly from: Setting;
      readonly data: string | undefined;
    }
  /** A contract that is built in is not a file that could be changed. */
  /** Both a snapshot and an option of the API are given. */
  | { readonly type: "snapshot_and_target"; readonly option: TargetOption }
  | { readonly type: "bad_snapshot"; readonly path: string; readonly fault: string }
  | {
      readonly type: "snapshot_of_other_contract";
      readonly path: string;
      readonly taken: string;
      readonly used: string;
    }
  | { readonly type: "snapshot_of_other_api"; readonly path: string; readonly taken: string; readonly declared: string }
  | { readonly type: "bad_plan"; readonly path: string; readonly fault: string }
  | { readonly type: "plan_to_standard_output" }
  | {
      readonly type: "plan_for_other_target";
      readonly path: string;
      readonly planned: PlanTarget;
      readonly now: PlanTarget;
    }
  | { readonly type: "plan_for_other_contract"; readonly path: string; readonly contract: string }
  /** Secrets that a saved plan cannot refer to: written in the manifest, or in files outside the current folder. */
  | {
      readonly type: "unsaveable";
      readonly plain: readonly {
        readonly address: Address;
        readonly field: string;
        readonly at: Position | undefined;
      }[];
      readonly outside: readonly { readonly address: Address; readonly file: string }[];
    }
  /** The steps of a plan depend on more than its file would hold. */
  | { readonly type: "depends_on_more" }
  | { readonly type: "journal_is_inventory"; readonly path: string }
  | { readonly type: "journal_of_other_target"; readonly path: string; readonly theirs: string; readonly ours: string }
  | { readonly type: "no_inventory"; readonly where: string }
  /** The resource is not forgotten, because it was declared so. */
  | { readonly type: "prevent_destroy"; readonly address: Address }
  /** No kind has the name, so that the pattern matches nothing. */
  | {
      readonly type: "bad_pattern";
      readonly pattern: string;
      readonly name: string;
      readonly near: string | undefined;
      readonly kinds: readonly string[];
    }
  /** Neither declared nor live. */
  | { readonly type: "unknown_address"; readonly address: Address; readonly near: readonly string[] };

/** The purpose of a file. */
export type FileRole = "key" | "ca" | "snapshot" | "plan" | "journal";

/** The options that choose an API. */
export type TargetOption = "baseUrl" | "emulator" | "emulatorData" | "keyFile" | "caFile";

type PlanTarget = Pick<SavedPlan["target"], "emulator" | "baseUrl" | "contract">;
