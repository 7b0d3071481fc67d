import { expect, test } from "vitest";
import { shown } from "../../../src/contract/probe/finding.ts";
import { kindNamed } from "../../../src/kinds/index.ts";

/** Each value of a field, and what a person is shown of it. */
test.each([
  ["status", "active", '"active"'],
  ["quota_mb", 1024, "1024"],
  ["enabled", true, "true"],
  ["address", "jane@example.com", "a text"],
  ["password", "secret", "a text"],
  ["password", 1234, "a number"],
  ["api_token", "secret", "a text"],
  ["addresses", ["jane"], "a list with a text"],
])("of an answer, the %s %j is shown as %s", (field, value, text) => {
  expect(shown(kindNamed("mailbox"), field, value)).toBe(text);
});
