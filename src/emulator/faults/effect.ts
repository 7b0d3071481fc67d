import type { Operation } from "../document/router.ts";
import type { Answer } from "../http/answer.ts";
import type { Context } from "../kinds/kind.ts";

/** What a fault does to a request that it befalls; nothing, where it is empty. */
export interface Effect {
  /** What it can befall; default: every operation. */
  readonly befalls?: (operation: Operation) => boolean;
  /** Answers in its place: nothing is done. */
  readonly instead?: (requestId: string) => Answer;
  /** What the request works with; `id` is that of its path. */
  readonly context?: (context: Context, id: string | undefined) => Context;
  /** For how long reads show what was there before, in ms. */
  readonly hideMs?: number;
  /** What becomes of the answer after the commit, also of an error. */
  readonly answer?: (answer: Answer, requestId: string) => Answer;
}

export const isList = ({ id }: Operation): boolean => id.startsWith("list");
export const isCreateOperation = ({ id }: Operation): boolean => id.startsWith("create");
export const isWrite = ({ method }: Operation): boolean => method !== "GET";
/** A DELETE answers 204, without a body. */
export const hasBody = ({ method }: Operation): boolean => method !== "DELETE";
