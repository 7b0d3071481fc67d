import type { FieldErrors } from "../refusal.ts";
import type { Objects } from "../store/objects.ts";
import type { Check } from "./kind.ts";

export function serviceExists(id: string, objects: Objects): FieldErrors {
  return objects.byId("service", id) === undefined ? { service_id: [`names no service; it was "${id}"`] } : {};
}

export const belongsToService: Check<{ readonly service_id: string }> = {
  fields: ["service_id"],
  run: ({ service_id }, { objects }) => serviceExists(service_id, objects),
};
