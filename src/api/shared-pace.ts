import type { RateFeedback } from "./request-queue.ts";

/** The pace of all who send requests to one origin: several runs, or several processes. */
export interface SharedPace {
  /**
   * Waits until a request may be sent, or `stop` is aborted. `finish`: it completes an exchange that was begun. Rejects for nothing: who
   * cannot ask the others goes at its own pace.
   */
  readonly take: (request: {
    readonly write: boolean;
    readonly finish: boolean;
    readonly stop: AbortSignal;
  }) => Promise<void>;
  /** Takes in what an answer says of the limit. */
  readonly learned: (answer: RateFeedback) => void;
}
