/** Milliseconds for which nothing is sent. */
export interface Pause {
  readonly milliseconds: number;
  /** The pause that the server asks for, if it does, in milliseconds. At most a minute of it is waited. */
  readonly asked?: number;
  /** Of the refusal, if it was one. */
  readonly status?: number;
}

/** A pause that a user would notice, after a request that was refused or that used up what the server allows. */
export type Wait = Pause & Pick<Attempt, "method" | "path">;

/** One attempt at a request, answered or not: nothing of headers and bodies. */
export interface Attempt {
  readonly method: string;
  /** With its query, without the base URL. */
  readonly path: string;
  /** The status of the answer, or the sort of failure in its place. */
  readonly outcome: number | string;
  /** Why no whole answer came, where none did. */
  readonly why?: string;
  readonly attempt: number;
  readonly milliseconds: number;
  readonly requestId: string | undefined;
}
