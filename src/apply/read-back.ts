import { collectionOf } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import { type Address, kindOf } from "../model/address.ts";
import type { Result } from "../model/failure.ts";
import { jsonText } from "../model/json.ts";
import type { Remote } from "../model/resource.ts";
import { differenceFrom, isThatMember, type Sent } from "./compare-sent.ts";
import { listUnder } from "./find-by-key.ts";
import { pollUntil } from "./poll-until.ts";
import { polling, type RunContext } from "./run-context.ts";

/** What is new under the address of a creation: the same as was sent, or with a difference. */
export interface FoundObject {
  readonly remote: Remote;
  readonly difference: string | undefined;
}

/**
 * Looks for what a creation has made, where its answer does not tell: an object under its address that was not listed before. Of
 * several (a kind whose names are not unique) one that is the same. Undefined where none has appeared after `patience` milliseconds.
 */
export function readBack(
  context: RunContext,
  address: Address,
  sent: Sent,
  patience: number,
): Promise<Result<FoundObject | undefined>> {
  const isNew = newIn(context, address, sent);
  return pollUntil(context, patience, async (isFirst) => {
    const listed = await listUnder(isFirst ? context : polling(context), address);
    if (!listed.ok) return listed;
    const traces = listed.value
      .filter((remote) => isThatMember(sent, remote) && isNew(remote))
      .map((remote): FoundObject => ({ remote, difference: differenceFrom(context, sent, remote) }));
    return { ok: true, value: traces.find(({ difference }) => difference === undefined) ?? traces[0] };
  });
}

/** Whether an object was neither listed when this run began nor made by another step of it. */
function newIn({ live, made }: RunContext, address: Address, { kind, key }: Sent): (remote: Remote) => boolean {
  const { id: collection, scope } = collectionOf(kind, key);
  const listed = [...live.resources.values()].filter(
    (resource) => resource.kind === kind.name && kind.scope.every((part) => resource.key[part] === scope[part]),
  );
  const known = new Set(listed.flatMap(({ remotes }) => remotes.map(({ id }) => id)));
  for (const [other, { id }] of made) {
    if (kindOf(other) === kind.name && collectionOf(kind, locate(other).key).id === collection) known.add(id);
  }
  const { newest } = kind;
  // Those that it has superseded stay listed, though they are not the live one.
  const age = ({ fields }: Remote) => (newest === undefined ? 0 : Date.parse(jsonText(fields[newest])) || 0);
  const before = live.resources.get(address)?.remotes ?? [];
  return (remote) =>
    !known.has(remote.id) && (newest === undefined || before.every((each) => age(each) <= age(remote)));
}
