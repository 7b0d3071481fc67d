import type { Address } from "./address.ts";
import type { Pointer } from "./contract.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Fields, TemplatePart } from "./resource.ts";
import type { Secret } from "./secret.ts";

/** A parameter: a literal, or the id (with `at`, what stands there in the record) of an object that an earlier step will have brought. */
export type Param = string | { readonly idOf: Address; readonly at?: Pointer };

/** One value of a request body: where it goes (JSON pointer), whose field it is, and what it is; `parts` are resolved and normalised when it is sent. `sent`: the value as it is written in the body, where that is not its normal form. */
export type BodyValue = { readonly pointer: string; readonly field: string } & (
  | { readonly value: Json; readonly sent?: Json }
  | { readonly parts: readonly TemplatePart[] }
  | { readonly secret: Secret }
  | { readonly idOf: Address }
);

export interface CallRequest {
  readonly method: string;
  /** A template such as `/v2026/dns/zones/{zone_id}/records`; `params` fill it, percent-encoded. */
  readonly path: string;
  readonly params: Readonly<Record<string, Param>>;
  readonly query: Readonly<Record<string, Param>>;
  /** Parameters in the body, by their place. */
  readonly inBody?: Readonly<Record<Pointer, Param>>;
}

/** Makes one object: `values` laid over `base`. */
export interface CreateCall extends CallRequest {
  readonly operation: "create";
  readonly base: JsonObject;
  readonly values: readonly BodyValue[];
}

/**
 * Writes one object whole: the record as listed (`base`; null: read it first), less the `omit` pointers, `values` laid over.
 * `before` are the managed values that the plan saw: after a 412 they must still hold.
 */
export interface UpdateCall extends CallRequest {
  readonly operation: "update";
  readonly base: JsonObject | null;
  /** Set where the body holds the values without the rest of the record; `objects`: and the objects of the record in which they stand. */
  readonly partial?: true | "objects";
  /** Set where the request alone says what is written, and its body does not hold the values. */
  readonly bare?: true;
  /** The place of the record or the values in the body, and the constants beside them; absent: they are the body. */
  readonly around?: { readonly at: Pointer; readonly constants: JsonObject };
  readonly omit: readonly string[];
  readonly values: readonly BodyValue[];
  readonly before: readonly { readonly pointer: string; readonly field: string; readonly value: Json }[];
  readonly etag: string | undefined;
  readonly read: CallRequest | undefined;
}

export interface DeleteCall extends CallRequest {
  readonly operation: "delete";
  /** The body, where the API wants one. */
  readonly base?: JsonObject;
  readonly values?: readonly BodyValue[];
  readonly etag: string | undefined;
}

/** Renews one object. A renewal costs money, so it is never retried blindly; reading the field in `expiry` determines whether it succeeded. */
export interface RenewCall extends CallRequest, Pick<CreateCall, "base" | "values"> {
  readonly operation: "renew";
  readonly expiry: { readonly field: string; readonly before: Json };
}

/**
 * Makes an object again that was deleted to make room for another: its record as read just before the deletion, less the `omit`
 * pointers, `values` laid over.
 */
export interface RestoreCall extends CallRequest, Pick<UpdateCall, "partial" | "around" | "omit" | "values" | "read"> {
  /** Of the object that is deleted. */
  readonly id: string;
}

/**
 * Writes a set of members, or all sets of a zone, as a whole. It is read again just before, unless the server checks `etag`: what is to
 * be overwritten must be as the plan saw it.
 */
export interface SetCall extends CallRequest {
  readonly operation: "set";
  readonly form: "create" | "update" | "delete";
  readonly base: JsonObject;
  /** The place of the set in the body; of a zone, that of the list of its sets. */
  readonly at: Pointer;
  /** The body holds all sets of the list, the others as they are. */
  readonly zone?: true;
  /** The values are laid over the set as it is, less the `omit` pointers. */
  readonly whole?: true;
  readonly omit: readonly Pointer[];
  /** The place of the members in the set; absent if they are not sent. */
  readonly list?: Pointer;
  /** The members in their order: the live values of those that stay, as the plan saw them, and undefined for new ones. */
  readonly members: readonly (Fields | undefined)[];
  /** `member`: the member that a value is of, by its place in `members`; absent for one of the set itself. */
  readonly values: readonly (BodyValue & { readonly member?: number })[];
  /** The fields that it overwrites. */
  readonly compared: readonly string[];
  readonly etag: string | undefined;
  /** The request that reads the set alone. */
  readonly read: CallRequest | undefined;
}

/** One request as data: nothing is looked up or decided after planning but the values that `Param` and `BodyValue` name. */
export type HttpCall = CreateCall | UpdateCall | DeleteCall | RenewCall | SetCall;

/** Whether a call makes an object, or a set. */
export const isCreation = (call: HttpCall): call is CreateCall | SetCall =>
  call.operation === "create" || (call.operation === "set" && call.form === "create");
