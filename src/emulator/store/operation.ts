/** One logged operation. It never holds a body or a secret. */
export interface Operation {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** Identifier of the key, never the key; null when there was no valid one. */
  readonly key_id: string | null;
  readonly method: string;
  /** With its query, secrets in it replaced by `…`. */
  readonly path: string;
  readonly status: number;
  readonly request_id: string;
  readonly duration_ms: number;
}
