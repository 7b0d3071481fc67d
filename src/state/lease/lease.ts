/**
 * The lease of one target as one runner knows it: a pure state machine. The register that all runners share has one content at a time,
 * and changes only by compare-and-swap. No version ever returns. Times are milliseconds of this runner's own clock.
 */
export interface Lease {
  /** The last content that was read, and since when it has been read without a change. */
  readonly seen?: { readonly version: Version; readonly holder: Holder; readonly since: number };
  /** Swaps of this runner whose result is unknown: each may still take effect. */
  readonly open: readonly Swap[];
  /** The last swap of this runner that is known to have taken effect. */
  readonly own?: Swap;
  /** `taken`: the content is another runner's. `late`: a write was asked for after the lease had run out. Both are final. */
  readonly lost?: "taken" | "late";
}

/** Names exactly one content; empty while there is none. */
export type Version = string;

/** The holder of the content: none (`free`), a process of this machine that has ended, or any other runner. */
export type Holder = "free" | "dead" | "other";

/** One attempt to put `version` in the place of `over`. */
export interface Swap {
  readonly version: Version;
  readonly over: Version;
  /** When the attempt began: the others cannot have seen its content before. */
  readonly started: number;
}

export interface LeaseRules {
  /** The time that others wait for a renewal. */
  readonly length: number;
  /** The time by which the holder stops earlier: clocks do not run alike, and a request takes a moment to leave. */
  readonly margin: number;
}

export const noLease: Lease = { open: [] };

/** Notes what a read returned. `now`: when it had returned. */
export function noteRead(lease: Lease, version: Version, holder: Holder, now: number): Lease {
  const { own, seen } = lease;
  const landed = lease.open.find((swap) => swap.version === version);
  if (landed) return noteDone(lease, landed);
  // A replica that lags behind may still return the content before.
  if (own && (version === own.version || version === own.over)) return lease;
  if (own) return { ...lease, lost: lease.lost ?? "taken" };
  const since = seen?.version === version ? seen.since : now;
  return { ...lease, seen: { version, holder, since } };
}

export function noteBegun(lease: Lease, swap: Swap): Lease {
  return { ...lease, open: [...lease.open, swap] };
}

export function noteDone(lease: Lease, swap: Swap): Lease {
  const { seen: _watched, ...rest } = lease;
  const isNewer = !lease.own || lease.own.version === swap.over;
  // The content that any other swap was to replace never returns.
  return { ...rest, open: lease.open.filter(({ over }) => over === swap.version), ...(isNewer && { own: swap }) };
}

/** Notes that a swap was rejected: the content was another than the one to be replaced. */
export function noteRejected(lease: Lease, swap: Swap): Lease {
  const open = lease.open.filter(({ version }) => version !== swap.version);
  const mayBeOwn = open.length > 0 || lease.own === undefined || lease.own.version !== swap.over;
  return { ...lease, open, ...(!mayBeOwn && { lost: lease.lost ?? "taken" }) };
}

/**
 * The content that this runner may replace now by its own; undefined while it may not. A holder renews its own; others replace a free
 * one, that of an ended process, or one that they have watched for a whole lease.
 */
export function replaceable({ own, seen, lost }: Lease, { length }: LeaseRules, now: number): Version | undefined {
  if (lost !== undefined) return undefined;
  if (own) return own.version;
  if (!seen) return undefined;
  return seen.holder !== "other" || now - seen.since >= length ? seen.version : undefined;
}

/** Whether this runner holds the lease and more than `margin` is left of it. */
export function mayWrite({ own, lost }: Lease, { length, margin }: LeaseRules, now: number): boolean {
  return own !== undefined && lost === undefined && now - own.started < length - margin;
}

/** Notes that a write was asked for: once the lease has run out, no later renewal makes up for it. */
export function noteWrite(lease: Lease, rules: LeaseRules, now: number): Lease {
  return lease.lost !== undefined || mayWrite(lease, rules, now) ? lease : { ...lease, lost: "late" };
}
