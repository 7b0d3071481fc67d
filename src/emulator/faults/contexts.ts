import type { Context } from "../kinds/kind.ts";
import type { ObjectPage, StoredObject } from "../store/objects.ts";

// These functions change the context of a request, so that its work, or its view, goes wrong.

type PageAt = (page: number) => ObjectPage;

const withPages =
  (change: (pageAt: PageAt, page: number, perPage: number) => ObjectPage) =>
  (context: Context): Context => {
    const { objects } = context;
    const page: Context["objects"]["page"] = (kind, scope, page, perPage) =>
      change((number) => objects.page(kind, scope, number, perPage), page, perPage);
    return { ...context, objects: { ...objects, page } };
  };

/** Lists whose pages after the first begin with the last object of the one before. */
export const lastOfPageAgain = withPages((pageAt, page, perPage) => {
  const here = pageAt(page);
  if (page < 2 || here.records.length === 0) return here;
  const records = [...pageAt(page - 1).records.slice(-1), ...here.records].slice(0, perPage);
  return { ...here, records };
});

/** Lists whose pages after the first leave out the object they should begin with. */
export const skipOne = withPages((pageAt, page) => {
  const here = pageAt(page);
  if (page < 2) return here;
  return { ...here, records: [...here.records.slice(1), ...pageAt(page + 1).records.slice(0, 1)] };
});

/** Lists whose total is too low. */
export const shortTotal = (by: number): ((context: Context) => Context) =>
  withPages((pageAt, page) => {
    const here = pageAt(page);
    return { ...here, total: Math.max(0, here.total - by) };
  });

/** The object of the path goes, and comes again under a new identifier. */
export function newIdOnUpdate(context: Context, id: string | undefined): Context {
  return {
    ...context,
    save(object) {
      const saved = context.save(object);
      if (saved.id !== id) return saved;
      const { id: _, ...record } = saved.record;
      context.objects.remove(saved.id);
      return context.bring(saved.kind, { record, scope: saved.scope, schedule: saved.schedule });
    },
  };
}

/** DNS records with a lower TTL get this one. */
export function clampTtl(context: Context, lowest: number): Context {
  const clamped = (record: StoredObject["record"]): StoredObject["record"] => ({
    ...record,
    ttl: Math.max(Number(record["ttl"]), lowest),
  });
  return {
    ...context,
    bring: (kind, draft) =>
      context.bring(kind, kind === "dns_record" ? { ...draft, record: clamped(draft.record) } : draft),
    save: (object) =>
      context.save(object.kind === "dns_record" ? { ...object, record: clamped(object.record) } : object),
  };
}

/** A DNS record that is deleted takes along the others of its name and type. */
export function deleteSiblings(context: Context): Context {
  const { objects } = context;
  return {
    ...context,
    objects: {
      ...objects,
      remove(id) {
        const record = objects.byId("dns_record", id);
        objects.remove(id);
        if (record === undefined) return;
        const { name, type } = record.record;
        for (const { id: other, record: own } of objects.inScope("dns_record", record.scope))
          if (own["name"] === name && own["type"] === type && own["managed"] !== true) objects.remove(other);
      },
    },
  };
}
