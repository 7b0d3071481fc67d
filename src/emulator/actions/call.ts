import type { Operation } from "../document/router.ts";
import type { Validators } from "../document/validators.ts";
import type { Fields } from "../fields.ts";
import type { Answer } from "../http/answer.ts";
import type { Context } from "../kinds/kind.ts";
import type { Spelling } from "../spelling/words.ts";

/** A request that has passed the door: authenticated, allowed, its query valid and its body a JSON object. */
export interface Call {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields;
  readonly body: Fields;
  readonly context: Context;
  readonly validators: Validators;
  readonly perPageMax: number;
  /** The spellings of the answer; empty: as it is stored. */
  readonly spelling: ReadonlySet<Spelling>;
  readonly header: (name: string) => string | undefined;
}

/** Answers one operation, inside a transaction when it writes. */
export type Action = (call: Call) => Answer;
