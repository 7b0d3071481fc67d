import type { RefusalSort } from "./failure.ts";
import type { Json, JsonObject } from "./json.ts";

/** A JSON pointer (RFC 6901). */
export type Pointer = string;

interface Assumable {
  /** True where the vendor's document does not show it. */
  readonly assumed?: boolean;
}

/** A value that is one of several. `{name}` in a text stands for a parameter. */
export interface Condition {
  readonly pointer: Pointer;
  readonly equals: readonly (string | number | boolean | null)[];
}

/** The transport's view of an API: the half of a contract that is not about kinds. The schema describes each word. */
export interface ApiRules {
  /** Stands before every path. */
  readonly base_path: string;
  readonly request: {
    readonly auth: AuthRules;
    /** Default: none. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly precondition?: { readonly header: string } & Assumable;
    readonly idempotency?: { readonly header: string } & Assumable;
  };
  readonly answer: AnswerRules;
  readonly paging: PagingRules;
}

/** One header with the key, or two that share a key `first:second`. */
export type AuthRules = Assumable &
  (
    | { readonly header: string; readonly scheme?: string; readonly headers?: never }
    | { readonly headers: readonly [string, string] }
  );

export interface AnswerRules {
  readonly record: Pointer;
  readonly list: Pointer;
  readonly message?: Pointer;
  readonly request_id?: { readonly header: string } & Assumable;
  readonly error: {
    readonly message: Pointer;
    readonly code?: Pointer;
    readonly fields?: Pointer;
    /** The meaning of a code, whatever the status: some APIs answer 400 for a rate limit, or 422 for a conflict. */
    readonly codes?: Readonly<Record<string, RefusalSort>>;
  } & Assumable;
  /** Tells a failure with a status of success. */
  readonly failed_when?: Condition;
  readonly rate_limit: {
    readonly statuses: readonly number[];
    readonly retry_after?: string;
    readonly remaining?: string;
    readonly reset?: string;
  } & Assumable;
  readonly job?: JobRules;
}

export interface PagingRules extends Assumable {
  /** Default: page. */
  readonly style?: "page" | "offset" | "cursor" | "link" | "none";
  /** The query parameter of the page number, of the objects to skip, or of the cursor. */
  readonly page?: string;
  /** The number of the first page; default 1. */
  readonly first?: 0 | 1;
  readonly size?: string;
  readonly max_size?: number;
  readonly total?: Pointer;
  readonly total_header?: string;
  /** The place of the number of objects that a full page holds: the server may give less than was asked for. */
  readonly actual_size?: Pointer;
  /** The cursor or link of the next page. */
  readonly next?: Pointer;
}

export interface JobRules extends Assumable {
  readonly statuses?: readonly number[];
  readonly location?: string;
  readonly id?: Pointer;
  readonly ids?: Pointer;
  /** Below base_path; `{job}` stands for the id. */
  readonly path?: string;
  readonly record?: Pointer;
  readonly status?: Pointer;
  readonly done?: readonly string[];
  readonly done_statuses?: readonly number[];
  readonly failed?: readonly string[];
  readonly error?: Pointer;
  readonly resource_id?: Pointer;
}

export interface OperationContract extends Assumable {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly base?: JsonObject;
  /** Parameters in braces, or constants, by their place in the body. */
  readonly body?: Readonly<Record<Pointer, Json>>;
  /** The object's place in the body. */
  readonly at?: Pointer;
  readonly send?: "record" | "managed" | readonly string[] | Readonly<Record<string, Pointer>>;
  readonly answer?: { readonly record?: Pointer; readonly list?: Pointer };
}

export interface ListContract extends OperationContract {
  /** This list is one object at most; 404 means that there is none. */
  readonly single?: boolean;
  readonly keyed_by?: Pointer;
  readonly explode?: Pointer;
  readonly where?: readonly Condition[];
  /** Kinds by the parameter that the id of each of their objects fills, one list after the other. */
  readonly for_each?: Readonly<Record<string, string>>;
  /** The list holds objects of other scopes as well. */
  readonly scope?: "mixed";
  readonly detail?: "read";
}

/** The API's spelling of a value. */
export type Codec =
  | "integer"
  | "string"
  | "bytes"
  | "local_part"
  | "whole_name"
  | "relative_name"
  | "empty_apex"
  | "final_dot"
  | "no_final_dot"
  | "plain_text"
  | "quoted_text"
  | "priority_inside";

export type MappedWord = string | number | boolean | null;

export interface FieldContract extends Assumable {
  readonly at: Pointer;
  readonly create?: Pointer | boolean;
  /** The API has nothing like this field. */
  readonly absent?: true;
  readonly id_of?: string;
  readonly as?: readonly Codec[];
  /** The API's words by the manifest's. Of several words for a value the first is written, and all are read. */
  readonly map?: Readonly<Record<string, MappedWord | readonly MappedWord[]>>;
  /** The API's value for null. */
  readonly sentinel?: string | number | boolean;
  /** The keys of an object that holds a list, such as `ns{n}`. */
  readonly keys?: string | undefined;
  /** The value's place in each item of a list whose items are objects. */
  readonly item?: Pointer | undefined;
  /** Places of the parts of a content or a name, by record type. */
  readonly parts?: Readonly<Record<string, Readonly<Record<string, Pointer>>>>;
  /** The values that the API takes; `*` in a value stands for any text. Undefined: any value. */
  readonly values?: readonly string[];
  /** The value that the server sets where a creation does not send the field, in the manifest's words. */
  readonly default?: Json;
  /** The same by the value of another field. */
  readonly default_by?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly min?: number;
  readonly max?: number;
  readonly also?: readonly number[];
  readonly max_length?: number;
}

/**
 * A parameter: a part of the natural key; the id (or, with `at`, another value) of another kind's object, whose key is made of this one's;
 * a field as the API spells it; or a value of a record that is of no kind.
 */
export type ParamContract =
  | { readonly key: string }
  | { readonly id_of: string; readonly key: Readonly<Record<string, string>>; readonly at?: Pointer }
  | { readonly field: string }
  | { readonly lookup: LookupContract };

export interface LookupContract {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly list?: Pointer;
  readonly where?: readonly Condition[];
  readonly at: Pointer;
}

/** Requests that write a whole set. */
export interface SetContract {
  readonly members?: Pointer;
  readonly create: OperationContract;
  readonly update: readonly OperationContract[];
  readonly delete: OperationContract;
  readonly read?: OperationContract;
}

export interface KindContract extends Assumable {
  /** Without it there is only one object to a list, which needs none, or a set's members. */
  readonly id?: Pointer;
  readonly etag?: Pointer;
  /** A regular expression of what the server may put, with an underscore, before the names of this kind. */
  readonly name_prefix?: string;
  /** The field by which a declared object is found, where objects have no names. */
  readonly named_by?: string;
  readonly managed_when?: readonly Condition[];
  readonly answer?: Partial<AnswerRules>;
  readonly paging?: PagingRules;
  readonly params?: Readonly<Record<string, ParamContract>>;
  readonly fields: Readonly<Record<string, FieldContract>>;
  readonly operations: {
    readonly list: ListContract;
    readonly read?: OperationContract;
    /** implicit: the server creates the object together with its parent. */
    readonly create?: OperationContract | "implicit";
    readonly update?: OperationContract;
    readonly delete?: OperationContract;
    readonly renew?: OperationContract;
    readonly set?: SetContract;
    readonly zone?: OperationContract;
  };
  readonly update_of?: Readonly<
    Record<string, OperationContract | { readonly on: OperationContract; readonly off: OperationContract }>
  >;
  readonly after?: OperationContract;
}

/** A contract file as it is used: everything that is assumed about the API, as data. */
export interface Contract extends ApiRules {
  readonly contract: 1;
  readonly name: string;
  /** The built-in contract that it was laid over. */
  readonly extends?: string;
  /** A kind without an entry is one that the API lacks. */
  readonly kinds: Readonly<Record<string, KindContract | null>>;
}
