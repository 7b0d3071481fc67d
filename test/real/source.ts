import { existsSync, readFileSync } from "node:fs";

/** One record as `../shared/real` has it: `name` is relative, "" the apex; MX, CAA, SRV and aliases are objects. */
export interface SourceRecord {
  readonly zone: string;
  readonly name: string;
  readonly type: string;
  /** Seconds; undefined: the zone's default. */
  readonly ttl: number | undefined;
  readonly value: string | SourceFields;
}

export type SourceFields = Readonly<Record<string, string | number | boolean | null>>;

type Listed = Omit<SourceRecord, "value"> & {
  readonly value: SourceRecord["value"] | readonly SourceRecord["value"][];
};

const folder = new URL("../../../shared/real/", import.meta.url);

export const isPresent = (file: string): boolean => existsSync(new URL(file, folder));

/** The records of a file; a value that is a list becomes a record for each. */
export function readSource(file: string): SourceRecord[] {
  const listed = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Listed[];
  return listed.flatMap(({ value, ...record }) => [value].flat().map((each) => ({ ...record, value: each })));
}
