import type { Failure } from "./failure.ts";
import type { Step, StepId } from "./plan.ts";

/** What became of one step. `external`: done, but a person or a registry must still act. */
export type Outcome =
  | { readonly is: "done"; readonly external?: string }
  | { readonly is: "failed"; readonly failure: Failure; readonly callsDone: number }
  | { readonly is: "blocked"; readonly by: StepId }
  | { readonly is: "not_attempted" };

/** An outcome for every step of a plan, in its order. */
export interface Report {
  readonly outcomes: readonly { readonly step: Step; readonly outcome: Outcome }[];
  readonly interrupted: boolean;
  readonly milliseconds: number;
}
