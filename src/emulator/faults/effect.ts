import type { Operation } from "../document/router.ts";
import type { Answer } from "../http/answer.ts";
import type { Context } from "../kinds/kind.ts";

/** The effect of a fault on a request. An empty effect changes nothing. */
export interface Effect {
  /** Tells whether the fault can happen to an operation; default: to every operation. */
  readonly appliesTo?: (operation: Operation) => boolean;
  /** Returns the answer that is sent instead of carrying the request out. */
  readonly instead?: (requestId: string) => Answer;
  /** Changes the context that the request works with; `id` is the identifier in its path. */
  readonly context?: (context: Context, id: string | undefined) => Context;
  /** The time for which reads return the state from before the write, in ms. */
  readonly hideMs?: number;
  /** Changes the answer after the commit, also the answer of an error. */
  readonly answer?: (answer: Answer, requestId: string) => Answer;
}

export const isList = ({ id }: Operation): boolean => id.startsWith("list");
export const isCreateOperation = ({ id }: Operation): boolean => id.startsWith("create");
export const isWrite = ({ method }: Operation): boolean => method !== "GET";
/** A DELETE answers 204, without a body. */
export const hasBody = ({ method }: Operation): boolean => method !== "DELETE";
