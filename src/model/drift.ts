import type { Address } from "./address.ts";
import type { Position } from "./diagnostic.ts";
import type { AppliedBy } from "./inventory.ts";
import type { Change, Plan, Target } from "./plan.ts";

/** One resource that is not as the last apply left it. */
export interface DriftItem {
  readonly address: Address;
  /** `appeared`: nobody manages it, or its collection is exclusive. */
  readonly is: "differs" | "gone" | "appeared";
  /** Each with the value of the last apply as `before`, and the live one as `after`. Empty where the fields cannot be compared. */
  readonly changes: readonly Change[];
  /** Why no plan can take it back, where that is so. */
  readonly note?: string;
  /** ISO 8601: when the server says that it was made. */
  readonly created?: string;
  /** The block in the manifest of the last apply. */
  readonly at?: Position;
}

/** The difference between an account and what the last apply made of it. */
export interface Drift {
  readonly target: Target;
  /** What it is compared with; undefined where no commit is known: then with the manifest as it is. It drifted after `time`. */
  readonly lastApply: Pick<AppliedBy, "commit" | "time" | "by"> | undefined;
  /** Sorted by address. */
  readonly items: readonly DriftItem[];
  /** Those that a pattern tolerates. */
  readonly tolerated: readonly DriftItem[];
  readonly incomplete: Plan["incomplete"];
}
