import { createHash } from "node:crypto";
import type { Service } from "../http/service.ts";
import { kinds } from "../kinds/index.ts";
import type { Context } from "../kinds/kind.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { conflict } from "../refusal.ts";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** An opaque identifier: a prefix and 80 random bits in Crockford's base 32. */
export function makeId(prefix: string, random: (bytes: number) => Uint8Array): string {
  let id = `${prefix}_`;
  for (const byte of random(16)) id += alphabet[byte & 31] ?? "";
  return id;
}

/** The store and the rules that a kind may use during one request. Writing what exists already is refused with 409; a lax store refuses that only for kinds that have no identifier of their own. */
export function makeContext(
  service: Pick<Service, "store" | "asyncMs" | "namePrefix" | "random"> & { readonly now: number },
): Context {
  const { store, now, asyncMs, namePrefix, random } = service;
  const { salt, lax } = store;
  const { objects } = store;
  const refuseRival = (name: KindName, naturalKey: string | null, self?: string): void => {
    if (lax && kinds[name].idPrefix !== undefined) return;
    const rival = naturalKey === null ? undefined : objects.byKey(naturalKey);
    if (rival === undefined || rival.id === self) return;
    const key = naturalKey?.slice(naturalKey.indexOf(" ") + 1);
    throw conflict(`There is already the ${rival.kind.replaceAll("_", " ")} "${key}", as ${rival.id}.`);
  };
  const lead = namePrefix === "" || namePrefix.endsWith("_") ? namePrefix : `${namePrefix}_`;
  return {
    objects,
    now,
    asyncMs,
    prefixed: (name) => (name.startsWith(lead) ? name : `${lead}${name}`),
    bring(name, { id: wanted, record, scope: given = "", schedule = [] }) {
      const kind = kinds[name];
      const scope = kind.scope?.(record, given) ?? "";
      const naturalKey = kind.naturalKey?.(record, scope) ?? null;
      const id = kind.idPrefix === undefined ? String(naturalKey) : (wanted ?? makeId(kind.idPrefix, random));
      const whole = kind.idPrefix === undefined ? record : { id, ...record };
      const object = { id, kind: name, scope, schedule, record: whole, naturalKey };
      try {
        objects.insert(object);
      } catch (error) {
        // A query for rivals before each insertion would nearly always find none.
        refuseRival(name, naturalKey);
        throw error;
      }
      return object;
    },
    save(object) {
      const kind = kinds[object.kind];
      const scope = kind.scope?.(object.record, object.scope) ?? "";
      const naturalKey = kind.naturalKey?.(object.record, scope) ?? null;
      const { id, record, schedule } = object;
      const saved = { id, kind: object.kind, scope, record, schedule, naturalKey };
      if (objects.updateInPlace(saved)) return saved;
      refuseRival(saved.kind, saved.naturalKey, saved.id);
      objects.update(saved);
      return saved;
    },
    digest: (text, bytes) => createHash("shake256", { outputLength: bytes }).update(`${salt} ${text}`).digest(),
  };
}
