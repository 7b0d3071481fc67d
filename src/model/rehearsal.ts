/** Something that did not hold in a rehearsal. */
export interface RehearsalFinding {
  /** `seed`: the embedded service cannot stand for the live state. `run`: the plan itself. `cut`: what is left after a crash. */
  readonly stage: "seed" | "run" | "cut";
  readonly summary: string;
  /** One line each. */
  readonly details: readonly string[];
}

/** The results of rehearsing a plan on the embedded service. */
export interface Rehearsal {
  /** Live objects that the embedded service was filled with. */
  readonly objects: number;
  readonly steps: number;
  readonly calls: number;
  /** Cuts that were tried, two a call; undefined where that was not asked for. */
  readonly cuts?: number;
  /** Empty where all held. */
  readonly findings: readonly RehearsalFinding[];
  readonly milliseconds: number;
}
