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

/** Reads what anyone may have pushed; undefined for anything else than a lease. */
export function parseLease(text: string): LeaseContent | undefined {
  const value = text.length > maxLeaseBytes ? undefined : parseJson(text);
  if (value === undefined || !isObject(value)) return undefined;
  const { id, counter, by, host, pid, since, process, free, cleared } = value;
  const texts = [id, by, host, since].filter((each): each is string => typeof each === "string" && each.length <= 500);
  const [ownId, ownBy, ownHost, ownSince] = texts;
  if (texts.length < 4 || !Number.isSafeInteger(counter) || !isPid(pid)) return undefined;
  return {
    id: ownId ?? "",
    counter: Number(counter),
    by: ownBy ?? "",
    host: ownHost ?? "",
    pid: Number(pid),
    since: ownSince ?? "",
    ...(typeof process === "string" && process.length <= 200 && { process }),
    ...(free === true && { free }),
    ...(cleared === true && { cleared }),
  };
}

const isPid = (pid: Json | undefined) => typeof pid === "number" && Number.isInteger(pid) && pid > 0 && pid < 2 ** 32;

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
