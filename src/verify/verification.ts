import type { Address } from "../model/address.ts";

/** One thing that a server does not answer as the manifest declares it. Texts of answers are foreign. */
export interface Mismatch {
  readonly address: Address;
  /** `silent`: this server gave no answer, and `answered` says why; `nobody`: nor did any other that could. */
  readonly is: "differs" | "silent" | "nobody";
  /** Its name and address, such as `ns1.host.example (192.0.2.53)`. */
  readonly server: string;
  /** The serial of the zone there, if it answers with one. */
  readonly serial?: number;
  /** Such as `www.shop.example A`. */
  readonly asked: string;
  readonly expected: readonly string[];
  /** The records, or why there are none. */
  readonly answered: readonly string[];
}

/** Something that DNS does not show, and why. */
export interface NotCompared {
  readonly address: Address;
  readonly reason: string;
}

/** The comparison of what a manifest declares with what servers answer. */
export interface Verification {
  readonly mismatches: readonly Mismatch[];
  readonly notCompared: readonly NotCompared[];
  /** Comparisons that found what was declared. */
  readonly matches: number;
}
