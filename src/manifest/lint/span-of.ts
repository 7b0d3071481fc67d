import type { WrittenMember } from "../../kinds/kind.ts";
import { getOrMake } from "../../lib/collect.ts";
import { spanAt } from "../read/read-body.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { toJson, type Span } from "../yaml/written.ts";
import type { DeclaredRecord } from "./declared-sets.ts";

// A cache only, of the members as they are written: the records of a set may all be reported.
const membersAsWritten = new WeakMap<WrittenResource, readonly WrittenMember[]>();

/** Returns the place of a record's value. */
export const spanOf = ({ written, index }: DeclaredRecord): Span => spanOfMember(written, index, "content");

/** Returns the place of a field of the member of a set. */
export function spanOfMember(written: WrittenResource, index: number, field: string): Span {
  const { kind, resource, body } = written;
  const read = () => kind.members?.read(toJson(body), resource.key).members ?? [];
  const path = getOrMake(membersAsWritten, written, read)[index]?.path ?? [];
  return spanAt(body, [...path, field]);
}
