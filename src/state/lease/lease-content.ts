import { isObject } from "../../model/json-pointer.ts";
import type { Json } from "../../model/json.ts";
import type { LeaseHolder } from "../../model/inventory.ts";

/** The content of a lease's register. Its times are shown, and never compared. */
export interface LeaseContent extends LeaseHolder {
  /** The run that wrote it. */
  readonly id: string;
  /** Counts the contents of one run, so that no two are the same. */
  readonly counter: number;
  /** True once the holder has given the lease back. */
  readonly free?: true;
  /** True if another than its holder freed it, with `--unlock`. */
  readonly cleared?: true;
}

/** The largest content that is read, in bytes. */
export const maxLeaseBytes = 16 * 1024;

export const formatLease = (content: LeaseContent): string => `${JSON.stringify({ version: 1, ...content })}\n`;

/** Reads what anyone may have pushed, and the lock file of an earlier program; undefined for anything else. */
export function parseLease(text: string): LeaseContent | undefined {
  const value = text.length > maxLeaseBytes ? undefined : parseJson(text);
  if (value === undefined || !isObject(value)) return undefined;
  const { id = "", counter = 0, by, host, pid, since, process, free, cleared } = value;
  if (!isText(id) || !isText(by) || !isText(host) || !isText(since)) return undefined;
  if (!isNumber(counter) || !isNumber(pid) || pid < 1 || pid >= 2 ** 32) return undefined;
  const marks = { free: free === true || undefined, cleared: cleared === true || undefined };
  return { id, counter, by, host, pid, since, process: isText(process) ? process : undefined, ...marks };
}

const isText = (value: Json | undefined): value is string => typeof value === "string" && value.length <= 500;
const isNumber = (value: Json | undefined): value is number => Number.isSafeInteger(value);

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
