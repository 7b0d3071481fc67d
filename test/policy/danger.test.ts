import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { isReroute } from "../../src/policy/danger.ts";

test.each([
  ["MX", "content", true],
  ["MX", "priority", true],
  ["MX", "ttl", false],
  ["MX", "comment", false],
  ["TXT", "content", false],
] as const)("a change of an %s record's %s sends mail or queries elsewhere: %s", (type, path, expected) => {
  const address = `dns_record/example.com/@/${type}` as Address;
  expect(isReroute({ address, changes: [{ path, before: "a", after: "b" }] as never })).toBe(expected);
});
