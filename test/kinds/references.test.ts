import { expect, test } from "vitest";
import { referencedBy, withoutReferences } from "../../src/kinds/derived/parents.ts";
import { kindNamed } from "../../src/kinds/index.ts";

test.each([
  ["domain", { name: "a.example" }, { service: "b.example" }, ["service", { domain: "b.example" }]],
  ["domain", { name: "a.example" }, { service: null }, undefined],
  [
    "database_user",
    { service: "a.example", username: "anna" },
    { grants: [{ database: "shop", privileges: ["SELECT"] }] },
    ["database", { service: "a.example", name: "shop" }],
  ],
] as const)("a %s %j with %j refers to %j", (name, key, fields, expected) => {
  const found = referencedBy(kindNamed(name), key, fields);
  expect(found).toMatchObject(expected ? [{ kind: expected[0], key: expected[1] }] : []);
});

test("a domain loses its service when that goes, and no other field", () => {
  const live = { service: "b.example", auto_renew: true };
  const without = (goes: boolean) => withoutReferences(kindNamed("domain"), { name: "a.example" }, live, () => goes);
  expect(without(true)).toEqual({ service: null });
  expect(without(false)).toEqual({});
});
