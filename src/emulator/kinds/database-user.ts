import type { FieldErrors } from "../refusal.ts";
import { belongsToService, type Context, type Kind } from "./kind.ts";

export type Grant = { readonly database: string; readonly privileges: string | readonly string[] };

type Input = {
  readonly service_id: string;
  readonly username: string;
  readonly host: string;
  readonly grants: readonly Grant[];
};

/** A database user. Its password is dropped: nothing here ever logs in. */
export const databaseUser: Kind<Input> = {
  idPrefix: "dbu",
  checks: [belongsToService, { fields: ["service_id", "grants"], run: checkGrants }],
  naturalKey: ({ service_id, username, host }) => `database_user ${service_id} ${username} ${host}`,
  scope: ({ service_id }) => service_id,
};

function checkGrants({ service_id, grants }: Input, { objects }: Context): FieldErrors {
  const errors: FieldErrors = {};
  const seen = new Set<string>();
  for (const [index, { database }] of grants.entries()) {
    const field = `grants.${index}.database`;
    if (seen.has(database)) errors[field] = [`is granted twice; it was "${database}"`];
    else if (objects.byKey(`database ${service_id} ${database}`) === undefined) {
      errors[field] = [`names no database of the service; it was "${database}"`];
    }
    seen.add(database);
  }
  return errors;
}
