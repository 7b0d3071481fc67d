import { deleteCall, offers } from "../contract/binding.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Position } from "../model/diagnostic.ts";
import type { Refusal, Step } from "../model/plan.ts";
import type { CollectionPolicy, LiveResource } from "../model/resource.ts";
import { matchesGlob } from "../model/glob.ts";
import { nothing, type Planning, type Planned } from "./context.ts";
import { showValue } from "./shown.ts";

/** The deletion of one live resource: by `removed:`, or because its collection is exclusive and the manifest does not declare it. */
export function planDeletion(input: Planning, live: LiveResource): Planned {
  const named = input.desired.removed.get(live.address);
  const removal = named?.action === "delete" ? named : undefined;
  const kind = kindNamed(live.kind);
  const policy = input.desired.collections.get(collectionOf(kind, live.key).id);
  const exclusive =
    policy?.exclusive === true && !named && offers(input.contract, kind, "delete") && !isIgnored(policy, kind, live);
  if (!removal && !exclusive) return nothing;
  const remotes = live.remotes.filter(({ fields }) => kind.platformOwned?.(fields) !== true);
  if (remotes.length === 0) return nothing;
  if (!offers(input.contract, kind, "delete")) return { ...nothing, refusals: [notOffered(live, removal?.at)] };
  const step: Step = {
    id: `delete ${live.address}`,
    address: live.address,
    action: "delete",
    replaces: false,
    purchase: false,
    changes: remotes.flatMap(({ fields }) => deletedValues(kind, fields)),
    calls: remotes.map((remote) => deleteCall(input.contract, kind, live.key, remote, input.idOf)),
    after: [],
    reason: removal ? "named under removed:" : "its collection is exclusive and does not declare it",
    ...(removal && { at: removal.at }),
  };
  return { ...nothing, steps: [step] };
}

/** Whether the manifest's `ignore` globs name this resource: by the part of its key that a manifest writes, in any spelling of it. */
function isIgnored({ ignore }: CollectionPolicy, kind: Kind, { key }: LiveResource): boolean {
  const part = kind.named ?? writtenPart(kind);
  return ignore.some((glob) => matchesGlob(kind.normaliseKey({ ...key, [part]: glob })[part] ?? glob, key[part] ?? ""));
}

const writtenPart = (kind: Kind) => /\{(\w+)\}$/u.exec(kind.manifest)?.[1] ?? "";

function deletedValues(kind: Kind, fields: LiveResource["remotes"][number]["fields"]) {
  const shown = kind.members
    ? [kind.members.identity]
    : Object.keys(fields).filter((name) => kind.fields[name]?.access === "mutable");
  return shown.map((path) => ({
    path: kind.members ? "value" : path,
    before: showValue(fields[path]),
    after: { is: "absent" } as const,
  }));
}

const notOffered = ({ address }: LiveResource, at: Position | undefined): Refusal => ({
  address,
  code: "managed_by_platform",
  summary: `${address} cannot be deleted: the API offers no such operation`,
  hint: "take it out of removed:, or set its collection to exclusive: false",
  ...(at && { at }),
});
