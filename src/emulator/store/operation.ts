/** One logged operation. It never holds a body or a secret. */
export interface LoggedOperation {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Identifier of the key, never the key; null when there was no valid one. */
  readonly key_id: string | null;
  readonly method: string;
  /** With its query, secrets in it replaced by `…`. */
  readonly path: string;
  /** Of the answer as it was made, before a fault changed it; 0 where a fault kept it from being made. */
  readonly status: number;
  readonly request_id: string;
  readonly duration_ms: number;
  /** Whether it wrote: false for reads, refusals, answers given again, and where a fault came first. */
  readonly committed: boolean;
  /** Name of the fault that befell it, or null. */
  readonly fault: string | null;
}
