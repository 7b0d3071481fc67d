import { makeId } from "../actions/context.ts";
import { isFields } from "../fields.ts";
import { groups, levels, type Level, type Permissions } from "../permissions.ts";
import { invalid, mergeErrors, type FieldErrors } from "../refusal.ts";
import { makeSecret } from "../store/keys.ts";
import { answerData, type AdminEndpoint } from "./switch.ts";

/** `POST {key?, permissions: {group: "none" | "read" | "write"}}`: adds a key; groups left out are "none". */
export const addKeySwitch: AdminEndpoint = {
  method: "POST",
  run({ store, random }, { key, permissions }) {
    const errors = checkKey(key, permissions);
    if (Object.keys(errors).length > 0) throw invalid(errors);
    const secret = typeof key === "string" ? key : makeSecret(random);
    const given = permissions as Partial<Permissions>;
    const all = Object.fromEntries(
      groups.map((group): [string, Level] => [group, given[group] ?? "none"]),
    ) as Permissions;
    const added = store.transaction(() => store.keys.put(secret, makeId("key", random), all));
    return answerData(201, { id: added.id, key: secret, permissions: all }, "The key was added.");
  },
};

function checkKey(key: unknown, permissions: unknown): FieldErrors {
  const errors = mergeErrors();
  if (key !== undefined && !(typeof key === "string" && /^[\x21-\x7e]+$/.test(key))) {
    errors["key"] = ["must be visible ASCII characters without spaces"];
  }
  if (!isFields(permissions)) return { ...errors, permissions: ["must be an object of groups"] };
  for (const [group, level] of Object.entries(permissions)) {
    if (!groups.some((name) => name === group))
      errors[`permissions.${group}`] = [`is not a group; there are ${groups.join(", ")}`];
    else if (!levels.some((name) => name === level))
      errors[`permissions.${group}`] = [`must be one of ${levels.join(", ")}`];
  }
  return errors;
}
