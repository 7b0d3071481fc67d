import type { Address } from "./address.ts";

export interface StatusRow {
  readonly address: Address;
  /** The server's own word; empty where the kind has none. */
  readonly status: string;
  /** `missing`: declared, and not there. */
  readonly state: "ready" | "pending" | "failed" | "missing";
  /** Present if a manifest is given and does not declare the resource. `platform`: the platform made it, and keeps it. */
  readonly undeclared?: "unmanaged" | "platform";
  /** The server's reason for a failure, or what a person or a registry must still do. */
  readonly reason?: string;
  /** Data that a person must carry elsewhere, such as DS records. */
  readonly tells?: readonly string[];
  readonly expiresAt?: string;
  /** Whole days from now; negative once it is over. */
  readonly daysLeft?: number;
  readonly usedMb?: number;
  /** null: unlimited. */
  readonly limitMb?: number | null;
}
