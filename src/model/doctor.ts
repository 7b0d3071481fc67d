import type { JsonObject } from "./json.ts";

/** The comparison of one entry of a contract, or of the way to the API, with the answers of the API. */
export interface DoctorFinding {
  /** The path of the entry in the contract; or `dns`, `tls`, `key` or `clock` alone. */
  readonly path: readonly string[];
  readonly is: "confirmed" | "refuted" | "not_tested";
  readonly expected?: string;
  readonly found?: string;
  /** Why the entry was not tested. */
  readonly reason?: string;
  /** The part of a contract to lay over the file, from its root; null takes an entry away. */
  readonly write?: JsonObject;
  /** Another cause that is possible, or how to write the entry. */
  readonly hint?: string;
}

export interface DoctorReport {
  readonly contract: string;
  readonly findings: readonly DoctorFinding[];
  /** Pointers of the members of records that no entry reads, by kind. */
  readonly unread?: Readonly<Record<string, readonly string[]>>;
  /** Requests that were sent, each a GET. */
  readonly requests: number;
}
