/** The offer of an API as a contract describes it. */
export interface ContractSummary {
  readonly name: string;
  readonly kinds: readonly KindSummary[];
  /** Kinds that the API does not have. */
  readonly lacks: readonly string[];
  /** Paths of what is assumed outside the kinds, such as `request.precondition`. */
  readonly assumed: readonly string[];
}

export interface KindSummary {
  readonly kind: string;
  /** Words such as list, read, create, update, delete, renew, set, zone; `implicit`: the server creates the objects. */
  readonly offers: readonly string[];
  /** Fields with a request of their own. */
  readonly updateOf: readonly string[];
  /** Fields that the API does not have. */
  readonly lacks: readonly string[];
  /** Paths of what is assumed, below the kind; empty text: all of it. */
  readonly assumed: readonly string[];
  /** Whether the API does not count its list. */
  readonly isWeak: boolean;
  readonly requests: readonly RequestSummary[];
}

/** A request as it is sent, with its parameters in braces. */
export interface RequestSummary {
  /** Its entry, such as `list`, `set.update.0`, `update_of.quota_mb` or `params.order`. */
  readonly operation: string;
  readonly method: string;
  /** Below the base URL. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** The comparison of one entry of a contract with the answers of the API. */
export interface ProbeFinding {
  /** The path of the entry in the contract. */
  readonly path: readonly string[];
  readonly is: "seen" | "refuted" | "unseen";
  readonly expected?: string;
  readonly found?: string;
  /** Why no answer showed it. */
  readonly reason?: string;
}

export interface ProbeReport {
  readonly contract: string;
  readonly findings: readonly ProbeFinding[];
  /** Requests that were sent, each a GET. */
  readonly requests: number;
}
