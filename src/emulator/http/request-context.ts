import type { IncomingMessage } from "node:http";
import type { Effect } from "../faults/effect.ts";
import type { FaultName } from "../faults/rule.ts";
import type { ApiKey } from "../store/keys.ts";
import type { Allowance } from "./rate-limiter.ts";

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
