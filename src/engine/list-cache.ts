import type { Connection } from "../api/connection.ts";
import { forgetEntry, openCache, type Cache } from "../cache/cache.ts";
import type { KeptList, ListStore } from "../live/kept-lists.ts";
import { collectionsOf } from "../live/wanted-collections.ts";
import type { Contract } from "../model/contract.ts";
import { namesSecretInJson } from "../model/credentials.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Plan } from "../model/plan.ts";
import type { Host } from "./host.ts";
import { hashOf } from "./remember-manifest.ts";
import { buildMark } from "./version.ts";

/** The lists in the cache. */
export type KeptLists = Pick<ListStore, "find" | "keep">;

interface ListCache {
  /** Undefined where the cache is not used. */
  readonly lists: KeptLists | undefined;
  /** Lets no later run use the lists of this target that are kept now: something is written. */
  readonly forget: () => void;
}

/**
 * Opens the cache for the lists of one API and key. All entries belong to a generation, which ends with the first write to the target and
 * again with the last: no list that was kept before can say anything of what was written.
 */
export function openListCache(
  { baseUrl, key }: { readonly baseUrl: URL; readonly key: string },
  contract: Contract,
  isUsed: boolean,
  { env, runner, newId, mask }: Host,
): ListCache {
  const target = [baseUrl.href, key];
  const forget = () => forgetEntry(env, runner.uid, "generation", target);
  const cache = isUsed ? openCache(env, runner.uid) : undefined;
  const generation = cache && generationOf(cache, target, newId);
  if (!cache || generation === undefined) return { lists: undefined, forget };
  const base = [buildMark(), hashOf(contract), ...target, generation];
  return {
    forget,
    lists: {
      find: (parts) => {
        const content = cache.read("list", [...base, ...parts]);
        return content && (JSON.parse(content.toString("utf8")) as KeptList);
      },
      keep: (parts, list) => {
        const text = JSON.stringify(list);
        // A server may send anything beside the records.
        if (mask(text) === text && !namesSecretInJson(text)) cache.keep("list", [...base, ...parts], Buffer.from(text));
      },
    },
  };
}

function generationOf(cache: Cache, target: readonly string[], newId: () => string): string | undefined {
  if (!cache.read("generation", target)) cache.keep("generation", target, Buffer.from(newId()));
  return cache.read("generation", target)?.toString();
}

/** Returns a connection that forgets what is kept before the first write, and after the last. */
export function forgetBeforeWrites(connection: Connection, forget: () => void): Connection {
  let hasWritten = false;
  return {
    ...connection,
    send: (request) => {
      if (request.method !== "GET" && !hasWritten) {
        hasWritten = true;
        forget();
      }
      return connection.send(request);
    },
    close: () => {
      if (hasWritten) forget();
      return connection.close();
    },
  };
}

/**
 * Returns the store for one plan, and whether a list came from it. Lists from which a deletion may follow are excluded: those that are kept
 * exclusive, and those of addresses that are to go.
 */
export function listsForPlan(
  lists: KeptLists,
  { desired, ownership: { inventory } }: Pick<PlanInput, "desired" | "ownership">,
): { readonly lists: ListStore; readonly wasUsed: () => boolean } {
  const going = [...(inventory?.addresses ?? [])].filter((address) => !desired.resources.has(address));
  const excluded = new Set(collectionsOf([...desired.removed.keys(), ...going]).map(({ id }) => id));
  let used = false;
  return {
    wasUsed: () => used,
    lists: {
      find: (parts) => {
        const found = lists.find(parts);
        used ||= found !== undefined;
        return found;
      },
      keep: lists.keep,
      isExcluded: ({ id }) => excluded.has(id) || desired.collections.get(id)?.exclusive === true,
    },
  };
}

/** Whether all that a plan does is to create objects and to change fields of single ones. */
export const deletesNothing = ({ steps, refusals, incomplete }: Plan): boolean =>
  refusals.length === 0 &&
  incomplete.length === 0 &&
  steps.every(
    ({ replaces, takesAlong = [], calls }) =>
      !replaces &&
      takesAlong.length === 0 &&
      calls.every(({ operation }) => operation === "create" || operation === "update"),
  );
