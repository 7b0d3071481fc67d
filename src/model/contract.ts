import type { RefusalSort } from "./failure.ts";
import type { JsonObject } from "./json.ts";

/** A JSON pointer (RFC 6901). */
export type Pointer = string;

interface Assumable {
  /** True where the vendor's document does not show it. */
  readonly assumed?: boolean;
}

/** What the transport must know of an API: the half of a contract that is not about kinds. */
export interface ApiRules {
  readonly request: {
    readonly auth: { readonly header: string; readonly scheme: string } & Assumable;
    readonly headers: Readonly<Record<string, string>>;
    readonly precondition?: { readonly header: string } & Assumable;
    readonly idempotency?: { readonly header: string } & Assumable;
  };
  readonly answer: {
    readonly record: Pointer;
    readonly list: Pointer;
    readonly message?: Pointer;
    readonly request_id?: { readonly header: string } & Assumable;
    readonly error: {
      readonly message: Pointer;
      readonly code?: Pointer;
      readonly fields?: Pointer;
      /** What a code means, whatever the status: some say 400 for a rate limit, or 422 for a conflict. */
      readonly codes?: Readonly<Record<string, RefusalSort>>;
    } & Assumable;
    readonly rate_limit: {
      readonly statuses: readonly number[];
      readonly retry_after?: string;
      readonly remaining?: string;
      readonly reset?: string;
    } & Assumable;
    readonly job?: JobRules;
  };
  readonly paging: {
    readonly page: string;
    readonly size: string;
    readonly max_size: number;
    readonly total: Pointer;
    /** Where a page says how many objects it holds if it is full: the server may give less than was asked for. */
    readonly actual_size?: Pointer;
  } & Assumable;
}

export interface JobRules extends Assumable {
  readonly statuses: readonly number[];
  readonly location: string;
  readonly status: Pointer;
  readonly done: readonly string[];
  readonly failed: readonly string[];
  readonly error?: Pointer;
  readonly resource_id?: Pointer;
}

export interface OperationContract extends Assumable {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly base?: JsonObject;
  /** This list is one object at most; 404 means that there is none. */
  readonly single?: boolean;
}

export interface FieldContract extends Assumable {
  readonly at: Pointer;
  readonly create?: Pointer | boolean;
  readonly id_of?: string;
  /** The values that the API takes; `*` in a value stands for any text. Undefined: any value. */
  readonly values?: readonly string[];
}

/** A parameter of a path: a part of the natural key, or the id of another kind's object whose key is made of this one's. */
export type ParamContract =
  | { readonly key: string }
  | { readonly id_of: string; readonly key: Readonly<Record<string, string>> };

export interface KindContract extends Assumable {
  /** Without it there is only one object to a list, which needs none. */
  readonly id?: Pointer;
  readonly etag?: Pointer;
  /** A regular expression of what the server may put, with an underscore, before the names of this kind. */
  readonly name_prefix?: string;
  readonly params?: Readonly<Record<string, ParamContract>>;
  readonly fields: Readonly<Record<string, FieldContract>>;
  readonly operations: {
    readonly list: OperationContract;
    readonly read?: OperationContract;
    readonly create?: OperationContract;
    readonly update?: OperationContract;
    readonly delete?: OperationContract;
    readonly renew?: OperationContract;
  };
}

/** A contract file as it is used: everything that is assumed about the API, as data. */
export interface Contract extends ApiRules {
  readonly contract: 1;
  readonly name: string;
  readonly base_path: string;
  readonly kinds: Readonly<Record<string, KindContract>>;
}
