import type { Answering, WrittenMember } from "../../kinds/kind.ts";
import { openFields } from "../../model/body.ts";
import type { Body } from "../../model/resource.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { getOrMake } from "../../lib/collect.ts";
import { spanAt } from "../read/read-body.ts";
import { toJson, type Span } from "../yaml/written.ts";

/** One record of a manifest that is served: a member of a declared RRset. Names are whole, without the final dot. */
export interface DeclaredRecord {
  readonly owner: string;
  readonly zone: string;
  readonly type: string;
  /** The content in its normal form; undefined if the manifest takes it from elsewhere (`${…}`). */
  readonly content: string | undefined;
  /** The host names that the content points to, without the final dot. */
  readonly targets: readonly string[];
  readonly written: WrittenResource;
  /** Its number among the members of its set. */
  readonly index: number;
}

/** A declared set of records that are served. */
export interface DeclaredSet {
  readonly type: string;
  readonly written: WrittenResource;
  /** Its number among all sets. */
  readonly index: number;
  /** Its records, once a rule has asked for them: most are never asked for. */
  made?: readonly DeclaredRecord[];
  /** Whether any of its records points to a name of a declared zone, once a rule has asked. */
  pointsInside?: boolean;
}

function answersOf({ kind }: WrittenResource): Answering {
  const answers = kind.availability?.answers;
  if (!answers) throw new Error(`A ${kind.name} has no set of records`);
  return answers;
}

/** Whether any record of a set is served. */
export const servesAny = (written: WrittenResource): boolean =>
  written.resource.members?.some(({ fields }) => answersOf(written).counts(openFields(fields))) === true;

/** Returns the whole name of a set. */
export const ownerOf = ({ written }: DeclaredSet): string => answersOf(written).at(written.resource.key).name;

/** Whether any member of a set points to a name that passes a test. */
export const pointsTo = ({ written }: DeclaredSet, test: (target: string) => boolean): boolean =>
  written.resource.members?.some((member) => targetsIn(written, member).some(test)) === true;

const targetsIn = (written: WrittenResource, member: Body): readonly string[] =>
  contentOf(member) === undefined ? [] : answersOf(written).targets(written.resource.key, openFields(member.fields));

/** Returns the records of a set, the same ones each time. */
export const recordsIn = (set: DeclaredSet): readonly DeclaredRecord[] => (set.made ??= makeRecords(set));

function makeRecords({ written }: DeclaredSet): DeclaredRecord[] {
  const { key, members = [] } = written.resource;
  const answers = answersOf(written);
  const { zone, name: owner, type } = answers.at(key);
  const records = members.map((member, index): DeclaredRecord | undefined => {
    const fields = openFields(member.fields);
    if (!answers.counts(fields)) return undefined;
    const targets = targetsIn(written, member);
    return { owner, zone, type, content: contentOf(member), targets, written, index };
  });
  // To filter makes room for seventeen, and most sets have one record, which is served.
  return records.includes(undefined) ? records.filter((each) => each !== undefined) : (records as DeclaredRecord[]);
}

/** Whether a set has a content that passes a test. */
export const holdsAny = ({ written }: DeclaredSet, holds: (content: string) => boolean): boolean =>
  written.resource.members?.some((member) => {
    const content = contentOf(member);
    return content !== undefined && holds(content);
  }) === true;

function contentOf({ fields: { content } }: Body): string | undefined {
  return content?.is === "known" && typeof content.value === "string" ? content.value : undefined;
}

// A cache only, of the members as they are written: the records of a set may all be reported.
const membersAsWritten = new WeakMap<WrittenResource, readonly WrittenMember[]>();

/** Returns the place of a record's value. */
export function spanOf({ written, index }: DeclaredRecord): Span {
  const { kind, resource, body } = written;
  const read = () => kind.members?.read(toJson(body), resource.key).members ?? [];
  const path = getOrMake(membersAsWritten, written, read)[index]?.path ?? [];
  return spanAt(body, [...path, "content"]);
}
