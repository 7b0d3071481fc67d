import type { Context } from "../kinds/kind.ts";
import type { ObjectPage, StoredObject } from "../store/objects.ts";

// These functions change the context of a request, so that its work, or its view, goes wrong.

/** Lists whose pages after the first begin with the last object of the one before. */
export function lastOfPageAgain(context: Context): Context {
  return withPages(context, (pageAt, page, perPage) => {
    const here = pageAt(page);
    if (page < 2 || here.records.length === 0) return here;
    const records = [...pageAt(page - 1).records.slice(-1), ...here.records].slice(0, perPage);
    return { ...here, records };
  });
}

/** Lists whose pages after the first leave out the object they should begin with. */
export function skipOne(context: Context): Context {
  return withPages(context, (pageAt, page) => {
    const here = pageAt(page);
    if (page < 2) return here;
    return { ...here, records: [...here.records.slice(1), ...pageAt(page + 1).records.slice(0, 1)] };
  });
}

/** Lists whose total is too low. */
export function shortTotal(context: Context, by: number): Context {
  return withPages(context, (pageAt, page) => {
    const here = pageAt(page);
    return { ...here, total: Math.max(0, here.total - by) };
  });
}

function withPages(
  context: Context,
  change: (pageAt: (page: number) => ObjectPage, page: number, perPage: number) => ObjectPage,
): Context {
  const { objects } = context;
  return {
    ...context,
    objects: {
      ...objects,
      page: (kind, scope, page, perPage) =>
        change((number) => objects.page(kind, scope, number, perPage), page, perPage),
    },
  };
}

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
        for (const other of objects.inScope("dns_record", record.scope))
          if (isSibling(record, other)) objects.remove(other.id);
      },
    },
  };
}

function isSibling({ record: one }: StoredObject, { record: other }: StoredObject): boolean {
  return one["name"] === other["name"] && one["type"] === other["type"] && other["managed"] !== true;
}
