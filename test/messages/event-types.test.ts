import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { eventTypes } from "../../src/messages/event-types.ts";

interface EventSchema {
  readonly oneOf: readonly { readonly $ref: string }[];
  readonly $defs: Readonly<Record<string, { readonly properties: { readonly type: TypeSchema } }>>;
}
interface TypeSchema {
  readonly const?: string;
  readonly enum?: readonly string[];
}

const schema = JSON.parse(
  readFileSync(new URL("../../schemas/events.schema.json", import.meta.url), "utf8"),
) as EventSchema;

test("schemas/events.schema.json describes each type of event that the program can print, and no other", () => {
  const described = schema.oneOf.flatMap(({ $ref }) => {
    const type = schema.$defs[$ref.replace("#/$defs/", "")]?.properties.type;
    return type?.enum ?? type?.const ?? [`${$ref} has no type`];
  });
  const undescribed = eventTypes.filter((type) => !described.includes(type));
  expect(undescribed, "add these types to schemas/events.schema.json: a sentence alone to the list in `words`").toEqual(
    [],
  );
  expect([...described].sort()).toEqual([...eventTypes].sort());
});
