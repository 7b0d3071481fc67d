import type { Manner } from "./contract/contract.ts";
import type { SeedProblem } from "./seed/apply-seed.ts";

/** The options of the embedded service. */
export interface EmulatorOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** SQLite file, made when absent. Without one the store is temporary and removed on close. */
  readonly dataFile?: string;
  /** True: the store is kept in memory alone, and the certificate in a temporary folder. */
  readonly inMemory?: boolean;
  /** Bearer key with all permissions. Without one, a new store gets a made one. */
  readonly key?: string;
  /** Most items on a page; default 100. */
  readonly perPageMax?: number;
  /** Added to each answer, in ms; default 0. */
  readonly latencyMs?: number;
  /** Requests a minute and key; default: no limit. */
  readonly rateLimitPerMinute?: number;
  /** The time for which pending things stay pending, in ms; default 0: they are never pending. */
  readonly asyncMs?: number;
  /** Put, with an underscore, before the names of databases and FTP accounts, as shared hosts do; default: none. */
  readonly namePrefix?: string;
  /** True: nothing is refused for having the name of another thing, as with vendors that have no unique keys. */
  readonly lax?: boolean;
  /** The spelling of stored values in answers: words of spelling/words.ts with commas between, or `all`; default: as stored. */
  readonly spelling?: string;
  /** The API that it speaks: a contract file, or the name of a contract that is built in; default: that of the OpenAPI document. */
  readonly contract?: string;
  /** Its choices where the contract leaves gaps. */
  readonly manner?: Manner;
  /** Parsed JSON of a seed (see seed/seed.ts), applied in one transaction. */
  readonly seed?: unknown;
  /** Parsed rules by which it misbehaves (schemas/faults.schema.json); default: it does not. */
  readonly faults?: unknown;
}

/** The functions of a running service that a rehearsal needs, beside its API. */
export interface Mirror {
  /** Fills the empty service with what another one holds (seed/apply-seed.ts), as far as it can hold it, and says what it cannot. */
  readonly fill: (seed: unknown) => readonly SeedProblem[];
  /** Remembers what the account holds. The function that it returns brings that back. */
  readonly keep: () => () => void;
}

export interface EmulatorDeps {
  /** ms since 1970. It also dates the certificate, so clients must agree with it within a day. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** Ends the process at once, for the fault `exit`; without it, rules with that fault are refused. */
  readonly exit?: () => void;
}

export interface Emulator {
  /** Without a path: `https://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  /** The address that it listens on; `0.0.0.0` or `::` for all of this machine. */
  readonly address: string;
  /** Certificate of the authority that a client must trust. */
  readonly caFile: string;
  readonly caPem: string;
  /** The key in clear, only when it was given or made just now. */
  readonly key: string | undefined;
  /** The source of the key, in words. */
  readonly keySource: string;
  readonly keyFile: string | undefined;
  readonly mirror: Mirror;
  /** Ends all connections, closes the store, and removes a temporary one. */
  readonly close: () => Promise<void>;
}
