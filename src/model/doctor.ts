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
