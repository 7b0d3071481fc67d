import type { IncomingMessage } from "node:http";
import type { Effect } from "../faults/effect.ts";
import type { FaultName } from "../faults/rule.ts";
import type { ApiKey } from "../store/keys.ts";
import type { Allowance } from "./rate-limiter.ts";

/** What is known of a request so far. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly id: string;
  /** ms since 1970. */
  readonly started: number;
  readonly method: string;
  /** As it was sent, with its query. */
  readonly url: string;
  readonly path: string;
  /** Once it is known to be valid. */
  key: ApiKey | undefined;
  allowance: Allowance;
  /** Name of the fault that befalls it, once it has been let in. */
  fault: FaultName | undefined;
  /** What that fault does to it; nothing, when it is empty. */
  effect: Effect;
}
