import type { JsonObject } from "../model/json.ts";
import type { Key, Desired, Live } from "../model/resource.ts";
import { bodiesOf, declaredNames } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";

/** Live state as a file keeps it (schemas/snapshot.schema.json): whole lists, redacted, so that a plan needs neither key nor network. */
export interface Snapshot {
  readonly snapshot: 1;
  readonly hostform: string;
  /** ISO 8601, in UTC. */
  readonly taken_at: string;
  /** `name` is the manifest's, where one was given. */
  readonly target: {
    readonly name?: string;
    readonly base_url: string;
    readonly contract: string;
    readonly emulator: boolean;
  };
  readonly collections: readonly SnapshotCollection[];
}

/** One list of the API. `incomplete`: why it cannot be trusted to be whole. */
export interface SnapshotCollection {
  readonly kind: string;
  readonly scope: Key;
  readonly incomplete?: string;
  readonly objects: readonly SnapshotObject[];
}

/** One object of a list: what the contract names of its record, less the fields that were redacted. */
export interface SnapshotObject {
  readonly address: string;
  readonly record: JsonObject;
  readonly redacted?: readonly string[];
}

const mostNamed = 3;

/** Whether what is live is from a snapshot, which leaves things out. */
function isRedacted({ resources }: Live): boolean {
  for (const { remotes } of resources.values()) if (remotes.some(({ redacted }) => redacted)) return true;
  return false;
}

/** Returns at most one notice, of all declared fields that could not be compared because the snapshot does not tell their live values. */
export function redactedNotices({ resources }: Desired, live: Live): Diagnostic[] {
  if (!isRedacted(live)) return [];
  const redacted = [...resources.values()].flatMap((resource) => {
    const remotes = live.resources.get(resource.address)?.remotes ?? [];
    const hidden = new Set(remotes.flatMap(({ redacted }) => redacted ?? []));
    return declaredNames(...bodiesOf(resource)).flatMap((field) => (hidden.has(field) ? [{ field, resource }] : []));
  });
  const [first] = redacted;
  if (!first) return [];
  const named = redacted.slice(0, mostNamed).map(({ field, resource: { address } }) => `${field} of ${address}`);
  const count = redacted.length === 1 ? "1 field is" : `${redacted.length} fields are`;
  return [
    {
      severity: "notice",
      code: "not_in_snapshot",
      summary: `${count} left out of the snapshot, and not compared: ${named.join(", ")}${redacted.length > mostNamed ? ", …" : ""}`,
      hint: "a snapshot omits values that are or look secret; a plan with an API key compares them",
      at: first.resource.at,
    },
  ];
}
