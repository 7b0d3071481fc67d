import type { FieldErrors } from "../refusal.ts";
import type { Objects } from "../store/objects.ts";
import type { Check } from "./kind.ts";

/** An error for a `service_id` that names no service. */
export function serviceExists(id: string, objects: Objects): FieldErrors {
  return objects.byId("service", id) === undefined ? { service_id: [`names no service; it was "${id}"`] } : {};
}

/** The check of every kind that belongs to a service. */
export const belongsToService: Check<{ readonly service_id: string }> = {
  fields: ["service_id"],
  run: ({ service_id }, { objects }) => serviceExists(service_id, objects),
};
