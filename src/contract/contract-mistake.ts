/** A mistake of a contract. `path` leads to it, or as far as there is something; `key`: it is about the last key of that. */
export interface ContractMistake {
  readonly path: readonly string[];
  readonly summary: string;
  readonly hint?: string;
  readonly key?: true;
  /** Something that does no harm, but has no effect either: `contract check` shows it. */
  readonly isWarning?: true;
  /** The code of the diagnostic; default: that of its severity. */
  readonly code?: string;
}
