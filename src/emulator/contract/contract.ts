import type { KindName } from "../kinds/kind-name.ts";

/** A JSON pointer. */
export type Pointer = string;

export interface Condition {
  readonly pointer: Pointer;
  readonly equals: readonly unknown[];
}

export interface OperationEntry {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly base?: object;
  readonly body?: Readonly<Record<Pointer, unknown>>;
  readonly at?: Pointer;
  readonly send?: "record" | "managed" | readonly string[] | Readonly<Record<string, Pointer>>;
  readonly answer?: Partial<AnswerEntry>;
}

export interface ListEntry extends OperationEntry {
  readonly single?: boolean;
  readonly keyed_by?: Pointer;
  readonly explode?: Pointer;
  readonly where?: readonly Condition[];
  readonly for_each?: Readonly<Record<string, KindName>>;
  readonly scope?: "mixed";
  readonly detail?: "read";
}

export interface FieldEntry {
  readonly at: Pointer;
  readonly absent?: boolean;
  readonly create?: Pointer | boolean;
  readonly id_of?: KindName;
  readonly as?: readonly string[];
  readonly map?: Readonly<Record<string, unknown>>;
  readonly sentinel?: unknown;
  readonly keys?: string;
  readonly item?: Pointer;
  readonly parts?: Readonly<Record<string, Readonly<Record<string, Pointer>>>>;
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly also?: readonly number[];
  readonly max_length?: number;
}

export interface LookupEntry extends Pick<OperationEntry, "path" | "query"> {
  readonly list?: Pointer;
  readonly where?: readonly Condition[];
  readonly at: Pointer;
}

export interface ParamEntry {
  readonly key?: string | Readonly<Record<string, string>>;
  readonly id_of?: KindName;
  readonly at?: Pointer;
  readonly field?: string;
  readonly lookup?: LookupEntry;
}

export type FieldOperation = OperationEntry | { readonly on: OperationEntry; readonly off: OperationEntry };

export interface KindEntry {
  readonly id?: Pointer;
  readonly etag?: Pointer;
  readonly managed_when?: readonly Condition[];
  readonly answer?: Partial<AnswerEntry>;
  readonly paging?: PagingEntry;
  readonly params?: Readonly<Record<string, ParamEntry>>;
  readonly fields: Readonly<Record<string, FieldEntry>>;
  readonly operations: {
    readonly list: ListEntry;
    readonly read?: OperationEntry;
    readonly create?: OperationEntry | "implicit";
    readonly update?: OperationEntry;
    readonly delete?: OperationEntry;
    readonly renew?: OperationEntry;
    readonly set?: {
      readonly members?: Pointer;
      readonly create: OperationEntry;
      readonly update: readonly OperationEntry[];
      readonly delete: OperationEntry;
      readonly read?: OperationEntry;
    };
    readonly zone?: OperationEntry;
  };
  readonly update_of?: Readonly<Record<string, FieldOperation>>;
  readonly after?: OperationEntry;
}

export interface AnswerEntry {
  readonly record: Pointer;
  readonly list: Pointer;
  readonly message?: Pointer;
  readonly request_id?: { readonly header: string };
  readonly error: {
    readonly message: Pointer;
    readonly code?: Pointer;
    readonly fields?: Pointer;
    readonly codes?: Readonly<Record<string, string>>;
  };
  readonly failed_when?: Condition;
  readonly rate_limit: {
    readonly statuses: readonly number[];
    readonly retry_after?: string;
    readonly remaining?: string;
    readonly reset?: string;
  };
  readonly job?: JobEntry;
}

export interface JobEntry {
  readonly statuses?: readonly number[];
  readonly location?: string;
  readonly id?: Pointer;
  readonly ids?: Pointer;
  readonly path?: string;
  readonly record?: Pointer;
  readonly status?: Pointer;
  readonly done?: readonly string[];
  readonly failed?: readonly string[];
  readonly resource_id?: Pointer;
}

export interface PagingEntry {
  readonly style?: "page" | "offset" | "cursor" | "link" | "none";
  readonly page?: string;
  readonly first?: number;
  readonly size?: string;
  readonly max_size?: number;
  readonly total?: Pointer;
  readonly total_header?: string;
  readonly actual_size?: Pointer;
  readonly next?: Pointer;
}

/** A contract as this service reads it: only what it needs to speak it. */
export interface Contract {
  readonly name: string;
  readonly base_path: string;
  readonly request: {
    readonly auth: { readonly header?: string; readonly scheme?: string; readonly headers?: readonly [string, string] };
    readonly precondition?: { readonly header: string };
    readonly idempotency?: { readonly header: string };
  };
  readonly answer: AnswerEntry;
  readonly paging: PagingEntry;
  readonly kinds: Readonly<Partial<Record<KindName, KindEntry>>>;
}

/** The gaps of a contract. */
export interface Manner {
  /** Ids are numbers. */
  readonly numberIds?: boolean;
  /** A list whose objects are read one by one holds ids alone, else poor records. */
  readonly bareIds?: boolean;
}
