import type { IncomingMessage } from "node:http";
import type { Door } from "../contract/routes.ts";
import type { Faults } from "../faults/faults.ts";
import type { StaleReads } from "../faults/stale-reads.ts";
import type { Router } from "../document/router.ts";
import type { Validators } from "../document/validators.ts";
import type { Spelling } from "../spelling/words.ts";
import type { Store } from "../store/store.ts";
import type { Effect } from "../faults/effects.ts";
import type { FaultName } from "../faults/rule.ts";
import type { ApiKey } from "../store/keys.ts";
import type { OperationLog } from "./operation-log.ts";
import type { RateLimiter, Allowance } from "./rate-limiter.ts";

/** A running service: its store, its reading of the document, and its settings. */
export interface Service {
  readonly store: Store;
  readonly router: Router;
  readonly validators: Validators;
  readonly limiter: RateLimiter;
  readonly log: OperationLog;
  readonly faults: Faults;
  readonly lag: StaleReads;
  /** Ends the process at once, where it may be ended. */
  readonly exit: (() => void) | undefined;
  readonly perPageMax: number;
  readonly asyncMs: number;
  /** Before the names of databases and FTP accounts; empty: none. */
  readonly namePrefix: string;
  /** The spelling of answers; a switch changes it while the service runs. */
  spelling: ReadonlySet<Spelling>;
  /** The API of a contract, which takes the place of the document's. */
  readonly door: Door | undefined;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** A request, and what has been found out about it so far. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly id: string;
  /** ms since 1970. */
  readonly started: number;
  readonly method: string;
  /** As it was sent, with its query. */
  readonly url: string;
  readonly path: string;
  /** The API key that was sent, once it is known to be valid. */
  key: ApiKey | undefined;
  allowance: Allowance;
  /** Name of the fault that is injected into the request, once the request has been authorized. */
  fault: FaultName | undefined;
  /** Effect of that fault; empty without a fault. */
  effect: Effect;
}
