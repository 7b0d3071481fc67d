import { collectionAt } from "../kinds/derived/collection.ts";
import { unknownStatus } from "../kinds/derived/unknown-status.ts";
import { isAbsence, isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { givenTime } from "../kinds/shared/timestamp.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { StatusRow } from "../model/report.ts";
import type { Desired, Fields, Live, LiveResource } from "../model/resource.ts";

const day = 86_400_000;

/**
 * Returns the rows of live resources, sorted by address.
 * @param now milliseconds since the epoch.
 * @param isShown default: whether the kind has something to watch.
 */
export function statusRows(
  live: Live,
  now: number,
  isShown: (resource: LiveResource) => boolean = ({ kind }) => isWatched(kindNamed(kind)),
): StatusRow[] {
  return [...live.resources.values()]
    .filter(isShown)
    .map((resource) => statusRow(resource, now))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

const isWatched = ({ readiness, renewal, status }: Kind) => (readiness ?? renewal ?? status?.usage) !== undefined;

/** Marks the rows of live resources that the manifest does not declare. */
export const markUndeclared = (rows: readonly StatusRow[], desired: Desired, live: Live): StatusRow[] =>
  rows.map((row) => {
    if (desired.resources.has(row.address)) return row;
    const owner = isWhollyPlatformOwned(live.resources.get(row.address)) ? "platform" : "unmanaged";
    return { ...row, undeclared: owner };
  });

/** Returns the rows of declared resources that are not live, if their list was read whole; sorted by address. */
export function missingRows(desired: Desired, live: Live): StatusRow[] {
  return [...desired.resources.values()]
    .filter((resource) => !live.resources.has(resource.address) && !isAbsence(resource))
    .filter(({ address }) => {
      const collection = live.collections.get(collectionAt(address));
      return collection !== undefined && collection.incomplete === undefined;
    })
    .map(({ address }): StatusRow => ({
      address,
      status: "",
      state: "missing",
      reason: "declared, but does not exist",
    }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

function statusRow({ address, kind: name, remotes }: LiveResource, now: number): StatusRow {
  const kind = kindNamed(name);
  const fields: Fields = remotes[0]?.fields ?? {};
  const status = kind.readiness ? jsonText(fields["status"]) : "";
  const failed = kind.readiness?.failed.includes(status) === true;
  const external = kind.readiness?.external?.(status, fields);
  const unknown = unknownStatus(kind, fields);
  const pending = external !== undefined || unknown !== undefined || kind.readiness?.awaited.includes(status) === true;
  const strange = unknown === undefined ? undefined : "the status is unknown to this version of Hostform";
  const reason = failed ? kind.readiness?.reason?.(fields) : (external ?? strange);
  const { usage: measured, externalValues } = kind.status ?? {};
  const values = externalValues?.(fields) ?? [];
  return {
    address,
    status,
    state: failed ? "failed" : pending ? "pending" : "ready",
    ...(reason !== undefined && { reason }),
    ...(values.length > 0 && { tells: values }),
    ...expiry(kind.renewal && fields[kind.renewal.expires], now),
    ...(measured && usage(fields[measured.used], measured.limit === undefined ? undefined : fields[measured.limit])),
  };
}

function expiry(value: Json | undefined, now: number): Pick<StatusRow, "expiresAt" | "daysLeft"> {
  if (value === undefined || value === null || value === "") return {};
  const ends = givenTime(value);
  return { expiresAt: jsonText(value), ...(!Number.isNaN(ends) && { daysLeft: Math.floor((ends - now) / day) }) };
}

function usage(used: Json | undefined, limit: Json | undefined): Pick<StatusRow, "usedMb" | "limitMb"> {
  if (typeof used !== "number") return {};
  return { usedMb: used, ...((typeof limit === "number" || limit === null) && { limitMb: limit }) };
}
