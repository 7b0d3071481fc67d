/** Which requests a rule is for; what is left out is any. */
export interface Matcher {
  readonly method?: string;
  /** A glob, or a template of the OpenAPI document. */
  readonly path?: string;
  /** Identifier of an API key. */
  readonly key?: string;
}

/** Before anything is done, or after it has been committed. */
export type When = "before" | "after";

/** A fault as it is written: one of the names of `effects`, and what belongs to it (schemas/faults.schema.json says more). */
export interface Fault {
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
  readonly retry_after?: number | string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string;
  readonly committed?: true;
  readonly delay_ms?: number;
  readonly reset?: When;
  readonly hang?: When;
  readonly exit?: When;
  readonly truncate?: number;
  readonly malformed_json?: true;
  readonly content_type?: string;
  readonly html_page?: number;
  readonly error_in_200?: true;
  readonly one_in_array?: true;
  readonly accepted_without_object?: number;
  readonly duplicate_page?: true;
  readonly shift_page?: true;
  readonly short_total?: number;
  readonly stale_reads_ms?: number;
  readonly new_id_on_update?: true;
  readonly clamp_ttl?: number;
  readonly delete_siblings?: true;
}

/** The parameters of faults, each with the faults that it belongs to. */
export const belongings = {
  code: ["status", "error_in_200"],
  message: ["status", "error_in_200"],
  retry_after: ["status"],
  headers: ["status"],
  body: ["status"],
  committed: ["status"],
} as const satisfies Partial<Record<keyof Fault, readonly (keyof Fault)[]>>;

export type FaultName = Exclude<keyof Fault, keyof typeof belongings>;

export interface FaultRule {
  readonly match: Matcher;
  /** Matches that are let pass first; default 0. */
  readonly after?: number;
  /** The highest number of times that it happens; default: no limit. */
  readonly count?: number;
  /** 0 to 1, drawn with `seed`; default 1. */
  readonly probability?: number;
  readonly seed?: number;
  readonly fault: Fault;
}
