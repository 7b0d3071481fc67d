import type { Contract } from "./contract.ts";

/** A contract that was drafted from an OpenAPI description. */
export interface ContractDraft {
  readonly contract: Contract;
  /** The address of the first server, without its path. */
  readonly origin?: string;
  /** Why each entry is as it is; the path leads to it. */
  readonly guesses: readonly { readonly path: readonly string[]; readonly reason: string }[];
  /** Kinds, requests and entries that the contract has not, and why. */
  readonly leftOut: readonly { readonly subject: string; readonly reason: string }[];
}
