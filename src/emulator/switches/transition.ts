import { isFields, type Fields } from "../fields.ts";
import { makeContext } from "../actions/context.ts";
import { kinds } from "../kinds/index.ts";
import type { Context } from "../kinds/kind.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { invalid, mergeErrors, notFound } from "../refusal.ts";
import type { Validators } from "../document/validators.ts";
import type { StoredObject } from "../store/stored-object.ts";
import { answerData, type AdminEndpoint } from "./switch.ts";

/**
 * `POST {kind, id, status, …fields}`: what would befall an object by itself, from a registry or a person, befalls it now.
 * Its schedule is dropped. A job takes what it makes along: done makes it active, failed makes it fail.
 */
export const transitionSwitch: AdminEndpoint = {
  method: "POST",
  run({ store, now, asyncMs, namePrefix, random, validators }, { kind, id, ...changes }) {
    if (!isKind(kind)) throw invalid({ kind: [`must be one of ${Object.keys(kinds).join(", ")}`] });
    const context = makeContext({ store, now: now(), asyncMs, namePrefix, random });
    const record = store.transaction(() => {
      const object = context.objects.byId(kind, String(id));
      if (object === undefined) throw notFound(`${kind} "${String(id)}"`);
      return move(object, changes, context, validators);
    });
    return answerData(200, record, `The ${kind} was changed.`);
  },
};

const isKind = (value: unknown): value is KindName => typeof value === "string" && Object.hasOwn(kinds, value);

function move(object: StoredObject, changes: Fields, context: Context, validators: Validators): Fields {
  const record = { ...object.record, ...changes };
  const unknown = Object.keys(changes).filter((field) => !Object.hasOwn(object.record, field));
  const errors = validators.record(kinds[object.kind].schema, record);
  const all = mergeErrors(errors, Object.fromEntries(unknown.map((field) => [field, ["is not a field of this kind"]])));
  if (Object.keys(all).length > 0) throw invalid(all);
  context.save({ ...object, record, schedule: [] });
  const { resource, status } = record as { resource?: unknown; status?: unknown };
  if (object.kind === "job" && isFields(resource) && isKind(resource["kind"])) {
    const made = context.objects.byId(resource["kind"], String(resource["id"]));
    const end = { done: "active", failed: "failed" }[String(status)];
    if (made !== undefined && end !== undefined)
      context.save({ ...made, record: { ...made.record, status: end }, schedule: [] });
  }
  return record;
}
