import type { Kind } from "../../kinds/kind.ts";
import type { Key } from "../../model/resource.ts";

/** Everything that the spelling of a value depends on beside the value. */
export interface SpellingContext {
  readonly kind: Kind;
  readonly field: string;
  /** The key of the object, or the scope of the list that it came in. */
  readonly key: Key;
  /** The type of the record; empty for other kinds. */
  readonly type: string;
}

/** The field that a priority before a content belongs to. */
export const priorityField = "priority";

/** Whether a field is the content of DNS records. */
export const isContent = ({ members }: Kind, field: string): boolean => members?.identity === field;

/** Whether a field is the name of DNS records. */
export const isRecordName = ({ naming }: Kind, field: string): boolean => naming.relative?.field === field;
