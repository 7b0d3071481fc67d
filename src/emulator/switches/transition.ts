import { makeContext } from "../actions/context.ts";
import { isFields, type Fields } from "../fields.ts";
import type { Service } from "../http/service.ts";
import { kinds } from "../kinds/index.ts";
import { schemaOf, type KindName } from "../kinds/kind-name.ts";
import { invalid, mergeErrors, notFound, refuseInvalid } from "../refusal.ts";

/**
 * Does to an object now what would befall it by itself, or by a registry or a person. Returns its record then.
 * Its schedule is dropped. A job takes what it makes along: done makes it active, failed makes it fail.
 */
export function transition(service: Service, { kind, id, ...changes }: Fields): Fields {
  if (!isKind(kind)) throw invalid({ kind: [`must be one of ${Object.keys(kinds).join(", ")}`] });
  const context = makeContext({ ...service, now: service.now() });
  return service.store.transaction(() => {
    const object = context.objects.byId(kind, String(id));
    if (object === undefined) throw notFound(`${kind} "${String(id)}"`);
    const record = { ...object.record, ...changes };
    const unknown = Object.keys(changes).filter((field) => !Object.hasOwn(object.record, field));
    const strange = Object.fromEntries(unknown.map((field) => [field, ["is not a field of this kind"]]));
    refuseInvalid(mergeErrors(service.validators.record(schemaOf(kind), record), strange));
    context.save({ ...object, record, schedule: [] });
    const { resource, status } = record;
    if (kind === "job" && isFields(resource) && isKind(resource["kind"])) {
      const made = context.objects.byId(resource["kind"], String(resource["id"]));
      const end = { done: "active", failed: "failed" }[String(status)];
      if (made !== undefined && end !== undefined)
        context.save({ ...made, record: { ...made.record, status: end }, schedule: [] });
    }
    return record;
  });
}

const isKind = (value: unknown): value is KindName => typeof value === "string" && Object.hasOwn(kinds, value);
